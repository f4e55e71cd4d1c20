"""Stored activities, up to as many as a device keeps (docs/limits.md, storedCopies)."""

import time

from devices import Device
from rows import p50
from search import STORED, fill

from .curve import Curve
from .looks import anonymous, called, connected
from .start import started

COUNTS = (10, 100, 1000, STORED)
SAMPLES = 60
#: A process may search so often, and no more (searchInterval).
SEARCH_SECONDS = 0.025


def measure(folder, prefix):
    from gi.repository import GLib

    searches, lists, starts, memory = [], [], [], []
    word = GLib.Variant("(as)", (["desert"],))
    for count in COUNTS:
        device = Device(folder, f"stored-{count}", prefix)
        fill(device, count)
        with device:
            with connected(device) as bus:
                listed = [called(bus, "ListStored") for _ in range(SAMPLES)]
                if len(listed[0][1][0]) != count:
                    raise RuntimeError(f"{len(listed[0][1][0])} of {count} are listed: {device.log.read_text()}")
                lists.append((count, p50([taken for taken, _ in listed])))
                found = []
                for _ in range(SAMPLES):
                    time.sleep(SEARCH_SECONDS)
                    found.append(called(
                        bus, "GetInitialResultSet", word, "/org/segue/Search", "org.gnome.Shell.SearchProvider2")[0])
                searches.append((count, p50(found)))
            starts.append((count, started(device)))
            memory.append((count, anonymous(device.pid)))
    group, over = "Stored activities", "stored activities"
    return [
        Curve(group, "a search that finds nothing", over, "ms", searches, 10),
        Curve(group, "the list of them", over, "ms", lists, 100),
        Curve(group, "the daemon's start", over, "ms", starts, 500),
        Curve(group, "the daemon's own memory", over, "MiB", memory),
    ]
