"""The cost of a hostile paired device for the others: their fetches beside its floods, and without, in one run."""

import multiprocessing
import threading
import time

import flood
from devices import APP, PATIENCE, TYPE, link
from measures import ECHO, device_memory, devices, drive, fifo
from rows import Row, p50, p99

SAMPLES = 300
# Between two looks at the daemon's memory, in seconds.
LOOK = 0.05


def measure(folder, prefix, programs):
    rows = []
    for kind in flood.KINDS:
        place = folder / kind
        place.mkdir()
        rows += beside(kind, place, prefix, programs)
    return rows


def beside(kind, folder, prefix, programs):
    """One device's continuations from a second one, which a third one floods."""
    origin, continuing = devices(folder, prefix, programs, settings="[Snapshots]\nKeep=true\n")
    continuing.install_service(ECHO, f"{programs}/echo {ECHO}")
    with origin, continuing:
        link(origin, continuing)
        running = origin.spawn(programs / "origin", fifo(origin))
        ready, started = multiprocessing.Event(), multiprocessing.Event()
        hostile = multiprocessing.Process(target=flood.run, args=(kind, origin, APP, TYPE, ready, started), daemon=True)
        try:
            hostile.start()
            if not ready.wait(PATIENCE):
                raise RuntimeError("the hostile device was not linked: " + origin.log.read_text())
            alone = drive(programs / "warm", origin, continuing, ECHO, SAMPLES)["restored"]
            before = device_memory(origin.pid)["Anonymous"]
            with Peak(origin.pid) as peak:
                sent, start = flood.Count.shared.value, time.monotonic()
                started.set()
                try:
                    ours = drive(programs / "warm", origin, continuing, ECHO, SAMPLES)["restored"]
                except RuntimeError:
                    ours = None
                speed = (flood.Count.shared.value - sent) / (time.monotonic() - start)
        finally:
            hostile.kill()
            hostile.join()
            continuing.end_owner(f"{APP}.Segue")
            running.terminate()
            running.wait()
    name = f"warm continuation beside a flood of {kind} (baseline: without it)"
    more = peak.most - before
    return [
        Row(name, "ms", p50(ours), p99(ours), p50(alone), "<= 2x", p50(ours) <= 2 * p50(alone))
        if ours else Row(f"{name}: one failed", "ms", baseline=p50(alone), aim="<= 2x", met=False),
        Row("that flood, messages a second", "1/s", speed),
        Row(f"the flooded daemon's memory, more than before ({kind})", "MiB", more, aim="<= 16 MiB", met=more <= 16),
    ]


class Peak:
    """The most memory of its own that a process has while this is entered, in MiB."""

    def __init__(self, pid):
        self.pid = pid
        self.most = 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while True:
            self.most = max(self.most, device_memory(self.pid)["Anonymous"])
            if self.ended.wait(LOOK):
                return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
