"""The editor of examples/python/notes on two devices, with displays and keyboards, as its users type and see."""

from __future__ import annotations

import importlib
import itertools
import operator
import os
import pathlib
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import segue
from screens import Screen
from segue.open_types import Text
from support import ROOT, address, rests

from harness.application import Application as Declared
from harness.device import Device, pair
from harness.example import Example, InstalledExample
from harness.picture import Picture
from harness.waiting import wait_for

NOTES = Declared("org.segue.GtkNotes")
LINES = [f"line {number} of the list" for number in range(1, 201)]


class Place:
    """The editor on a device, with its user's screen."""

    def __init__(self, device: Any, example: Any) -> None:
        self.device = device
        self.screen = Screen(device)
        self.installed = InstalledExample(device, example)
        self.folder: pathlib.Path = device.containers["notes"]

    def start(self, path: pathlib.Path) -> Any:
        program = self.installed.start(str(path))
        self.screen.activate(path.name)
        return program

    def end(self) -> None:
        """Ends the programs, and empties the folder."""
        for program in self.installed.probes:
            program.close()
        self.installed.probes.clear()
        for file in self.folder.iterdir():
            file.unlink()

    def close(self) -> None:
        self.screen.close()


@pytest.fixture(scope="module")
def places() -> Iterator[tuple[Place, Place]]:
    folder = tempfile.mkdtemp(prefix="sg-", dir="/tmp")
    example = Example("python/notes", folder)
    devices = [Device(name, containers=["notes"]) for name in ("desk", "lap")]
    made: list[Place] = []
    try:
        pair(*devices)
        made += [Place(device, example) for device in devices]
        yield made[0], made[1]
    finally:
        for place in made:
            place.close()
        for device in devices:
            device.close()
        shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def ended(places: tuple[Place, Place]) -> Iterator[None]:
    """Ends the programs of a test, so that the next one finds nothing of it."""
    yield
    for place in places:
        place.end()
    for place in places:
        place.device.no_offer(NOTES)
        place.device.activity_gone(NOTES)


@pytest.fixture
def here(places: tuple[Place, Place]) -> Place:
    return places[0]


@pytest.fixture
def there(places: tuple[Place, Place]) -> Place:
    return places[1]


@pytest.fixture
def moving(there: Place) -> Iterator[None]:
    """Turns animations on, as on a user's screen, for programs that are started from now on."""
    settings = there.device.folder / "config" / "gtk-4.0" / "settings.ini"
    before = settings.read_text()
    settings.write_text(before.replace("false", "true"))
    yield
    settings.write_text(before)


def take(place: Place, title: str) -> Any:
    return place.device.take(place.device.offer(NOTES, title=title))


def bring(here: Place, there: Place, name: str) -> None:
    """Copies a file to the other device as a program that keeps the folders the same does: it is there at once."""
    shutil.copy2(here.folder / name, there.folder / f".{name}.coming")
    os.replace(there.folder / f".{name}.coming", there.folder / name)


def saved(place: Place, path: pathlib.Path) -> None:
    """Waits until the window's title has no dot, which says that something is not in the file."""
    place.screen.until(path.name, lambda shown: path.name in shown.labels)


def press(place: Place, title: str, button: str) -> None:
    """Presses a button that goes away when it has done its work."""
    place.screen.activate(title)
    place.screen.click("push button", title, button)
    place.screen.until(title, lambda shown: button not in shown.buttons)


def test_selectionAndScrollAndBack(here: Place, there: Place) -> None:
    path = here.folder / "list.txt"
    path.write_text("\n".join(LINES))
    bring(here, there, "list.txt")
    here.start(path)
    here.screen.press(*["Next"] * 3, *["Down"] * 3, "Home", *["shift+ctrl+Right"] * 2)
    seen = here.screen.until("list.txt", lambda shown: shown.selected.startswith("line ") and shown.scrolled > 0)
    # The editor does not run there: the bus launches it, and no window opens but this one.
    command = take(there, "list.txt")
    program = there.installed.launched()
    came = there.screen.until("list.txt", lambda shown: shown.selected and shown.scrolled)
    command.succeeded()
    assert (came.selected, came.caret) == (seen.selected, seen.caret)
    # The window scrolls to the start of the line at the top, less the margin: within two lines of 16 pixels.
    assert abs(came.scrolled - seen.scrolled) < 32
    # And back, to the window that is open, with other text above: the place is found again.
    there.screen.press("Right", "Down", "Home", "shift+Down")
    moved = there.screen.until("list.txt", lambda shown: shown.selected not in ("", seen.selected))
    path.write_text("\n".join(["another line"] * 20 + LINES))
    here.screen.until("list.txt", lambda shown: shown.text.startswith("another line"))
    take(here, "list.txt").succeeded()
    here.screen.until("list.txt", lambda shown: shown.selected == moved.selected)
    there.screen.press("alt+F4")
    program.wait_for_end()


def rows(place: Place, title: str, path: pathlib.Path) -> list[bytes]:
    """The rows of pixels of the text's part of the window, from its top."""
    x, y, width, height = place.screen.area("text", title)
    place.screen.picture(path, title)
    picture = Picture(path.read_bytes())
    return [picture.row(x, row, width) for row in range(y, y + height)]


@pytest.mark.parametrize("way", ["cold", "running", "open"])
@pytest.mark.parametrize(
    "keys", [["ctrl+Home"], ["Next"] * 3, ["Next"] * 40 + ["Up"] * 3, ["Next"] * 110,
     # A row of a wrapped line is cut by the upper edge.
     ["Next"] * 3 + ["Down"] * 46, ["Next"] * 3 + ["Down"] * 47],
    ids=["top", "page", "middle", "end", "cut", "lower"])
def test_whatStandsAtTheTopLooksTheSame(
    here: Place, there: Place, tmp_path: pathlib.Path, keys: list[str], way: str,
) -> None:
    path = here.folder / "long.txt"
    path.write_text("\n".join(f"line {number}" + " of many words" * (number % 17) for number in range(1, 1001)))
    bring(here, there, "long.txt")
    here.start(path)
    here.screen.press(*keys)
    seen = here.screen.until("long.txt", lambda shown: (shown.caret > 0) == (keys != ["ctrl+Home"]))
    if way != "cold":
        other = there.folder / "other.txt"
        other.write_text("another text\n" * 500)
        there.start(there.folder / "long.txt" if way == "open" else other)
        there.screen.press("Next", "Next")
    at_rest: list[list[bytes]] = []

    def is_at_rest() -> bool:
        at_rest.append(rows(here, "long.txt", tmp_path / "desk.png"))
        return len(at_rest) > 1 and sum(map(operator.ne, *at_rest[-2:])) < 30

    wait_for(is_at_rest, "the text at rest")
    command = take(there, "long.txt")
    if way == "cold":
        there.installed.launched()
    command.succeeded()
    there.screen.until("long.txt", lambda shown: shown.caret == seen.caret)

    def is_alike() -> bool:
        pictures = [rows(place, "long.txt", tmp_path / f"{place.device.name}.png") for place in (here, there)]
        assert len(pictures[0]) == len(pictures[1]) > 300
        # The pictures differ at most in the caret, which blinks.
        return len(list(filter(None, map(operator.ne, *pictures)))) < 30

    wait_for(is_alike, "the same picture on both screens")


def test_nothingTurnsOnThatNobodySees(here: Place, there: Place, moving: None) -> None:
    path = here.folder / "still.txt"
    path.write_text("text\n")
    bring(here, there, "still.txt")
    here.start(path)
    command = take(there, "still.txt")
    program = there.installed.launched()
    command.succeeded()
    there.screen.until("still.txt", lambda shown: shown.text == "text\n")
    rests(program.pid)


def test_whatWasTypedIsInTheFolderAtTheHandOver(here: Place, there: Place) -> None:
    path = here.folder / "typed.txt"
    path.write_text("first\n")
    bring(here, there, "typed.txt")
    here.start(path)
    here.screen.press("ctrl+End")
    here.screen.type("typed a moment ago")
    command = take(there, "typed.txt")
    program = there.installed.launched()
    command.succeeded()
    assert path.read_text() == "first\ntyped a moment ago"
    # The activity was quicker than the folder: the window says so, and the older text cannot be changed meanwhile.
    old = there.screen.until("typed.txt", lambda shown: shown.text == "first\n" and "Edit This One" in shown.buttons)
    assert any("still on its way" in label for label in old.labels)
    there.screen.type("x")
    bring(here, there, "typed.txt")
    came = there.screen.until("typed.txt", lambda shown: shown.text == "first\ntyped a moment ago")
    came = there.screen.until("typed.txt", lambda shown: shown.caret == len("first\ntyped a moment ago"))
    assert "Edit This One" not in came.buttons
    there.screen.type(" and here")
    there.screen.until("typed.txt", lambda shown: shown.text.endswith("ago and here"))
    there.screen.press("alt+F4")
    program.wait_for_end()
    assert (there.folder / "typed.txt").read_text() == "first\ntyped a moment ago and here"


def test_theOlderFileCanBeEdited(here: Place, there: Place) -> None:
    path = here.folder / "older.txt"
    path.write_text("first\n")
    bring(here, there, "older.txt")
    here.start(path)
    here.screen.type("newest ")
    command = take(there, "older.txt")
    there.installed.launched()
    command.succeeded()
    press(there, "older.txt", "Edit This One")
    there.screen.type("other ")
    there.screen.until("older.txt", lambda shown: "other " in shown.text and "older.txt" in shown.labels)
    assert "other " in (there.folder / "older.txt").read_text()


def test_aFileThatArrivesLate(here: Place, there: Place) -> None:
    path = here.folder / "late.txt"
    path.write_text("text\n")
    here.start(path)
    command = take(there, "late.txt")
    there.installed.launched()
    # The window says which file is coming until it is there.
    there.screen.until("Notes", lambda shown: "“late.txt” is coming from desk." in shown.labels)
    bring(here, there, "late.txt")
    there.screen.until("late.txt", lambda shown: shown.text == "text\n")
    command.succeeded()


def test_whatDoesNotCome(here: Place, there: Place) -> None:
    path = here.folder / "never.txt"
    path.write_text("text\n")
    here.start(path)
    command = take(there, "never.txt")
    there.installed.launched()
    there.screen.until("Notes", lambda shown: any("is coming" in label for label in shown.labels))
    # The folder goes away, as a disk that is taken out.
    there.folder.rename(there.folder.with_name("away"))
    try:
        there.screen.until("Notes", lambda shown: any("“never.txt” did not come." in label for label in shown.labels))
    finally:
        there.folder.with_name("away").rename(there.folder)
    command.failed()


def test_aFileOutsideIsNotOnOffer(here: Place, there: Place) -> None:
    outside = here.device.folder / "home" / "outside.txt"
    outside.write_text("")
    here.start(outside)
    here.screen.type("text")
    inside = here.folder / "inside.txt"
    inside.write_text("")
    # The second command line is for the program that runs.
    here.installed.start(str(inside))
    here.screen.activate("inside.txt")
    there.device.offer(NOTES, title="inside.txt")
    assert [offer["title"] for offer in there.device.offers_of(NOTES)] == ["inside.txt"]
    here.screen.activate("outside.txt")
    there.device.no_offer(NOTES)
    saved(here, outside)
    assert outside.read_text() == "text"


@pytest.mark.parametrize("choice", ["Mine", "The Other"])
def test_anotherProgramChangesTheFile(here: Place, choice: str) -> None:
    path = here.folder / "both.txt"
    path.write_text("old\n")
    here.start(path)
    # The user has typed nothing: the new text is shown.
    path.write_text("new\n")
    here.screen.until("both.txt", lambda shown: shown.text == "new\n")
    here.screen.type("mine ")
    here.screen.until("both.txt", lambda shown: shown.text == "mine new\n")
    path.write_text("theirs\n")
    here.screen.until("both.txt", lambda shown: "Mine" in shown.buttons and shown.text == "mine new\n")
    # The window cannot be closed before the choice, either.
    here.screen.press("alt+F4")
    press(here, "both.txt", choice)
    versions = {"both.txt": "mine new\n", "both (other version).txt": "theirs\n"}
    if choice == "The Other":
        versions = {"both.txt": "theirs\n", "both (my version).txt": "mine new\n"}
    assert {file.name: file.read_text() for file in here.folder.iterdir()} == versions
    here.screen.until("both.txt", lambda shown: shown.text == versions["both.txt"])


def test_nothingIsLostBetweenTwoWriters(here: Place) -> None:
    """Another program writes at the same moment; whichever came first, both texts are in the folder then."""
    sys.path.insert(0, str(ROOT / "examples" / "python" / "notes"))
    try:
        file = importlib.import_module("file")
    finally:
        sys.path.pop(0)
    path, draft = here.folder / "list.txt", here.folder / "draft"
    outcomes = set()
    for count in range(500):
        for old in here.folder.iterdir():
            old.unlink()
        path.write_text("old")
        draft.write_text("theirs")
        mine = file.TextFile(path)
        mine.read()
        # The other write comes at any moment from before mine looks at the file to after it is written.
        other = threading.Timer(count % 50 / 10000, os.replace, (draft, path))
        other.start()
        outcome = "unseen"
        try:
            mine.write("mine")
        except file.Changed:
            outcome = "refused"
            mine.keep_other()
            mine.write("mine")
        other.join()
        texts = {old.read_text() for old in here.folder.iterdir()}
        if path.read_text() == "theirs":
            # The other write came last, and has replaced mine, which was whole by then.
            outcome = "last"
        else:
            assert texts == {"mine", "theirs"}
        outcomes.add(outcome)
        if outcomes == {"refused", "unseen", "last"}:
            return
    assert "unseen" in outcomes


def test_aFileThatIsRemoved(here: Place) -> None:
    path = here.folder / "gone.txt"
    path.write_text("all that there is\n")
    here.start(path)
    path.unlink()
    press(here, "gone.txt", "Save It Again")
    assert path.read_text() == "all that there is\n"


def test_aReadOnlyFile(here: Place) -> None:
    path = here.folder / "fixed.txt"
    path.write_text("fixed\n")
    path.chmod(0o444)
    here.start(path)
    here.screen.until("fixed.txt", lambda shown: "This file is read-only." in shown.labels)
    here.screen.type("x")
    here.screen.press("Right")
    here.screen.until("fixed.txt", lambda shown: shown.caret == 1)
    assert here.screen.look("fixed.txt").text == path.read_text() == "fixed\n"


def test_whatCannotBeSavedIsKept(here: Place) -> None:
    folder = here.device.folder / "home" / "full"
    folder.mkdir()
    path = folder / "kept.txt"
    path.write_text("")
    here.start(path)
    folder.rename(folder.with_name("moved"))
    here.screen.type("kept")
    here.screen.press("alt+F4")
    here.screen.until("kept.txt", lambda shown: shown.text == "kept" and set(shown.buttons) & {"Mine", "Try Again"})
    folder.with_name("moved").rename(folder)
    shown = here.screen.look("kept.txt")
    press(here, "kept.txt", "Mine" if "Mine" in shown.buttons else "Try Again")
    saved(here, path)
    assert path.read_text() == "kept"


@pytest.mark.parametrize("content, why", [
    (b"gr\xfc\xdfe", "is not text in UTF-8: byte 3"), (b"a\0b", "is not text: "),
    (bytes(1 + (4 << 20)), "is larger than"),
], ids=["Latin-1", "binary", "huge"])
def test_whatIsNoText(here: Place, there: Place, content: bytes, why: str) -> None:
    path = here.folder / "strange.txt"
    path.write_text("text\n")
    (there.folder / "strange.txt").write_bytes(content)
    here.start(path)
    command = take(there, "strange.txt")
    there.installed.launched()
    there.screen.until("Notes", lambda shown: any(why in label for label in shown.labels))
    command.failed()
    assert (there.folder / "strange.txt").read_bytes() == content


numbers = itertools.count(1)


@pytest.fixture
def offer_text(here: Place, there: Place, loop: Any) -> Iterator[Any]:
    """Puts a text of an application that is no Notes on offer, and takes it there: the command, which has ended."""
    declared = Declared(f"org.example.Editor{next(numbers)}", types=[Text.TYPE])
    installed = here.device.install(declared, sys.executable, service=False)
    application = segue.Application(declared.id, bus_address=address(here.device))
    loop.applications.append(application)
    application.ready()
    loop.until(lambda: application.state == segue.ApplicationState.REGISTERED)

    def offer(path: pathlib.Path, title: str, **more: Any) -> Any:
        text = Text(path.as_uri(), **more)
        activity = segue.Activity(application, Text.TYPE, title=title, user_info=text.to_user_info())
        activity.become_current()
        return loop.take(there.device, declared, title=title)

    yield offer
    application.close()
    here.device.installed.remove(installed)
    installed.close()


def test_aTextOfAnotherApplicationOpensAtItsWords(here: Place, there: Place, offer_text: Any) -> None:
    path = here.device.folder / "home" / "plain.txt"
    path.write_text("\n".join(["above"] * 5 + LINES))
    assert offer_text(path, "First", line=120, column=6, before="line ", after="120 of") == (0, "")
    there.installed.launched()
    shown = there.screen.until("plain.txt", lambda shown: shown.scrolled > 0)
    assert shown.text[:shown.caret].count("\n") == 124 and shown.text[shown.caret:].startswith("120 of")
    # Where it is open now, its user is not taken back.
    there.screen.press("ctrl+End")
    end = there.screen.until("plain.txt", lambda shown: shown.caret == len(shown.text))
    assert offer_text(path, "Second", line=7) == (0, "")
    assert there.screen.look("plain.txt").caret == end.caret


@pytest.mark.parametrize("path", ["/proc/self/status", "/dev/zero", "/nowhere/at/all"])
def test_whatIsNoFileOfAnotherApplicationIsNotOpened(there: Place, offer_text: Any, path: str) -> None:
    status, _ = offer_text(pathlib.Path(path), "None")
    assert status != 0
    there.installed.launched()
    there.screen.until("Notes", lambda shown: any("is not a file here." in label for label in shown.labels))
