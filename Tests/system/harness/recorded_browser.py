"""A browser that says to the test what it was started with."""

import os
import select
import signal
import sys

from .application import Installed
from .lines import Lines

# A browser: it writes its arguments, and what else is asked of it, one a line, where the test reads them, and ends as it
# is told.
PROGRAM = """#!{python} -IS
import os, sys
with open({fifo!r}, "w") as file:
    descriptors = str(sorted(os.listdir("/proc/self/fd"))[:-2])
    file.write("\\n".join(["begin", *sys.argv[1:], os.getcwd(), descriptors, str(os.getpid()), "end"]) + "\\n")
{end}
"""


class RecordedBrowser:
    """A program with a desktop file."""

    def __init__(self, device, name="browser", exec="{program} --new-tab %u", end="", keys="", type="https"):
        self.device = device
        self.id = f"{name}.desktop"
        self.fifo = device.folder / f"{name}.fifo"
        os.mkfifo(self.fifo)
        # Both ends: a writer never waits, and the reader never sees an end.
        self.descriptor = os.open(self.fifo, os.O_RDWR)
        self.lines = Lines(self.descriptor)
        self.program = device.folder / name
        self.program.write_text(PROGRAM.format(python=sys.executable, fifo=str(self.fifo), end=end))
        self.program.chmod(0o700)
        Installed.write(
            device.data / "applications" / self.id,
            f"[Desktop Entry]\nType=Application\nName=Browser\nExec={exec.format(program=self.program)}\n"
            f"MimeType=x-scheme-handler/{type};\n{keys}")

    def choose(self, path="config/mimeapps.list", group="Default Applications", type="https"):
        Installed.write(self.device.folder / path, f"[{group}]\nx-scheme-handler/{type}={self.id};\n")

    def arguments(self):
        """Of the next start."""
        assert self.lines.next() == "begin"
        arguments = []
        while (line := self.lines.next()) != "end":
            arguments.append(line)
        self.folder, self.descriptors, self.process = arguments[-3:]
        return arguments[:-3]

    def runs(self):
        """Whether the process that was started last has not ended."""
        try:
            with open(f"/proc/{self.process}/stat") as file:
                return file.read().rpartition(")")[2].split()[0] not in "ZX"
        except FileNotFoundError:
            return False

    def end(self):
        os.kill(int(self.process), signal.SIGTERM)

    def was_started(self):
        return bool(self.lines.buffer) or bool(select.select([self.descriptor], [], [], 0)[0])

    def close(self):
        os.close(self.descriptor)
