"""A device's display, which tests read as a screen reader does, and click at."""

from __future__ import annotations

import pathlib
import shutil
from collections.abc import Callable
from typing import Any

from desktop import Display
from sight import Sight, Window

__all__ = ["Screen", "Window"]

#: The service file of the accessibility bus, which the device's own bus launches.
ACCESSIBILITY = pathlib.Path("/usr/share/dbus-1/services/org.a11y.Bus.service")


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
        self._sight = Sight(device.name, self._start)

    # As it is said there.

    def find(self, *words: str) -> Any:
        return self._sight.find(*words)

    def find_none(self, *words: str) -> None:
        self._sight.find_none(*words)

    def until(self, title: str, condition: Callable[[Window], object]) -> Window:
        return self._sight.until(title, condition)

    def look(self, title: str) -> Window:
        return self._sight.look(title)

    def area(self, role: str, title: str) -> tuple[int, int, int, int]:
        return self._sight.area(role, title)

    def click(self, *words: str) -> None:
        x, y = self.find(*words)["at"]
        self.run("xdotool", "getactivewindow", "mousemove", "--window", "%1", str(x), str(y), "click", "1")

    def picture(self, path: pathlib.Path, title: str = "") -> None:
        """Writes a picture in PNG: of the whole screen, or of the window with this title."""
        self.run("import", "-window", self.window(title) if title else "root", f"png24:{path}")

    def close(self) -> None:
        self._sight.close()
        super().close()
