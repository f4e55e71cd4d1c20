"""A file that is followed when somebody renames or moves it, by the system's notifications and without polling."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from weakref import ref

from gi.repository import Gio, GLib

#: Milliseconds: a program that saves may first rename the old file, and then put another in its place.
_PAUSE = 200
_TELLING = (
    Gio.FileMonitorEvent.RENAMED, Gio.FileMonitorEvent.MOVED_OUT, Gio.FileMonitorEvent.MOVED_IN,
    Gio.FileMonitorEvent.DELETED, Gio.FileMonitorEvent.CREATED)


class Followed:
    """Calls `moved` with the file's new place."""

    def __init__(self, file: Gio.File, moved: Callable[[Gio.File], object]) -> None:
        self.file = file
        self._moved = moved
        #: A descriptor of the file itself, wherever it lies.
        self._descriptor = -1
        self._monitor: Any = None
        self._looking = 0
        self.watch(file)

    def watch(self, file: Gio.File) -> None:
        """Follows this file from now on."""
        self.close()
        self.file = file
        path = file.get_path()
        if path is None:
            return  # It is on no disk.
        try:
            self._descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            pass  # It is not there yet.
        self._monitor = file.monitor_file(Gio.FileMonitorFlags.WATCH_MOVES, None)
        self._monitor.connect("changed", _changed, ref(self))

    def look_soon(self) -> None:
        if not self._looking:
            self._looking = GLib.timeout_add(_PAUSE, _look, ref(self))

    def look(self) -> None:
        self._looking = 0
        mine = _identity(self._descriptor) if self._descriptor >= 0 else None
        there = _identity(self.file.get_path())
        if there is not None:
            if there != mine:
                # Another file was put in its place, as by a program that saves atomically.
                self.watch(self.file)
            return
        if mine is None:
            return
        path = os.readlink(f"/proc/self/fd/{self._descriptor}")
        # A file that was removed may come back under its name: the monitor goes on waiting for it there.
        if _identity(path) == mine:
            self.watch(Gio.File.new_for_path(path))
            self._moved(self.file)

    def close(self) -> None:
        if self._looking:
            GLib.source_remove(self._looking)
            self._looking = 0
        if self._monitor is not None:
            self._monitor.cancel()
            self._monitor = None
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __del__(self) -> None:
        self.close()


def _identity(file: Any) -> tuple[int, int] | None:
    """The device and inode of a path or a descriptor; None if there is no such file."""
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino


# GLib calls these functions. They are no methods, since a method would keep the followed file.


def _changed(monitor: Any, file: Any, other: Any, event: Any, followed: Any) -> None:
    if event in _TELLING and (found := followed()) is not None:
        found.look_soon()


def _look(followed: Any) -> bool:
    found = followed()
    if found is not None:
        found.look()
    return False
