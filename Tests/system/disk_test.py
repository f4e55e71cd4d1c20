"""A disk that stalls holds up those who wait for it, and nobody else: neither the links nor what others continue."""

import os
import signal

import pytest
from harness.device import Device, pair
from harness.peer.connection import Refused
from harness.stalling import Disk, build


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return build(tmp_path_factory.mktemp("stalling"))


@pytest.fixture
def disk(library, tmp_path):
    return Disk(library, tmp_path)


@pytest.fixture
def desk(disk, new_device):
    """The device whose disk it is."""
    device = new_device("desk", daemon=False)
    disk.has_daemon(device)
    return device


def add(device, peer):
    return device.start("device", "add", peer.key.id, "--name", peer.name)


def names(device):
    return {item["name"] for item in device.json("devices")}


def written(device):
    """The names of the devices that its file says are paired."""
    lines = (device.folder / "state/segue/devices").read_text().splitlines()
    return {line[5:] for line in lines if line.startswith("name=")}


def waits(command):
    return command.process.poll() is None


def take(device, origin, target, offer):
    command = device.take(offer)
    target.expect("continue")
    command.succeeded()
    origin.expect("was-continued")


def test_linksAndContinuationsGoOnWhileTheDiskStalls(disk, desk, new_device, new_peer, application, install):
    lap = new_device("lap")
    pair(desk, lap)
    here, there = install(desk, application).start(), install(lap, application).start()
    here.do(f"activity a {application.type}", "title a Page", "delegate a", "current a")
    offer = lap.offer(application)
    peer, other = new_peer("peer", desk), new_peer("other")
    link = peer.login(desk)
    disk.stall()
    added = add(desk, other)
    disk.until_stalled()
    # The link answers, and a new one comes up.
    link.round_trip()
    link.close()
    link = peer.login(desk)
    # An activity of this device is continued on the other, and the other way round.
    take(lap, here, there, offer)
    there.do(f"activity b {application.type}", "title b Letter", "delegate b", "current b")
    take(desk, there, here, desk.offer(application, title="Letter"))
    link.round_trip()
    # Only who waits for the disk still does.
    assert waits(added) and names(desk) == {"lap", "peer"} and written(desk) == {"lap", "peer"}
    disk.go_on()
    added.succeeded()
    assert names(desk) == written(desk) == {"lap", "peer", "other"}


def test_anErrorReachesWhoHasWaited(disk, desk, new_peer):
    peer, other = new_peer("peer", desk), new_peer("other")
    disk.stall()
    added = add(desk, other)
    disk.until_stalled()
    disk.fail()
    disk.go_on()
    assert "Could not synchronise" in added.failed()
    assert names(desk) == written(desk) == {"peer"}
    peer.login(desk).round_trip()
    with pytest.raises(Refused):
        other.login(desk)


@pytest.mark.parametrize("how", ["done", "failed"])
def attack16_aDeviceThatIsRemovedHasNoLinkHoweverLongTheDiskTakes(disk, desk, new_peer, how):
    peer = new_peer("peer", desk)
    link = peer.login(desk)
    disk.stall()
    removed = desk.start("device", "remove", peer.key.id)
    disk.until_stalled()
    link.until_closed()
    with pytest.raises(Refused):
        peer.login(desk)
    assert waits(removed) and names(desk) == set() and written(desk) == {"peer"}
    if how == "failed":
        disk.fail()
    disk.go_on()
    if how == "done":
        removed.succeeded()
        assert names(desk) == written(desk) == set()
    else:
        removed.failed()
        assert names(desk) == written(desk) == {"peer"}
        peer.login(desk).round_trip()


def test_whatWaitsForTheDiskIsWrittenWhenTheDaemonEnds(disk, desk, new_peer):
    peer = new_peer("peer")
    desk.start_daemon()
    disk.stall()
    added = add(desk, peer)
    disk.until_stalled()
    handle = os.pidfd_open(desk.pid())
    os.kill(desk.pid(), signal.SIGTERM)
    disk.go_on()
    Device.wait_for_end(handle)
    added.succeeded()
    assert written(desk) == {"peer"}
