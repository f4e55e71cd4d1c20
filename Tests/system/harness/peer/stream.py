"""The channel of a stream or a file at the hand-made device: the head of the answer, and the bytes after it."""

import struct

from . import messages
from .channel import Reset


def answer(channel):
    """The head of the answer; `received` begins behind it from then on."""
    link = channel.link

    def whole():
        data = channel.received
        return channel.reset_code or len(data) >= 4 and len(data) >= 4 + struct.unpack_from(">I", data)[0]

    link.wait(whole, "an answer")
    if channel.reset_code is not None:
        raise Reset(channel.reset_code)
    with link.changed:
        length, = struct.unpack_from(">I", channel.received)
        head = channel.received[4:4 + length]
        channel.received = channel.received[4 + length:]
    return messages.cbor2.loads(head)


def received(channel, count):
    channel.link.wait(lambda: len(channel.received) >= count, f"{count} bytes")
    return channel.received


def outcome(channel):
    """The outcome of a request: "stream", the code of its refusal, or None if it was dropped here."""
    channel.link.wait(lambda: channel.reset_code is not None or len(channel.received) >= 4, "an answer")
    if channel.reset_code is not None:
        return channel.reset_code
    head = answer(channel)
    return "stream" if head["kind"] == "stream" else head["code"]
