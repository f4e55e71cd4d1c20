"""Sending from the window of segue-desktop, and texts that were sent to it."""

from __future__ import annotations

from typing import Any

import pytest
import segue_desktop_fixtures as fixtures
from segue_desktop_fixtures import Place, Reader

from segue_desktop.model import sending
from segue_desktop.model.devices import devices

paired, desk, lap = fixtures.paired, fixtures.desk, fixtures.lap
probe, reader = fixtures.probe, fixtures.reader

DEVICE: dict[str, Any] = {"id": "a", "name": "lap", "online": True, "takes": ["activity", "text"], "receive": "open"}


@pytest.fixture
def willing(lap: Place) -> Any:
    """Lap opens what desk sends."""
    lap.device.segue("receive", "desk", "open")
    yield lap
    lap.device.segue("receive", "desk", "ask")


# The model

def test_onlyWhoTakesItNowIsAReceiver() -> None:
    listed = [DEVICE, {**DEVICE, "id": "b", "takes": ["text"]}, {**DEVICE, "id": "c", "online": False},
              {"id": "d", "name": "older", "online": True}]
    found = devices(listed, 0)
    assert [device.id for device in sending.receivers(found, "activity")] == ["a"]
    assert [device.id for device in sending.receivers(found, "text")] == ["a", "b"]
    assert found[0].receiving == "open" and len(sending.rule_names()) == len(sending.RULES)


def test_aTextKeepsItsLines() -> None:
    row = {"id": "t", "text": "one\n\ttwo", "device-name": "desk", "age": 120_000}
    text = sending.text_called([{"id": "other", "text": "no"}, row], "t")
    assert text is not None and (text.text, text.heading) == ("one\n\ttwo", "From desk, 2 minutes ago")
    nothing: list[Any] = [[], None, [{"id": "t"}], [{"id": "t", "text": 7}]]
    assert all(sending.text_called(listed, "t") is None for listed in nothing)


# The window

def test_anActivityIsSentToADevice(desk: Place, willing: Place, reader: Reader) -> None:
    desk.start()
    origin = reader.open("Forest")
    desk.screen.press("alt+3")
    desk.screen.click("Send “Forest” to…")
    # The menu has the keyboard, at its first device.
    desk.screen.find("push button", "lap", "focused")
    desk.screen.press("Return")
    reader.places[1].launched().expect("continue")
    desk.screen.find("label", "Sent to lap.")
    origin.expect("was-continued a")


def test_aTextIsWrittenAndReadAtTheOtherDevice(desk: Place, willing: Place) -> None:
    willing.start()
    desk.start()
    desk.screen.press("alt+2")
    desk.screen.click("list item", "lap", "Your devices")
    desk.screen.click("list item", "Send a Text…")
    desk.screen.find("frame", "Send a Text", "active")
    desk.screen.type("Platform 7")
    desk.screen.click("push button", "Send", "Send a Text")
    desk.screen.find("label", "Sent to lap.")
    willing.screen.find("label", "From desk, just now")
    willing.screen.find("text", "Platform 7")
    willing.screen.click("push button", "Copy")
    willing.screen.find("label", "Copied.")


def test_aDeviceIsAllowedToOpenWhatItSends(desk: Place, lap: Place) -> None:
    lap.start()
    lap.screen.press("alt+2")
    lap.screen.click("list item", "desk", "Your devices")
    lap.screen.click("label", "When it sends something")
    lap.screen.press("Down", "Return")
    fixtures.wait_for(lambda: lap.device.json("devices")[0]["receive"] == "open", "the rule")
    lap.device.segue("receive", "desk", "ask")


def test_aTextThatIsForgottenIsToldAsSuch(lap: Place) -> None:
    lap.start()
    lap.screen.run("gdbus", "call", "--session", "--dest", "org.segue.Desktop", "--object-path", "/org/segue/Desktop",
                   "--method", "org.freedesktop.Application.ActivateAction", "text", "[<'" + "0" * 32 + "'>]", "{}")
    lap.screen.find("label", "The Text Is Gone")
