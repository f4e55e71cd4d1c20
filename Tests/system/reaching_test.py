"""A device without any settings can be reached: on one port, by IPv6 and IPv4; and it reports when it is not (D4)."""

import configparser
import contextlib
import hashlib
import socket
import time
import xml.etree.ElementTree as xml

import pytest
from harness.device import Device, pair
from harness.network import Network
from harness.pairing import Dialogue
from harness.tree import PREFIX
from harness.waiting import wait_for


@pytest.fixture
def network():
    with contextlib.ExitStack() as ends:
        network = Network()
        ends.callback(network.close)
        yield network


@pytest.fixture
def new_host_device(network):
    """Makes a device as it is without settings; on a host of its own, unless one is named."""
    with contextlib.ExitStack() as ends:
        def new(name, host=None):
            device = Device(name, host=host or network.host(), listen=Device.USUALLY)
            ends.callback(device.close)
            return device

        yield new


def profile_port():
    """The ports that ufw's profile opens (ufw-applications(8))."""
    profile = configparser.RawConfigParser()
    profile.read_string((PREFIX / "etc/ufw/applications.d/segue").read_text())
    assert profile.sections() == ["segue"] and set(profile["segue"]) == {"title", "description", "ports"}
    port, _, protocol = profile["segue"]["ports"].partition("/")
    assert protocol == "tcp"
    return int(port)


def addresses(device):
    return device.json("status")["addresses"]


def ports(device):
    return {int(text.rpartition(":")[2]) for text in addresses(device)}


def row(device, other):
    return next(item for item in device.json("devices") if item["name"] == other.name)


def until_row(device, other, found, what):
    device.until(
        lambda watch: any(item["name"] == other.name and found(item) for item in watch.items["device"].values()), what)


def D4_firewallsHaveAProfileOfThePort():
    assert 1024 <= profile_port() < 32768
    # As firewalld.service(5) says.
    service = xml.parse(PREFIX / "etc/firewalld/services/segue.xml").getroot()
    assert service.tag == "service" and [child.tag for child in service] == ["short", "description", "port"]
    assert service.find("port").attrib == {"protocol": "tcp", "port": str(profile_port())}


def D4_aDeviceListensOnThePortOfTheProfiles(new_host_device):
    desk, lap = new_host_device("desk"), new_host_device("lap")
    desk.host.join6("fd77::1")
    assert sorted(addresses(desk)) == [f"10.77.0.1:{profile_port()}", f"[fd77::1]:{profile_port()}"]
    pair(desk, lap)
    # Either may have been the first to dial, and where is told after the link.
    wait_for(
        lambda: any(row(one, other).get("reached") in addresses(other) for one, other in [(desk, lap), (lap, desk)]),
        "where one of them was reached")


def D4_theSecondUserOfAMachineHasAPortThatStays(new_host_device):
    desk = new_host_device("desk")
    assert ports(desk) == {profile_port()}
    other = new_host_device("other", desk.host)
    found = ports(other)
    assert len(found) == 1 and found != {profile_port()}
    assert str(profile_port()) in other.report() and str(found.pop()) in other.report()
    lap = new_host_device("lap")
    pair(lap, other)
    pair(lap, desk)
    known = ports(other)
    other.stop_daemon()
    assert ports(other) == known
    lap.online(other)


@pytest.mark.parametrize("address", ["10.77.0.2", "fd77::2"])
def D4_bothVersionsOfIPLeadToADevice(new_host_device, address):
    desk, lap = new_host_device("desk"), new_host_device("lap")
    desk.host.join6("fd77::1")
    lap.host.join6("fd77::2")
    host = f"[{address}]" if ":" in address else address
    lap.segue("device", "add", desk.json("status")["device-id"], "--name", "desk")
    desk.segue("device", "add", lap.json("status")["device-id"], f"{host}:{profile_port()}", "--name", "lap")
    desk.online(lap)
    until_row(desk, lap, lambda item: item.get("reached") == f"{host}:{profile_port()}", "where lap was reached")
    until_row(lap, desk, lambda item: "reached-us" in item and "reached" not in item, "that desk has reached this one")


def D2_aLinkLocalAddressKeepsItsScope(new_host_device):
    """No other address leads from one to the other."""
    desk, lap = new_host_device("desk"), new_host_device("lap")
    address = f"[{lap.host.link_local()}]:{profile_port()}"
    desk.host.link_local()
    desk.host.leave()
    lap.segue("device", "add", desk.json("status")["device-id"], "--name", "desk")
    desk.segue("device", "add", lap.json("status")["device-id"], address, "--name", "lap")
    desk.online(lap)
    until_row(desk, lap, lambda item: item.get("reached") == address, "the address that worked")
    # Here it means something else, and nobody is told of it.
    assert all("%" not in text for text in row(desk, lap)["learned"] + row(lap, desk)["addresses"])
    desk.stop_daemon()
    assert row(desk, lap)["reached"] == address and row(desk, lap)["addresses"][0] == address
    desk.online(lap)


def D2_whoPairsByALinkLocalAddressKeepsIt(new_host_device):
    desk, lap = new_host_device("desk"), new_host_device("lap")
    address = f"[{desk.host.link_local()}]:{profile_port()}"
    # It dials from its own.
    lap.host.link_local()
    desk.host.leave()
    lap.host.leave()
    with Dialogue(desk) as shown:
        shown.says("Waiting for")
        with Dialogue(lap, address) as typed:
            digits = typed.digits()
            shown.says("Which digits")
            shown.type(digits)
            typed.says("accept the digits")
            typed.type("y")
            assert shown.status() == typed.status() == 0
    lap.online(desk)
    assert row(lap, desk)["addresses"] == [address]


def D4_whoWasNeverReachedIsSaidWithWhatToDo(network, new_host_device):
    """Packets to lap's port are dropped, as by a firewall; those that lap sends are not."""
    desk, lap = new_host_device("desk"), new_host_device("lap")
    lap.host.drop(profile_port())
    for one, other in [(desk, lap), (lap, desk)]:
        one.segue(
            "device", "add", other.json("status")["device-id"], f"{other.host.address}:{profile_port()}", "--name",
            other.name)
    desk.online(lap)
    began = time.time()
    until_row(desk, lap, lambda item: "reached-us" in item, "that lap has reached this one")
    lap.stop_daemon()
    desk.online(lap, is_online=False)
    until_row(desk, lap, lambda item: "hint" in item, "what to do about it")
    hint = row(desk, lap)["hint"]
    assert "was never reached from here" in hint and "sudo ufw allow segue" in hint and "firewall-cmd" in hint
    for command in ["status", "devices"]:
        text = desk.segue(command)
        assert hint in text and "never" in text
    (item,) = desk.json("status")["paired"]
    assert item["hint"] == hint and "reached" not in item
    assert abs(item["seen"] - began) < 60 and abs(item["reached-us"] - began) < 60
    # The other side has no reason to complain.
    lap.online(desk)
    assert "hint" not in row(lap, desk)


def D4_neitherReachesTheOther(new_host_device):
    desk, lap = new_host_device("desk"), new_host_device("lap")
    for one in [desk, lap]:
        one.host.drop(profile_port())
    for one, other in [(desk, lap), (lap, desk)]:
        one.segue(
            "device", "add", other.json("status")["device-id"], f"{other.host.address}:{profile_port()}", "--name",
            other.name)
    for one, other in [(desk, lap), (lap, desk)]:
        until_row(
            one, other, lambda item: "neither device has ever reached the other" in item.get("hint", ""), "what to do")
        assert "never seen" in one.segue("devices")
    # One side that is open is enough, and then there is nothing to say.
    lap.host.accept(profile_port())
    for one, other in [(desk, lap), (lap, desk)]:
        one.online(other)
        assert "hint" not in row(one, other)


def test_aPortOfAnEarlierVersionStillLeadsHere(new_host_device):
    """The device listened on a port of its own, and the others know no other."""
    desk = new_host_device("desk")
    listener = socket.create_server(("", 0))
    former = listener.getsockname()[1]
    listener.close()
    content = str(former)
    (desk.folder / "state/segue").mkdir(mode=0o700)
    (desk.folder / "state/segue/port").write_text(f"{content}# sha256 {hashlib.sha256(content.encode()).hexdigest()}\n")
    (desk.folder / "state/segue/port").chmod(0o600)
    assert ports(desk) == {profile_port()}
    lap = new_host_device("lap")
    desk.segue("device", "add", lap.json("status")["device-id"], "--name", "lap")
    lap.segue(
        "device", "add", desk.json("status")["device-id"], f"{desk.host.address}:{former}", "--name", "desk")
    lap.online(desk)
