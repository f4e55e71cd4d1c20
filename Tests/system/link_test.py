"""UnauthenticatedPeers at the link's port, and devices that are removed (attacks 7, 15, 16)."""

import socket
import ssl

import pytest
from harness.bounds import SECONDS
from harness.device import pair
from harness.peer.device import address, proof
from harness.peer.key import Key, context
from harness.state import kept
from harness.unharmed import unharmed


@pytest.fixture
def own(new_device, application, install):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    origin = install(desk, application).start()
    install(lap, application)
    origin.do(f"activity a {application.type}", "current a")
    lap.offer(application)
    return desk, lap, origin


def heard(device, made, paired=None, session=None, say=b""):
    """What the device says to somebody who comes with that key, and with a proof of the paired one; None where it
    refuses. And the TLS session."""
    name = paired and proof(paired, device)
    with socket.create_connection(address(device), timeout=SECONDS) as plain:
        try:
            with made.wrap_socket(plain, server_hostname=name, session=session) as secure:
                secure.sendall(say)
                return secure.recv(1024) or None, secure.session
        except (ssl.SSLError, ConnectionError):
            return None, None


def attack7_strangersAreRefusedAndThePinsStay(own, application):
    desk, lap, origin = own
    before, pid = kept(desk), desk.pid()
    stranger, paired = Key(lap.folder), Key.of(lap)
    # With the proof of a paired device, so that nothing else is the reason; and a paired key without one.
    for made in [context(), stranger.client(), stranger.client(alpn="http/1.1"), paired.client(alpn="http/1.1")]:
        assert heard(desk, made, paired)[0] is None
    for made in [stranger.client(), paired.client()]:
        assert heard(desk, made)[0] is None
    for garbage in [b"", b"GET / HTTP/1.1\r\n\r\n", bytes(4096), b"\x16\x03\x01\xff\xff" + b"\xff" * 9000]:
        with socket.create_connection(address(desk), timeout=SECONDS) as plain:
            plain.sendall(garbage)
    assert kept(desk) == before and desk.pid() == pid
    origin.do("title a Still")
    lap.offer(application, title="Still")


def attack7_garbageOfAPairedDeviceEndsItsLinkOnly(own, application):
    desk, lap, origin = own
    before, pid = kept(desk), desk.pid()
    paired = Key.of(lap)
    for garbage in [b"\xff" * 64, b"\0" * 64, b"\x00\x00\x00\x01" * 64]:
        heard(desk, paired.client(), paired, say=garbage)
    assert kept(desk) == before and desk.pid() == pid
    origin.do("title a Still")
    lap.offer(application, title="Still")


def attack15_aRemovedDeviceDoesNotComeBackWithASavedSession(own):
    # The later of two speaks first on a new link.
    removed, asked = sorted(own[:2], key=lambda device: Key.of(device).hash)
    key = Key.of(removed)
    made = key.client()
    words, session = heard(asked, made, key)
    assert words, "a paired device is let in"
    asked.segue("device", "remove", removed.name)
    with unharmed(asked):
        assert heard(asked, made, key, session) == (None, None)
        assert heard(asked, made, key)[0] is None


def attack16_aRemovedDevicesFetchesEndAtOnce(own, application, install):
    desk, lap, origin = own
    place = lap.installed[0]
    target = place.start()
    offer = lap.offer(application)
    origin.do("stop-dispatch")
    command = lap.take(offer)
    target.expect("will-continue")
    desk.segue("device", "remove", "lap")
    # The link ends since it is not wanted, so that no other one is waited for.
    assert target.expect("fail")[1] == "4608"
    command.failed()
    lap.no_offer(application)
    lap.online(desk, is_online=False)
    origin.do("resume-dispatch")
    assert origin.count("was-continued") == 0


def attack1_manyStrangersLeaveNothingBehind(own, application):
    desk, lap, origin = own
    with unharmed(desk):
        for _ in range(3):
            plain = [socket.create_connection(address(desk), timeout=SECONDS) for _ in range(40)]
            for each in plain:
                each.close()
        origin.do("title a Still")
        lap.offer(application, title="Still")
