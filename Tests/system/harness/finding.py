"""Devices on hosts of a test's network, which find each other there by themselves."""

import contextlib
import re
import select

from .bounds import SECONDS
from .device import Device
from .mdns import SRV, names
from .network import Network
from .pairing import Dialogue
from .waiting import wait_for


class Finders:
    """Makes them. All is taken apart when it is closed."""

    def __init__(self):
        self.ends = contextlib.ExitStack()
        self.network = self.new_network()

    def new_network(self, *arguments):
        network = Network(*arguments)
        self.ends.callback(network.close)
        return network

    def __call__(self, name, host=None, has_avahi=True, settings=(), daemon=True, **limits):
        host = host or self.network.host()
        if has_avahi:
            host.machine.start()
        device = Device(name, limits, host=host, listen=Device.USUALLY, settings=settings, daemon=daemon)
        self.ends.callback(device.close)
        return device

    def close(self):
        self.ends.close()


def befriend(one, other):
    """Both know each other's ids, and no address."""
    for reader, writer in [(one, other), (other, one)]:
        reader.segue("device", "add", writer.json("identity")["device-id"], "--name", writer.name)


def online(one, other):
    one.online(other)
    other.online(one)


def own_names(capture, device):
    """Names under which the device is announced over IPv4, the newest last."""
    return names([record for source, record in capture.records() if source == device.host.address])


def announced(capture, device):
    """Waits until it is announced, and where that is; its name."""
    def found(_):
        places = {record.name for source, record in capture.records()
                  if source == device.host.address and record.type == SRV}
        return [name for name in own_names(capture, device) if name in places]

    return capture.until(found, f"{device.name}'s announcement")[-1]


def status_of(device, state):
    """Waits until the device says that of discovery; all that it says."""
    return wait_for(
        lambda: (status := device.json("status"))["discovery"] == state and status, f"discovery that is {state}")


def pair_by_digits(one, other):
    """`segue pair` runs on both: what one of them shows is typed on the other."""
    with one, other:
        sides = {one.lines.descriptor: (one, other), other.lines.descriptor: (other, one)}
        digits = None
        while not digits:
            ready = [side for side, (dialogue, _) in sides.items() if dialogue.lines.buffer]
            ready = ready or select.select(list(sides), [], [], SECONDS)[0]
            assert ready, "nobody showed digits"
            showing, typing = sides[ready[0]]
            digits = re.search(r"Type these digits.*(\d{3} \d{3})$", showing.lines.next())
        typing.says("Which digits")
        typing.type(digits.group(1))
        showing.says("Did .* take the digits")
        showing.type("y")
        assert showing.status() == 0 and typing.status() == 0


def dialogues(one, other, *arguments):
    return Dialogue(one), Dialogue(other, *arguments)
