"""Hundreds of connections to the link's port that say nothing (attack 1)."""

import selectors
import socket

import pytest
from harness.bounds import SECONDS
from harness.peer.device import address
from harness.unharmed import unharmed
from harness.waiting import wait_for

COUNT = 500
#: Limits.swift: unauthenticated connections in all, and of one source.
STRANGERS, OF_A_SOURCE = 32, 4


class Crowd:
    """Connections from 127.0.0.x, which say nothing and read."""

    def __init__(self, device, count, sources):
        self.selector = selectors.DefaultSelector()
        place = address(device)
        with device.bus() as bus:
            for number in range(count):
                plain = socket.create_connection(
                    place, timeout=SECONDS, source_address=(f"127.0.0.{number % sources + 2}", 0))
                plain.setblocking(False)
                self.selector.register(plain, selectors.EVENT_READ)
                # The kernel holds few that wait to be accepted, and has others try again a second later.
                bus.control("GetStatus")

    def count(self):
        return len(self.selector.get_map())

    def left(self, seconds=0):
        """How many are open still, once something has been heard of them, or at once."""
        for key, _ in self.selector.select(seconds):
            try:
                said = key.fileobj.recv(4096)
            except ConnectionError:
                said = b""
            # The daemon sends nothing to a client that has sent nothing.
            assert not said, said
            self.selector.unregister(key.fileobj)
            key.fileobj.close()
        return self.count()

    def until(self, most, what):
        wait_for(lambda: self.left() <= most, what, self.left)

    def close(self):
        for key in list(self.selector.get_map().values()):
            self.selector.unregister(key.fileobj)
            key.fileobj.close()



@pytest.fixture
def crowd(new_device):
    made = []

    def come(device, count=COUNT, sources=250):
        made.append(Crowd(device, count, sources))
        return made[-1]

    yield come
    for one in made:
        one.close()


def attack1_fiveHundredThatSayNothing(new_device, new_peer, crowd):
    """A few are held, for five seconds; who is paired is let in meanwhile."""
    device = new_device("desk")
    peer = new_peer("lap", device)
    with peer.login(device) as link:
        link.round_trip()
    with unharmed(device):
        with unharmed(device):
            many = crowd(device)
            many.until(STRANGERS, "the end of those for whom there is no room")
            with peer.login(device) as link:
                link.round_trip()
                # The daemon closes the connections that stay at their deadline, and the link goes on.
                many.until(0, "the deadline of those who say nothing")
                link.round_trip()
        # One address has fewer places.
        one = crowd(device, 100, 1)
        one.until(OF_A_SOURCE, "the end of those of one source")
        with peer.login(device) as link:
            link.round_trip()
        one.close()
