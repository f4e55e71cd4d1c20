"""The measurements. Each function returns rows; baseline and ours take turns within one run."""

import collections
import contextlib
import os
import pathlib
import shutil
import subprocess
import time

from devices import APP, Device, link, make_fifo
from rows import Row, p50, p99

WARM_SAMPLES = 1000
COLD_SAMPLES = 100
# The numbers of responders, each for one update round.
RESPONDERS = (1, 10, 100, 1000)
LOAD_SAMPLES = 40
# Seconds for which the idle daemon is watched: six turns of heartbeats, or seven, wherever it begins.
IDLE_WINDOW = 61
# Eight linked devices may cost so many wake-ups a minute together.
LINKED = 8
MOST_WAKES = 24
# Seconds until links that began one after the other tick together: a daemon gathers them within a minute.
GATHERING = 75

ECHO = "org.segue.bench.Running"
ECHO_ONCE = "org.segue.bench.Launched"


def warm(folder, prefix, programs):
    """The application runs on both devices: from the call on the control interface to the restore callback."""
    origin, continuing = devices(folder, prefix, programs)
    continuing.install_service(ECHO, f"{programs}/echo {ECHO}")
    with origin, continuing:
        link(origin, continuing)
        running = origin.spawn(programs / "origin", fifo(origin))
        try:
            # The first of each, which do not count, launch the service and the application that then run.
            samples = drive(programs / "warm", origin, continuing, ECHO, WARM_SAMPLES)
        finally:
            continuing.end_owner(f"{APP}.Segue")
            running.terminate()
            running.wait()
    floor, ours, answered = (samples[key] for key in ("floor", "restored", "answered"))
    return [
        Row("D-Bus round trip, 1 KiB, libdbus", "ms", baseline=p50(floor)),
        Row(
            "warm continuation, call to restore callback", "ms", p50(ours), p99(ours), p50(floor),
            "<= 3.5x", p50(ours) <= 3.5 * p50(floor),
        ),
        Row("the same at p99", "ms", p99(ours), None, p99(floor), "<= 4x", p99(ours) <= 4 * p99(floor)),
        Row("warm continuation, call to reply", "ms", p50(answered), p99(answered), p50(floor)),
    ]


def cold(folder, prefix, programs):
    """The application does not run on the continuing device, and the bus launches it."""
    origin, continuing = devices(folder, prefix, programs)
    continuing.install(programs / "continuing", fifo(continuing), "--once")
    continuing.install_service(ECHO_ONCE, f"{programs}/echo {ECHO_ONCE} --once")
    with origin, continuing:
        link(origin, continuing)
        running = origin.spawn(programs / "origin", fifo(origin))
        try:
            samples = drive(programs / "cold", origin, continuing, ECHO_ONCE, COLD_SAMPLES)
        finally:
            running.terminate()
            running.wait()
    bare, ours = samples["activated"], samples["restored"]
    return [
        Row("D-Bus activation of the least service, libdbus", "ms", baseline=p50(bare)),
        Row(
            "cold continuation, call to restore callback", "ms", p50(ours), p99(ours), p50(bare),
            "<= 1.5x", p50(ours) <= 1.5 * p50(bare),
        ),
    ]


def load(prefix, programs):
    """The library's cost for a process that has libdbus already, next to GIO's cost for it."""
    dbus, gio, segue = "libdbus-1.so.3", "libgio-2.0.so.0", f"{prefix}/lib/libsegue.so.0"
    # A file that was just written counts as dirty, and so as private, until it is on disk.
    os.sync()
    samples = collections.defaultdict(list)
    for _ in range(LOAD_SAMPLES + 1):
        for key, libraries in (("dbus", [dbus]), ("gio", [gio, dbus]), ("segue", [segue, dbus])):
            output = subprocess.run([programs / "load", *libraries], check=True, capture_output=True, text=True).stdout
            samples[key].append([float(word) for word in output.split()])
    # The first of each has warmed the page cache.
    times = {key: [time / 1000 for time, _ in values[1:]] for key, values in samples.items()}
    sizes = {key: [kib for _, kib in values[1:]] for key, values in samples.items()}
    size = pathlib.Path(f"{prefix}/lib/libsegue.so.0").stat().st_size / 1024 / 1024
    return [
        Row("the library's file", "MiB", size, aim="<= 1.0 MiB", met=size <= 1),
        Row("loading libdbus alone", "ms", baseline=p50(times["dbus"])),
        Row(
            "loading libsegue beyond libdbus (baseline: GIO)", "ms", p50(times["segue"]), p99(times["segue"]),
            p50(times["gio"]), "<= 0.3 ms", p50(times["segue"]) <= 0.3,
        ),
        Row("private memory of libdbus alone", "KiB", baseline=p50(sizes["dbus"])),
        Row(
            "private memory of libsegue beyond libdbus (baseline: GIO)", "KiB", p50(sizes["segue"]), None,
            p50(sizes["gio"]), "< 100 KiB", p50(sizes["segue"]) < 100,
        ),
    ]


def idle(folder, prefix):
    """The daemon at rest: one alone, since two of one binary would share pages; then with peers, for the heartbeats."""
    with contextlib.ExitStack() as stack:
        device = stack.enter_context(Device(folder, "alone", prefix))
        memory = device_memory(device.pid)
        alone = wakes_per_minute(device.pid)
        linked = {}
        # The peers' daemons are a file of their own: the pages of the same one would be shared with them.
        program = shutil.copy(prefix / "libexec/segue-programs", folder / "segued")
        for number in range(LINKED):
            peer = Device(folder, f"peer{number}", prefix)
            for name in ("Daemon1", "Control1"):
                peer.install_service(f"org.segue.{name}", program)
            link(device, stack.enter_context(peer), number + 1)
            if number + 1 in (1, LINKED):
                time.sleep(GATHERING)
                linked[number + 1] = wakes_per_minute(device.pid)
        crowded = device_memory(device.pid)["Pss"]
    return [
        Row("idle daemon, proportional memory (PSS)", "MiB", memory["Pss"], aim="<= 16 MiB", met=memory["Pss"] <= 16),
        Row(
            f"idle daemon, {LINKED} linked, proportional memory", "MiB", crowded, aim="<= 18 MiB", met=crowded <= 18),
        Row("idle daemon, anonymous memory", "MiB", memory["Anonymous"], aim="<= 6 MiB", met=memory["Anonymous"] <= 6),
        Row("idle daemon, wake-ups a minute", "", alone, aim="0", met=alone == 0),
        *(
            Row(
                f"idle daemon, {count} linked, wake-ups a minute", "", wakes, aim=f"<= {MOST_WAKES}, heartbeats",
                met=wakes <= MOST_WAKES,
            )
            for count, wakes in linked.items()
        ),
    ]


def responders(folder, prefix, programs):
    """An update round over more and more responders, next to its callbacks called in a loop; and needs_save alone."""
    with Device(folder, "origin", prefix) as device:
        device.install(programs / "responders")
        samples = collections.defaultdict(list)
        for line in device.run(programs / "responders").splitlines():
            key, value = line.split()
            samples[key].append(float(value))
    found, each = [], {}
    for count in RESPONDERS:
        ours, bare = samples[f"round-{count}"], samples[f"bare-{count}"]
        each[count] = (p50(ours) - p50(bare)) / count
        found.append(
            Row(
                f"update round over {count:,} responders (baseline: the callbacks in a loop)", "us", p50(ours), p99(ours),
                p50(bare), "< 1 us each beyond", each[count] < 1,
            ))
    few, many = RESPONDERS[1], RESPONDERS[-1]
    sets, saves = p50(samples["sets"]) / 1000, samples["saves"][0]
    return found + [
        Row(
            f"a responder in a round over {many:,} (baseline: over {few})", "us", each[many], None, each[few],
            "<= 1.5x: linear", each[many] <= 1.5 * each[few],
        ),
        Row(
            "a million needs_save sets (baseline: as many calls of nothing)", "ms", sets,
            p99(samples["sets"]) / 1000, p50(samples["calls"]) / 1000, "< 20 ms, one save", sets < 20 and saves == 1,
        ),
    ]


def devices(folder, prefix, programs, settings=""):
    """The device of the origin, with these settings, and the one that continues."""
    origin = Device(folder, "origin", prefix, settings, processor=0)
    continuing = Device(folder, "continuing", prefix, processor=1)
    for device in (origin, continuing):
        make_fifo(fifo(device))
        device.install(programs / device.name, fifo(device))
    return origin, continuing


def fifo(device):
    return device.folder / "stamps"


def drive(program, origin, continuing, echo, count):
    """Runs warm.c or cold.c, and gathers its samples in milliseconds."""
    command = [program, continuing.address, echo, fifo(continuing), fifo(origin), str(count)]
    with continuing.placed():
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{program.name} failed: {origin.log.read_text()}{continuing.log.read_text()}")
    samples = collections.defaultdict(list)
    for line in done.stdout.splitlines():
        key, microseconds = line.split()
        samples[key].append(float(microseconds) / 1000)
    return samples


def device_memory(pid):
    """Pss and Anonymous of a process, in MiB."""
    sizes = {}
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        key, kib = line.split()[:2]
        sizes[key.rstrip(":")] = int(kib) / 1024
    return sizes


def wakes_per_minute(pid):
    """How often the process's threads went to sleep, and so had been woken, in a window in which nothing happens."""
    # The aftermath of the last step settles first.
    time.sleep(2)
    before = switches(pid)
    time.sleep(IDLE_WINDOW)
    return slept(before, switches(pid)) * 60 / IDLE_WINDOW


def slept(before, after):
    """How often the threads went to sleep between two looks; those that have ended meanwhile take their counts with
    them."""
    return sum(count - before.get(thread, 0) for thread, count in after.items())


def switches(pid):
    """How often each thread of the process went to sleep."""
    counts = {}
    for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status"):
        for line in status.read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches:"):
                counts[status.parent.name] = int(line.split()[1])
    return counts
