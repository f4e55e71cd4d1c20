"""What of the key and the pins survives a death or an error at any step of saving them (attack 49)."""

import contextlib

from harness.device import pair
from harness.storing import needs_strace
from harness.wire import BusError

#: The calls by which a file of the state folder is replaced.
STEPS = "openat,write,pwrite64,fsync,renameat,renameat2,close"
OTHER = "127.0.0.1:9"


def start(device):
    """Has the daemon started; whether it answers."""
    with device.bus() as bus:
        try:
            bus.call("org.segue.Daemon1", "/org/segue/Daemon1", "org.segue.Daemon1", "OpenDoor")
            return True
        except BusError:
            return False


def trace(device, inject):
    state = device.folder / "state/segue"
    files = [state / name for name in ["identity.pem", "identity.pem.new", "devices", "devices.new"]]
    device.install_traced_daemon(files, STEPS, inject)


def files(device):
    """What the two files hold, None for one that is missing."""
    found = []
    for name in ["identity.pem", "devices"]:
        path = device.folder / "state/segue" / name
        found.append(path.read_bytes() if path.exists() else None)
    return found


@needs_strace
def attack49_aDeathAtAnyStepOfSavingTheKeyOrThePins(new_device):
    """The key, once it is there, is never another one."""
    step, key = 0, None
    device = new_device("desk")
    while True:
        step += 1
        trace(device, f"signal=KILL:when={step}")
        start(device)
        is_hit = "killed by" in device.trace()
        device.install_daemon()
        device.reload()
        with contextlib.suppress(BusError):
            device.stop_daemon(9)
        now, _ = files(device)
        assert key is None or now == key, f"step {step}: another key"
        key = now
        if not is_hit:
            break
    assert key is not None and step > 3
    assert start(device)


@needs_strace
def attack49_aFullDiskWhileADeviceIsAdded(new_device):
    """The old pins stay, and who asked hears that it failed."""
    device, other = new_device("desk"), new_device("lap")
    pair(device, other)
    device.stop_daemon()
    before = files(device)
    third = new_device("third")
    line = third.json("status")["device-id"]
    for error in ["ENOSPC", "EIO"]:
        trace(device, f"error={error}:when=1+")
        device.install_traced_daemon(
            [device.folder / "state/segue/devices.new"], "write,pwrite64,fsync", f"error={error}:when=1+")
        device.start("device", "add", line, OTHER).failed()
        device.stop_daemon()
        assert files(device) == before
    device.install_daemon()
    device.reload()
    device.online(other)
