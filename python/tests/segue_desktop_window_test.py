"""The window of segue-desktop between two paired devices, read as a screen reader does."""

from __future__ import annotations

import pytest
import segue_desktop_fixtures as fixtures
from segue_desktop_fixtures import Place, Reader

paired, desk, lap, strangers = fixtures.paired, fixtures.desk, fixtures.lap, fixtures.strangers
probe, reader = fixtures.probe, fixtures.reader


def test_aClickContinues(desk: Place, lap: Place, reader: Reader) -> None:
    lap.start()
    origin = reader.open("Forest")
    lap.screen.find("list item", "Forest", "What can be continued here")
    lap.screen.find("label", "Reader · From desk")
    lap.screen.click("push button", "Continue “Forest”")
    reader.places[1].launched().expect("continue")
    origin.expect("was-continued a")
    lap.screen.find_none("list item", "Forest", "What can be continued here")


def test_theKeyboardContinues(desk: Place, lap: Place, reader: Reader) -> None:
    lap.start()
    reader.open("Forest")
    lap.screen.find("list item", "Forest")
    # A key for each page gives the keyboard to its first row.
    lap.screen.press("alt+1")
    lap.screen.find("list item", "Forest", "focused")
    lap.screen.press("Return")
    reader.places[1].launched().expect("continue")


def test_markupInATitleIsText(desk: Place, lap: Place, reader: Reader) -> None:
    lap.start()
    title = "<b>A</b>&amp;<a&"
    reader.open(title)
    lap.screen.find("list item", title)
    lap.screen.find("label", title)
    desk.start()
    desk.screen.press("alt+3")
    desk.screen.find("label", title, "From Here")


def test_itSaysWhyNotWhereItCannot(desk: Place, lap: Place, reader: Reader) -> None:
    lap.start()
    for place in reader.places[1:]:
        place.remove()
    reader.open("Forest")
    # The daemon's own reason.
    sentence = next(
        row["sentence"] for row in lap.device.json("explain") if not row["offered"] and row.get("from") == "desk")
    lap.screen.find("label", sentence)
    lap.screen.find_none("push button", "Continue “Forest”")


def test_aDaemonThatEndsIsStartedAgain(desk: Place, lap: Place, reader: Reader) -> None:
    lap.start()
    reader.open("Forest")
    lap.screen.find("list item", "Forest")
    for _ in range(2):
        lap.lose_daemon()
        lap.screen.find("list item", "Forest")
    lap.screen.click("push button", "Continue “Forest”")
    reader.places[1].launched().expect("continue")


def test_withoutADaemonItSaysSoAndHowToHaveOne(desk: Place, lap: Place) -> None:
    services = sorted((lap.device.data / "dbus-1" / "services").glob("org.segue.*1.service"))
    texts = [service.read_text() for service in services]
    for service in services:
        service.unlink()
    lap.device.reload()
    lap.device.stop_daemon()
    try:
        lap.start()
        lap.screen.find("label", "Segue Is Not Running")
        # The check names the cure.
        lap.screen.find("label", "does not know how to start it")
    finally:
        for service, text in zip(services, texts):
            service.write_text(text)
        lap.device.reload()
    lap.screen.click("push button", "Start Segue")
    lap.screen.find("label", "Nothing to Continue")


def test_aDeviceGetsAnotherNameAndIsRemoved(strangers: tuple[Place, Place]) -> None:
    desk, lap = strangers
    fixtures.pair(desk.device, lap.device)
    lap.start()
    lap.screen.press("alt+2")
    lap.screen.click("list item", "desk", "Your devices")
    lap.screen.find("label", "Addresses", "desk")
    lap.fill("desk", "Tower")
    lap.screen.find("list item", "Tower", "Your devices")
    lap.screen.click("list item", "Tower", "Your devices")
    lap.screen.click("push button", "Remove “Tower”")
    lap.screen.find("label", "Remove “Tower”?")
    lap.screen.click("push button", "Remove", "Remove “Tower”?")
    lap.screen.find("label", "Go On at Another Device")
    assert lap.device.json("devices") == []


def test_aPauseIsBegunInTheMenuAndEndedInTheBar(desk: Place, lap: Place, reader: Reader) -> None:
    lap.start()
    reader.open("Forest")
    lap.screen.find("list item", "Forest")
    # The menu is a surface of its own, which the keyboard reaches.
    lap.screen.press("F10")
    lap.screen.find("menu item", "Pair a Device…", "focused")
    for _ in range(3):
        lap.screen.press("Down")
    lap.screen.find("menu item", "Pause", "focused")
    lap.screen.press("Right")
    lap.screen.find("menu item", "Until I Resume")
    for _ in range(3):
        lap.screen.press("Down")
    lap.screen.find("menu item", "Until I Resume", "focused")
    lap.screen.press("Return")
    lap.screen.find("label", "Paused: nothing is shared, and nothing of other devices is shown.")
    lap.screen.find_none("list item", "Forest")
    assert lap.device.json("status")["paused"] is True
    lap.screen.click("push button", "Resume")
    lap.screen.find("list item", "Forest")
    assert lap.device.json("status")["paused"] is False


def test_whatIsNotShared(desk: Place, lap: Place, reader: Reader) -> None:
    desk.start()
    reader.open("Forest")
    lap.device.offer(reader.declared)
    desk.screen.press("alt+3")
    desk.screen.click("Share what Reader has open")
    lap.device.no_offer(reader.declared)
    assert desk.device.json("withhold")["applications"] == [reader.declared.id]
    desk.screen.click("Share what Reader has open")
    lap.device.offer(reader.declared)
    desk.screen.press("alt+2")
    desk.screen.click("list item", "lap", "Your devices")
    desk.screen.click("Share with “lap”")
    lap.device.no_offer(reader.declared)
    desk.device.segue("withhold", "--device", "lap", "--undo")
    lap.device.offer(reader.declared)


@pytest.mark.parametrize(("language", "title", "empty"), [
    ("de", "Segue", "Nichts, womit Sie weitermachen können"), ("ar", "Segue", "لا شيء لمتابعته")])
def test_itSpeaksTheUsersLanguage(desk: Place, lap: Place, language: str, title: str, empty: str) -> None:
    lap.start(title, LANGUAGE=language, LANG="C.UTF-8")
    lap.screen.find("label", empty)


def test_everyButtonHasAName(desk: Place, lap: Place, reader: Reader) -> None:
    lap.start()
    reader.open("Forest")
    lap.screen.find("list item", "Forest")
    for part in ("alt+1", "alt+2", "alt+3"):
        lap.screen.press(part)
        assert all(lap.screen.look("Segue").buttons)
