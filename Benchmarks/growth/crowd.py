"""Many devices: one with ever more others linked to it, and a mesh in which each is linked with each."""

import contextlib
import os
import shutil
import sys
import time

import measures
from devices import PATIENCE, Device, end
from installed import start_by_call, wait_for_end
from programs import compile_one
from rows import p50

from .curve import Curve
from .desk import Application, Ears
from .looks import anonymous, called, connected, processor_time, until

#: As many as one device pairs with (docs/limits.md, devices).
LINKED = (1, 2, 4, 8, 16, 32)
MESH = (2, 4, 8)
OFFERS = 15
LISTS = 100
CONTINUATIONS = 100
STARTS = 3
#: A user has 128 instances of inotify(7), and a device takes five of them with its bus. So further ones are other users'.
DEVICES_OF_A_USER = 17
OTHER_USER = "nobody"
#: Another application than the one that is continued.
OFFERING = f"{measures.APP}.Offering"


class Crowd:
    """Devices on which the same application can put something on offer."""

    def __init__(self, folder, prefix, programs):
        self.folder, self.prefix, self.programs = folder, prefix, programs
        self.offering = folder / "offering"
        compile_one(prefix, self.offering, "offering", f'BENCH_APP="{OFFERING}"')
        self.devices = []
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.stack.close()

    def add(self, device=None):
        make = Device if len(self.devices) < DEVICES_OF_A_USER else OthersDevice
        device = device or make(self.folder, f"device-{len(self.devices)}", self.prefix)
        device.install(self.offering, app=OFFERING)
        self.stack.enter_context(device)
        self.devices.append(device)
        return device


class OthersDevice(Device):
    """A device of another user; for root."""

    def __init__(self, folder, name, prefix):
        user = ["setpriv", f"--reuid={OTHER_USER}", "--regid=nogroup", "--clear-groups"]
        super().__init__(folder, name, prefix, within=user)

    def start(self):
        for path in (self.folder, *self.folder.rglob("*")):
            shutil.chown(path, OTHER_USER, "nogroup")
        super().start()

    def run(self, *command):
        return super().run(*self.within, *command)


def join(first, second):
    """Pairs two devices that may have others."""
    for here, there in ((first, second), (second, first)):
        status = there.status()
        here.segue("device", "add", status["device-id"], *status["addresses"], "--name", there.name)


def linked(device, count):
    until(lambda: device.status()["online"] == count, f"a link of {device.name}")


def offers(sender, others, workers):
    """Milliseconds from an offer until the last of the others has told its front ends; and of all workers' processor time
    for an offer that comes and goes."""
    with Application(sender, others) as application, Ears(others) as ears:
        ears.hear(application.offer, len(others))
        application.end_offer(ears)
        before = sum(processor_time(device.pid) for device in workers)
        samples = []
        for _ in range(OFFERS):
            samples.append(ears.hear(application.offer, len(others)))
            application.end_offer(ears)
        used = sum(processor_time(device.pid) for device in workers) - before
    return p50(samples), used / OFFERS


def star(folder, prefix, programs):
    heard, worked, listed, continued, memory = [], [], [], [], []
    folder.mkdir()
    steps = LINKED
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        steps = [count for count in LINKED if count < DEVICES_OF_A_USER]
        print(f"bench: growth: {steps[-1]} devices are linked at most, since more take a second user: run it as root",
              file=sys.stderr)
    else:
        for place in (folder.parent.parent, folder.parent, folder):
            place.chmod(0o711)
    with Crowd(folder, prefix, programs) as crowd:
        origin, hub = measures.devices(folder, prefix, programs)
        hub.install_service(measures.ECHO, f"{programs}/echo {measures.ECHO}")
        crowd.add(hub)
        for count in steps:
            while len(crowd.devices) <= count:
                join(hub, crowd.add(origin if len(crowd.devices) == 1 else None))
            others = crowd.devices[1:]
            linked(hub, count)
            took, used = offers(hub, others, [hub])
            heard.append((count, took))
            worked.append((count, used))
            with contextlib.ExitStack() as stack, connected(hub) as bus:
                for device in others:
                    stack.enter_context(Application(device, [hub])).offer()
                until(lambda: len(called(bus, "ListOffers")[1][0]) == count, "the last offer")
                listed.append((count, p50([called(bus, "ListOffers")[0] for _ in range(LISTS)])))
                memory.append((count, anonymous(hub.pid)))
            running = origin.spawn(programs / "origin", measures.fifo(origin))
            try:
                samples = measures.drive(programs / "warm", origin, hub, measures.ECHO, CONTINUATIONS)
            finally:
                # It knows the last state that it had of this origin's application.
                hub.end_owner(f"{measures.APP}.Segue")
                running.terminate()
                running.wait()
            continued.append((count, p50(samples["restored"])))
    group, over = "Devices linked with one", "linked devices"
    return [
        Curve(group, "an offer, until the last has heard of it", over, "ms", heard, 100),
        Curve(group, "the daemon's processor time for it", over, "ms", worked),
        Curve(group, "the list of an offer of each", over, "ms", listed, 50),
        Curve(group, "a continuation, to the restore callback", over, "ms", continued, 50),
        Curve(group, "the daemon's own memory", over, "MiB", memory),
    ]


def mesh(folder, prefix, programs):
    heard, worked, taken, started, memory = [], [], [], [], []
    folder.mkdir()
    with Crowd(folder, prefix, programs) as crowd:
        for count in MESH:
            while len(crowd.devices) < count:
                new = crowd.add()
                for device in crowd.devices[:-1]:
                    join(device, new)
            for device in crowd.devices:
                linked(device, count - 1)
            took, used = offers(crowd.devices[0], crowd.devices[1:], crowd.devices)
            heard.append((count, took))
            worked.append((count, used))
            times, work = zip(*(restarted(crowd.devices) for _ in range(STARTS)))
            taken.append((count, p50(times)))
            started.append((count, p50(work)))
            memory.append((count, p50([anonymous(device.pid) for device in crowd.devices])))
    group, over = "A mesh", "daemons in a mesh"
    return [
        Curve(group, "an offer, until the last has heard of it", over, "ms", heard, 100),
        Curve(group, "all daemons' processor time for it", over, "ms", worked),
        # Eight have 28 links, and share this machine's processors. A device that was dialled too soon is dialled a second
        # later.
        Curve(group, "from their start until all are linked", over, "ms", taken, 3000),
        Curve(group, "a daemon's processor time until then", over, "ms", started),
        Curve(group, "a daemon's own memory", over, "MiB", memory),
    ]


def restarted(devices):
    """Milliseconds from the daemons' start, one after the other, until each is linked with each; and of the processor time
    of one of them, in the mean."""
    for device in devices:
        end(device.pid)
    for device in devices:
        wait_for_end(device)
    start = time.monotonic()
    for device in devices:
        start_by_call(device)
    with contextlib.ExitStack() as stack:
        buses = [stack.enter_context(connected(device)) for device in devices]
        give_up = time.monotonic() + PATIENCE
        for bus in buses:
            # Seldom: each look takes processor time of what is measured.
            while called(bus, "GetStatus")[1][0]["online"] != len(devices) - 1:
                if time.monotonic() > give_up:
                    raise RuntimeError("a mesh did not come up: " + "".join(device.log.read_text() for device in devices))
                time.sleep(0.1)
    return (time.monotonic() - start) * 1000, sum(processor_time(device.pid) for device in devices) / len(devices)
