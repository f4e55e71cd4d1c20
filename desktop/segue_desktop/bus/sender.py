"""Runs `segue send --file`."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

from gi.repository import Gio, GLib

from ..model.sending import failure_of
from .checker import command

#: Called with the command's last line, or with "" and the reason why it has failed.
Done = Callable[[str, str], object]


class Sender:
    """Files on their way to one device, until the command ends."""

    def __init__(self, device: str, files: list[str], done: Done) -> None:
        self._done = done
        self._process: Any = None
        try:
            self._process = Gio.Subprocess.new(
                [command(), "send", device, "--file", *files],
                Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_PIPE)
        except GLib.Error as error:
            message = error.message
            GLib.idle_add(lambda: done("", message) and False)
            return
        self._process.communicate_utf8_async(None, None, self._ended)

    def stop(self) -> None:
        """What was not taken yet is withdrawn."""
        if self._process is not None:
            self._done = lambda said, reason: None
            self._process.send_signal(signal.SIGINT)

    def _ended(self, process: Any, result: Any) -> None:
        try:
            _, said, problem = process.communicate_utf8_finish(result)
        except GLib.Error as error:
            said, problem = "", error.message
        self._process = None
        if process.get_if_exited() and process.get_exit_status() == 0:
            self._done(said.strip(), "")
        else:
            self._done("", failure_of(problem).whole)
