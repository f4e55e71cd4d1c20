"""GTK with a display and a keyboard of its own on each device: windows, focus, launching, and the state of windows."""

from __future__ import annotations

import contextlib
import datetime
import math
import os
import pathlib
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import segue
from desktop import Display
from support import HERE, Loop

from harness.bounds import SECONDS
from harness.lines import Lines
from harness.probe import Probe
from harness.waiting import wait_for

PROGRAM = HERE / "programs" / "windows.py"
DOCUMENTS = HERE / "programs" / "documents.py"


@pytest.fixture(scope="module")
def displays(devices: tuple[Any, Any]) -> Iterator[tuple[Display, Display]]:
    desk, lap = (Display(device) for device in devices)
    yield desk, lap
    desk.close()
    lap.close()


@pytest.fixture
def file(desk: Any) -> Iterator[pathlib.Path]:
    path = desk.containers["notes"] / "two.txt"
    path.write_text("two\n")
    yield path
    path.unlink()


@pytest.fixture
def start(displays: Any) -> Iterator[Callable[..., Any]]:
    """Starts a program as its user does; its output lines can be read, and a failed test shows its errors."""
    started = []

    def run(device: Any, *arguments: str, program: pathlib.Path = PROGRAM) -> Probe:
        process = subprocess.Popen(
            [sys.executable, str(program), *arguments], env=device.environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout and process.stdin
        made = Probe(Lines(process.stdout.fileno()), process.stdin.fileno(), process.pid, process=process)
        started.append(made)
        return made

    yield run
    for program in started:
        program.close()
        # pytest shows this if the test fails.
        with program.process.stderr as errors:
            print(errors.read().decode())


def until(program: Any, line: str) -> list[str]:
    """Waits for a line, and returns the lines before it."""
    before = []
    while (came := program.lines.next()) != line:
        before.append(came)
    return before


def launch_by_bus(lap: Any, declared: Any, program: pathlib.Path = PROGRAM) -> Any:
    """Lets the bus launch the program by a service file; returns the place to which the program connects."""
    place = next(place for place in lap.installed if place.application is declared)
    place.write_service(exec=" ".join(map(str, [
        sys.executable, pathlib.Path(sys.modules["harness"].__path__[0]) / "launcher.py", place.address,
        sys.executable, program, declared.id, "--gapplication-service"])))
    return place


def test_theFocusSaysWhatIsCurrent(
    displays: Any, desk: Any, lap: Any, declared: Any, file: pathlib.Path, start: Any, loop: Loop,
) -> None:
    screen = displays[0]
    program = start(desk, declared.id, str(file))
    screen.activate("One")
    # The first widget has the focus of the keyboard; with Tab it goes on to the entry, which is in a responder.
    loop.offer(lap, declared, title="One view")
    screen.press("Tab")
    loop.offer(lap, declared, title="One box")
    # No responder of this one has an activity, but it shows a document.
    screen.activate("Two")
    loop.offer(lap, declared, title="two.txt", type=declared.text)
    screen.activate("One")
    loop.offer(lap, declared, title="One box")
    # The user closes the window: the other one is in front.
    screen.press("alt+F4")
    loop.offer(lap, declared, title="two.txt")
    # The closed window has left nothing: the three objects are Two's window, view and box.
    assert until(program, "living 3")[-1] == "One is closed"
    screen.press("alt+F4")
    assert until(program, "closed True")[-1] == "living 0"
    assert program.process.wait(SECONDS) == 0
    lap.no_offer(declared)


def test_launchedWithoutAnEmptyWindow(
    displays: Any, desk: Any, lap: Any, declared: Any, file: pathlib.Path, start: Any, loop: Loop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The desktop's menu gives a token to the program that the user chooses there.
    monkeypatch.setitem(lap.environment, "XDG_ACTIVATION_TOKEN", "a-token")
    place = launch_by_bus(lap, declared)
    here = start(desk, declared.id, str(file))
    displays[0].activate("One")
    loop.offer(lap, declared, title="One view")
    displays[0].type("typed here")
    command = lap.take(loop.offer(lap, declared, title="One view"))
    there = place.launched()
    before = until(there, "restored typed here")
    assert "token a-token" in before and "activate" not in before
    assert loop.result(command) == (0, "")
    displays[1].window("One view")
    # The window was presented, and the activity that came is current there, since its view has the focus.
    assert displays[1].active() == "One view"
    displays[1].type(" and there")
    desk_offer = loop.offer(desk, declared, title="One view")
    assert loop.result(desk.take(desk_offer)) == (0, "")
    until(here, "restored typed here and there")
    displays[1].press("alt+F4")
    until(there, "closed True")


def test_runsWhileSomethingIsOnItsWay(
    displays: Any, lap: Any, declared: Any, start: Any, origin: segue.Application, loop: Loop,
) -> None:
    program = start(lap, declared.id)
    until(program, "state 1")
    displays[1].window("Empty")
    activity = segue.Activity(origin, declared.type, title="Alone", user_info={"text": "late"})
    activity.become_current()
    offer = loop.offer(lap, declared, title="Alone")
    # The origin does not answer meanwhile: nothing dispatches it.
    command = lap.take(offer)
    until(program, "will-continue Alone")
    assert loop.result(command) == (0, "")
    until(program, "restored late")
    displays[1].activate("Alone")
    displays[1].press("alt+F4")
    until(program, "closed True")
    assert program.process.wait(SECONDS) == 0


def test_endsWhenNothingComes(
    displays: Any, lap: Any, declared: Any, start: Any, origin: segue.Application, loop: Loop,
) -> None:
    program = start(lap, declared.id)
    until(program, "state 1")
    segue.Activity(origin, declared.type, title="Alone", user_info={"text": "late"}).become_current()
    command = lap.take(loop.offer(lap, declared, title="Alone"))
    until(program, "will-continue Alone")
    origin.close()
    command.failed()
    until(program, "failed Alone")
    until(program, "closed True")
    assert program.process.wait(SECONDS) == 0


def test_showsWhatACallbackRaises(
    displays: Any, lap: Any, declared: Any, start: Any, origin: segue.Application, loop: Loop,
) -> None:
    program = start(lap, declared.id)
    until(program, "state 1")
    segue.Activity(origin, declared.type, title="Broken", user_info={"text": "text"}).become_current()
    assert loop.take(lap, declared, title="Broken") == (0, "")
    until(program, "restored text")
    # The program runs on all the same.
    for title in ("Broken", "Empty"):
        displays[1].activate(title)
        displays[1].press("alt+F4")
    until(program, "closed True")
    assert program.process.wait(SECONDS) == 0
    assert b"KeyError: 'after restoring'" in program.process.stderr.read()


@pytest.mark.parametrize("keys", ["ctrl+r", "ctrl+g"])
def test_theStateOfAWindow(displays: Any, lap: Any, declared: Any, start: Any, keys: str) -> None:
    """The next session gets the state that another device would get."""
    if keys == "ctrl+g" and not gtk_saves_state():
        pytest.skip("this GTK keeps no state of windows; 4.22 does, and what it is given is tested without it")
    program = start(lap, declared.id)
    displays[1].activate("Empty")
    displays[1].type("to be kept")
    displays[1].press(keys)
    until(program, "places True")
    assert until(program, "restored to be kept") == []
    displays[1].window("Restored")


def gtk_saves_state() -> bool:
    from segue import gtk

    return gtk.saves_state()


VALUES: dict[str, Any] = {
    "none": None, "bool": True, "int": -(2**63), "large": 2**63 - 1, "float": 0.1, "infinity": math.inf,
    "text": "Größe", "empty": "", "nul": "a\0b", "bytes": b"\0\xff", "url": segue.URL("file:///a%20b"),
    "date": datetime.datetime(1955, 11, 5, 6, 15, tzinfo=datetime.timezone.utc), "uuid": uuid.UUID(int=1),
    "list": [1, "two", [None, []]], "set": {1, "two", segue.URL("x:y")}, "dictionary": {"a": {"b": 1}, "": {}},
    "keys": {1: "one", False: 0, None: 2, b"x": [], uuid.UUID(int=2): "uuid"},
}


def test_theValuesOfUserInfoAreGVariants() -> None:
    from gi.repository import GLib
    from segue import _variant

    encoded = _variant.encode(VALUES)
    # The variant is as one read from a file: not aligned, and not checked.
    stored = GLib.Variant.new_from_bytes(encoded.get_type(), GLib.Bytes(encoded.get_data_as_bytes().get_data()), False)
    decoded = _variant.decode(stored)
    assert decoded == VALUES
    assert [type(value) for value in decoded.values()] == [type(value) for value in VALUES.values()]
    # Other programs can read it, too.
    assert encoded.lookup_value("text", GLib.VariantType("s")).get_string() == "Größe"
    for value in (2**63, object(), datetime.datetime(2000, 1, 1), [{"deep": object()}], {(1, 2): 3}):
        with pytest.raises((OverflowError, TypeError, ValueError), match=r"^user_info\['a'\]"):
            _variant.encode({"a": value})
    strange = [
        ("u", 1), ("(sv)", ("date", GLib.Variant("s", "now"))), ("(sv)", ("newer", GLib.Variant("s", "x"))),
        ("(sv)", ("uuid", GLib.Variant("s", "1"))), ("(sv)", ("set", GLib.Variant("x", 1))),
        ("(sv)", ("dictionary", GLib.Variant("s", "x"))), ("(sv)", ("text", GLib.Variant("ay", b"\xff"))),
        ("(sv)", ("dictionary", GLib.Variant("av", [GLib.Variant("s", "x")]))), ("a{sv}", {"a": GLib.Variant("y", 1)}),
        ("(sv)", ("date", GLib.Variant("d", 1e300))), ("(sv)", ("url", GLib.Variant("x", 1))),
        ("(sv)", ("dictionary", _variant.encode([[[], 1]]))),
    ]
    for kind, content in strange:
        with pytest.raises(ValueError, match="user_info"):
            _variant.decode(GLib.Variant(kind, content))


def test_aDocumentHasAllByItself(
    displays: Any, desk: Any, lap: Any, declared: Any, start: Any, loop: Loop, tmp_path: pathlib.Path,
) -> None:
    folder, other = desk.containers["notes"], lap.containers["notes"]
    path = folder / "here.txt"
    path.write_text("0123456789")
    shutil.copy(path, other / "renamed.txt")
    place = launch_by_bus(lap, declared, DOCUMENTS)
    here = start(desk, declared.id, str(path), program=DOCUMENTS)
    displays[0].activate("Text")
    # No line of the program makes an activity.
    loop.offer(lap, declared, title="here.txt", type=declared.text)
    # A file manager renames it; an editor that saves all or nothing puts another file in its place.
    path = path.rename(folder / "there.txt")
    until(here, "moved there.txt")
    loop.offer(lap, declared, title="there.txt")
    (folder / "draft").write_text("0123456789")
    os.replace(folder / "draft", path)
    (folder / "deep").mkdir()
    displays[0].press("Home", "Right", "Right", "Right")
    wait_for(lambda: has_open(here.pid, path), "the file that was put in its place")
    path = path.rename(folder / "deep" / "renamed.txt").rename(folder / "renamed.txt")
    until(here, "moved renamed.txt")
    command = lap.take(loop.offer(lap, declared, title="renamed.txt"))
    there = place.launched()
    assert until(there, "restored 3") == ["opens renamed.txt"]
    assert loop.result(command) == (0, "")
    # And back, to the window that has it open.
    displays[1].activate("Text")
    displays[1].press("Right")
    assert loop.result(desk.take(loop.offer(desk, declared, title="renamed.txt"))) == (0, "")
    until(here, "restored 4")
    # The file leaves the folder that the devices share, and its document is closed with its window.
    path.rename(tmp_path / "gone.txt")
    until(here, "moved gone.txt")
    displays[1].press("alt+F4")
    until(there, "closed renamed.txt")
    lap.no_offer(declared)
    displays[0].press("alt+F4")
    until(here, "closed gone.txt")
    for left in (folder / "deep", other / "renamed.txt"):
        left.rmdir() if left.is_dir() else left.unlink()


def has_open(pid: int, path: pathlib.Path) -> bool:
    """Whether a program has the file open that is there now."""
    found = path.stat()
    for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            if os.path.samestat(entry.stat(), found):
                return True
    return False
