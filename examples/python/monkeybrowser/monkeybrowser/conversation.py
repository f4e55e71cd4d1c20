"""Lines in both directions over a pair of streams, in GLib's loop, without blocking."""

from __future__ import annotations

import os
from collections.abc import Callable

import segue
from gi.repository import GLib

_READ = GLib.IOCondition.IN | GLib.IOCondition.HUP | GLib.IOCondition.ERR
_WRITE = GLib.IOCondition.OUT | GLib.IOCondition.HUP | GLib.IOCondition.ERR
_AT_ONCE = 65536


class Conversation:
    """Calls `heard` with each line, and `ended` once, unless it is closed here: if the other side has closed its
    streams, was lost, sends a line that is too long, or takes longer than so many seconds for the whole exchange."""

    def __init__(
            self, streams: segue.Streams, heard: Callable[[bytes], None], ended: Callable[[], None], longest: int,
            seconds: int) -> None:
        self._streams, self._heard, self._ended, self._longest = streams, heard, ended, longest
        self._incoming, self._outgoing = bytearray(), bytearray()
        self._input, self._output = streams.input.fileno(), streams.output.fileno()
        for end in (self._input, self._output):
            os.set_blocking(end, False)
        self._reading = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self._input, _READ, self._read)
        self._writing = 0
        self._bound = GLib.timeout_add_seconds(seconds, self._is_late)
        self._is_closed = self._is_last = False

    def say(self, line: bytes, is_last: bool = False) -> None:
        """Sends a line, and closes the conversation after the last one. A closed conversation ignores the call."""
        if self._is_closed:
            return
        self._outgoing += line + b"\n"
        self._is_last = is_last
        if not self._writing:
            self._writing = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self._output, _WRITE, self._write)

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        for source in (self._reading, self._writing, self._bound):
            if source:
                GLib.source_remove(source)
        self._streams.close()

    def _read(self, *_: object) -> bool:
        try:
            part = os.read(self._input, _AT_ONCE)
        except BlockingIOError:
            return True
        except OSError:
            # The device, or a daemon, was lost.
            part = b""
        self._incoming += part
        while not self._is_closed and b"\n" in self._incoming:
            line, rest = bytes(self._incoming).split(b"\n", 1)
            self._incoming = bytearray(rest)
            self._heard(line)
        if not self._is_closed and (not part or len(self._incoming) > self._longest):
            self._end()
        # A closed conversation has no source any more.
        return not self._is_closed

    def _write(self, *_: object) -> bool:
        try:
            del self._outgoing[:os.write(self._output, self._outgoing)]
        except BlockingIOError:
            return True
        except OSError:
            self._end()
            return False
        if self._outgoing:
            return True
        self._writing = 0
        if self._is_last:
            self.close()
        return False

    def _is_late(self) -> bool:
        self._end()
        return False

    def _end(self) -> None:
        self.close()
        self._ended()
