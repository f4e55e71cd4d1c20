"""Devices find each other in the network, by Avahi, and without it by what they know (network.md D1 to D8)."""

import signal

import pytest

from harness.device import unpair
from harness.finding import announced, befriend, dialogues, online, own_names, pair_by_digits, status_of
from harness.mdns import A, AAAA, Capture, Forger, contains, service
from harness.pairing import Dialogue, address
from harness.sleeping import Machine, build
from harness.waiting import wait_for


def works(desk, lap, application, install):
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "title a Page", "delegate a", "put a page int 7", "current a")
    target = install(lap, application).start()
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")
    origin.expect("was-continued a")


def test_pairedDevicesFindEachOther(new_finder, application, install):
    desk, lap = new_finder("desk"), new_finder("lap")
    befriend(desk, lap)
    online(desk, lap)
    assert status_of(desk, "on")
    works(desk, lap, application, install)


def test_devicesThatPairFindEachOther(new_finder):
    desk, lap = new_finder("desk"), new_finder("lap")
    pair_by_digits(*dialogues(desk, lap))
    online(desk, lap)


def D1_whoIsElsewhereIsFoundThere(new_finder):
    """Both move while they do not hear each other: neither is where the other has known it."""
    desk, lap = new_finder("desk"), new_finder("lap")
    befriend(desk, lap)
    online(desk, lap)
    lap.host.unplug()
    desk.online(lap, False)
    lap.online(desk, False)
    for device, place in [(desk, "10.77.0.21"), (lap, "10.77.0.22")]:
        device.host.move(place)
    lap.host.plug()
    online(desk, lap)


def D2_eachNetworkSeesItsOwnAddressesOnly(new_finder):
    desk = new_finder("desk", has_avahi=False)
    inside = ["docker0", "br-1", "veth1"]
    for number, interface in enumerate(inside):
        desk.host.add_inner(interface, f"172.{17 + number}.0.1/16")
    other = new_finder.new_network("10.78.0")
    desk.host.connect(other, "eth1")
    lap = new_finder("lap")
    captures = {
        "10.77.0.1": new_finder.network.capture(desk.host), "10.78.0.1": other.capture(desk.host, "eth1")}
    within = [Capture(desk.host.name, interface) for interface in inside]
    desk.host.machine.start()
    befriend(desk, lap)
    online(desk, lap)
    for place, capture in captures.items():
        host = announced(capture, place).partition(".")[0] + ".local"
        capture.until(
            lambda records: any(record.name == host and record.type == A for record in records), "the address")
        mine = [record for source, record in capture.records() if record.name == host]
        assert {record.data for record in mine if record.type == A} == {place}
        assert all(record.data.startswith("fe80:") for record in mine if record.type == AAAA)
        capture.socket.close()
    for capture in within:
        assert not contains(capture.read(), "_segue")
        capture.socket.close()


def D2_whereTheUserDoesNotWantItNothingIsSaid(new_finder):
    desk = new_finder("desk", has_avahi=False, settings=["[Discovery]", "SkipNetworks=10.78.0.0/16"])
    other = new_finder.new_network("10.78.0")
    desk.host.connect(other, "eth1")
    lap = new_finder("lap")
    with other.capture(desk.host, "eth1") as capture:
        desk.host.machine.start()
        befriend(desk, lap)
        online(desk, lap)
        assert not contains(capture.read(), "_segue")


def D3_theLinkGoesOnByATunnel(new_finder):
    """The devices cannot find each other in it, but each has told the other all its addresses."""
    desk, lap = new_finder("desk"), new_finder("lap")
    desk.host.tunnel(lap.host)
    befriend(desk, lap)
    online(desk, lap)
    for device, other in [(desk, lap), (lap, desk)]:
        device.until(
            lambda watch, name=other.name: any(
                item["name"] == name and any(text.startswith("10.99.0.") for text in item["learned"])
                for item in watch.items["device"].values()), f"{other.name}'s address in the tunnel")
    ended = lap.report().count(" ended: ")
    lap.host.unplug()
    lap.host.move("10.77.0.22")
    wait_for(lambda: lap.report().count(" ended: ") > ended, "the end of the link")
    online(desk, lap)


def D2_aDeviceThatListensOnOneInterfaceIsFoundThere(new_finder):
    """At an address that means nothing without the interface's name. The other device cannot be dialled."""
    lap = new_finder("lap")
    lap.host.drop(address(lap).rpartition(":")[2])
    host = new_finder.network.host()
    desk = new_finder("desk", host=host, listen=f"[{host.link_local()}]")
    befriend(desk, lap)
    online(desk, lap)


@pytest.mark.parametrize("deaf", ["desk", "lap"])
def D4_oneOpenSideIsEnough(new_finder, deaf):
    desk, lap = new_finder("desk"), new_finder("lap")
    closed = desk if deaf == "desk" else lap
    closed.host.drop(address(closed).rpartition(":")[2])
    befriend(desk, lap)
    online(desk, lap)


@pytest.mark.parametrize("by", ["address", "code"])
def D5_pairingNeedsNoMulticast(new_finder, by):
    new_finder.network.lose_multicast()
    desk, lap = new_finder("desk"), new_finder("lap")
    if by == "address":
        pair_by_digits(*dialogues(lap, desk, address(lap)))
    else:
        with Dialogue(lap, "--code") as showing, Dialogue(desk, showing.code()) as using:
            assert using.status() == 0 and showing.status() == 0
    online(desk, lap)
    for device in [desk, lap]:
        device.stop_daemon()
    for device in [desk, lap]:
        device.start_daemon()
    online(desk, lap)


def D6_whoWakesElsewhereIsLinkedAgain(new_finder, tmp_path):
    clock = Machine(build(tmp_path), tmp_path)
    desk, lap = new_finder("desk"), new_finder("lap", daemon=False)
    clock.has_daemon(lap)
    befriend(desk, lap)
    online(desk, lap)
    with lap.host.machine.bus() as logind:
        logind.own("org.freedesktop.login1")
        sleep(logind, True)
        lap.host.unplug()
        desk.online(lap, False)
        clock.sleep(660)
        lap.host.move("10.77.0.22")
        lap.host.plug()
        sleep(logind, False)
    online(desk, lap)


def sleep(logind, begins):
    logind.emit("/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", "b", [begins])


def D7_afterACollisionItHasAnotherName(new_finder):
    desk, lap, mallory = new_finder("desk"), new_finder("lap"), new_finder.network.host()
    with new_finder.network.capture(desk.host) as capture, Forger(mallory) as forger:
        befriend(desk, lap)
        online(desk, lap)
        former = announced(capture, desk.host.address)
        forged = service(former.partition(".")[0], mallory.address, 4711)
        ended = desk.report().count(" ended: ")
        while own_names(capture, desk.host.address)[-1] == former:
            forger.say(forged)
            capture.until(lambda _, seen=len(capture.frames): len(capture.frames) > seen, "any frame")
        assert announced(capture, desk.host.address) != former
    # Found under the new one, while the link that was there is as it was.
    tab = new_finder("tab")
    befriend(desk, tab)
    online(desk, tab)
    assert desk.report().count(" ended: ") == ended


NOT_FOUND = "Devices are not found by themselves"


def D8_avahiThatComesLateAndIsKilled(new_finder):
    desk, lap = new_finder("desk", has_avahi=False), new_finder("lap")
    desk.host.machine.start_bus()
    befriend(desk, lap)
    problem = status_of(desk, "unavailable")["discovery-problem"]
    assert "Avahi does not run" in problem and "Install and start avahi-daemon" in problem
    assert problem in desk.segue("status")
    assert desk.report().count(NOT_FOUND) == 1
    for _ in range(2):
        desk.host.machine.start_avahi()
        online(desk, lap)
        assert status_of(desk, "on")["discovery-problem"] == ""
        desk.host.machine.stop_avahi(signal.SIGKILL)
        status_of(desk, "unavailable")
        # The devices forget each other's addresses, so that they have to find each other again.
        for device, other in [(desk, lap), (lap, desk)]:
            unpair(device, other)
        befriend(desk, lap)
    assert desk.report().count(NOT_FOUND) == 3


def D8_aMachineWhoseSystemBusComesLate(new_finder):
    desk, lap = new_finder("desk", has_avahi=False), new_finder("lap")
    problem = status_of(desk, "unavailable")["discovery-problem"]
    assert "no system bus" in problem and "pair by address or by code" in problem
    befriend(desk, lap)
    desk.host.machine.start()
    online(desk, lap)
    assert status_of(desk, "on")["discovery-problem"] == ""


def D8_whoeverMayNotAnnounceStillFinds(new_finder):
    desk, lap = new_finder("desk", has_avahi=False), new_finder("lap")
    desk.host.machine.start_bus()
    desk.host.machine.start_avahi(publish="disable-user-service-publishing=yes")
    befriend(desk, lap)
    online(desk, lap)
    assert "Avahi announces no services of users" in desk.report()
