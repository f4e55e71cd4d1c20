"""What the daemon finds when it starts, and says where it is not what it left there."""

import os
import re
import socket

from harness.device import pair
from harness.waiting import wait_for
from harness.wire import BusError

import pytest


def log(device):
    return (device.folder / "log").read_text(errors="replace")


def port(device):
    return int(device.json("status")["addresses"][0].rsplit(":", 1)[1])


def test_aConfigurationThatIsNoFileIsNoReasonForDefaults(new_device):
    """A FIFO gave none, and with them no Withhold."""
    device = new_device("desk")
    path = device.folder / "config/segue/segue.conf"
    path.unlink()
    os.mkfifo(path, 0o600)
    with device.bus() as bus, pytest.raises(BusError):
        bus.call("org.segue.Daemon1", "/org/segue/Daemon1", "org.segue.Daemon1", "OpenDoor")
    assert "segue.conf is not a regular file" in log(device)


@pytest.mark.parametrize("name", ["segue.conf", "defaults.conf", "."])
def test_aConfigurationThatIsALinkToNothingIsNoReasonForDefaults(new_device, name):
    """The place that a link names may be gone for a while; and so may the folder's, with all that is in it."""
    device = new_device("desk")
    folder = device.folder / "config/segue"
    if name == ".":
        folder.rename(device.folder / "config/away")
        folder.symlink_to("nothing")
    else:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to("nothing")
    with device.bus() as bus, pytest.raises(BusError):
        bus.call("org.segue.Daemon1", "/org/segue/Daemon1", "org.segue.Daemon1", "OpenDoor")
    assert "/segue/" + ("segue.conf" if name == "." else name) + " leads to nothing" in log(device)


def test_aPortThatIsTakenForAMomentIsThisDevicesAgain(new_device):
    device = new_device("desk")
    usual = port(device)
    device.stop_daemon()
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", usual))
        other.listen(1)
        assert port(device) != usual
        assert f"Port {usual}, at which paired devices know this one, is taken" in log(device)
        device.stop_daemon()
    assert port(device) == usual


def test_missingPinsAreSaid(new_device):
    device = new_device("desk")
    device.json("status")
    device.stop_daemon()
    assert "missing" not in log(device)
    (device.folder / "state/segue/devices").unlink()
    device.json("status")
    assert re.search("devices is missing, so no device is paired", log(device))


def test_aMissingKeyIsSaidWithPinsOrWithout(new_device):
    device, other = new_device("desk"), new_device("lap")
    pair(device, other)
    device.stop_daemon()
    state = device.folder / "state/segue"
    key = (state / "identity.pem").read_bytes()
    (state / "identity.pem").unlink()
    with device.bus() as bus, pytest.raises(BusError):
        bus.call("org.segue.Daemon1", "/org/segue/Daemon1", "org.segue.Daemon1", "OpenDoor")
    assert "identity.pem is missing, and yet devices are paired" in log(device)
    # Until that daemon has gone it answers everybody so.
    with device.bus() as bus:
        wait_for(lambda: bus.ask("NameHasOwner", "s", ["org.segue.Daemon1"]) == [False], "the end of the daemon")
    (state / "devices").unlink()
    device.json("status")
    assert "identity.pem is missing, so this device has a new key" in log(device)
    assert (state / "identity.pem").read_bytes() != key


def test_anEmptyStoreIsSaid(new_device):
    device = new_device("desk")
    device.json("status")
    device.stop_daemon()
    store = device.folder / "state/segue/store.sqlite"
    store.touch(0o600)
    device.json("status")
    assert "store.sqlite is empty: what was stored is gone" in log(device)
