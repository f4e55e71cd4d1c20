"""A daemon that has eight paired devices."""

import contextlib
import time

from hosts import HAS_KDE, KDESide, Network, SegueSide, pair_kde, until
from measures import device_memory, slept, switches
from rows import Row

DEVICES = 8
# Seconds.
WINDOW = 60
MEMORY = 20


def eight(folder, prefix):
    """Wakes with all of them linked; then memory with all of them gone, since daemons of one binary share pages."""
    with Network() as network, contextlib.ExitStack() as ends:
        ours = ends.enter_context(SegueSide(folder, "centre", prefix, network.host()))
        theirs = ends.enter_context(KDESide(folder, "centre", network.host())) if HAS_KDE else None
        measured = [side for side in (ours, theirs) if side]
        with contextlib.ExitStack() as others:
            for number in range(DEVICES):
                one = others.enter_context(SegueSide(folder, f"other{number}", prefix, network.host()))
                add(ours, one)
                add(one, ours)
                if HAS_KDE:
                    pair_kde(theirs, others.enter_context(KDESide(folder, f"other{number}", network.host())))
            until(lambda: ours.online() == DEVICES, "the links")
            # The aftermath of the pairing settles.
            time.sleep(10)
            before = [switches(side.pid) for side in measured]
            time.sleep(WINDOW)
            wakes = [slept(counts, switches(side.pid)) * 60 / WINDOW for side, counts in zip(measured, before)]
        until(lambda: ours.online() == 0, "the end of the links")
        memory = [device_memory(side.pid)["Pss"] for side in measured]
    wakes, memory = (values + [None] * (2 - len(values)) for values in (wakes, memory))
    return [
        Row(
            f"idle daemon, {DEVICES} devices linked, wake-ups a minute", "", wakes[0], None, wakes[1], "< 1x",
            wakes[0] < wakes[1] if wakes[1] else None),
        Row(
            f"daemon with {DEVICES} paired devices, proportional memory (PSS)", "MiB", memory[0], None, memory[1],
            f"<= {MEMORY} MiB", memory[0] <= MEMORY),
    ]


def add(device, other):
    status = other.control("GetStatus")[0]
    device.control("AddDevice", "ssas", status["device-id"], other.name, status["addresses"])
