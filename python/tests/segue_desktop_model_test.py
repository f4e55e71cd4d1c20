"""What segue-desktop shows, from what the daemon says: without a toolkit and without a bus."""

from __future__ import annotations

import ast
import gettext
import pathlib
import re
import subprocess
import time
from typing import Any

import pytest
from support import ROOT

from segue_desktop.model import applications, devices, doctor, fields, last, offers, pairing, sharing, transfers
from segue_desktop.model.failure import Failure, lost
from segue_desktop.model.service import ATTEMPTS, Presence, Service
from segue_desktop.model.time import ago, span

#: Texts that are the same in another language.
SAME = {
    "de": {"Segue", "Links", "Name", "Online", "ltr", "{number} ms", "{number} s"}, "ar": {"Segue"}}
OFFER: dict[str, Any] = {
    "id": "a" * 32, "device-id": "d", "device-name": "desk", "title": "Page", "app-id": "a.B", "app-name": "Reader",
    "local-app": "a.B", "candidates": ["a.B"], "type": "a.b.page", "age": 120_000}


def shown(**changes: Any) -> offers.Offer:
    (offer,) = offers.offers([{**OFFER, **{key.replace("_", "-"): value for key, value in changes.items()}}])
    return offer


# Fields

@pytest.mark.parametrize(("value", "read"), [
    ("a", "a"), (7, ""), (None, ""), ("two\nlines\x1b[m", "two lines [m"), ("\u202eevil", " evil"),
    ("می\u200cروم", "می\u200cروم"),
    ("x" * 5000, "x" * fields.LONGEST_TEXT + "…")])
def test_aTextIsOneBoundedLine(value: Any, read: str) -> None:
    assert fields.text({"k": value}, "k") == read


@pytest.mark.parametrize("value", [None, 7, "text", {"a": 1}, [1, "a", None]])
def test_valuesOfOtherTypesAreNoRows(value: Any) -> None:
    assert fields.rows(value) == []
    assert offers.offers(value) == []
    assert devices.devices(value, 0) == []
    assert applications.activities(value) == []
    assert applications.links(value) == []
    assert applications.choices(value, None) == []


# Offers

def test_anOfferSaysWhatWhereAndWhen() -> None:
    offer = shown()
    assert (offer.title, offer.subtitle) == ("Page", "Reader · From desk · 2 minutes ago")
    assert offer.can_continue and not offer.needs_choice and not offer.in_browser


def test_aStoredOfferSaysHowOldItsStateIs() -> None:
    assert shown(stored=True, stored_age=3_600_000).subtitle == "Reader · From desk · As saved 1 hour ago"


def test_anOfferSaysThatItsFileIsNotHere() -> None:
    sentence = "Its file can be brought from desk."
    assert shown(file="given", file_sentence=sentence).subtitle == f"Reader · From desk · 2 minutes ago\n{sentence}"
    assert shown(file="shared", file_sentence=7).subtitle == "Reader · From desk · 2 minutes ago"


def test_withoutATitleItIsCalledByItsPageOrApplication() -> None:
    assert shown(title="", web_host="example.com").title == "example.com"
    assert shown(title=" ").title == "Reader"
    assert shown(title="", app_name="", app_id="").title == "a.b.page"


def test_whereNothingContinuesItTheReasonIsTold() -> None:
    bare = {**OFFER, "local-app": "", "candidates": []}
    reason = [{"id": bare["id"], "offered": False, "sentence": "Nobody knows this type."}]
    (told,), (untold,) = offers.offers([bare], reason), offers.offers([bare])
    assert not told.can_continue and told.subtitle == "From desk. Nobody knows this type."
    assert untold.subtitle == "From desk. No application here can continue it."


def test_theBrowserTakesAPageThatNoApplicationTakes() -> None:
    offer = shown(local_app="", candidates=[], in_browser=True, web_host="example.com")
    assert offer.can_continue and offer.in_browser
    assert offer.subtitle.startswith("Opens example.com in the browser")


def test_severalApplicationsNeedAChoiceOnlyWhereTheDaemonSaysSo() -> None:
    assert shown(candidates=["a.B", "c.D"], needs_choice=True).needs_choice
    assert not shown(candidates=["a.B", "c.D"]).needs_choice
    assert not shown(needs_choice=True).needs_choice


def test_anIdThatTwoDevicesHaveIsTwoRowsAndARepeatedOneIsOne() -> None:
    listed = [OFFER, OFFER, {**OFFER, "device-id": "e"}]
    assert [offer.key for offer in offers.offers(listed)] == [("d", OFFER["id"]), ("e", OFFER["id"])]


# Devices

def test_devicesThatAreOnlineComeFirst() -> None:
    listed = [
        {"id": "1", "name": "b", "seen": 1000, "hint": "Its network is another one."},
        {"id": "2", "name": "a"}, {"id": "3", "name": "c", "online": True, "reached": "192.0.2.7:4711"}]
    online, never, seen = devices.devices(listed, 1000 + 7200)
    assert (online.name, online.subtitle, online.seen) == ("c", "Online · 192.0.2.7:4711", "now")
    assert (never.subtitle, never.seen) == ("Not seen yet", "never")
    assert seen.subtitle == "Last seen 2 hours ago · Its network is another one."
    assert devices.others_online([online, never, seen], online) == []


def test_notesAreWhatTheUserShouldKnow() -> None:
    here = devices.this_device({"device-name": "desk", "discovery-problem": "No Avahi.", "notes": ["Full.", 7]})
    assert here.notes == ("No Avahi.", "Full.")


# Sharing

def test_aPauseIsASentence() -> None:
    now = time.mktime((2026, 11, 27, 18, 30, 0, 0, 0, -1))
    cases: list[tuple[dict[str, Any], str]] = [
            ({}, ""), ({"paused": False, "paused-until": 7}, ""), ({"paused": "yes"}, ""),
            ({"paused": True}, "Paused: nothing"), ({"paused": True, "paused-here": True}, "Paused in this network"),
            ({"paused": True, "paused-until": int(now) + 1800}, "until 19:00: nothing"),
            ({"paused": True, "paused-until": int(now) + 86400}, "until 2026-11-28 18:30: nothing"),
            ({"paused": True, "paused-until": 2 ** 63}, "?")]
    for status, said in cases:
        sentence = sharing.sharing(status, now).sentence
        assert said in sentence and bool(said) == bool(sentence), (status, sentence)


def test_tomorrowBeginsAtSix() -> None:
    for hour, minute, day in [(18, 0, 28), (0, 30, 27), (4, 59, 27), (5, 1, 28), (6, 0, 28)]:
        now = time.mktime((2026, 11, 27, hour, minute, 0, 0, 0, -1))
        assert sharing.tomorrow(now) == time.mktime((2026, 11, day, 6, 0, 0, 0, 0, -1)), hour


def test_anApplicationThatIsKeptHasOneRow() -> None:
    state = sharing.sharing({"withheld": ["a.B", "a.C", 7]}, 0)
    shown_now = applications.activities([{"app-id": "a.B", "id": "1", "title": "Page"}])
    assert [application.app for application in sharing.kept(state, shown_now)] == ["a.C"]


# On their way

def test_aFileSaysHowFarItIs() -> None:
    row: dict[str, Any] = {"id": "file-1", "kind": "file", "incoming": True, "device-name": "desk", "app-name": "Reader",
           "name": "a.pdf", "state": "open", "done": 2_500_000, "size": 10_000_000}
    (file,) = transfers.transfers([row, {"kind": "file"}, 7])
    assert (file.title, file.subtitle, file.fraction) == ("a.pdf", "From desk · Reader · 2.5 MB of 10.0 MB", 0.25)
    cases: list[tuple[dict[str, Any], str]] = [
            ({"state": "interrupted"}, "Interrupted"), ({"state": "asked", "done": 0, "size": None}, "Waiting"),
            ({"incoming": False}, "To desk"), ({"kind": "stream", "name": ""}, "With desk"),
            ({"kind": "stream", "device-name": ""}, "Between applications here"), ({"size": 0}, "From desk · Reader")]
    for changes, said in cases:
        (changed,) = transfers.transfers([{**row, **changes}])
        assert said in changed.subtitle, changes
    assert transfers.transfers([{**row, "size": 0}])[0].fraction is None
    assert transfers.transfers([{**row, "done": 20_000_000}])[0].fraction == 1


def test_theContinuationOfAnOffer() -> None:
    listed = [{"continuation": "c1", "activity": "o1", "device-id": "d"}, {"continuation": "c2", "activity": "o2"}]
    assert transfers.continuation_of(listed, ("d", "o1")) == "c1"
    assert transfers.continuation_of(listed, ("e", "o1")) == ""
    assert transfers.continuation_of(None, ("d", "o1")) == ""


@pytest.mark.parametrize(("count", "words"), [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (99_900, "99.9 kB"), (100_000, "100 kB"), (10 ** 18, "1000000 TB")])
def test_anAmountIsInOneUnit(count: int, words: str) -> None:
    assert transfers.amount(count) == words


# Pairing

@pytest.mark.parametrize(("state", "step"), [
    ("open", "WAITING"), ("reaching", "WAITING"), ("showing", "SHOWING"), ("typing", "TYPING"), ("asking", "ASKING"),
    ("ending", "ENDING"), ("paired", "PAIRED"), ("failed", "FAILED"), ("closed", "FAILED"), ("later", "WAITING")])
def test_eachStateHasItsPage(state: str, step: str) -> None:
    told = pairing.pairing({"state": state, "name": "lap", "digits": "123456"})
    assert told.step is pairing.Step[step]
    assert told.title and told.digits == "123 456"
    assert told.is_over == (state in ("paired", "failed", "closed"))


def test_aCodeIsShownWhileNobodyHasUsedIt() -> None:
    assert pairing.pairing({"state": "open", "code": "SEGUE:AB"}).step is pairing.Step.CODE
    assert pairing.pairing({"state": "ending", "code": "SEGUE:AB"}).step is pairing.Step.ENDING
    assert pairing.pairing({"state": "open", "code": "x" * 5000}).step is pairing.Step.WAITING


def test_aFailureSaysWhyAndWhatToDo() -> None:
    told = pairing.pairing({"state": "failed", "message": "Wrong.", "advice": "Try again."})
    assert told.sentence == "Wrong. Try again."


@pytest.mark.parametrize(("typed", "said"), [
    ("SEGUE:AB12", {"code": "SEGUE:AB12"}), (" segue pair SEGUE:AB\n12 ", {"code": "SEGUE:AB12"}),
    ("segue:ab", {"code": "segue:ab"}), ("segue pair 192.0.2.7:4711", {"addresses": ["192.0.2.7:4711"]}),
    ("[fe80::1%eth0]:4711", {"addresses": ["[fe80::1%eth0]:4711"]}), ("desk.local:80", {"addresses": ["desk.local:80"]}),
    ("", None), ("desk", None), ("a:b", None), ("two words:1", None), ("::1:80", None)])
def test_whatWasCopiedIsACodeOrAnAddress(typed: str, said: Any) -> None:
    assert pairing.options(typed) == said


def test_digitsOfAnyScriptAreTaken() -> None:
    assert pairing.ascii_digits("٤٩٣ ٠٢٧") == "493027"
    assert pairing.is_complete("493 027") and not pairing.is_complete("49302") and not pairing.is_complete("4930278")
    assert pairing.ascii_digits("²③a") == ""


# Applications

def test_activitiesOfOtherDevicesAreNotFromHere() -> None:
    explained = [
        {"app-id": "a.B", "from": "desk", "offered": True},
        {"app-id": "a.C", "app-name": "Notes", "sentence": "It has nothing on offer."},
        {"app-id": "a.B", "app-name": "Reader", "title": "Page", "offered": True}]
    offered, silent = applications.activities(explained)
    assert (offered.title, offered.subtitle, offered.is_offered) == ("Page", "Reader · On offer to your devices", True)
    assert (silent.title, silent.subtitle) == ("Notes", "It has nothing on offer.")


def test_aTypeWithSeveralApplicationsHasAChoice() -> None:
    listed = [{"type": "t.two", "candidates": ["a.B", "c.D"]}, {"type": "t.one", "candidates": ["a.B"]}]
    two, other = applications.choices(listed, {"t.z": "e.F"})
    assert (two.type, two.candidates, two.chosen) == ("t.two", ("a.B", "c.D"), "")
    assert (other.type, other.candidates, other.chosen) == ("t.z", ("e.F",), "e.F")


def test_aLinkCanBeKeptOnlyWhereItWouldOpen() -> None:
    opens, kept, cannot = applications.links([
        {"domain": "a.example", "app-name": "Reader", "opens": True},
        {"domain": "b.example", "reason": "links-kept", "sentence": "You keep them."},
        {"domain": "c.example", "reason": "domain-refused", "sentence": "Its file is not there."}])
    assert (opens.opens, opens.can_choose, opens.subtitle) == (True, True, "Links open in Reader")
    assert (kept.opens, kept.can_choose) == (False, True)
    assert (cannot.opens, cannot.can_choose) == (False, False)


# The last continuation

def test_phasesAreBarsOfTheWhole() -> None:
    told = last.last({
        "continuation": "c", "app-name": "Reader", "device-name": "desk", "total": 200_000, "size": 7,
        "phases": [{"phase": "launch", "start": 0, "duration": 100_000}, {"phase": "later", "start": 50_000}]})
    assert told is not None
    assert told.summary == "From desk · 200 ms · 7 bytes of state"
    assert [(phase.start, phase.length) for phase in told.phases] == [(0, 0.5), (0.25, 0)]
    assert last.last({}) is None


# The check of this device

def test_theWorstIsFirst() -> None:
    found = doctor.findings('[{"severity":"note","message":"n"},{"severity":"error","message":"e","advice":"a"}]')
    assert [(finding.message, finding.advice, finding.is_error) for finding in found] == [
        ("e", "a", True), ("n", "", False)]


@pytest.mark.parametrize("output", ["", "no JSON", "[1"])
def test_aCheckThatSaysNothingIsAFinding(output: str) -> None:
    (finding,) = doctor.findings(output, "segue: unknown option\nmore")
    assert finding.is_error and finding.message == "segue: unknown option"
    assert doctor.findings(output)[0].message


# The daemon

def test_anOlderDaemonIsToldAsSuch() -> None:
    failure = Failure("org.freedesktop.DBus.Error.UnknownMethod", "Method x of interface y does not exist.")
    assert "older version" in failure.sentence and "Log out" in failure.remedy
    assert "UnknownMethod" not in failure.whole and "interface" not in failure.whole


def test_silenceAndErrorsHaveSentences() -> None:
    assert Failure("org.freedesktop.DBus.Error.NoReply", "").sentence == "The Segue daemon does not answer."
    assert Failure("org.segue.Error.X", "A.", "B.").whole == "A. B."
    assert Failure("", "").whole and lost().whole


def test_aDaemonThatEndsIsStartedAnewAFewTimes() -> None:
    state = Service()
    for _ in range(ATTEMPTS):
        assert state.tries_again
        state = state.failed(lost())
    assert not state.tries_again and state.presence is Presence.ABSENT and state.sentence
    assert state.ready().tries_again


# Time

@pytest.mark.parametrize(("seconds", "words"), [
    (-5, "just now"), (59, "just now"), (60, "1 minute ago"), (7199, "1 hour ago"), (86400 * 2, "2 days ago")])
def test_anAgeIsInOneUnit(seconds: float, words: str) -> None:
    assert ago(seconds) == words


def test_aSpanIsAsExactAsItMatters() -> None:
    assert [span(time) for time in (1_234, 45_678, 2_345_678)] == ["1.2 ms", "46 ms", "2.3 s"]


# Translations

class Calls(ast.NodeVisitor):
    """The texts that are translated in a file: the arguments of _ and ngettext."""

    def __init__(self) -> None:
        self.texts: set[str] = set()

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in ("_", "ngettext"):
            self.texts |= {argument.value for argument in node.args if isinstance(argument, ast.Constant)
                           and isinstance(argument.value, str)}
        self.generic_visit(node)


@pytest.mark.parametrize("language", ["de", "ar"])
def test_everyTextIsTranslated(language: str, tmp_path: pathlib.Path) -> None:
    calls = Calls()
    for file in (ROOT / "desktop" / "segue_desktop").rglob("*.py"):
        calls.visit(ast.parse(file.read_text()))
    for file in (ROOT / "desktop" / "gnome-shell").rglob("*.js"):
        calls.texts |= set(re.findall(r"\b_\('([^']*)'\)", file.read_text()))
    made = tmp_path / "catalogue"
    subprocess.run([ROOT / "scripts" / "catalogue", ROOT / "desktop" / "po" / f"{language}.po", made], check=True)
    with open(made, "rb") as file_of_texts:
        catalogue = gettext.GNUTranslations(file_of_texts)
    plurals = {text for text in calls.texts if "{count}" in text}
    for text in calls.texts - plurals:
        translated = catalogue.gettext(text)
        assert translated != text or text in SAME[language], text
        assert sorted(re.findall(r"{\w+}", translated)) == sorted(re.findall(r"{\w+}", text)), text
    for text in plurals:
        for count in (0, 1, 2, 5, 11, 100):
            assert catalogue.ngettext(text, text, count) != text or text.endswith("s ago")
