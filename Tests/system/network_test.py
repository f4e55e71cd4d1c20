"""Two hosts on a network that loses what is sent: a cable that is pulled, and an address that changes.

On one host a connection that goes is seen to go. Between hosts it is not: nothing comes any more, and nobody says so.
"""

import contextlib

import pytest
from harness.device import Device, pair
from harness.network import Network, traffic
from harness.waiting import wait_for


@pytest.fixture
def hosts():
    """(desk, lap), each on a host of its own."""
    with contextlib.ExitStack() as ends:
        network = Network()
        ends.callback(network.close)
        made = []
        for name in ["desk", "lap"]:
            made.append(Device(name, {"FetchTime": 3000}, host=network.host()))
            ends.callback(made[-1].close)
        pair(*made)
        yield made


@pytest.fixture
def moved(hosts, application, install):
    """(desk, lap, the application on desk with the current activity `a`, the one on lap)"""
    desk, lap = hosts
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "title a Page", "delegate a", "put a page int 7", "current a")
    return desk, lap, origin, install(lap, application).start()


def works(lap, application, origin, target):
    origin.do("needs-save a 1")
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")
    origin.expect("was-continued a")


def test_anActivityGoesFromHostToHost(moved, application):
    desk, lap, origin, target = moved
    here, there = (device.json("status")["addresses"] for device in (desk, lap))
    assert all(one.startswith("10.77.0.1:") for one in here) and all(one.startswith("10.77.0.2:") for one in there)
    works(lap, application, origin, target)


def test_aCableThatIsPulledDuringAFetch(moved, application):
    desk, lap, origin, target = moved
    offer = lap.offer(application)
    origin.do("stop-dispatch")
    command = lap.take(offer)
    target.expect("will-continue")
    desk.host.unplug()
    # The link does not notice that it is lost: the fetch's own time-out ends the continuation.
    _, code, message = target.expect("fail")
    assert message in command.failed()
    assert target.count("continue") == 0 and target.count("fail") == 1
    lap.online(desk, is_online=False)
    lap.no_offer(application)
    origin.do("resume-dispatch")
    desk.host.plug()
    lap.online(desk)
    works(lap, application, origin, target)
    assert origin.count("was-continued") == 1 and target.count("fail") == 1


def X9_aCableThatIsBackInTime(moved, application):
    desk, lap, origin, target = moved
    length = 4_000
    offer = lap.offer(application)
    origin.do("stop-dispatch")
    command = lap.take(offer)
    target.expect("will-continue")
    desk.host.unplug()
    sent, got = traffic(desk, "tx"), traffic(lap, "rx")
    origin.do("put a text string " + "x" * length, "resume-dispatch")
    # The payload is longer than all other traffic: hosts exchange their addresses now and then.
    wait_for(lambda: traffic(desk, "tx") > sent + length, "the payload")
    assert traffic(lap, "rx") < got + length
    desk.host.plug()
    target.expect("continue")
    command.succeeded()
    origin.expect("was-continued a")
    assert target.count("will-continue") == 1 and target.count("continue") == 1 and target.count("fail") == 0


def attack50_aNetworkThatLosesPackets(moved, application):
    desk, lap, origin, target = moved
    for host in [desk.host, lap.host]:
        host.lose(5)
    for number in range(40):
        origin.do(f"put a page int {number}", "needs-save a 1")
        lap.take(lap.offer(application)).succeeded()
        target.expect("continue")
        origin.expect("was-continued a")
    assert target.count("continue") == 40 and target.count("fail") == 0 and origin.count("was-continued") == 40
    assert desk.host.lost() + lap.host.lost() > 0
    assert not any(" ended: " in device.report() for device in [desk, lap]), "the link is lost"


def attack50_aDeviceThatComesBackWithAnotherAddress(moved, application):
    desk, lap, origin, target = moved
    lap.offer(application)
    ended = lap.report().count(" ended: ")
    lap.host.move("10.77.0.7")
    # From its log: the next link may be there before anybody has seen that there was none.
    wait_for(lambda: lap.report().count(" ended: ") > ended, "the end of the link")
    # It knows where the other is, and dials; the other may not have noticed anything by then.
    lap.online(desk)
    works(lap, application, origin, target)


@pytest.fixture
def roamers():
    """(desk, lap), each at all addresses of its host."""
    with contextlib.ExitStack() as ends:
        network = Network()
        ends.callback(network.close)
        made = []
        for name in ["desk", "lap"]:
            made.append(Device(name, host=network.host(), listen="0.0.0.0"))
            ends.callback(made[-1].close)
        pair(*made)
        yield made


def until_told(device, other, addresses):
    """Waits until the device knows these of the other one, the newest first."""
    def found(watch):
        return any(
            item["name"] == other.name and [text.split(":")[0] for text in item["learned"]] == addresses
            for item in watch.items["device"].values())

    device.until(found, f"{other.name}'s addresses {addresses}")


def D3_aFurtherAddressIsToldWhenItComes(roamers):
    desk, lap = roamers
    lap.host.join("10.99.0.2")
    until_told(desk, lap, ["10.99.0.2"])


def D1_whoRoamsTellsItsNewAddress(roamers):
    """Nobody is told by the network that lap is elsewhere; it dials, and says where it can be dialled from now on."""
    desk, lap = roamers
    lap.host.move("10.77.0.7")
    until_told(desk, lap, ["10.77.0.7"])
    lap.online(desk)


def X10_aCarrierThatIsLostIsNoticed(roamers):
    """Without one no address of this device leads to it; the others are asked whether they are there, at once."""
    desk, lap = roamers
    before = lap.report().count(" ended: ")
    lap.host.lose_carrier()
    assert lap.json("status")["addresses"] == []
    wait_for(lambda: lap.report().count(" ended: ") > before, "the end of the link")
    desk.online(lap, is_online=False)
    lap.host.find_carrier()
    lap.online(desk)
    desk.online(lap)
    assert [one.split(":")[0] for one in lap.json("status")["addresses"]] == ["10.77.0.2"]
