"""A log of the soak's events: all of it in a file, and the last lines in memory."""

import collections
import time

#: Lines that the report of one failure has at most.
LINES = 80


class Journal:
    def __init__(self, folder):
        self.start = time.monotonic()
        self.file = open(folder / "log", "w", buffering=1)
        #: (when, line)
        self.last = collections.deque(maxlen=50_000)

    def write(self, text):
        now = time.monotonic()
        line = f"{now - self.start:10.3f} {text}"
        self.last.append((now, line))
        self.file.write(line + "\n")

    def about(self, words, devices=(), since=0):
        """The last lines since then with one of these words, or about one of these devices."""
        words = [*words, *(f" {name}: " for name in devices)]
        return [line for when, line in self.last if when >= since and any(word in line for word in words)][-LINES:]

    def close(self):
        self.file.close()
