"""A device's display, which tests read as a screen reader does, and click at."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from desktop import Display

from harness.bounds import SECONDS
from harness.lines import Lines
from harness.waiting import wait_for

HERE = pathlib.Path(__file__).resolve().parent
#: The service file of the accessibility bus, which the device's own bus launches.
ACCESSIBILITY = pathlib.Path("/usr/share/dbus-1/services/org.a11y.Bus.service")


class Window(NamedTuple):
    """The content of a window."""

    text: str
    caret: int
    selected: str
    #: How far the text is scrolled.
    scrolled: float
    labels: list[str]
    buttons: list[str]


class Screen(Display):
    """A display whose width tells pages which device it is. Make it when the device's daemon runs already, which would
    otherwise find the machine's applications."""

    def __init__(self, device: Any, width: int = 1024, height: int = 768) -> None:
        super().__init__(device, f"{width}x{height}x24")
        self.width = width
        # The programs need icons and schemas.
        device.environment["XDG_DATA_DIRS"] = "/usr/share"
        self.run("dbus-update-activation-environment", "XDG_DATA_DIRS")
        shutil.copy(ACCESSIBILITY, device.data / "dbus-1" / "services")
        # The screen reader is a process of its own: it has the device's session bus, and this process has another.
        self._reader = self._start(
            sys.executable, str(HERE / "programs" / "screen_reader.py"), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._reader.stdout
        self._lines = Lines(self._reader.stdout.fileno())

    def find(self, *words: str) -> Any:
        """Waits until an item is shown with all these words: in its text, or as its role, as the text of an item around
        it, or as its state ("selected", "active", "focused"). Returns its text, and where it is."""
        return self._ask("find", words)

    def find_none(self, *words: str) -> None:
        """Waits until no item with all these words is shown."""
        self._ask("none", words)

    def click(self, *words: str) -> None:
        x, y = self.find(*words)["at"]
        self.run("xdotool", "getactivewindow", "mousemove", "--window", "%1", str(x), str(y), "click", "1")

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

    def picture(self, path: pathlib.Path, title: str = "") -> None:
        """Writes a picture in PNG: of the whole screen, or of the window with this title."""
        self.run("import", "-window", self.window(title) if title else "root", f"png24:{path}")

    def _ask(self, command: str, words: tuple[Any, ...]) -> Any:
        assert self._reader.stdin
        self._reader.stdin.write(json.dumps([command, SECONDS, *words]).encode() + b"\n")
        self._reader.stdin.flush()
        answer = json.loads(self._lines.next(SECONDS + 5))
        assert "late" not in answer, f"{self.device.name}: {command} {words}: it shows {answer['late']}"
        return answer["found"]

    def close(self) -> None:
        self._reader.kill()
        self._reader.wait()
        assert self._reader.stdin and self._reader.stdout
        self._reader.stdin.close()
        self._reader.stdout.close()
        super().close()
