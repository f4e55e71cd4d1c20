"""What the windows of a display show, as a screen reader is told it."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from harness.bounds import SECONDS
from harness.lines import Lines
from harness.waiting import wait_for

#: The screen reader, which is a process of its own: it has the session bus of whose windows these are.
PROGRAM = pathlib.Path(__file__).resolve().parent / "programs" / "screen_reader.py"


class Window(NamedTuple):
    """The content of a window."""

    text: str
    caret: int
    selected: str
    #: How far the text is scrolled.
    scrolled: float
    labels: list[str]
    buttons: list[str]


def _brief(shown: Any) -> str:
    """What was shown, without the ends of long texts."""
    return re.sub(r"([^'\"]{200})[^'\"]+", r"\1…", repr(shown))


class Sight:
    def __init__(self, whose: str, start: Callable[..., subprocess.Popen[Any]]) -> None:
        """`start` starts a process where that bus is."""
        self._whose = whose
        self._reader = start(sys.executable, str(PROGRAM), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._reader.stdout
        self._lines = Lines(self._reader.stdout.fileno())
        #: All that was shown when something was not found.
        self._seen: list[str] | None = None

    def find(self, *words: str) -> Any:
        """Waits until an item is shown with all these words: in its text, or as its role, as the text of an item around
        it, or as its state ("selected", "active", "focused"). Returns its text, and where it is."""
        return self._ask("find", words)

    def find_none(self, *words: str) -> None:
        """Waits until no item with all these words is shown."""
        self._ask("none", words)

    def has(self, *words: str) -> bool:
        """Whether an item with all these words is shown now."""
        return self._answer("find", 0, words) is not None

    def until(self, title: str, condition: Callable[[Window], object]) -> Window:
        """Waits until a window's content fulfils the condition, and returns it."""
        seen: list[Any] = [None]

        def found() -> Window | None:
            shown = Window(**seen[-1])
            return shown if condition(shown) else None

        def change(seconds: float) -> None:
            seen.append(self._ask("window", (title, seen[-1])))

        change(SECONDS)
        wanted: Window = wait_for(found, f"what is expected of “{title}”", change)
        return wanted

    def look(self, title: str) -> Window:
        """The content that a window shows now."""
        return self.until(title, lambda shown: True)

    def area(self, role: str, title: str) -> tuple[int, int, int, int]:
        """The place in a window of the first item with this role: x, y, width, height."""
        x, y, width, height = self._ask("area", (role, title))
        return x, y, width, height

    def _ask(self, command: str, words: tuple[Any, ...]) -> Any:
        answer = self._answer(command, SECONDS, words)
        assert answer is not None, f"{self._whose}: {command} {_brief(words)}: it shows {_brief(self._seen)}"
        return answer

    def _answer(self, command: str, seconds: float, words: tuple[Any, ...]) -> Any:
        """What was found; None where it was not found in time."""
        assert self._reader.stdin
        os.write(self._reader.stdin.fileno(), json.dumps([command, seconds, *words]).encode() + b"\n")
        answer = json.loads(self._lines.next(seconds + 5))
        self._seen = answer.get("late")
        return answer.get("found") if command != "none" else "found" in answer or None

    def close(self) -> None:
        self._reader.kill()
        self._reader.wait()
        assert self._reader.stdin and self._reader.stdout
        self._reader.stdin.close()
        self._reader.stdout.close()
