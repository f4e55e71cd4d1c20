"""userInfo of every size, up to the largest; and many continuations, one after the other."""

import contextlib
import os
import subprocess

import measures
from devices import link
from programs import compile_one
from rows import p50

from .curve import Curve
from .looks import processor_time

KIB = (1, 4, 16, 64, 100)
WARM_SAMPLES = 200
RATES = (1, 10, 100)
#: After so many, the lists that applications and daemons keep of them have their full length, and so has the heap.
WARM_UP = 400
#: The time for each pace, in which a link's first credit is used up; GROWTH_SECONDS in the environment is another number,
#: 60 for docs/performance.md.
SECONDS = 20


@contextlib.contextmanager
def pair(folder, prefix, programs):
    """The device of the origin, where the application runs, and the one that continues."""
    folder.mkdir()
    origin, continuing = measures.devices(folder, prefix, programs)
    continuing.install_service(measures.ECHO, f"{programs}/echo {measures.ECHO}")
    with origin, continuing:
        link(origin, continuing)
        running = origin.spawn(programs / "origin", measures.fifo(origin))
        try:
            yield origin, continuing
        finally:
            continuing.end_owner(f"{measures.APP}.Segue")
            running.terminate()
            running.wait()


def sizes(folder, prefix, programs):
    taken, worked = [], []
    for kib in KIB:
        made = folder / f"bin-{kib}"
        made.mkdir()
        (made / "echo").symlink_to(programs / "echo")
        # Two texts, since one may have 64 KiB; some bytes are for their keys and the count.
        for name in ("origin", "continuing"):
            compile_one(prefix, made / name, name, "BENCH_TEXTS=2", f"BENCH_TEXT_LENGTH={kib * 512 - 64}")
        with pair(folder / f"kib-{kib}", prefix, made) as (origin, continuing):
            before = sum(processor_time(device.pid) for device in (origin, continuing))
            samples = measures.drive(programs / "warm", origin, continuing, measures.ECHO, WARM_SAMPLES)
            after = sum(processor_time(device.pid) for device in (origin, continuing))
        taken.append((kib, p50(samples["restored"])))
        worked.append((kib, (after - before) / (WARM_SAMPLES + 50)))
    group, over = "KiB of userInfo", "KiB of userInfo"
    return [
        Curve(group, "a continuation, to the restore callback", over, "ms", taken, 50),
        Curve(group, "both daemons' processor time for one", over, "ms", worked),
    ]


def paces(folder, prefix, programs):
    seconds = int(os.environ.get("GROWTH_SECONDS", SECONDS))
    taken, longest, worked, memory = [], [], [], []
    with pair(folder / "paces", prefix, programs) as devices:
        paced(programs, *devices, 100, WARM_UP)
        for rate in RATES:
            before = [processor_time(device.pid) for device in devices]
            first = [measures.device_memory(device.pid)["Pss"] for device in devices]
            samples = paced(programs, *devices, rate, rate * seconds)
            used = sum(processor_time(device.pid) - past for device, past in zip(devices, before))
            more = [measures.device_memory(device.pid)["Pss"] - past for device, past in zip(devices, first)]
            taken.append((rate, p50(samples)))
            longest.append((rate, max(samples)))
            worked.append((rate, used / len(samples)))
            memory.append((rate, max(more) * 1024))
    group, over = "Continuations a second", f"continuations a second for {seconds} s"
    return [
        Curve(group, "a continuation, to the restore callback", over, "ms", taken, 50),
        Curve(group, "the longest of them", over, "ms", longest, 1000),
        Curve(group, "both daemons' processor time for one", over, "ms", worked),
    ], memory, seconds


def paced(programs, origin, continuing, rate, count):
    """Milliseconds of each."""
    command = [
        programs / "pace", continuing.address, measures.fifo(continuing), measures.fifo(origin), str(rate), str(count)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [float(line.split()[1]) / 1000 for line in output.splitlines()]
