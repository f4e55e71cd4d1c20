"""A pointer for a compositor without hardware: the virtual pointer of wlroots, in bare Wayland messages."""

import socket
import struct

from .bounds import SECONDS


class Pointer:
    """A seat has a pointer as long as this is open."""

    MANAGER = "zwlr_virtual_pointer_manager_v1"

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        self.socket.connect(str(path))
        self.time = 0
        registry, done, manager, self.pointer = 2, 3, 4, 5
        self.send(1, 1, struct.pack("=I", registry))
        self.send(1, 0, struct.pack("=I", done))
        name = None
        while True:
            sender, opcode, body = self.receive()
            if sender == done:
                break
            if sender == registry and opcode == 0:
                length, = struct.unpack_from("=I", body, 4)
                if body[8:8 + length - 1].decode() == self.MANAGER:
                    name, = struct.unpack_from("=I", body)
        assert name is not None, f"the compositor has no {self.MANAGER}"
        self.send(registry, 0, struct.pack("=I", name) + self.string(self.MANAGER) + struct.pack("=II", 1, manager))
        self.send(manager, 0, struct.pack("=II", 0, self.pointer))
        self.synchronize(6)

    @staticmethod
    def string(text):
        data = text.encode() + b"\0"
        return struct.pack("=I", len(data)) + data + b"\0" * (-len(data) % 4)

    def send(self, target, opcode, body=b""):
        self.socket.sendall(struct.pack("=II", target, (8 + len(body)) << 16 | opcode) + body)

    def receive(self):
        header = self.read(8)
        sender, word = struct.unpack("=II", header)
        return sender, word & 0xFFFF, self.read((word >> 16) - 8)

    def read(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            assert part, "the compositor has ended"
            data += part
        return data

    def synchronize(self, callback):
        """Waits until the compositor has done what it was asked."""
        self.send(1, 0, struct.pack("=I", callback))
        while self.receive()[0] != callback:
            pass

    def click(self, x, y, width, height):
        left = 0x110
        self.time += 10
        self.send(self.pointer, 1, struct.pack("=IIIII", self.time, x, y, width, height))
        self.send(self.pointer, 4)
        for state in [1, 0]:
            self.time += 10
            self.send(self.pointer, 2, struct.pack("=III", self.time, left, state))
            self.send(self.pointer, 4)

    def close(self):
        self.socket.close()
