"""What happened, line by line: kept in a file, and the last of it at hand."""

import collections
import time


class Journal:
    def __init__(self, folder):
        self.start = time.monotonic()
        self.file = open(folder / "log", "w", buffering=1)
        self.last = collections.deque(maxlen=5000)

    def write(self, text):
        line = f"{time.monotonic() - self.start:10.3f} {text}"
        self.last.append(line)
        self.file.write(line + "\n")

    def about(self, words):
        """The lines with one of these words."""
        return [line for line in self.last if any(word in line for word in words)][-60:]

    def close(self):
        self.file.close()
