"""segue-probe, driven line by line (Tests/abi/probe.c says what it understands)."""

import os
import socket
import struct
import subprocess
import urllib.parse

from .bounds import SECONDS
from .lines import Ended, Lines


def encode(text):
    """Text as one word of a command."""
    return urllib.parse.quote(text, safe="/:.?#=&")


def decode(word):
    return "" if word == "-" else urllib.parse.unquote(word)


class Probe:
    """A program that uses the library. Events are kept until they are expected."""

    def __init__(self, lines, write, pid, process=None, connection=None):
        self.lines = lines
        self.write = write
        self.pid = pid
        self.process = process
        self.connection = connection
        self.pending = []
        #: Every event that came, in order.
        self.seen = []

    @classmethod
    def start(cls, program, app_id, *flags, environment, log):
        """Starts it as a child, as a user would start it by hand."""
        process = subprocess.Popen(
            [program, app_id, *flags], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        return cls(Lines(process.stdout.fileno()), process.stdin.fileno(), process.pid, process=process)

    @classmethod
    def accept(cls, listener, timeout=SECONDS):
        """Takes one that the bus has launched (launcher.py)."""
        listener.settimeout(timeout)
        connection, _ = listener.accept()
        pid, _, _ = struct.unpack("iii", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return cls(Lines(connection.fileno()), connection.fileno(), pid, connection=connection)

    def source(self):
        """The source of the last continuation's state, in will_continue and in continue_activity."""
        words = self.do("source").split()[1:]
        return [
            {"id": id, "state": state, "age": None if age == "unknown" else int(age)}
            for id, state, age in [words[:3], words[3:]]]

    # Commands

    def send(self, command):
        os.write(self.write, command.encode() + b"\n")

    def answer(self, timeout=SECONDS):
        """The next line that is not an event."""
        while True:
            line = self.lines.next(timeout)
            if not line.startswith("event "):
                return line
            self.keep(line)

    def run(self, command):
        """The words that a command printed; the last one is its outcome."""
        self.send(command)
        printed = []
        while True:
            line = self.answer()
            if line == "ok" or line.startswith(("ok ", "error ")):
                return printed, line
            printed.append(line)

    def do(self, *commands):
        """Runs commands that succeed; what the last one printed: its lines, or its positive outcome."""
        result = None
        for command in commands:
            printed, last = self.run(command)
            assert not last.startswith("error"), f"{command[:80]}: {last}"
            result = printed[0] if printed else int(last[3:]) if len(last) > 2 else None
        return result

    def refused(self, command):
        """Runs a command that must fail; the errno's name."""
        printed, last = self.run(command)
        assert last.startswith("error "), f"{command[:80]} was not refused: {printed} {last}"
        return last.split()[2]

    def info(self, name):
        """An activity's userInfo, as hexadecimal CBOR."""
        return self.do(f"dump {name}").split()[2]

    def current(self):
        """The name of the current activity; None without one."""
        name = self.do("who").split()[1]
        return None if name == "-" else name

    # Events

    def keep(self, line):
        event = line[len("event "):]
        self.seen.append(event)
        self.pending.append(event)

    def expect(self, start, timeout=SECONDS):
        """Waits for the event that begins with these words: its remaining words, decoded. Others are skipped."""
        while True:
            while self.pending:
                event = self.pending.pop(0)
                if event == start or event.startswith(start + " "):
                    return [decode(word) for word in event[len(start):].split()]
            line = self.lines.next(timeout)
            assert line.startswith("event "), f"an answer to no command: {line}"
            self.keep(line)

    def count(self, start):
        """How many such events have come, after a call that lets all come that are due."""
        self.do("who")
        return sum(event == start or event.startswith(start + " ") for event in self.seen)

    def ready(self):
        """Waits until it is registered."""
        self.expect("state 1")
        return self

    # The end

    def wait_for_end(self, timeout=SECONDS):
        for line in self.lines.until_end(timeout):
            self.keep(line) if line.startswith("event ") else None
        if self.process:
            return self.process.wait(timeout)

    def quit(self):
        """Ends as a program ends; its status where it is a child."""
        try:
            self.send("quit")
        except (BrokenPipeError, ConnectionError):
            pass
        return self.wait_for_end()

    def kill(self, signal=9):
        try:
            os.kill(self.pid, signal)
        except ProcessLookupError:
            pass
        try:
            self.wait_for_end()
        except (Ended, OSError):
            pass

    def close(self):
        """Whatever state it is in."""
        self.kill()
        if self.process:
            self.process.stdin.close()
            self.process.stdout.close()
        if self.connection:
            self.connection.close()
