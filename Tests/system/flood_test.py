"""A paired device at full speed: channels that nobody reads, bytes without an end or one at a time."""

import contextlib
import socket
import struct

import pytest
from harness.bounds import SECONDS
from harness.peer import frames, messages
from harness.peer.connection import Refused
from harness.peer.device import address
from harness.unharmed import unharmed

def attack33_aThousandChannelsThatAreNotRead(new_device, new_peer, application):
    device = new_device("desk")
    peer = new_peer("greedy", device)
    request = messages.fetch(messages.identifier(), application.id)
    # It is let go or held back; nobody else hears of it.
    with unharmed(device), peer.login(device, credits=False) as link:
        opened = []
        with contextlib.suppress(Refused, OSError, AssertionError):
            for number in range(1000):
                opened.append(link.open(request, finish=number % 2 == 0))
                if number % 3 == 0:
                    opened[-1].reset(1)
            link.round_trip()


def attack2_aLengthOfFourGigabytesInsideTLS(new_device, new_peer):
    device = new_device("desk")
    peer = new_peer("long", device)
    for is_up in [True, False]:
        with unharmed(device), peer.dial(device, greets=is_up) as link:
            with contextlib.suppress(Refused, OSError):
                if is_up:
                    link.until_up()
                link.write(struct.pack(">IBI", 0xFFFFFFFF, frames.CONTROL, 0))
                while not link.is_closed:
                    link.write(bytes(65536))
            link.until_closed()


def attack2_bytesWithoutAnEndBeforeTLS(new_device):
    device = new_device("desk")
    for start in [b"\x16\x03\x01\xff\xff", b"\xff\xff\xff\xff", b"GET / HTTP/1.1\r\n"]:
        with unharmed(device), socket.create_connection(address(device), timeout=SECONDS) as connection:
            with contextlib.suppress(OSError):
                connection.sendall(start)
                for _ in range(1024):
                    connection.sendall(bytes(65536))
                raise AssertionError("64 MiB were taken")


def attack3_oneByteAtATimeInTLS(new_device, new_peer):
    """The daemon drops a peer that takes longer than five seconds, however often something comes from it."""
    device = new_device("desk")
    peer = new_peer("slow", device)
    with unharmed(device), pytest.raises(Refused):
        peer.dial(device, slow=0.1)
