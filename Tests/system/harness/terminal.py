"""A terminal of the test's own, in which a program runs: what it shows, and what is typed."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import pyte

from .bounds import SECONDS


class Terminal:
    """Its screen is pyte's, which has no alternate one."""

    def __init__(self, arguments, environment, rows=24, columns=80):
        self.screen = pyte.HistoryScreen(columns, rows, history=10_000)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.status = None
        # Kept open, so that its settings can be looked at when the program has ended.
        self.fd, self.slave = pty.openpty()
        self.set_size(rows, columns)
        self.settings = termios.tcgetattr(self.slave)
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
                for number in (0, 1, 2):
                    os.dup2(self.slave, number)
                os.closerange(3, 256)
                os.execve(str(arguments[0]), [str(argument) for argument in arguments], environment)
            finally:
                os._exit(126)

    def set_size(self, rows, columns):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows, columns):
        """Resizes the terminal, as somebody does who drags the window's edge."""
        self.set_size(rows, columns)
        self.screen.resize(rows, columns)
        os.kill(self.pid, signal.SIGWINCH)

    def type(self, text):
        data = text.encode() if isinstance(text, str) else text
        while data:
            data = data[os.write(self.fd, data):]

    @property
    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    @property
    def history(self):
        """The lines that have left the screen at the top."""
        return [
            "".join(line[column].data for column in range(self.screen.columns)).rstrip()
            for line in self.screen.history.top]

    def read(self, seconds):
        """Shows what has come; whether anything has."""
        if not select.select([self.fd], [], [], max(0, seconds))[0]:
            return False
        data = os.read(self.fd, 65536)
        self.raw += data
        self.stream.feed(data)
        return True

    def until(self, found, what="it"):
        """Waits for a text on the screen, or for what a function finds."""
        test = (lambda: found in self.text) if isinstance(found, str) else found
        end = time.monotonic() + SECONDS
        while not test():
            left = end - time.monotonic()
            assert left > 0, f"{found if isinstance(found, str) else what} does not come:\n{self.text}"
            self.read(left)
        return self

    def until_gone(self, text):
        return self.until(lambda: text not in self.text, f"the end of {text}")

    def ended(self):
        """The program's status, when it has ended, and everything that it has shown by then."""
        handle = os.pidfd_open(self.pid)
        end = time.monotonic() + SECONDS
        while not select.select([handle], [], [], 0)[0]:
            assert time.monotonic() < end, f"the program does not end:\n{self.text}"
            self.read(0.05)
        os.close(handle)
        while self.read(0):
            pass
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status

    @property
    def is_as_before(self):
        """Whether it has the settings that it had."""
        return termios.tcgetattr(self.slave) == self.settings

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        return self.ended()

    def close(self):
        if self.status is None:
            self.kill()
        os.close(self.fd)
        os.close(self.slave)
