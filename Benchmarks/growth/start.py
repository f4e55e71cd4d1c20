"""A daemon's start: from a call that has the bus start it to its answer."""

import shutil

from devices import Device, end
from installed import DESKTOP_FILE, start_by_call, wait_for_end
from rows import p50

from .curve import Curve
from .looks import anonymous

SAMPLES = 8
FILES = (10, 100, 1000, 10_000)


def started(device, samples=SAMPLES):
    """The median of several starts, in milliseconds, without what a former daemon has left in its cache. The first, which
    does not count, warms the page cache."""
    found = []
    for _ in range(samples + 1):
        end(device.pid)
        wait_for_end(device)
        shutil.rmtree(device.folder / "cache/segue", ignore_errors=True)
        found.append(start_by_call(device))
    return p50(found[1:])


def measure(folder, prefix):
    """Desktop files of applications that all take part."""
    starts, memory = [], []
    for count in FILES:
        device = Device(folder, f"files-{count}", prefix)
        for number in range(count):
            (device.data / f"applications/org.example.App{number}.desktop").write_text(
                DESKTOP_FILE.format(number=number) + f"X-Segue-ActivityTypes=org.example.app{number}.page;\n")
        with device:
            starts.append((count, started(device)))
            memory.append((count, anonymous(device.pid)))
    group, over = "Desktop files that all take part", "desktop files"
    return [
        Curve(group, "the daemon's start", over, "ms", starts, 500),
        Curve(group, "the daemon's own memory", over, "MiB", memory),
    ]
