"""A paired device stays paired whatever comes, and no other can take its place (attacks 7, 9, 10, 16)."""

import contextlib
import socket
import ssl

import pytest
from dbus_fast import Variant
from harness.bounds import SECONDS
from harness.peer import frames, messages
from harness.peer.connection import Connection, Refused
from harness.peer.device import address, proof
from harness.peer.key import context
from harness.peer.link import Link
from harness.puppet import Puppet
from harness.steps import trusted
from harness.unharmed import unharmed
from harness.wire import BusError, Door

#: Records of TLS: a fatal alert (handshake failure), a warning (the end), and those of a version that nobody speaks.
ALERT, CLOSE = bytes.fromhex("15030300020228"), bytes.fromhex("15030300020100")
NOISE = b"\x17\x09\x09\x00\x10" + bytes(16)
REMOVED = frames.packed(frames.GOODBYE, payload=bytes([frames.REMOVED]))


@pytest.fixture
def desk(new_device):
    return new_device("desk")


def hello(name):
    """The first bytes of a dialler: TLS's ClientHello."""
    outgoing = ssl.MemoryBIO()
    tls = context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=name)
    with contextlib.suppress(ssl.SSLWantReadError):
        tls.do_handshake()
    return outgoing.read()


def say(device, data, first=b""):
    """Says something outside of TLS, at once or in the middle of the handshake, and waits for the end."""
    with socket.create_connection(address(device), timeout=SECONDS) as plain, contextlib.suppress(ConnectionError):
        if first:
            plain.sendall(first)
            assert plain.recv(1), "no answer to TLS's first word"
        plain.sendall(data)
        # It may have been closed by now, so that there is nothing to end.
        with contextlib.suppress(OSError):
            plain.shutdown(socket.SHUT_WR)
        while plain.recv(4096):
            pass


def attack7_whatIsSaidOutsideOfTLSUnpairsNobody(desk, new_peer):
    """Alerts, garbage and a goodbye that says "removed", before TLS and in the middle of its handshake."""
    peer = new_peer("lap", desk)
    with peer.login(desk) as link, unharmed(desk):
        before = trusted(desk)
        for data in [ALERT, CLOSE, NOISE, REMOVED, b"\xff" * 9000, b""]:
            for first in [b"", hello("x"), hello(proof(peer.key, desk))]:
                say(desk, data, first)
                assert trusted(desk) == before, (data[:8], first[:8])
        link.round_trip()


def attack7_whoIsNotTheDeviceUnpairsNobody(desk, new_peer):
    """Inside of TLS, by who has no certificate, another one's, or none that counts."""
    peer = new_peer("lap", desk)
    name = proof(peer.key, desk)
    with peer.login(desk) as link, unharmed(desk):
        before = trusted(desk)
        for made in [context(), new_peer("mallory").key.client(), peer.key.client(alpn="segue/0")]:
            with contextlib.suppress(Refused, OSError):
                connection = Connection.dial(address(desk), made, name=name)
                connection.write(REMOVED)
                assert connection.read() == b""
            assert trusted(desk) == before
        link.round_trip()


def attack7_whoIsDialledAndSaysGarbageStaysPaired(desk, new_peer):
    """The other device's address is somebody else's now."""
    peers = [(new_peer(f"peer{number}"), data) for number, data in enumerate([ALERT, CLOSE, NOISE, REMOVED, b""])]
    for peer, _ in peers:
        peer.pair(desk, peer.listen())
    before = trusted(desk)
    for _ in range(2):
        # The second dial shows that the first one's end was seen.
        for peer, data in peers:
            plain, _ = peer.listener.accept()
            with plain:
                plain.settimeout(SECONDS)
                assert plain.recv(1)
                plain.sendall(data)
    assert trusted(desk) == before
    assert len(desk.json("devices")) == len(peers)
    with peers[0][0].login(desk) as link:
        link.round_trip()


@pytest.mark.parametrize("reason", [frames.REMOVED, frames.VERSION, frames.VIOLATION, 200])
def attack7_aGoodbyeOfThePairedDeviceUnpairsNobodyHere(desk, new_peer, reason):
    peer = new_peer("lap", desk)
    before = trusted(desk)
    assert len(before[1]) == 1
    peer.login(desk).goodbye(reason)
    with peer.login(desk) as link:
        link.round_trip()
        assert trusted(desk) == before


@pytest.mark.parametrize("is_chooser", [True, False])
@pytest.mark.parametrize("versions", [(0, 0), (1, 0), (2, 9)], ids=["older", "turned", "newer"])
def attack9_aWelcomeWithoutThisVersionMakesNoLink(desk, new_peer, is_chooser, versions):
    """What was said in it, and behind it, is not heard."""
    peer = new_peer("lap", desk, beside=desk, is_chooser=is_chooser)
    low, high = versions
    with peer.dial(desk, low=low, high=high) as link:
        with contextlib.suppress(OSError, Refused):
            link.until_up()
            link.send(frames.CONTROL, payload=messages.control({"kind": "addresses", "addresses": ["127.0.0.1:4007"]}))
        assert link.until_closed() == (frames.VIOLATION if low > high else frames.VERSION)
    item, = desk.json("devices")
    assert not item["online"] and not item["learned"]
    with peer.login(desk) as link:
        link.round_trip()


def attack10_aSecondLinkWithAnotherKeyLeavesTheFirst(desk, new_peer):
    """With the proof of the device that is linked: by a stranger's key, and by that of another paired device."""
    peer, other = new_peer("lap", desk), new_peer("other", desk)
    stranger = new_peer("stranger")
    with peer.login(desk) as link:
        for key in [stranger.key, other.key]:
            with contextlib.suppress(Refused):
                connection = Connection.dial(address(desk), key.client(), name=proof(peer.key, desk))
                second = Link(peer, connection)
                assert second.until_closed() is None and not second.frames
            link.round_trip()
        assert {item["name"]: item["online"] for item in desk.json("devices")} == {"lap": True, "other": False}
        # It is the same link: what it is told arrives.
        assert not link.is_closed and link.reason is None


def attack16_aDeviceThatIsRemovedInTheMiddleOfEverything(desk, new_peer, application, install):
    """Its link ends, with what it fetches, what is fetched of it, and what it has on offer."""
    peer, kept = new_peer("lap", desk), new_peer("kept", desk)
    install(desk, application)
    puppet = Puppet(desk, application)
    activity = messages.identifier()
    puppet.door.tell("SetCurrent", "a{sv}", [
        {"id": Variant("s", activity.hex), "type": Variant("s", application.type)}])
    with kept.login(desk) as other:
        link = peer.login(desk)
        # The peer waits for a state of the application here, and this device waits for one of the peer's.
        fetched = link.open(messages.fetch(activity, application.id))
        assert puppet.door.next_call().member == "Save"
        link.offer(messages.offer(application, title="Its own"))
        command = desk.take(desk.offer(application, title="Its own"))
        call = puppet.launch_message()
        ticket = call.body[0]
        puppet.begin(ticket)
        puppet.answer_launch(call)
        claim = puppet.door.call_later(None, Door.PATH, Door.INTERFACE, "Claim", "s", [ticket])
        assert link.next_request().request["kind"] == "fetch"
        peer.unpair(desk)
        assert link.until_closed() == frames.REMOVED
        assert not fetched.received
        with pytest.raises(BusError, match="ConnectionUnavailable"):
            puppet.door.body(puppet.door.reply(claim))
        command.failed()
        desk.no_offer(application)
        with pytest.raises(Refused):
            peer.login(desk)
        other.round_trip()
    puppet.close()


def attack16_aChoiceWhoseApplicationHasNotBegunEndsWithItsDevice(new_device, new_peer, application, install):
    """Not when the application's time is up: nobody waits for what will never come."""
    desk = new_device("desk", LaunchTime=3_600_000)
    peer = new_peer("lap", desk)
    install(desk, application)
    puppet = Puppet(desk, application)
    with peer.login(desk) as link:
        link.offer(messages.offer(application, title="Its own"))
        command = desk.take(desk.offer(application, title="Its own"))
        # It does not answer that.
        puppet.launch_message()
        peer.unpair(desk)
        assert "no longer paired" in command.failed()
    puppet.close()
