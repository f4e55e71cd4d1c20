"""Segue's window (segue-desktop), as a user sees it: found as by a screen reader, clicked with a mouse."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from screens import Screen

from harness.application import Application, Installed
from harness.device import Device, pair
from harness.tree import PREFIX, build_probe
from harness.waiting import wait_for

numbers = itertools.count(1)


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return build_probe(tmp_path_factory.mktemp("probe"))


class Desk:
    """A device with a screen, on which the window is open."""

    def __init__(self, name: str) -> None:
        self.device = Device(name)
        # Its daemon must run before the display makes the machine's applications known to it.
        self.device.json("status")
        self.screen = Screen(self.device)
        self.window: subprocess.Popen[bytes] | None = None

    def open(self) -> Screen:
        self.window = subprocess.Popen(
            [str(PREFIX / "bin/segue-desktop")], env=self.device.environment, stdout=self.device.log,
            stderr=self.device.log)
        self.screen.window("Segue")
        return self.screen

    def close(self) -> None:
        if self.window:
            self.window.kill()
            self.window.wait()
        self.screen.close()
        self.device.close()


@pytest.fixture
def new_desk() -> Iterator[Callable[[str], Desk]]:
    made: list[Desk] = []

    def make(name: str) -> Desk:
        made.append(Desk(name))
        return made[-1]

    yield make
    for desk in reversed(made):
        desk.close()


@pytest.fixture
def here(new_desk: Callable[[str], Desk]) -> Iterator[tuple[Desk, Device]]:
    """The device with the window, and another one that is paired with it."""
    desk, other = new_desk("lap"), Device("desk")
    pair(desk.device, other)
    yield desk, other
    other.close()


@pytest.fixture
def letter(here: tuple[Desk, Device], probe: Any) -> Iterator[tuple[Any, Installed]]:
    """A letter that is open on the other device, and its application on this one."""
    desk, other = here
    application = Application(f"org.segue.test.W{next(numbers)}", name="Writer")
    origin, place = (device.install(application, probe, ()) for device in (other, desk.device))
    running = origin.start()
    running.do(
        f"activity a {application.type}", f"title a {quote('Letter to <b>Ada</b> & Co')}", "delegate a",
        "put a page int 7", "current a")
    desk.device.offer(application)
    yield running, place


def test_aClickContinues(here: tuple[Desk, Device], letter: tuple[Any, Installed]) -> None:
    origin, place = letter
    screen = here[0].open()
    screen.find("Writer · From desk · just now")
    screen.click("Letter to <b>Ada</b> & Co")
    place.launched().expect("continue")
    origin.expect("was-continued a")


def test_anOfferComesAndGoesWithoutAClick(here: tuple[Desk, Device], letter: tuple[Any, Installed]) -> None:
    origin, _ = letter
    screen = here[0].open()
    screen.find("Letter to <b>Ada</b> & Co")
    origin.do("invalidate a")
    screen.find_none("Letter to <b>Ada</b> & Co")
    screen.find("Nothing to Continue")


def test_theNextDaemonIsFound(here: tuple[Desk, Device], letter: tuple[Any, Installed]) -> None:
    desk, _ = here
    screen = desk.open()
    screen.find("Letter to <b>Ada</b> & Co")
    desk.device.stop_daemon()
    # The window itself has the next one started.
    with desk.device.bus() as bus:
        assert bus.wait_for_owner("org.segue.Daemon1")
    screen.find("Letter to <b>Ada</b> & Co")
    screen.click("Letter to <b>Ada</b> & Co")
    letter[1].launched().expect("continue")


def pairing(desk: Desk) -> Any:
    """How far a device's pairing is."""
    with desk.device.bus() as bus:
        return bus.control("GetPairing")[0]


def test_twoDevicesArePairedByDigits(new_desk: Callable[[str], Desk]) -> None:
    desks = new_desk("lap"), new_desk("desk")
    for desk in desks:
        screen = desk.open()
        screen.find("Go On Where You Were")
        screen.click("push button", "Pair a Device…")
        screen.find("Now pair on the other device")
    # There is no discovery in a test, so one of them is told where the other is.
    first, second = desks
    second.screen.run("xdotool", "type", "--delay", "20", first.device.json("status")["addresses"][0])
    second.screen.press("Return")
    shows, types = wait_for(
        lambda: {pairing(one)["state"]: (one, other) for one, other in (desks, desks[::-1])}.get("showing"), "the digits")
    digits = pairing(shows)["digits"]
    shows.screen.find("label", f"{digits[:3]} {digits[3:]}")
    shows.screen.find(f"Type these digits on {types.device.name}")
    types.screen.find(f"Type the digits that {shows.device.name} shows")
    types.screen.run("xdotool", "type", "--delay", "20", digits)
    types.screen.press("Return")
    shows.screen.click("push button", "Yes")
    for desk, other in (desks, desks[::-1]):
        desk.screen.find(f"Paired with {other.device.name}")
        desk.screen.click("push button", "Done")
        desk.screen.find("Nothing to Continue")
        desk.device.online(other.device)


def test_aPairingEndsWithItsDialog(new_desk: Callable[[str], Desk]) -> None:
    desk = new_desk("lap")
    screen = desk.open()
    screen.click("push button", "Pair a Device…")
    screen.find("Now pair on the other device")
    assert pairing(desk)["state"] == "open"
    screen.press("Escape")
    wait_for(lambda: pairing(desk)["state"] == "closed", "the end of the pairing")
    screen.click("push button", "Pair a Device…")
    screen.click("push button", "Show a Code Instead")
    screen.find("Show this to the other device")
    screen.find("SEGUE:")
    # With the window it ends too.
    assert desk.window
    desk.window.kill()
    wait_for(lambda: pairing(desk)["state"] == "closed", "the end with the window")


def test_aDeviceIsForgotten(here: tuple[Desk, Device]) -> None:
    desk, other = here
    screen = desk.open()
    screen.run("xdotool", "windowsize", "--sync", screen.window("Segue"), "640", "740")
    screen.find("Nothing to Continue")
    screen.press("alt+2")
    screen.click("label", "Online")
    screen.click("push button", "Forget desk")
    screen.find("Forget desk?")
    # The first answer is to cancel.
    screen.press("Tab", "Return")
    wait_for(lambda: not desk.device.json("devices"), "the end of the pairing")
