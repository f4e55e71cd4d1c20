"""A daemon that is made by hand from bus messages: it answers the library as the real one would not."""

import os
import secrets
import socket

from .bounds import SECONDS
from .wire import Wire


class HandmadeDaemon:
    """Owns org.segue.Daemon1 on a device that has no daemon, and keeps a door."""

    def __init__(self, device):
        self.folder = device.folder / "run" / "segue"
        self.folder.mkdir(mode=0o700, exist_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / "socket"))
        self.listener.listen(4)
        self.listener.settimeout(SECONDS)
        self.bus = device.bus()
        self.bus.own("org.segue.Daemon1")
        self.doors = []

    def open_door(self):
        """Answers OpenDoor, and returns the library's connection, on which nothing was sent yet."""
        call = self.bus.next_call()
        assert call.member == "OpenDoor"
        socket = os.open(self.folder / "socket", os.O_PATH)
        self.bus.answer(call, "hs", [0, secrets.token_hex(16)], [socket])
        os.close(socket)
        door = Wire.serve(self.listener.accept()[0])
        self.doors.append(door)
        return door

    def let_in(self):
        """Opens the door, accepts Hello and Register, and returns the connection to the application."""
        door = self.open_door()
        for member, signature, body in [("Hello", "ua{sv}", [1, {}]), ("Register", "", [])]:
            call = door.next_call()
            assert call.member == member
            door.answer(call, signature, body)
        return door

    def launch(self, application, ticket):
        """Sends the launch message, and returns its serial."""
        return self.bus.call_later(
            f"{application.id}.Segue", "/org/segue/Application1", "org.segue.Application1", "WillContinue", "ssa{sv}",
            [ticket, application.type, {}])

    def close(self):
        for door in self.doors:
            door.close()
        self.listener.close()
        self.bus.close()
