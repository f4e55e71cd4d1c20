"""Sending from the window of segue-desktop, and texts that were sent to it."""

from __future__ import annotations

from typing import Any

import pytest
import segue_desktop_fixtures as fixtures
from segue_desktop_fixtures import Place, Reader

from segue_desktop.model import sending
from segue_desktop.model.devices import devices
from segue_desktop.model.transfers import progress_to

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


def test_phonesTakeLinksOfPages() -> None:
    row = {"id": "valent:a", "name": "Pixel", "program": "Valent"}
    phone, = sending.phones([row, {"name": "no id"}])
    assert (phone.id, phone.name, phone.is_online) == ("valent:a", "Pixel, by Valent", True)
    assert sending.sent_sentence(phone) == "Sent to Pixel, by Valent, as a link, without its state."
    assert sending.sent_sentence(devices([DEVICE], 0)[0]) == "Sent to lap."
    assert sending.pages([{"id": "a", "web-host": "a.example"}, {"id": "b"}]) == {"a"}
    nothing: list[Any] = [None, [], 7]
    assert all(sending.phones(listed) == [] and sending.pages(listed) == set() for listed in nothing)


@pytest.mark.parametrize("problem, said", [
    ('"lap" shows it, and has it when its user clicks.\nsegue: It was not taken.\n  Send it again.\n',
     "It was not taken. Send it again."),
    ("segue: There is a line\n", "There is a line"), ("Killed\n", "Killed"),
    ("", "Something went wrong, and no reason was given.")])
def test_whyTheCommandHasFailed(problem: str, said: str) -> None:
    assert sending.failure_of(problem).whole == said


def test_theProgressIsThatOfAllFiles() -> None:
    row: dict[str, Any] = {
        "id": "1", "kind": "file", "app-id": "org.segue.Files", "device-id": "a", "incoming": False, "done": 50, "size": 100}
    assert progress_to([row, {**row, "done": 0, "size": 100}], "a") == 0.25
    others: list[Any] = [[], None, [{**row, "device-id": "b"}], [{**row, "app-id": "x"}], [{**row, "incoming": True}]]
    assert all(progress_to(listed, "a") is None for listed in others)


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


# Files

def test_filesAreSentFromAFileManager(desk: Place, willing: Place) -> None:
    for place in (desk, willing):
        place.install_files()
    path = desk.device.folder / "home" / "a & b.txt"
    path.write_text("text")
    desk.start("Send Files", ("--send", str(path)))
    desk.screen.click("list item", "lap")
    desk.screen.find("label", "Sent")
    assert (willing.device.folder / "home/Downloads/a & b.txt").read_text() == "text"


def test_theWindowThatIsClosedTakesTheFilesBack(desk: Place, lap: Place) -> None:
    for place in (desk, lap):
        place.install_files()
    path = desk.device.folder / "home" / "a.txt"
    path.write_text("text")
    device, = desk.device.json("devices")
    desk.start("Send Files", ("--send", "--device", device["id"], str(path)))
    desk.screen.find("label", "lap Shows It")
    desk.screen.press("Escape")
    desk.device.until_asked(lambda: not desk.device.json("activities")["activities"], "the end of the activity")


def test_whyFilesAreNotSentIsSaid(desk: Place, willing: Place) -> None:
    for place in (desk, willing):
        place.install_files()
    desk.start("Send Files", ("--send", str(desk.device.folder)))
    desk.screen.click("list item", "lap")
    desk.screen.find("label", "Not Sent")
    desk.screen.click("push button", "Choose a Device")
    desk.screen.find("list item", "lap")
