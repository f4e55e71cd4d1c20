"""The soak: its devices, its acts and its rests."""

import pathlib
import random
import shutil
import tempfile
import time

from harness.application import Application
from harness.network import Network
from harness.sleeping import build
from harness.tree import build_probe

import schedule
from growth import Growth
from harms import Harms
from journal import Journal
from ledger import Ledger
from loop import Loop
from machines import SoakDevice
from rest import Rest
from uses import Uses

APPLICATIONS = ["Notes", "Reader", "Maps"]
#: Devices whose daemon, and one application on each, is there from the start to the end.
STEADY = 2
#: Seconds between two rests, at most.
REST = 300


class Soak:
    def __init__(self, folder, seed, count, graph, rate, loss):
        self.folder = pathlib.Path(folder)
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="sg-", dir="/tmp"))
        self.journal = Journal(self.folder)
        self.log = self.journal.write
        self.loop = Loop()
        self.ledger = Ledger(self)
        self.growth = Growth(self.ledger)
        self.harms = Harms(self)
        self.uses = Uses(self)
        self.acts = schedule.draw(seed, rate)
        self.applications = [Application(f"org.segue.soak.{name}", name=name) for name in APPLICATIONS]
        self.probe = build_probe(self.scratch)
        self.machine_library = build(self.scratch)
        self.network = Network()
        self.devices = []
        self.links = set()
        self.done = 0
        try:
            for number in range(1, count + 1):
                host = self.network.host()
                host.lose(loss)
                self.devices.append(SoakDevice(self, number, host))
            self.pair_all(random.Random(seed), graph)
        except BaseException:
            self.close()
            raise

    # Devices

    def pair_all(self, source, graph):
        """Pairs all devices with all; or pairs a ring, so that all are connected, and half of the other pairs."""
        identities = {}
        for device in self.devices:
            with device.bus() as bus:
                identities[device] = bus.control("GetStatus")[0]
        count = len(self.devices)
        for one in self.devices:
            for other in self.devices[one.number:]:
                is_ring = other.number - one.number in (1, count - 1)
                if graph == "all" or is_ring or source.random() < 0.5:
                    self.links.add((one.number, other.number))
                    for here, there in [(one, other), (other, one)]:
                        status = identities[there]
                        with here.bus() as bus:
                            bus.control("AddDevice", "ssas", [status["device-id"], there.name, status["addresses"]])
        self.rest = Rest(self)
        self.rest.wait_for_links()
        for device in self.devices[:STEADY]:
            device.is_steady = True
            device.places[0].start()
        self.loop.run(20, lambda: all(device.places[0].processes for device in self.devices[:STEADY]))
        for device in self.devices[:STEADY]:
            device.places[0].processes[0].is_steady = True

    def peers(self, device):
        return [
            other for other in self.devices
            if (min(device.number, other.number), max(device.number, other.number)) in self.links]

    # Processes

    def started(self, process):
        self.log(f"{process.name}: started")

    def ended(self, process):
        self.log(f"{process.name}: ended ({process.may_end})")
        if process.may_end is None:
            self.ledger.broken(f"{process.name} has ended by itself")

    # The run

    def run(self, seconds):
        end = time.monotonic() + seconds
        # The first rests are early, so that growth is seen from early on.
        between = min(REST, seconds / 4)
        next_rest = time.monotonic() + between
        while time.monotonic() < end and not self.is_hopeless():
            if time.monotonic() >= next_rest:
                self.rest.take()
                next_rest = time.monotonic() + between
            act = next(self.acts)
            self.do(act)
            self.ledger.overdue()
            self.loop.run(act.gap)
        self.rest.take()
        self.growth.judge()

    def do(self, act):
        self.done += 1
        (self.harms if act.kind in schedule.HARMS else self.uses).do(act)

    def is_hopeless(self):
        """Whether enough failures are known."""
        return len(self.ledger.failures) >= 20

    def close(self):
        for device in self.devices:
            shutil.copy(device.folder / "log", self.folder / device.name)
            device.close()
        self.network.close()
        shutil.rmtree(self.scratch)
        self.journal.close()
