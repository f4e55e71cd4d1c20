"""Lines that come from another process, each waited for within a bound."""

import os
import select
import time

from .bounds import SECONDS


class Ended(AssertionError):
    """The other side has closed its end."""


class Lines:
    """Whole lines of a descriptor, without their ends."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.buffer = b""
        self.transcript = []

    def next(self, timeout=SECONDS):
        """The next line; fails if none comes in time."""
        deadline = time.monotonic() + timeout
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.descriptor], [], [], left)[0]:
                raise AssertionError(f"no line within {timeout} s; the last were {self.transcript[-5:]}")
            read = os.read(self.descriptor, 65536)
            if not read:
                raise Ended(f"the other side has ended; the last lines were {self.transcript[-5:]}")
            self.buffer += read
        line, _, self.buffer = self.buffer.partition(b"\n")
        self.transcript.append(line.decode()[:400])
        return line.decode()

    def until_end(self, timeout=SECONDS):
        """Waits until the other side closes its end, and returns the lines until then."""
        lines = []
        while True:
            try:
                lines.append(self.next(timeout))
            except Ended:
                return lines
