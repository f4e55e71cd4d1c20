"""Pairing in the windows of segue-desktop on two devices, by keys and the mouse."""

from __future__ import annotations

import pathlib
import signal
import subprocess

import segue_desktop_fixtures as fixtures
from segue_desktop_fixtures import Place

from harness.pairing import Dialogue

strangers = fixtures.strangers


def code_in(picture: pathlib.Path) -> str:
    """What a camera reads."""
    read = subprocess.run(["zbarimg", "-q", "--raw", picture], stdout=subprocess.PIPE, text=True)
    return read.stdout.strip()


def test_theFirstWindowLeadsToTwoPairedDevices(strangers: tuple[Place, Place]) -> None:
    desk, lap = strangers
    for place in strangers:
        place.start()
        place.screen.find("label", "Go On at Another Device")
        # The check of this device tells its findings, with the cure.
        place.screen.find("label", "There is no system bus", "What the check has found")
        place.begin_to_pair()
    desk.fill("Pair a Device", lap.address)
    desk.screen.find("label", "Type These Digits on “lap”")
    lap.screen.find("label", "Which Digits Does “desk” Show?")
    # The entry has the keyboard already.
    lap.screen.type(desk.digits())
    lap.screen.press("Return")
    desk.screen.find("label", "Did “lap” Accept the Digits?")
    desk.screen.click("push button", "Yes")
    for place, other in ((desk, "lap"), (lap, "desk")):
        place.screen.find("label", f"Paired with “{other}”")
        place.screen.click("push button", "Done")
        place.screen.find("label", "Nothing to Continue")
        place.screen.press("alt+2")
        place.screen.find("list item", other, "Your devices")
        assert [device["name"] for device in place.device.json("devices")] == [other]


def test_wrongDigitsAreNoPairing(strangers: tuple[Place, Place]) -> None:
    desk, lap = strangers
    for place in strangers:
        place.start()
        place.begin_to_pair()
    desk.fill("Pair a Device", lap.address)
    lap.screen.find("label", "Which Digits Does “desk” Show?")
    wrong = "000 000" if desk.digits() != "000 000" else "111 111"
    lap.screen.type(wrong)
    lap.screen.press("Return")
    for place in strangers:
        place.screen.find("label", "Not Paired")
        assert place.device.json("devices") == []
    lap.screen.click("push button", "Try Again")
    lap.screen.find("label", "Looking for the Other Device")


def test_theReturnKeyDoesNotSayYes(strangers: tuple[Place, Place]) -> None:
    desk, lap = strangers
    for place in strangers:
        place.start()
        place.begin_to_pair()
    desk.fill("Pair a Device", lap.address)
    lap.screen.find("label", "Which Digits Does “desk” Show?")
    lap.screen.type(desk.digits())
    lap.screen.press("Return")
    desk.screen.find("push button", "No", "focused")
    desk.screen.press("Return")
    desk.screen.find("label", "Not Paired")
    assert desk.device.json("devices") == []


def test_thePictureHoldsTheCode(strangers: tuple[Place, Place], tmp_path: pathlib.Path) -> None:
    desk, lap = strangers
    for place in strangers:
        place.start()
        place.begin_to_pair()
    desk.screen.click("push button", "Show a Code")
    desk.screen.find("label", "Show This Code to the Other Device")
    window = desk.screen.until("Pair a Device", lambda seen: any("SEGUE:" in label for label in seen.labels))
    code = next(label for label in window.labels if label.startswith("SEGUE:"))
    # GTK says that it is there before the picture is drawn.
    picture = tmp_path / "code.png"

    def is_read() -> bool:
        desk.screen.picture(picture)
        return code_in(picture) == code

    fixtures.wait_for(is_read, "the picture")
    lap.fill("Pair a Device", code)
    for place, other in ((desk, "lap"), (lap, "desk")):
        place.screen.find("label", f"Paired with “{other}”")


def test_whatIsNeitherCodeNorAddressIsToldAtOnce(strangers: tuple[Place, Place]) -> None:
    desk, _ = strangers
    desk.start()
    desk.begin_to_pair()
    desk.fill("Pair a Device", "lap")
    desk.screen.find("label", "A code begins with “SEGUE:”")


def test_aDaemonThatEndsEndsThePairing(strangers: tuple[Place, Place]) -> None:
    desk, lap = strangers
    desk.start()
    desk.begin_to_pair()
    desk.device.stop_daemon(signal.SIGKILL)
    desk.screen.find("label", "The Segue daemon has ended in the meantime.")
    desk.screen.click("push button", "Try Again")
    desk.screen.find("label", "Looking for the Other Device")
    # The dialogue's end is that of the pairing.
    desk.screen.press("Escape")
    desk.screen.find_none("Looking for the Other Device")
    # Nobody can pair with it any more.
    with Dialogue(lap.device, desk.address) as dialogue:
        dialogue.says("it does not pair")
