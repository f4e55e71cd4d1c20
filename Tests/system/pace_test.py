"""How fast a paired device is heard that says more than it has to (attack 34)."""

import contextlib
import time

import pytest
from harness.peer import frames, messages
from harness.process import memory
from harness.unharmed import unharmed

#: KiB that an allocator may keep of what was freed.
SLACK = 4096


def credit_that_came_back(link):
    """For control messages and opens, in bytes."""
    return sum(int.from_bytes(frame.payload, "big") for frame in link.frames
               if frame.kind == frames.WINDOW and frame.channel == 0)


def attack34_listsOfOffersFasterThanADeviceAnnouncesThemWait(lap, new_peer, application, install):
    mallory, alice = new_peer("mallory", lap), new_peer("alice", lap)
    install(lap, application)
    link = mallory.login(lap)
    # Each list uses 544 bytes of the window, of which the daemon would usually give back every half at once. It gives
    # back portions until the longest message fits again, which is a quarter of the window.
    for _ in range(400):
        link.offer()
    link.round_trip()
    # The loop has seen them all, and whatever it lets this one send again is out.
    lap.json("status")
    link.round_trip()
    assert credit_that_came_back(link) <= link.window // 4
    # Another one is heard.
    other = alice.login(lap)
    other.offer(messages.offer(application, title="Page"))
    lap.offer(application, title="Page")
    for peer in [mallory, alice]:
        peer.unpair(lap)


def attack33_channelsThatAreOpenedAndDroppedWait(lap, new_peer, application, install):
    """As fast as they came they were opened, each with a fetch."""
    mallory, alice = new_peer("mallory", lap), new_peer("alice", lap)
    install(lap, application)
    link = mallory.login(lap)
    request = messages.encode(messages.fetch(messages.identifier(), application.id))
    # Half of the window would be given back at once; a quarter comes in portions.
    for _ in range(link.window * 3 // 4 // (len(request) + frames.COST)):
        link.open(request, finish=False).reset(1)
    link.round_trip()
    lap.json("status")
    link.round_trip()
    assert credit_that_came_back(link) <= link.window // 4
    # Another one is heard.
    other = alice.login(lap)
    other.offer(messages.offer(application, title="Page"))
    lap.offer(application, title="Page")
    for peer in [mallory, alice]:
        peer.unpair(lap)


def attack34_nothingOfFormerLinksIsKept(lap, new_peer):
    """Messages that wait for their pace are dropped with the link. The first link shows how much memory they take."""
    mallory = new_peer("mallory", lap)
    pid, kept = lap.pid(), None
    for _ in range(9):
        with mallory.login(lap) as link:
            link.write(frames.packed(frames.CONTROL, 0, b"\0") * (link.window // (1 + frames.COST)))
            link.round_trip()
            lap.json("status")
        kept = kept or memory(pid)
    assert memory(pid) <= kept + SLACK
    assert lap.pid() == pid
    mallory.unpair(lap)


#: The charge of each byte that TLS adds, and the longest record.
SEALING, RECORD = 128, 16645
#: Traffic that credit hardly bounds: the function that sends it, and the charge of one unit (docs/link-protocol.md).
CHEAP = {
    "optional": (lambda link, count: link.write(frames.packed(255, 0, b"", None) * count), 4096),
    "heartbeats": (lambda link, count: link.write(frames.packed(frames.HEARTBEAT, 0, b"", None) * count), 4096),
    "pongs": (lambda link, count: link.write(frames.packed(frames.PONG, 0, b"", None) * count), 4096),
    "windows": (lambda link, count: link.write(frames.packed(frames.WINDOW, 0, frames.number(1), None) * count), 4100),
    # One long frame, and each byte of it is a record.
    "records": (lambda link, count: link.write_records(frames.packed(255, 0, bytes(count), None)), 21 * SEALING),
}
#: The charge that a device accepts at once, and in each millisecond after that.
TOLL_AT_ONCE, TOLL = 16 << 20, 64 << 10


@pytest.mark.parametrize("kind", CHEAP)
def attack34_whatCostsHardlyAnyCreditIsReadNoFasterThanItsPace(lap, new_peer, application, install, kind):
    mallory, alice = new_peer("mallory", lap), new_peer("alice", lap)
    install(lap, application)
    send, charge = CHEAP[kind]
    link = mallory.login(lap)
    # One frame has no more bytes than a frame may have.
    part, left = 48 * 1024, 3 * TOLL_AT_ONCE // charge
    start, sent = time.monotonic(), 0
    while left > 0:
        send(link, min(part, left))
        sent, left = sent + min(part, left) * charge, left - part
    # Another one is heard meanwhile.
    other = alice.login(lap)
    other.offer(messages.offer(application, title="Page"))
    lap.offer(application, title="Page")
    # The pause for bytes that were read together comes after them.
    link.round_trip()
    link.round_trip()
    spent = 1000 * (time.monotonic() - start)
    assert sent <= TOLL_AT_ONCE + TOLL * (spent + 2), f"{sent} in {spent} ms"
    for peer in [mallory, alice]:
        peer.unpair(lap)


def tickets(link):
    return link.write_tickets(16)


def updates(link):
    """TLS takes 32 between two bytes of data, so a heartbeat comes behind them. Its own charge is not counted."""
    added = link.write_updates(32)
    link.write(frames.packed(frames.HEARTBEAT, 0, b"", None))
    return added


@pytest.mark.parametrize("say", [tickets, updates])
def attack34_whatTLSSaysOfItsOwnIsReadNoFasterThanItsPace(lap, new_peer, say):
    mallory = new_peer("mallory")
    mallory.pair(lap, mallory.listen())
    link = mallory.accept(lap).until_up()
    start, sent = time.monotonic(), 0
    while sent <= 3 * TOLL_AT_ONCE // SEALING:
        sent += say(link)
    link.round_trip()
    link.round_trip()
    spent = 1000 * (time.monotonic() - start)
    assert (sent - RECORD) * SEALING <= TOLL_AT_ONCE + TOLL * (spent + 2), f"{sent} in {spent} ms"
    mallory.unpair(lap)


def lines(device):
    """How many lines the log has."""
    return (device.folder / "log").read_text().count("\n")


@pytest.mark.parametrize("sent", ["offers", "noise"])
def attack34_tenThousandListsOfOffersOfADevice(new_device, new_peer, application, install, sent):
    """What its credit allows is heard, few are told and fewer are logged; who sends more is let go."""
    device = new_device("desk")
    install(device, application)
    peer, other = new_peer("mallory", device), new_peer("alice", device)
    identifier = messages.identifier()
    with device.door() as watching, other.login(device) as second, unharmed(device):
        watching.control("GetStatus")
        before, start = lines(device), time.monotonic()
        link = peer.login(device)
        with contextlib.suppress(OSError):
            for number in range(10_000):
                message = messages.control(messages.offers(
                    number + 1, [messages.offer(application, identifier, title=f"Page {number}")]))
                link.send(frames.CONTROL, payload=message if sent == "offers" else b"\xff" * len(message))
        assert link.until_closed() == frames.VIOLATION
        second.offer(messages.offer(application, title="Another"))
        second.round_trip()
        while "Another" not in [offer["title"] for offer in watching.control("ListOffers")[0]]:
            watching.next_signal("OffersChanged")
        spent = time.monotonic() - start
        signals = sum(signal.member == "OffersChanged" for signal in watching.signals)
        # A burst of ten, then one in 250 ms, and what the two links and their ends change.
        assert signals <= 16 + 4 * spent, f"{signals} signals in {spent} s"
        # Ten of a cause, and that there is more.
        assert lines(device) - before <= 2 * 11
        link.close()
        second.close()
