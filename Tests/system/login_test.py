"""A paired device that links and leaves, again and again."""

import contextlib
import time

from harness.peer import frames
from harness.peer.connection import Refused
from harness.process import descriptors
from harness.unharmed import unharmed

#: Limits.swift: logins that may follow each other at once, connections that may wait for a goodbye.
LOGIN_BURST = 10
CLOSING = 16


def test_attack5_whoLinksAndLeavesIsDialledNoMoreOften(new_device, new_peer):
    """The daemon used to dial it 440 times a second."""
    device = new_device("desk")
    peer = new_peer("gone")
    peer.pair(device, peer.listen())
    times = []
    for _ in range(5):
        link = peer.accept(device).until_up()
        link.goodbye()
        times.append(time.monotonic())
    # A dial a second, less a tenth at most.
    assert times[-1] - times[0] > 0.9 * (len(times) - 1) - 0.5


def test_attack1_ofLinksThatWaitTheOldestMakesRoom(new_device, new_peer):
    device = new_device("desk")
    peer = new_peer("many", device)
    oldest, *others = [peer.dial(device, greets=False) for _ in range(3)]
    assert oldest.until_closed() == frames.DUPLICATE
    # Either of the two that are left may become the link.
    link = others[0]
    link.send(frames.WELCOME, payload=link.welcome)
    link.until_up().round_trip()


def test_attack1_whoLogsInAgainAndAgainIsRefused(new_device, new_peer):
    device = new_device("desk")
    peer = new_peer("often", device)
    reasons = []
    with unharmed(device) as daemon:
        for _ in range(4 * LOGIN_BURST):
            with contextlib.suppress(Refused, OSError):
                peer.dial(device).hold()
            assert descriptors(daemon.pid) <= daemon.descriptors + CLOSING + 8
        for link in peer.links:
            link.go_on()
            with contextlib.suppress(Refused, OSError):
                link.until_up()
            reasons.append(link.reason)
            link.close()
    # One more may have been earned meanwhile.
    assert reasons.count(frames.OVERLOAD) >= len(reasons) - LOGIN_BURST - 2, reasons
