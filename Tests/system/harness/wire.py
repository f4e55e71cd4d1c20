"""A D-Bus client on a bare socket: it talks to a bus and to the private door, and sends also what no library would."""

import collections
import io
import os
import socket
import struct
import time

from dbus_fast import Message, MessageFlag, MessageType, Variant, unpack_variants
from dbus_fast._private.unmarshaller import Unmarshaller

from .bounds import SECONDS


class BusError(Exception):
    """An error reply."""

    def __init__(self, name, text):
        super().__init__(f"{name}: {text}")
        self.name = name
        self.text = text


class Wire:
    """One connection. Calls that come in are kept for `next_call`, signals for `next_signal`."""

    def __init__(self, path):
        self.begin(socket.socket(socket.AF_UNIX))
        self.socket.connect(path)
        self.authenticate()

    def begin(self, connection):
        self.socket = connection
        self.socket.settimeout(SECONDS)
        self.serial = 0
        self.calls = collections.deque()
        self.signals = collections.deque()
        self.replies = {}

    @classmethod
    def over(cls, connection):
        """This end of a connection that is not authenticated."""
        wire = cls.__new__(cls)
        wire.begin(connection)
        wire.authenticate()
        return wire

    @classmethod
    def serve(cls, connection):
        """The other end: of a connection that was accepted."""
        wire = cls.__new__(cls)
        wire.begin(connection)
        wire.socket.recv(1)
        answers = {b"AUTH": b"OK " + b"0" * 32, b"NEGOTIATE_UNIX_FD": b"AGREE_UNIX_FD"}
        while (word := wire.auth_line().split()[0]) != b"BEGIN":
            wire.socket.sendall(answers[word] + b"\r\n")
        return wire

    def authenticate(self):
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.geteuid()).encode().hex().encode() + b"\r\n")
        assert self.auth_line().startswith(b"OK"), "the other side does not know this user"
        self.socket.sendall(b"NEGOTIATE_UNIX_FD\r\n")
        assert self.auth_line() == b"AGREE_UNIX_FD"
        self.socket.sendall(b"BEGIN\r\n")

    def auth_line(self):
        line = b""
        while not line.endswith(b"\r\n"):
            read = self.socket.recv(1)
            assert read, "the connection was closed while it was opened"
            line += read
        return line[:-2]

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # Sending

    def send(self, message, descriptors=()):
        """Sends a message; its serial."""
        self.serial += 1
        message.serial = self.serial
        message.unix_fds = list(descriptors)
        self.send_bytes(bytes(message._marshall(True)), descriptors)
        return message.serial

    def send_bytes(self, data, descriptors=()):
        if descriptors:
            sent = socket.send_fds(self.socket, [data], list(descriptors))
            data = data[sent:]
        # Sending zero bytes would fail, too, if the other side has closed meanwhile.
        if data:
            self.socket.sendall(data)

    def call_later(self, destination, path, interface, member, signature="", body=(), descriptors=(), flags=0):
        """Sends a call; the serial to wait for with `reply`."""
        message = Message(
            destination=destination, path=path, interface=interface, member=member, signature=signature,
            body=list(body), flags=MessageFlag(flags))
        return self.send(message, descriptors)

    def call(self, destination, path, interface, member, signature="", body=(), descriptors=(), timeout=SECONDS):
        """Calls and waits: the reply's body, variants unpacked. Raises BusError for an error reply."""
        serial = self.call_later(destination, path, interface, member, signature, body, descriptors)
        return self.body(self.reply(serial, timeout))

    def answer(self, call, signature="", body=(), descriptors=()):
        reply = Message.new_method_return(call, signature, list(body))
        reply.destination = call.sender
        self.send(reply, descriptors)

    def refuse(self, call, name, text):
        self.send(Message.new_error(call, name, text))

    # Receiving

    @staticmethod
    def body(reply):
        if reply.message_type == MessageType.ERROR:
            raise BusError(reply.error_name, reply.body[0] if reply.body else "")
        return unpack_variants(reply.body)

    def read_exactly(self, count, descriptors):
        data = b""
        while len(data) < count:
            read, received, _, _ = socket.recv_fds(self.socket, count - len(data), 16)
            descriptors.extend(received)
            if not read:
                raise ConnectionError("the connection was closed")
            data += read
        return data

    def receive(self, timeout=SECONDS):
        """The next message, whatever it is."""
        self.socket.settimeout(max(timeout, 0.001))
        descriptors = []
        start = self.read_exactly(16, descriptors)
        order = "<" if start[:1] == b"l" else ">"
        body_length, = struct.unpack(order + "I", start[4:8])
        fields_length, = struct.unpack(order + "I", start[12:16])
        data = start + self.read_exactly((fields_length + 7) // 8 * 8 + body_length, descriptors)
        message = Unmarshaller(io.BytesIO(data)).unmarshall()
        message.unix_fds = descriptors
        return message

    def sort(self, timeout):
        """Receives one message and puts it where it is looked for."""
        message = self.receive(timeout)
        if message.message_type == MessageType.METHOD_CALL:
            self.calls.append(message)
        elif message.message_type == MessageType.SIGNAL:
            self.signals.append(message)
        else:
            self.replies[message.reply_serial] = message

    def wait(self, found, what, timeout):
        deadline = time.monotonic() + timeout
        while not found():
            left = deadline - time.monotonic()
            assert left > 0, f"{what} did not come within {timeout} s"
            try:
                self.sort(left)
            except TimeoutError:
                raise AssertionError(f"{what} did not come within {timeout} s") from None

    def reply(self, serial, timeout=SECONDS):
        self.wait(lambda: serial in self.replies, f"the reply to call {serial}", timeout)
        return self.replies.pop(serial)

    def next_call(self, timeout=SECONDS):
        self.wait(lambda: self.calls, "a call", timeout)
        return self.calls.popleft()

    def next_signal(self, member, timeout=SECONDS):
        def found():
            return any(signal.member == member for signal in self.signals)

        self.wait(found, f"the signal {member}", timeout)
        while True:
            signal = self.signals.popleft()
            if signal.member == member:
                return signal

    def is_closed(self, timeout=SECONDS):
        """Waits for the other side to close; what it sends before is dropped."""
        self.socket.settimeout(timeout)
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionError:
            pass
        except TimeoutError:
            return False
        return True


class Bus(Wire):
    """A connection to a message bus."""

    NAME = "org.freedesktop.DBus"

    def __init__(self, path):
        super().__init__(path)
        self.name, = self.ask("Hello")

    def ask(self, member, signature="", body=()):
        """A call to the bus itself."""
        return self.call(self.NAME, "/org/freedesktop/DBus", self.NAME, member, signature, body)

    def own(self, name):
        answer, = self.ask("RequestName", "su", [name, 4])
        assert answer == 1, f"{name} is taken"

    def emit(self, path, interface, member, signature="", body=()):
        self.send(Message(
            message_type=MessageType.SIGNAL, path=path, interface=interface, member=member, signature=signature,
            body=list(body)))

    def pid_of(self, name):
        return self.ask("GetConnectionUnixProcessID", "s", [name])[0]

    def match(self, rule):
        self.ask("AddMatch", "s", [rule])

    def wait_for_owner(self, name, timeout=SECONDS):
        """Waits until somebody owns the name; the owner's pid."""
        self.match(f"type='signal',member='NameOwnerChanged',arg0='{name}'")
        while not self.ask("NameHasOwner", "s", [name])[0]:
            self.next_signal("NameOwnerChanged", timeout)
        return self.pid_of(name)

    def control(self, member, signature="", body=()):
        """A call to the daemon's interface for user interfaces."""
        name = "org.segue.Control1"
        return self.call(name, "/org/segue/Control1", name, member, signature, body)

    def monitor(self):
        """From now on this connection sees everything, and may say nothing."""
        self.call(self.NAME, "/org/freedesktop/DBus", "org.freedesktop.DBus.Monitoring", "BecomeMonitor", "asu",
                  [[], 0])


class Door(Wire):
    """A connection through the private door, greeted but not registered; not even greeted unless it `greets`."""

    PATH = "/org/segue/Door1"
    INTERFACE = "org.segue.Door1"

    def __init__(self, bus, app_id=None, greets=True, takes_launches=False):
        opened = bus.reply(bus.call_later("org.segue.Daemon1", "/org/segue/Daemon1", "org.segue.Daemon1", "OpenDoor"))
        self.token = bus.body(opened)[1]
        door = opened.unix_fds[0]
        try:
            super().__init__(f"/proc/self/fd/{door}")
        finally:
            os.close(door)
        if greets:
            self.greet()
        if app_id is not None:
            options = {"takes-launches": Variant("b", True)} if takes_launches else {}
            self.tell("Register", "sa{sv}", [app_id, options])

    def greet(self):
        self.tell("Hello", "uusa{sv}", [1, 1, self.token, {}])

    def tell(self, member, signature="", body=(), descriptors=(), timeout=SECONDS):
        return self.call(None, self.PATH, self.INTERFACE, member, signature, body, descriptors, timeout)

    def control(self, member, signature="", body=()):
        return self.call(None, "/org/segue/Control1", "org.segue.Control1", member, signature, body)
