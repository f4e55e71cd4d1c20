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
    """Makes such devices and their network, and closes all of them at the end."""

    def __init__(self):
        self.ends = contextlib.ExitStack()
        self.network = self.new_network()

    def new_network(self, *arguments):
        network = Network(*arguments)
        self.ends.callback(network.close)
        return network

    def __call__(self, name, host=None, has_avahi=True, settings=(), daemon=True, listen=Device.USUALLY, **limits):
        host = host or self.network.host()
        if has_avahi:
            host.machine.start()
        device = Device(name, limits, host=host, listen=listen, settings=settings, daemon=daemon)
        self.ends.callback(device.close)
        return device

    def close(self):
        self.ends.close()


def befriend(one, other):
    """Lets both devices know each other's ids, and no address."""
    for reader, writer in [(one, other), (other, one)]:
        reader.segue("device", "add", writer.json("identity")["device-id"], "--name", writer.name)


def online(one, other):
    one.online(other)
    other.online(one)


def own_names(capture, address):
    """Names under which the device at this address is announced over IPv4, the newest last."""
    return names([record for source, record in capture.records() if source == address])


def announced(capture, address):
    """Waits until a device and its place are announced from there, and returns its name."""
    def found(_):
        places = {record.name for source, record in capture.records() if source == address and record.type == SRV}
        return [name for name in own_names(capture, address) if name in places]

    return capture.until(found, f"the announcement of {address}")[-1]


def status_of(device, state):
    """Waits until the device reports this state of discovery, and returns its whole status."""
    return wait_for(
        lambda: (status := device.json("status"))["discovery"] == state and status, f"discovery that is {state}")


def pair_by_digits(one, other):
    """Runs `segue pair` on both, and types on one the digits that the other shows."""
    with one, other:
        digits, typing = None, None
        while not digits or not typing:
            sides = {side.lines.descriptor: side for side in (one, other)}
            ready = [side for side in sides.values() if side.lines.buffer]
            ready = ready or [sides[number] for number in select.select(list(sides), [], [], SECONDS)[0]]
            assert ready, "nobody showed digits"
            line = ready[0].lines.next()
            if found := re.search(r"Type these digits.*(\d{3} \d{3})$", line):
                digits = found.group(1)
            elif "Which digits" in line:
                typing = ready[0]
        showing = other if typing is one else one
        typing.type(digits)
        showing.says("Did .* accept the digits")
        showing.type("y")
        assert showing.status() == 0 and typing.status() == 0


def dialogues(one, other, *arguments):
    return Dialogue(one), Dialogue(other, *arguments)
