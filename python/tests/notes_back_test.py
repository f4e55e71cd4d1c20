"""The windows of examples/python/notes come back after the editor was killed, as its user sees them (semantics C17)."""

from __future__ import annotations

import os
import pathlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from typing import Any

import cbor2  # type: ignore[import]
import pytest
from screens import Screen, Window

from harness.device import Device
from harness.example import Example, InstalledExample
from harness.storing import until_not_stored

LINES = [f"line {number} of the list" for number in range(1, 201)]


class Place:
    """The editor on a device that saves states at once, with a file in a shared folder and one outside of it."""

    def __init__(self, folder: str) -> None:
        self.device = Device("desk", containers=["notes"], limits={"SnapshotInterval": 1})
        self.screen = Screen(self.device)
        self.installed = InstalledExample(self.device, Example("python/notes", folder))
        self.shared = self.device.containers["notes"] / "list.txt"
        self.own = pathlib.Path(folder, "own.txt")
        for path in (self.shared, self.own):
            path.write_text("\n".join(LINES))

    def states(self) -> list[dict[str, Any]]:
        """The userInfo of each window's state, as the daemon has it on the disk."""
        path = self.device.folder / "state/segue/store.sqlite"
        if not path.exists():
            return []
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
            rows = store.execute("SELECT userinfo FROM copy WHERE kind = 'restoration'").fetchall()
        return [cbor2.loads(row[0]) for row in rows]

    def until_selected(self, count: int) -> None:
        """Waits until the states of so many windows are stored, each with the selection."""
        def found() -> bool:
            states = self.states()
            return len(states) == count and all(state.get("caret") != state.get("anchor") for state in states)

        self.device.until_asked(found, f"{count} states with a selection", "StoredChanged")

    def select(self, name: str, down: int) -> Window:
        """The user selects two words somewhere in the text."""
        self.screen.activate(name)
        self.screen.press(*["Next"] * 2, *["Down"] * down, "Home", *["shift+ctrl+Right"] * 2)
        return self.screen.until(name, lambda shown: shown.selected.startswith("line ") and shown.scrolled > 0)

    def close(self) -> None:
        self.screen.close()
        self.device.close()


@pytest.fixture
def place() -> Iterator[Place]:
    folder = tempfile.mkdtemp(prefix="sg-", dir="/tmp")
    made = Place(folder)
    try:
        yield made
    finally:
        made.close()
        shutil.rmtree(folder)


def test_theWindowsOfAKilledEditorComeBack(place: Place) -> None:
    program = place.installed.start(str(place.shared), str(place.own))
    seen = {name: place.select(name, down) for name, down in (("own.txt", 2), ("list.txt", 4))}
    place.until_selected(2)
    program.kill()
    program = place.installed.start()
    came = {name: place.screen.until(name, lambda shown: shown.scrolled and shown.caret) for name in seen}
    for name, before in seen.items():
        assert came[name].caret == before.caret and abs(came[name].scrolled - before.scrolled) < 2
    # Of two texts, X11 lets only the one that was selected last stay so.
    assert came["list.txt"].selected == seen["list.txt"].selected
    assert place.screen.active() == "list.txt", "the window that was in front is in front"
    if folder := os.environ.get("SEGUE_PICTURES"):
        place.screen.picture(pathlib.Path(folder) / "notes-back.png")
    # A window that the user closes does not come back, though it was never in front since.
    place.screen.press("alt+F4")
    place.screen.find_none("frame", "list.txt")
    place.device.until_asked(lambda: len(place.states()) == 1, "the end of a state", "StoredChanged")
    program.kill()
    program = place.installed.start()
    place.screen.until("own.txt", lambda shown: shown.caret == seen["own.txt"].caret)
    place.screen.find_none("frame", "list.txt")
    # With the last one, the editor ends, and its next start is an empty window.
    place.screen.activate("own.txt")
    place.screen.press("alt+F4")
    assert program.wait_for_end() == 0
    until_not_stored(place.device, "restoration")
    place.installed.start()
    place.screen.window("Notes")
