"""Frames: `length (4) type (1) channel (4) payload`, numbers big-endian."""

import collections
import struct

WELCOME, CONTROL, OPEN, DATA, WINDOW, FINISH, RESET, PING, PONG, GOODBYE = range(1, 11)
#: Optional frames: a sign of life that is not answered, and the notice that this side reads no more.
HEARTBEAT, STOP = 128, 129

#: Reasons of a goodbye.
STOPPING, DUPLICATE, VERSION, VIOLATION, REMOVED, OVERLOAD = range(6)

#: Bytes of a payload, before the welcomes and after.
LENGTH_BEFORE_WELCOME = 8 * 1024
LENGTH = 64 * 1024
#: The bytes of a window that a frame costs in addition to its payload.
COST = 32
WINDOW_BYTES = 256 * 1024
LEAST_WINDOW = LENGTH + COST

Frame = collections.namedtuple("Frame", ["kind", "channel", "payload"])


def packed(kind, channel=0, payload=b"", length=None):
    """A frame's bytes; `length` says another length than it has."""
    return struct.pack(">IBI", len(payload) if length is None else length, kind, channel) + payload


def unpacked(data):
    """The first frame of the bytes, and what is behind it; None before the frame is whole."""
    if len(data) < 9:
        return None
    length, kind, channel = struct.unpack_from(">IBI", data)
    if len(data) < 9 + length:
        return None
    return Frame(kind, channel, bytes(data[9:9 + length])), data[9 + length:]


def number(value):
    return struct.pack(">I", value)


def welcome(name, low=1, high=1, window=WINDOW_BYTES, rest=b""):
    """A welcome's payload; `rest` is of a later version."""
    name = name if isinstance(name, bytes) else name.encode()
    return struct.pack(">HHIH", low, high, window, len(name)) + name + rest


def name_in(payload):
    """The name in a welcome's payload."""
    length, = struct.unpack_from(">H", payload, 8)
    return payload[10:10 + length].decode()
