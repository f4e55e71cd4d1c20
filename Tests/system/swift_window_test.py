"""The window of the example in Swift on two devices, with displays and keyboards, as its users type and see."""

import os
import signal
import sys

import pytest

from harness.application import Application
from harness.device import pair
from harness.swift_programs import SwiftProgram
from harness.tree import SOURCES

# The screen and its reader.
sys.path.append(str(SOURCES / "python/tests"))
from screens import Screen  # noqa: E402

PROGRAM = os.environ.get("SEGUE_OUTLINE")
FILES = SOURCES / "examples/swift/outline"
pytestmark = pytest.mark.skipif(not PROGRAM, reason="scripts/test-swift builds the example in Swift")
OUTLINE = Application("org.segue.Outline", "Segue Outline", ["org.segue.outline.writing", "org.segue.outline.document"])


class Place:
    """The example on a device, with its user's screen."""

    def __init__(self, device):
        self.device = device
        self.screen = Screen(device, 640, 480)
        self.program = SwiftProgram(
            device, OUTLINE.id, "segue-outline", PROGRAM, (FILES / "org.segue.Outline.desktop").read_text(),
            (FILES / "org.segue.Outline.Segue.service.in").read_text())

    def start(self):
        self.program.start()
        self.screen.activate("Shopping")

    def write_line(self):
        """The user clicks into the entry, which has no text yet by which it would be found."""
        x, y, width, height = self.screen.area("text", "Shopping")
        self.screen.run("xdotool", "getactivewindow", "mousemove", "--window", "%1", str(x + width // 2),
                        str(y + height // 2), "click", "1")

    def take(self, **wanted):
        return self.device.take(self.device.offer(OUTLINE, **wanted))

    def picture(self, name):
        """Kept where SEGUE_PICTURES names a folder."""
        if folder := os.environ.get("SEGUE_PICTURES"):
            self.screen.picture(f"{folder}/{name}-{self.device.name}.png")

    def activate(self):
        """What the desktop does when the user clicks on the program's icon while it runs."""
        self.screen.run(
            "gdbus", "call", "--session", "--dest", OUTLINE.id, "--object-path", "/org/segue/Outline",
            "--method", "org.freedesktop.Application.Activate", "{}")

    def windows(self):
        """How many windows the program shows."""
        found = self.screen._done("xdotool", "search", "--onlyvisible", "--class", "segue-outline|outline")
        return len(found.stdout.split())

    def close(self):
        self.screen.close()
        os.close(self.program.commands)
        os.close(self.program.lines)


@pytest.fixture
def places(new_device):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    made = [Place(desk), Place(lap)]
    yield made
    for place in made:
        place.close()


def edit(here):
    """The user changes a line, selects another one, and begins to write."""
    here.start()
    here.screen.click("label", "Bread")
    here.write_line()
    here.screen.type("Rye bread")
    here.screen.press("Return")
    here.screen.until("Shopping", lambda shown: "Rye bread" in shown.labels)
    here.screen.click("label", "Apples")
    here.write_line()
    here.screen.type("Pea")
    here.screen.press("Left")
    here.screen.until("Shopping", lambda shown: (shown.text, shown.caret) == ("Pea", 2))


def lines(shown):
    """The labels of the list are before the button's and the last one, which says what has happened."""
    return shown.labels[:3]


def shows(shown, list_, text, caret, said):
    """All at once: the screen's reader may come in the middle of a change."""
    return (lines(shown), shown.text, shown.caret) == (list_, text, caret) and said in shown.labels


def came(there):
    """The window there shows all of it."""
    there.screen.until("Shopping", lambda shown: shows(shown, ["Milk", "Rye bread", "Apples"], "Pea", 2, "history: 2: Bread"))


def test_aWindowGoesOnInALaunchedOneAndBack(places):
    here, there = places
    edit(here)
    command = there.take(title="Shopping")
    came(there)
    command.succeeded()
    here.screen.until("Shopping", lambda shown: "continued elsewhere" in shown.labels)
    here.picture("outline")
    there.picture("outline")
    # On with the word where the caret was; it becomes the line that was selected.
    there.screen.activate("Shopping")
    there.screen.type("r")
    there.screen.until("Shopping", lambda shown: (shown.text, shown.caret) == ("Pera", 3))
    there.screen.press("Return")
    there.screen.until("Shopping", lambda shown: lines(shown) == ["Milk", "Rye bread", "Pera"])
    # Back into the window that is there.
    command = here.take(title="Shopping")
    here.screen.until("Shopping", lambda shown: shows(shown, ["Milk", "Rye bread", "Pera"], "", 0, "history: 3: Apples"))
    command.succeeded()
    assert here.windows() == there.windows() == 1


def test_aLaunchThatActivatesTwiceHasOneWindow(places):
    """A trap that docs/swift.md names: the user clicks on the icon while the bus launches the program for an activity."""
    here, there = places
    edit(here)
    offer = there.device.offer(OUTLINE, title="Shopping")
    # The state cannot come yet.
    here.program.signal(signal.SIGSTOP)
    command = there.device.take(offer)
    there.program.until("state: registered")
    there.activate()
    assert there.windows() == 0
    here.program.signal(signal.SIGCONT)
    came(there)
    command.succeeded()
    there.activate()
    assert there.windows() == 1
