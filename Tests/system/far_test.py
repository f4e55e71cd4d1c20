"""Two hosts far apart: what one sends is with the other 300 ms later."""

import contextlib

import pytest
from harness.device import Device, pair
from harness.finding import dialogues, online, pair_by_digits
from harness.network import Network, traffic
from harness.pairing import address
from harness.waiting import wait_for


@pytest.fixture
def far():
    """(desk, lap), each on a host of its own."""
    with contextlib.ExitStack() as ends:
        network = Network()
        ends.callback(network.close)
        made = []
        for name in ["desk", "lap"]:
            made.append(Device(name, host=network.host()))
            ends.callback(made[-1].close)
        made[0].host.move_away(0.3)
        yield made


def test_devicesPairFarApart(far):
    desk, lap = far
    pair_by_digits(*dialogues(lap, desk, address(lap)))
    online(desk, lap)


def X10_aLinkOfLongWaysLives(far, application, install):
    desk, lap = far
    pair(desk, lap)
    origin, target = install(desk, application).start(), install(lap, application).start()
    origin.do(
        f"activity a {application.type}", "delegate a", "put a page int 7", f"put a text string {'x' * 4_000}",
        "current a")
    for _ in range(2):
        lap.take(lap.offer(application)).succeeded()
        target.expect("continue")
        origin.expect("was-continued a")
        origin.do("needs-save a 1", "resign a", "current a")
    # It is idle, and each side goes on hearing of the other.
    for _ in range(3):
        heard = [traffic(device, "rx") for device in far]
        wait_for(
            lambda heard=heard: all(traffic(device, "rx") > before for device, before in zip(far, heard)),
            "a sign of life")
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")
    for device in far:
        assert " ended: " not in device.report()
