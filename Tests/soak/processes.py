"""Applications that run: segue-probe, which the soak drives without waiting, since it may be stopped or gone."""

import collections
import os
import socket
import struct
import time

from harness.probe import decode


class Activity:
    """An activity of a process, by the key that its states carry."""

    def __init__(self, key, size=0):
        self.key = key
        self.size = size
        self.serial = 0


class Process:
    """An application that runs in a place. Its events go to the place's soak."""

    def __init__(self, place, connection):
        self.place = place
        self.device = place.device
        self.connection = connection
        connection.setblocking(False)
        self.pid, _, _ = struct.unpack("iii", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        self.name = f"{place.device.name}/{place.short}/{self.pid}"
        self.start = time.monotonic()
        self.end = None
        #: The reason why it may end, if the soak has told it to.
        self.may_end = None
        #: How it takes a continuation that comes: "accept", "refuse", "defer".
        self.manner = "accept"
        #: Whether it runs from the start to the end of the soak.
        self.is_steady = False
        self.activities = {}
        self.current = None
        self.buffer = b""
        self.output = b""
        self.pending = collections.deque()
        self.source = None
        place.loop.watch(connection, self.read)

    @property
    def is_alive(self):
        return self.end is None

    # Commands

    def send(self, command, then=None):
        """Sends a command; `then` gets whether it succeeded."""
        if not self.is_alive:
            return
        self.pending.append((command[:60], then))
        self.output += command.encode() + b"\n"
        self.flush()

    def flush(self):
        """Sends what the socket takes; the rest goes later, since a process that is stopped reads nothing."""
        while self.output and self.is_alive:
            try:
                self.output = self.output[self.connection.send(self.output):]
            except BlockingIOError:
                self.place.loop.after(0.05, self.flush)
                return
            except OSError:
                return

    # Events

    def read(self):
        try:
            read = self.connection.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            read = b""
        if not read:
            return self.ended()
        self.buffer += read
        *lines, self.buffer = self.buffer.split(b"\n")
        for line in lines:
            self.take(line.decode())

    def take(self, line):
        if line.startswith("event "):
            return self.happened(*line.split()[1:])
        if line == "ok" or line.startswith(("ok ", "error ")):
            command, then = self.pending.popleft()
            if line.startswith("error "):
                self.place.soak.log(f"{self.name}: {command}: {line}")
            if then:
                then(not line.startswith("error "))

    def happened(self, event, *words):
        soak = self.place.soak
        if event == "source":
            self.source = words[1], words[2]
            return
        if event == "was-continued":
            soak.ledger.was_continued(self, decode(words[0]))
        elif event in ("will-continue", "continue", "fail") and self.source:
            id, state = self.source
            self.source = None
            soak.ledger.told(self, event, id, state, words)
        elif event not in ("will-save", "deleted", "state"):
            soak.log(f"{self.name}: {event} {' '.join(words)[:200]}")

    def arrived(self, key):
        """The activity that came takes the place of the one that came before it."""
        keys = self.place.soak.ledger.keys
        former = self.activities.pop("continued", None)
        if former and keys[former.key].process is self:
            keys[former.key].is_shared = True
        if self.current == "continued":
            self.current = None
        self.activities["continued"] = Activity(key)

    # The end

    def ended(self):
        self.end = time.monotonic()
        self.place.loop.unwatch(self.connection)
        self.connection.close()
        self.place.left(self)

    def kill(self, why, number=9):
        self.may_end = why
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            pass

    def quit(self):
        self.may_end = "quit"
        self.send("quit")
