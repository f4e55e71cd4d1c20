"""A display for a device, with a window manager and a keyboard, as a user has them."""

from __future__ import annotations

import os
import re
import subprocess
from typing import Any

from harness.bounds import SECONDS
from harness.lines import Lines
from harness.waiting import wait_for


class Display:
    """The display of the programs that the device's bus launches, and of those started in `device.environment`."""

    def __init__(self, device: Any, size: str = "1024x768x24") -> None:
        self.device = device
        reader, writer = os.pipe()
        self.x_server = self._start(
            "Xvfb", "-displayfd", str(writer), "-screen", "0", size, "-nolisten", "tcp", "-noreset", pass_fds=[writer])
        os.close(writer)
        name = f":{Lines(reader).next()}"
        os.close(reader)
        # GTK would ask for things that do not matter here: a portal for its settings, and a cache of shaders.
        self.variables = {"DISPLAY": name, "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_USE_PORTAL": "0"}
        # Without animations everything is at its place at once.
        settings = device.folder / "config" / "gtk-4.0" / "settings.ini"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text("[Settings]\ngtk-enable-animations=false\n")
        device.environment.update(self.variables)
        # A session does this when its display is there.
        self.run("dbus-update-activation-environment", *self.variables)
        # The manager manages windows once it runs its startup command. It does not run without its themes.
        self.manager = self._start(
            "env", "XDG_DATA_DIRS=/usr/share", "openbox", "--startup", "echo ready", stdout=subprocess.PIPE)
        assert self.manager.stdout
        Lines(self.manager.stdout.fileno()).next()

    def _start(self, *command: str, **options: Any) -> subprocess.Popen[bytes]:
        settings = {"stdin": subprocess.DEVNULL, "stdout": self.device.log, "stderr": self.device.log, **options}
        return subprocess.Popen(command, env=self.device.environment, **settings)

    def run(self, *command: str) -> str:
        """The output of a command, which must succeed."""
        done = self._done(*command)
        assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}: {done.stderr}"
        return done.stdout

    def _done(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, env=self.device.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=SECONDS)

    def window(self, title: str) -> str:
        """Waits until a window with this title is shown, and returns its id."""
        command = ("xdotool", "search", "--sync", "--onlyvisible", "--name", f"^{re.escape(title)}$")

        def found() -> list[str]:
            done = self._done(*command)
            # Another window that is closed while xdotool looks at all of them is an error to it: it looks again.
            assert done.returncode == 0 or "BadWindow" in done.stderr, f"{' '.join(command)}: {done.stderr}"
            return done.stdout.split() if done.returncode == 0 else []

        ids: list[str] = wait_for(found, f"the window {title}")
        return ids[0]

    def activate(self, title: str) -> None:
        """The user clicks on a window's title; waits until it has the keyboard."""
        self.run("xdotool", "windowactivate", "--sync", self.window(title))

    def active(self) -> str:
        """The title of the window that has the keyboard."""
        return self.run("xdotool", "getactivewindow", "getwindowname").rstrip("\n")

    def press(self, *keys: str) -> None:
        """Presses keys by their names, as Tab and ctrl+s, one after the other."""
        self.run("xdotool", "key", "--delay", "20", *keys)

    def type(self, text: str) -> None:
        self.run("xdotool", "type", "--delay", "20", text)

    def close(self) -> None:
        for process in (self.manager, self.x_server):
            process.kill()
            process.wait()
        assert self.manager.stdout
        self.manager.stdout.close()
        for variable in self.variables:
            del self.device.environment[variable]
