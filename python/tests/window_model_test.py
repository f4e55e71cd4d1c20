"""What the window shows, made of the daemon's rows: without a window and a daemon."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from harness.tree import SOURCES

sys.path.insert(0, str(SOURCES / "desktop"))

from segue_desktop import model, texts  # type: ignore[import]  # noqa: E402

OFFER: dict[str, Any] = {
    "id": "1" * 32, "device-id": "d", "device-name": "desk", "type": "org.example.text", "title": "Letter",
    "app-name": "Writer", "local-app": "org.example.Writer", "candidates": ["org.example.Writer"], "age": 125_000}


def test_anOffer() -> None:
    offer = model.Offer.of(OFFER)
    assert offer.title == "Letter" and offer.details == "Writer · From desk · 2 minutes ago" and offer.can_continue


@pytest.mark.parametrize("change, title, details", [
    ({"title": ""}, "Writer", "From desk · 2 minutes ago"),
    ({"title": None, "app-name": "", "candidates": []}, "org.example.text",
     "From desk · no application here continues it"),
    ({"in-browser": True, "candidates": [], "title": "Page"}, "Page", "Web browser · From desk · 2 minutes ago"),
    ({"here": True}, "Letter", "Writer · On this device · 2 minutes ago"),
    ({"stored": True, "age": 90_000_000}, "Letter", "Writer · From desk · 1 day ago · as it was last stored"),
    ({"needs-choice": True, "candidates": ["a.B", "c.D"]}, "Letter",
     "2 applications can continue it · Writer · From desk · 2 minutes ago"),
])
def test_otherOffers(change: dict[str, Any], title: str, details: str) -> None:
    offer = model.Offer.of({**OFFER, **change})
    assert (offer.title, offer.details) == (title, details)


def test_anOfferOfAnotherVersionOfTheDaemon() -> None:
    offer = model.Offer.of({"id": "2" * 32, "colour": "red"})
    assert offer.title == "" and not offer.can_continue and not offer.needs_choice


def test_devices() -> None:
    device = model.Device.of({"id": "d", "name": "desk", "seen": 1_000, "hint": "It is off.", "words": "a-b"}, 1_000 + 7_200)
    assert device.state == "Last seen 2 hours ago" and ("Why it is not reached", "It is off.") in device.facts
    assert model.Device.of({"id": "d", "online": True}, 0).state == "Online"
    assert model.Device.of({"id": "d"}, 0).state == "Not seen yet"
    # A clock that went back.
    assert model.Device.of({"id": "d", "seen": 9_000}, 1_000).state == "Last seen just now"


@pytest.mark.parametrize("state", [
    "closed", "open", "reaching", "showing", "typing", "asking", "ending", "paired", "failed"])
def test_eachStepOfAPairingHasItsWords(state: str) -> None:
    pairing = model.Pairing.of({"state": state, "name": "desk", "digits": "123456"})
    assert pairing.title and pairing.digits == "123 456"
    assert pairing.has_ended == (state in ("closed", "paired", "failed"))


def test_aPairingThatIsNotKnown() -> None:
    assert model.Pairing.of({"state": "dancing"}).title == "dancing"
    failed = model.Pairing.of({"state": "failed", "message": "The digits differ.", "advice": "Try again."})
    assert (failed.title, failed.text) == ("The digits differ.", "Try again.")
    assert model.Pairing.of({"state": "open", "code": "SEGUE:A"}).code == "SEGUE:A"
    assert model.Pairing.of({"state": "paired", "code": "SEGUE:A"}).code == ""


def test_problemsAndTheLastContinuation() -> None:
    assert [each.text for each in model.problems({"discovery-problem": "No Avahi.", "notes": ["Old."]})] == [
        "No Avahi.", "Old."]
    assert model.problems({}) == [] and model.last({}) is None
    title, said, phases = model.last({
        "continuation": "c", "app-name": "Writer", "device-name": "desk", "total": 2_500,
        "phases": [{"phase": "fetch", "duration": 1_250}]})
    assert (title, said, phases) == ("Writer from desk", "It took 2.5 ms.", (("fetch", "1.2 ms"),))


@pytest.mark.parametrize("milliseconds, words", [
    (0, "just now"), (59_999, "just now"), (60_000, "1 minute ago"), (3_599_999, "59 minutes ago"),
    (3_600_000, "1 hour ago"), (86_399_999, "23 hours ago"), (86_400_000, "1 day ago"), (10 ** 15, "11574074 days ago")])
def test_ages(milliseconds: int, words: str) -> None:
    assert texts.elapsed(milliseconds) == words
