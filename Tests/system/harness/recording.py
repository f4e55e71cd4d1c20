"""A native host in a test's hands: what the extension tells comes here, and what is said here it hears."""

import contextlib
import json
import os
import socket
import struct
import sys

from .bounds import SECONDS

# The browser starts this: all that it reads goes on to the test, and back.
PROGRAM = """#!{python} -I
import os, select, socket
test = socket.socket(socket.AF_UNIX)
test.connect({address!r})
ends = {{0: test.fileno(), test.fileno(): 1}}
while True:
    for end in select.select(list(ends), [], [])[0]:
        data = os.read(end, 65536)
        if not data:
            raise SystemExit
        while data:
            data = data[os.write(ends[end], data):]
"""


class Recording:
    def __init__(self, folder, device="desk"):
        self.device = device
        self.program = folder / "host"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / "socket"))
        self.listener.listen()
        self.listener.settimeout(3 * SECONDS)
        self.program.write_text(PROGRAM.format(python=sys.executable, address=str(folder / "socket")))
        self.program.chmod(0o755)
        self.connection = None
        #: All that came, for what must not have.
        self.messages = []

    def accept(self, **ready):
        """Waits for the next start of it, and for its hello; the browser that it is of."""
        if self.connection:
            self.connection.close()
        self.connection = self.listener.accept()[0]
        self.connection.settimeout(3 * SECONDS)
        hello = self.next("hello")
        assert hello["version"] == 1
        self.send("ready", **{"version": 1, "device": self.device, **ready})
        return hello["browser"]

    def read(self, count):
        data = b""
        while len(data) < count:
            more = self.connection.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def any(self):
        length, = struct.unpack("=I", self.read(4))
        message = json.loads(self.read(length))
        self.messages.append(message)
        return message

    def next(self, type, **members):
        """The next message of this type, with such members; what comes before it is passed over."""
        while True:
            message = self.any()
            if message["type"] == type and members.items() <= message.items():
                return message

    def send(self, type, **members):
        data = json.dumps({"type": type, **members}).encode()
        self.connection.sendall(struct.pack("=I", len(data)) + data)

    def place(self, key, request=7):
        """Where the page says that it is."""
        self.send("where", request=request, key=key)
        return self.next("place", request=request).get("place")

    def end(self):
        """Pretends that the host has ended: the browser is notified of that."""
        self.connection.shutdown(socket.SHUT_RDWR)

    def close(self):
        if self.connection:
            self.connection.close()
        self.listener.close()
        with contextlib.suppress(OSError):
            os.unlink(self.program)
