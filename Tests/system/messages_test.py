"""Messages that are large or carry descriptors, on the bus and at the door (attacks 36, 37)."""

import concurrent.futures
import contextlib
import fcntl
import os
import secrets
import select

import pytest
from dbus_fast import Variant
from harness.encoding import encode
from harness.peer import messages
from harness.process import SANITIZED
from harness.puppet import Puppet
from harness.tree import SEGUED
from harness.unharmed import unharmed
from harness.wire import BusError, Door

#: The cap of the daemon's unit, MemoryMax, in KiB.
CAP = 256 * 1024
#: The limits of a desktop's session bus (session.conf).
LIMITS = """  <limit name="max_incoming_bytes">1000000000</limit>
  <limit name="max_outgoing_bytes">1000000000</limit>
  <limit name="max_message_size">1000000000</limit>
</busconfig>"""
CONTROL = ("org.segue.Control1", "/org/segue/Control1", "org.segue.Control1")


@pytest.fixture
def capped(new_device):
    """A daemon under its unit's cap, on a bus with a desktop's limits."""
    device = new_device("desk", daemon=False)
    if not SANITIZED:
        device.install_daemon(f"/usr/bin/prlimit --data={CAP * 1024} {SEGUED}")
    else:
        device.install_daemon()
    device.kill_bus()
    file = device.folder / "bus.conf"
    file.write_text(file.read_text().replace("</busconfig>", LIMITS))
    device.start_bus()
    device.start_daemon()
    return device


@pytest.mark.parametrize("size", [1_000_000, 100_000_000], ids=["1MB", "100MB"])
@pytest.mark.parametrize("way", ["bus", "door"])
def attack36_largeMessagesUnderTheUnitsCap(capped, way, size):
    """Others are answered while it comes, the memory returns, and the daemon stays on the bus."""
    text = "x" * size

    def send():
        with capped.bus() as bus:
            if way == "bus":
                # The bus lets it pass, so it is the daemon that refuses it.
                with pytest.raises(BusError, match=r"^org\.segue\.Error\."):
                    bus.call(*CONTROL, "RemoveDevice", "s", [text])
            else:
                with Door(bus) as door, pytest.raises(OSError):
                    door.tell("Register", "sa{sv}", [text, {}])

    with unharmed(capped), capped.bus() as other:
        for _ in range(4 if size < 10_000_000 else 1):
            with concurrent.futures.ThreadPoolExecutor() as threads:
                sent = threads.submit(send)
                while not sent.done():
                    other.control("GetStatus")
                sent.result()


# Descriptors


def memfd(data, *seals):
    descriptor = os.memfd_create("userInfo", os.MFD_ALLOW_SEALING)
    os.write(descriptor, data)
    for seal in seals:
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seal)
    return descriptor


SEALS = [fcntl.F_SEAL_SHRINK, fcntl.F_SEAL_GROW, fcntl.F_SEAL_WRITE]


@pytest.fixture
def odd(tmp_path):
    """Descriptors of every kind but the right one, by name."""
    os.mkfifo(tmp_path / "fifo")
    (one, other), poll = os.pipe(), select.epoll()
    made = {
        "folder": os.open(tmp_path, os.O_RDONLY), "fifo": os.open(tmp_path / "fifo", os.O_RDWR), "pipe": one,
        "zero": os.open("/dev/zero", os.O_RDONLY), "epoll": os.dup(poll.fileno()), "eventfd": os.eventfd(0),
        "proc": os.open("/proc/self/stat", os.O_RDONLY), "path": os.open("/etc/passwd", os.O_PATH),
        "unsealed": memfd(encode({"x": 1})), "huge": memfd(bytes(200 * 1024), *SEALS),
        "growing": memfd(encode({"x": 1}), fcntl.F_SEAL_WRITE, fcntl.F_SEAL_SHRINK)}
    yield made
    for descriptor in [*made.values(), other]:
        os.close(descriptor)


@pytest.fixture
def saving(new_device, new_peer, application, install):
    """A hand-made application with an activity on offer. Asks for its state as a paired device does, has it answer with
    these descriptors, and gives what came of it."""
    device = new_device("desk")
    peer = new_peer("lap", device)
    install(device, application)
    puppet = Puppet(device, application)
    activity = messages.identifier()
    puppet.door.tell("SetCurrent", "a{sv}", [
        {"id": Variant("s", activity.hex), "type": Variant("s", application.type)}])
    link = peer.login(device)

    def save(descriptors, index=0):
        channel = link.open(messages.fetch(activity, application.id))
        call = puppet.door.next_call()
        assert call.member == "Save"
        puppet.door.answer(call, "a{sv}", [{
            "id": Variant("s", activity.hex), "type": Variant("s", application.type), "revision": Variant("t", 1),
            "user-info": Variant("h", index)}], descriptors)
        return messages.answered(channel.whole())

    yield device, save
    puppet.close()


def attack37_aStateInAnyOtherDescriptorThanSealedMemoryIsNotRead(saving, odd):
    device, save = saving
    right = memfd(encode({"x": 1}), *SEALS)
    assert save([right])[1] == {"x": 1}
    with unharmed(device):
        for _ in range(3):
            for kind, descriptor in odd.items():
                head, _ = save([descriptor] * 4, index=3)
                assert head["kind"] == "failure", kind
            for index in [1, 4, 2**31, 2**32 - 1]:
                head, _ = save([right], index=index)
                assert head["kind"] == "failure", index
            # The answer has no descriptor at all.
            assert save([])[0]["kind"] == "failure"
        assert save([right])[1] == {"x": 1}
    os.close(right)


def attack37_sixteenDescriptorsInEachOfAThousandMessages(new_device, application, install, odd):
    """The daemon closes descriptors that it has not asked for."""
    device = new_device("desk")
    install(device, application)
    sixteen = [*odd.values(), *odd.values()][:16]
    with unharmed(device), device.bus() as bus, device.door(application.id) as door:
        for _ in range(20):
            calls = [bus.call_later(*CONTROL, "SetDefault", "ahs", [list(range(16)), ""], sixteen) for _ in range(50)]
            for call in calls:
                with pytest.raises(BusError):
                    bus.body(bus.reply(call))
        # The door takes four in a message.
        for number in range(1_000):
            activity = {
                "id": Variant("s", secrets.token_hex(16)), "type": Variant("s", application.type),
                "user-info": Variant("h", number % 8)}
            with contextlib.suppress(BusError):
                door.tell("SetCurrent", "a{sv}", [activity], sixteen[number % 12:][:4])
            door.tell("Invalidate", "s", [activity["id"].value])
        for _ in range(100):
            with Door(bus) as other, pytest.raises(OSError):
                other.tell("SetCurrent", "a{sv}h", [{}, 0], sixteen)
