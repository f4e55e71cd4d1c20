"""segue-desktop on two devices with a screen each. A test file names the fixtures that it uses."""

from __future__ import annotations

import itertools
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from screens import Screen

from harness.application import Application as Declared, Installed
from harness.device import Device, pair
from harness.tree import PREFIX, SEGUE_FILES, build_probe
from harness.waiting import wait_for

__all__ = ["Place", "Reader", "pair", "wait_for"]

PROGRAM = PREFIX / "bin" / "segue-desktop"


class Place:
    """A device with a screen, and the window on it."""

    def __init__(self, name: str, width: int = 1024, height: int = 768) -> None:
        self.device = Device(name)
        self.device.start_daemon()
        self.screen = Screen(self.device, width, height)
        self.process: Any = None

    def start(self, title: str = "Segue", arguments: tuple[str, ...] = (), **variables: str) -> Screen:
        """Opens the window as a user, or a file manager, does, and waits until it has the keyboard."""
        environment = {
            **self.device.environment, "XDG_DATA_DIRS": f"{PREFIX / 'share'}:/usr/share", **variables}
        self.process = subprocess.Popen(
            [PROGRAM, *arguments], env=environment, stdin=subprocess.DEVNULL, stderr=self.device.log)
        self.screen.find("frame", title, "active")
        return self.screen

    def install_files(self) -> None:
        """segue-files, which sends files and takes those that come."""
        Installed.write(
            self.device.data / "applications/org.segue.Files.desktop",
            "[Desktop Entry]\nType=Application\nName=Segue Files\nX-Segue-ActivityTypes=org.segue.files;\n")
        Installed.write(
            self.device.data / "dbus-1/services/org.segue.Files.Segue.service",
            f"[D-BUS Service]\nName=org.segue.Files.Segue\nExec={SEGUE_FILES} --serve\n")
        self.device.reload()

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def begin_to_pair(self) -> None:
        self.screen.click("push button", "Pair a Device")
        self.screen.find("label", "Looking for the Other Device")

    def fill(self, title: str, text: str) -> None:
        """Types into the entry of a window, in place of what it has, and presses Return."""
        x, y, width, height = self.screen.area("text", title)
        self.screen.run("xdotool", "getactivewindow", "mousemove", "--window", "%1", str(x + width // 2),
                        str(y + height // 2), "click", "1")
        self.screen.press("ctrl+a")
        self.screen.type(text)
        self.screen.press("Return")

    def digits(self) -> str:
        """The digits that the dialogue shows."""
        def has_digits(window: Any) -> bool:
            return any(re.fullmatch(r"\d{3} \d{3}", label) for label in window.labels)

        window = self.screen.until("Pair a Device", has_digits)
        return next(label for label in window.labels if re.fullmatch(r"\d{3} \d{3}", label))

    def lose_daemon(self) -> None:
        """Kills the daemon, and waits until the bus has started another one, which the window asks it to."""
        with self.device.bus() as bus:
            bus.match("type='signal',member='NameOwnerChanged',arg0='org.segue.Daemon1'")
            self.device.stop_daemon(signal.SIGKILL)
            while not bus.body(bus.next_signal("NameOwnerChanged"))[2]:
                pass

    @property
    def address(self) -> str:
        return str(self.device.json("status")["addresses"][0])

    def close(self) -> None:
        self.stop()
        self.screen.close()
        self.device.close()


@pytest.fixture
def strangers() -> Iterator[tuple[Place, Place]]:
    """Two devices that do not know each other."""
    places = Place("desk"), Place("lap")
    yield places
    for place in places:
        place.close()


@pytest.fixture(scope="module")
def paired() -> Iterator[tuple[Place, Place]]:
    places = Place("desk"), Place("lap")
    pair(places[0].device, places[1].device)
    yield places
    for place in places:
        place.close()


@pytest.fixture
def desk(paired: tuple[Place, Place]) -> Iterator[Place]:
    yield paired[0]
    paired[0].stop()


@pytest.fixture
def lap(paired: tuple[Place, Place]) -> Iterator[Place]:
    yield paired[1]
    paired[1].stop()


@pytest.fixture(scope="module")
def probe() -> Iterator[pathlib.Path]:
    folder = tempfile.mkdtemp(prefix="sg-", dir="/tmp")
    yield build_probe(folder)
    shutil.rmtree(folder)


numbers = itertools.count(1)


class Reader:
    """An application that both devices know."""

    def __init__(self, devices: list[Any], probe: pathlib.Path, name: str) -> None:
        self.declared = Declared(f"org.segue.test.{name}", name="Reader")
        self.places = [device.install(self.declared, probe) for device in devices]

    def open(self, title: str) -> Any:
        """Opens something on the first device."""
        origin = self.places[0].start()
        origin.do(f"activity a {self.declared.type}", f"title a {title}", "delegate a", "put a page int 7", "current a")
        return origin

    def close(self) -> None:
        for place in self.places:
            place.device.installed.remove(place)
            place.close()


@pytest.fixture
def reader(desk: Place, lap: Place, probe: pathlib.Path) -> Iterator[Reader]:
    made = Reader([desk.device, lap.device], probe, f"Reader{next(numbers)}")
    yield made
    made.close()
