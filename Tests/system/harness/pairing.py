"""`segue pair`, as a person uses it: reading its lines, and typing."""

import re
import signal
import subprocess

from .bounds import SECONDS
from .lines import Lines
from .tree import SEGUE


class Dialogue:
    def __init__(self, device, *arguments):
        self.process = subprocess.Popen(
            [SEGUE, "pair", *arguments], env=device.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
            # A shell has the programs that it runs in the background ignore this signal, and they would pass that on.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.lines = Lines(self.process.stdout.fileno())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def says(self, pattern):
        """The next line in which the pattern is found."""
        while not re.search(pattern, line := self.lines.next()):
            pass
        return line

    def type(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def status(self):
        return self.process.wait(SECONDS)

    def digits(self):
        return re.search(r"\d{3} \d{3}$", self.says("Type these digits")).group(0)

    def code(self):
        return re.search(r"SEGUE:[A-Z2-7]+", self.says(r"SEGUE:")).group(0)


def address(device):
    """The address at which the device can be dialled."""
    return device.json("status")["addresses"][0]
