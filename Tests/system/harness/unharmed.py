"""The check after every attack: the daemon is the same, and holds what it held before."""

import contextlib
import time

from .bounds import SECONDS
from .process import descriptors, memory
from .waiting import pause

#: KiB that an allocator may keep of what was freed.
SLACK = 4096


def settled(device):
    """Two round trips: what the daemon was sent before has been dealt with."""
    for _ in range(2):
        device.json("status")


class Baseline:
    """The daemon's process and what it holds at rest; `pid` is the process's id."""

    def __init__(self, device, slack=SLACK):
        settled(device)
        self.device = device
        self.slack = slack
        self.pid = device.pid()
        self.descriptors = descriptors(self.pid)
        self.memory = memory(self.pid)

    def check(self):
        """It is the same process, and holds no more once it has closed what has ended, which tells nobody of it."""
        settled(self.device)
        assert self.device.pid() == self.pid, "this is another daemon"
        for what, count, most in [
                ("descriptors", descriptors, self.descriptors), ("KiB", memory, self.memory + self.slack)]:
            end = time.monotonic() + SECONDS
            while (now := count(self.pid)) > most:
                assert time.monotonic() < end, f"the daemon holds {now} {what}, and held {most}"
                pause(SECONDS)


@contextlib.contextmanager
def unharmed(device, slack=SLACK):
    """Holds the device's daemon to its baseline behind what is done to it here."""
    before = Baseline(device, slack)
    yield before
    before.check()
