"""A link: welcomes, control messages and channels on one connection. A thread reads and keeps what has come."""

import contextlib
import struct
import threading
import time

import cbor2

from ..bounds import SECONDS
from . import frames, messages
from .channel import Channel, Reset
from .connection import Refused


class Link:
    """A link; the attributes `pongs`, `credits` and `greets` say whether it does these things by itself."""

    def __init__(self, peer, connection, dialled=True, first=True, **options):
        """`first`: this side's welcome goes out before the other's has come."""
        self.peer = peer
        self.connection = connection
        self.pongs = options.pop("pongs", True)
        self.credits = options.pop("credits", True)
        self.greets = options.pop("greets", True)
        #: This side's welcome.
        self.welcome = frames.welcome(options.pop("name", peer.name), **options)
        #: The bytes that the other side lets this one send on each flow at first.
        self.window = 0
        self.credit = 0
        self.reset_code = None
        #: The other side's own name, which is None before its welcome.
        self.other = None
        #: The reason of the other side's goodbye.
        self.reason = None
        self.is_closed = False
        self.frames, self.messages, self.requests = [], [], []
        self.channels = {}
        self.next_number = 1 if dialled else 2
        self.sequence = 0
        self.changed = threading.Condition()
        self.reads = threading.Event()
        self.reads.set()
        if self.greets and first:
            self.send(frames.WELCOME, payload=self.welcome)
        self.answers_welcome = self.greets and not first
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    # Receiving

    def read(self):
        data = b""
        # An answer to what is read may find the connection closed.
        with contextlib.suppress(OSError):
            while self.reads.wait() and (more := self.connection.read()):
                data += more
                while (taken := frames.unpacked(data)) is not None:
                    frame, data = taken
                    self.take(frame)
        with self.changed:
            self.is_closed = True
            self.connection.ended.set()
            self.changed.notify_all()

    def take(self, frame):
        with self.changed:
            self.frames.append(frame)
            handler = {
                frames.WELCOME: self.welcomed, frames.CONTROL: self.told, frames.OPEN: self.opened,
                frames.DATA: self.data_came, frames.WINDOW: self.granted, frames.FINISH: self.finished,
                frames.RESET: self.was_reset, frames.PING: self.pinged, frames.GOODBYE: self.left}.get(frame.kind)
            if handler:
                handler(frame)
            self.changed.notify_all()

    def welcomed(self, frame):
        _, _, self.window, _ = struct.unpack_from(">HHIH", frame.payload)
        self.credit += self.window
        self.other = frames.name_in(frame.payload)
        if self.answers_welcome:
            self.send(frames.WELCOME, payload=self.welcome)

    def told(self, frame):
        self.messages.append(cbor2.loads(frame.payload))
        self.consumed(frame, 0)

    def opened(self, frame):
        channel = self.channels[frame.channel] = Channel(self, frame.channel, frame.payload)
        self.consumed(frame, 0)
        if self.peer.answers:
            # The answer may have to wait for credit, which this thread reads.
            threading.Thread(target=self.answer, args=[channel], daemon=True).start()
        else:
            self.requests.append(channel)

    def answer(self, channel):
        # The other side may have ended the channel, or the link.
        with contextlib.suppress(OSError, Reset, Refused):
            self.peer.answers(channel)

    def data_came(self, frame):
        if frame.channel in self.channels:
            self.channels[frame.channel].received += frame.payload
            self.consumed(frame, frame.channel)

    def consumed(self, frame, flow):
        if self.credits:
            self.send(frames.WINDOW, flow, frames.number(len(frame.payload) + frames.COST))

    def granted(self, frame):
        more, = struct.unpack(">I", frame.payload)
        if frame.channel == 0:
            self.credit += more
        elif frame.channel in self.channels:
            self.channels[frame.channel].credit += more

    def finished(self, frame):
        if frame.channel in self.channels:
            self.channels[frame.channel].is_finished = True

    def was_reset(self, frame):
        if frame.channel in self.channels:
            self.channels[frame.channel].reset_code, = struct.unpack(">i", frame.payload)

    def pinged(self, frame):
        if self.pongs:
            self.send(frames.PONG, payload=frame.payload)

    def left(self, frame):
        self.reason = frame.payload[0]

    def hold(self):
        """Reads no more until `go_on`, except for a read that is under way."""
        self.reads.clear()

    def go_on(self):
        self.reads.set()

    # Waiting

    def wait(self, found, what, timeout=SECONDS):
        """Waits until `found` gives an answer, and returns it; raises `Refused` at the link's end."""
        end = time.monotonic() + timeout
        with self.changed:
            while True:
                if result := found():
                    return result
                if self.is_closed:
                    raise Refused(f"the link has ended ({self.reason}) before {what} came")
                left = end - time.monotonic()
                assert left > 0, f"{what} did not come within {timeout} s"
                self.changed.wait(left)

    def until_up(self):
        self.wait(lambda: self.other is not None, "the welcome")
        return self

    def next(self, kind, timeout=SECONDS):
        """The next frame of this kind that was not returned yet."""
        return self.wait(lambda: self.first(self.frames, lambda frame: frame.kind == kind), f"frame {kind}", timeout)

    def next_message(self, kind, timeout=SECONDS):
        """The next control message of this kind that was not returned yet."""
        return self.wait(
            lambda: self.first(self.messages, lambda message: message["kind"] == kind), f"message {kind}", timeout)

    def next_request(self, timeout=SECONDS):
        """The next channel that the other side has opened."""
        return self.wait(lambda: self.first(self.requests, lambda _: True), "a channel", timeout)

    @staticmethod
    def first(list_, is_wanted):
        """Takes the first wanted item out of the list; None if there is none."""
        for index, item in enumerate(list_):
            if is_wanted(item):
                return list_.pop(index)
        return None

    def until_closed(self, timeout=SECONDS):
        """Waits for the end; returns the reason of the other side's goodbye, None if there was no goodbye."""
        self.reader.join(timeout)
        assert self.is_closed, f"the link did not end within {timeout} s"
        return self.reason

    def round_trip(self):
        """Waits until the other side has read all bytes that were sent to it before."""
        mark = messages.identifier().bytes[:8]
        self.send(frames.PING, payload=mark)
        pong = frames.Frame(frames.PONG, 0, mark)
        self.wait(lambda: self.first(self.frames, lambda frame: frame == pong), "a pong")

    # Sending

    def write(self, data):
        """Sends any bytes inside TLS."""
        self.connection.write(data)

    def write_records(self, data):
        """Sends each byte in a record of its own."""
        self.connection.write_records(data)

    def write_tickets(self, count):
        """Sends session tickets, which only the side that accepted may; returns how many bytes that takes."""
        return self.connection.write_tickets(count)

    def write_updates(self, count):
        return self.connection.write_updates(count)

    def send(self, kind, channel=0, payload=b"", length=None):
        """Sends any frame, whether there is credit for it or not."""
        self.write(frames.packed(kind, channel, payload, length))

    def spend(self, flow, length):
        """Waits for the credit that a frame needs, of the link's own flow or a channel's."""
        cost = length + frames.COST
        with self.changed:
            self.wait(lambda: flow.credit >= cost or flow.reset_code is not None, "credit")
            flow.credit -= cost

    def tell(self, message):
        """Sends a control message: a dictionary, which is padded and encoded, or bytes as they are."""
        data = message if isinstance(message, bytes) else messages.control(message)
        self.spend(self, len(data))
        self.send(frames.CONTROL, payload=data)

    def offer(self, *list_):
        """Sends all offers that this device has from now on."""
        self.sequence += 1
        self.tell(messages.offers(self.sequence, list(list_)))

    def open(self, request, finish=True):
        """Opens a channel with a request, a dictionary or bytes."""
        first = request if isinstance(request, bytes) else messages.encode(request)
        self.spend(self, len(first))
        with self.changed:
            channel = self.channels[self.next_number] = Channel(self, self.next_number, first)
            self.next_number += 2
        self.send(frames.OPEN, channel.number, first)
        if finish:
            channel.finish()
        return channel

    def fetch(self, activity, app, **more):
        """Asks for an activity's state: (head, userInfo). Raises `Reset`."""
        return messages.answered(self.open(messages.fetch(activity, app, **more)).whole())

    def goodbye(self, reason=frames.STOPPING):
        self.send(frames.GOODBYE, payload=bytes([reason]))
        self.close()

    def close(self):
        """Closes TCP without a goodbye, and waits until the reading thread has ended."""
        self.connection.close()
        self.go_on()
        if threading.current_thread() is not self.reader:
            self.reader.join(SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
