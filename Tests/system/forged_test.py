"""Services that are made up: anybody in the network can announce anything."""

import contextlib
import hashlib
import socket

import pytest

from harness.finding import announced, befriend, online, status_of
from harness.mdns import TXT, Capture, Forger, dialled, inside, service
from harness.process import memory
from harness.waiting import wait_for

#: In messages of seven: more than Avahi keeps, and than anybody looks at.
FORGED = 20_000
#: Nobody's.
NONCE = b"n=" + b"a" * 26


@pytest.fixture
def scene(new_finder):
    """(desk, lap whose daemon has ended, whom desk looks for; who forges; all that passes desk's cable)"""
    with contextlib.ExitStack() as ends:
        desk, lap = new_finder("desk"), new_finder("lap")
        mallory = new_finder.network.host()
        befriend(desk, lap)
        lap.stop_daemon()
        capture = ends.enter_context(new_finder.network.capture(desk.host))
        status_of(desk, "on")
        yield desk, lap, ends.enter_context(Forger(mallory)), mallory, capture


def dials(capture, desk):
    """Where desk has dialled, each time."""
    return [place for frame in capture.read() if (place := dialled(frame)) and place[0] != desk.host.address]


def state(device):
    folder = device.folder / "state"
    return {file: hashlib.sha256(file.read_bytes()).digest() for file in folder.rglob("*") if file.is_file()}


def test_attack4_twentyThousandForgedServices(scene):
    desk, lap, forger, mallory, capture = scene
    pid, known = desk.pid(), state(desk)
    before = memory(pid, "smaps_rollup", "Private_Dirty")
    for number in range(0, FORGED, 500):
        forger.say([
            record for one in range(number, number + 500)
            for record in service(f"forged{one}", mallory.address, 20_000 + one, text=(b"v=1", NONCE))])
        desk.segue("status")
    wait_for(lambda: len(set(dials(capture, desk))) >= 8, "dials of what is made up")
    assert desk.pid() == pid and state(desk) == known
    assert memory(pid, "smaps_rollup", "Private_Dirty") - before < 8 * 1024
    # The device that really exists is found all the same.
    lap.start_daemon()
    online(desk, lap)


def test_attack5_onlyNeighboursAreDialled(scene):
    desk, _, forger, mallory, capture = scene
    own = int(desk.json("status")["addresses"][0].rpartition(":")[2])
    places = [
        ("192.0.2.1", 4711), ("10.78.0.9", 4711), ("127.0.0.1", 4711), ("224.0.0.1", 4711), ("255.255.255.255", 4711),
        ("0.0.0.0", 4711), (desk.host.address, own), *((mallory.address, port) for port in [0, 22, 1023, 4711])]
    with Capture(desk.host.name, "lo") as within:
        for number, (place, port) in enumerate(places):
            forger.say(service(f"forged{number}", place, port, text=(b"v=1", NONCE)))
        wait_for(lambda: dials(capture, desk).count((mallory.address, 4711)) > 2, "the third dial")
        assert set(dials(capture, desk)) == {(mallory.address, 4711)}
        assert not any(dialled(frame) for frame in within.read())


def test_attack6_whoIsForgedIsShownAsBefore(scene, new_finder):
    desk, lap, forger, mallory, capture = scene
    # A paired device's own nonce, from when it was there.
    with new_finder.network.capture(lap.host) as heard:
        lap.start_daemon()
        online(desk, lap)
        name = announced(heard, lap.host.address)
        text = next(record.data for record in [one for _, one in heard.records()]
                    if record.name == name and record.type == TXT)
    lap.stop_daemon()
    desk.online(lap, False)
    known, shown = state(desk), desk.json("devices")

    def listen():
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((mallory.address, 4711))
        made.listen()
        made.settimeout(20)
        return made

    with inside(mallory.name, listen) as listener:
        for label in ["lap", name.partition(".")[0]]:
            forger.say(service(label, mallory.address, 4711, text=text))
        for _ in range(3):
            listener.accept()[0].close()
        assert desk.json("devices") == shown and state(desk) == known
        assert not any(item["online"] for item in desk.watch.items["device"].values())
    lap.start_daemon()
    online(desk, lap)
