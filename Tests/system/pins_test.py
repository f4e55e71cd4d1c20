"""The list of paired devices survives a death or an error at any step of adding and removing one (attack 49)."""

import pytest
from harness.peer.connection import Refused
from harness.steps import ERRORS, KILL, contents, steps, traced
from harness.storing import needs_strace


@pytest.fixture
def desk(new_device, new_peer):
    """A device, one that it is paired with all the while, and one that is added and removed."""
    device = new_device("desk")
    return device, new_peer("kept", device), new_peer("other")


def add(device, peer):
    return device.start("device", "add", peer.key.id, "--name", peer.name)


def remove(device, peer):
    return device.start("device", "remove", peer.key.id)


CHANGES = [add, remove]


def prepare(change, device, peer):
    """Prepares the list: a device to add is not in it before, and one to remove is."""
    (remove if change is add else add)(device, peer).result()


def listed(device):
    return {item["name"] for item in device.json("devices")}


def in_file(device):
    """The names of the devices that the file says are paired."""
    return {line[5:] for line in contents(device)[1].decode().splitlines() if line.startswith("name=")}


def is_let_in(device, peer):
    try:
        with peer.login(device) as link:
            link.round_trip()
        return True
    except Refused:
        return False


def steps_of(change, device, peer):
    prepare(change, device, peer)
    with traced(device):
        change(device, peer).succeeded()
        found = steps(device)
    assert [call for call, _ in found if not call.startswith("rename")] == [
        "unlinkat", "openat", "write", "fsync", "close", "fsync", "unlinkat"], found
    return found


@needs_strace
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def attack49_aDeathAtAnyStepOfAddingOrRemovingADevice(desk, change):
    """The old or the new list, whole; who was refused before, or let in, is so behind it if nothing else was said."""
    device, kept, other = desk
    key, _ = contents(device)
    seen = set()
    for call, number in steps_of(change, device, other):
        prepare(change, device, other)
        before, pid = in_file(device), device.pid()
        with traced(device, call, number, KILL):
            assert change(device, other).result()[0] != 0, (call, number)
        now = in_file(device)
        assert now in [{kept.name}, {kept.name, other.name}], (call, number)
        # The next daemon knows just these, and lets them in.
        assert listed(device) == now, (call, number)
        assert device.pid() != pid, (call, number)
        assert is_let_in(device, kept)
        assert is_let_in(device, other) == (other.name in now), (call, number)
        assert contents(device)[0] == key
        seen.add(now == before)
    # Both were seen: it died before the change counted, and behind that.
    assert seen == {True, False}


@needs_strace
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("error", ERRORS)
def attack49_anErrorAtAnyStepOfAddingOrRemovingADevice(desk, change, error):
    """The reply says whether the change was made, and it is true."""
    device, kept, other = desk
    key, _ = contents(device)
    for step in steps_of(change, device, other):
        prepare(change, device, other)
        before, pid = listed(device), device.pid()
        with traced(device, *step, f"error={error}"):
            status, _, said = change(device, other).result()
            assert "INJECTED" in device.trace(), step
        assert status == 0 or "Could not" in said, (step, said)
        wanted = before if status else before ^ {other.name}
        assert listed(device) == in_file(device) == wanted, step
        assert device.pid() == pid and contents(device)[0] == key
    # It has stayed so on the disk.
    now = listed(device)
    device.stop_daemon(9)
    assert listed(device) == now
    assert is_let_in(device, kept)
    assert is_let_in(device, other) == (other.name in now)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def attack49_whatWasConfirmedOutlivesADeath(desk, change):
    device, kept, other = desk
    for _ in range(5):
        prepare(change, device, other)
        change(device, other).succeeded()
        device.stop_daemon(9)
        assert listed(device) == {kept.name} | ({other.name} if change is add else set())
    assert is_let_in(device, kept) and is_let_in(device, other) == (change is add)


@needs_strace
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def attack49_aFolderThatCannotBeSynchronisedIsAsTheDaemonSays(desk, change):
    """A change that was reported as failed does not count after the next start, either."""
    device, _, other = desk
    *_, last = [step for step in steps_of(change, device, other) if step[0] == "fsync"]
    prepare(change, device, other)
    before = listed(device)
    with traced(device, *last, "error=EIO"):
        change(device, other).failed()
    assert listed(device) == before
    assert in_file(device) == before
    device.stop_daemon(9)
    assert listed(device) == before


def attack5_anAddressThatIsAddedHasAPort(desk):
    device, _, other = desk
    error = device.start("device", "add", other.key.id, "192.0.2.7:0", "--name", other.name).failed()
    assert "is not an address" in error and other.name not in listed(device)
