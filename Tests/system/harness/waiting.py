"""Waiting for what no stream of lines and no queue of messages tells."""

import select
import time

from .bounds import SECONDS


def pause(seconds):
    """For what tells nobody when it changes, as a file or a counter of the kernel's: it is looked at again soon."""
    select.select([], [], [], min(seconds, 0.01))


def wait_for(found, what, changed=pause, seconds=SECONDS):
    """Asks until there is an answer, and gives it back. `changed(seconds)` waits until it may have become another."""
    end = time.monotonic() + seconds
    while True:
        result = found()
        if result:
            return result
        left = end - time.monotonic()
        if left <= 0:
            raise AssertionError(f"{what} did not come within {seconds} s")
        changed(left)
