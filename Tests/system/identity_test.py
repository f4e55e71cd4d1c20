"""The key survives a death, an error or damage at any step of saving and reading it (attack 49)."""

import contextlib
import os

import pytest
from harness.steps import ERRORS, KILL, NAMES, contents, folder, steps, trace_no_more, trace_start
from harness.storing import needs_strace
from harness.waiting import wait_for
from harness.wire import BusError


def start(device):
    """Has the daemon started; the id that it says it has, None where it does not answer."""
    with device.bus() as bus, contextlib.suppress(BusError):
        return bus.control("GetStatus")[0]["device-id"]


def stop(device):
    # It may have ended by itself.
    with contextlib.suppress(BusError, ProcessLookupError):
        device.stop_daemon(9)


def forget(device):
    """The device is a new one again."""
    for file in folder(device).iterdir():
        file.unlink()


def first_steps(device):
    """The steps of a start, that of a new device or of one that has a key."""
    trace_start(device)
    assert start(device)
    stop(device)
    return steps(device)


@needs_strace
def attack49_aDeathAtAnyStepOfSavingTheKey(new_device):
    """The key, once it is there, is never another one."""
    device = new_device("desk")
    found = first_steps(device)
    assert {"openat", "write", "fsync", "close"} < {call for call, _ in found}
    kept = 0
    for call, number in found:
        forget(device)
        trace_start(device, call, number, KILL)
        start(device)
        assert "killed by SIGKILL" in device.trace(), (call, number)
        key, _ = contents(device)
        trace_no_more(device)
        assert start(device), (call, number)
        now, _ = contents(device)
        assert key in [None, now], f"{call} {number}: another key"
        kept += key is not None
        stop(device)
    # It died before there was a key, and behind that.
    assert 0 < kept < len(found)


@needs_strace
@pytest.mark.parametrize("error", ERRORS)
def attack49_anErrorAtAnyStepOfSavingTheKey(new_device, error):
    """A daemon without a key on the disk tells nobody an id, which would be another one the next time."""
    device = new_device("desk")
    for call, number in first_steps(device):
        forget(device)
        trace_start(device, call, number, f"error={error}")
        told = start(device)
        assert "INJECTED" in device.trace(), (call, number, told)
        stop(device)
        key, _ = contents(device)
        trace_no_more(device)
        assert key or not told, f"{call} {number}: no key"
        if key:
            assert told in [None, start(device)], f"{call} {number}: another id"
            assert key == contents(device)[0], f"{call} {number}: another key"
            stop(device)


@needs_strace
@pytest.mark.parametrize("error", ERRORS)
def attack49_anErrorAtAnyStepOfReadingTheKeyOrThePins(new_device, new_peer, error):
    """Who cannot read them does not begin anew: it does not start, or is who it was."""
    device = new_device("desk")
    peer = new_peer("lap", device)
    id_ = start(device)
    stop(device)
    before = contents(device)
    for call, number in first_steps(device):
        trace_start(device, call, number, f"error={error}")
        told = start(device)
        assert "INJECTED" in device.trace(), (call, number, told)
        assert told in [None, id_], f"{call} {number}: another id"
        if told:
            assert [item["id"] for item in device.json("devices")] == [peer.key.id], (call, number)
        stop(device)
        assert contents(device) == before, (call, number)
    trace_no_more(device)
    with peer.login(device) as link:
        link.round_trip()


def empty(file):
    os.truncate(file, 0)


def truncated(file):
    os.truncate(file, file.stat().st_size - 70)


def flipped(file):
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 1
    file.write_bytes(data)


def link_elsewhere(file):
    """To what is as good as the file."""
    os.rename(file, file.with_name("elsewhere"))
    file.symlink_to(file.with_name("elsewhere"))


def link_to_nothing(file):
    file.unlink()
    file.symlink_to(file.with_name("nothing"))


def open_to_others(file):
    file.chmod(0o644)


def fifo(file):
    file.unlink()
    os.mkfifo(file, 0o600)


def directory(file):
    file.unlink()
    file.mkdir(mode=0o700)


DAMAGES = [empty, truncated, flipped, link_elsewhere, link_to_nothing, open_to_others, fifo, directory]


def log(device):
    return (device.folder / "log").read_text()


def status(file):
    found = os.lstat(file)
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns


@pytest.mark.parametrize("name", NAMES)
def attack49_aFileThatIsDamagedIsLeftAndSaid(new_device, new_peer, name):
    """The daemon says which and does not start: it would be another device, or one that knows nobody."""
    device = new_device("desk")
    peer = new_peer("lap", device)
    id_ = start(device)
    stop(device)
    file, before = folder(device) / name, contents(device)
    whole = file.read_bytes()
    for damage in DAMAGES:
        damage(file)
        found, said = status(file), log(device).count(str(file))
        assert start(device) is None, damage.__name__
        # The daemon that could not start says so for a moment; the next call would hear it too.
        with device.bus() as bus:
            wait_for(lambda: not bus.ask("NameHasOwner", "s", ["org.segue.Control1"])[0], "the end of that daemon")
        assert log(device).count(str(file)) > said, damage.__name__
        assert status(file) == found, damage.__name__
        file.rmdir() if damage is directory else file.unlink()
        file.write_bytes(whole)
        file.chmod(0o600)
    assert contents(device) == before
    assert start(device) == id_
    with peer.login(device) as link:
        link.round_trip()
