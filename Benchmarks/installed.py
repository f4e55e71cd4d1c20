"""The costs of many installed applications: the daemon's start, and matching an offer."""

import collections
import pathlib
import subprocess
import sys
import time

from devices import PATIENCE, Device, end
from rows import Row, p50, p99

FILES = 10_000
START_SAMPLES = 20
# Seconds, longer than Limits.settlingTime.
SETTLING = 2.5
SCHEDULES = 2000
DESKTOP_FILE = """[Desktop Entry]
Type=Application
Name=Application {number}
Name[de]=Anwendung {number}
GenericName=Editor
Comment=Edit what there is to be edited, number {number}
Exec=/usr/bin/application-{number} %U
Icon=org.example.App{number}
Terminal=false
Categories=Utility;TextEditor;
MimeType=text/plain;text/html;
StartupNotify=true
"""


def registry(folder, prefix):
    """From a call that starts the daemon to its answer: without desktop files, and with many, which it reads for the
    first time, or finds in its cache."""
    rows = []
    with Device(folder, "empty", prefix) as device:
        empty, _ = starts(device, is_first=False)
    rows.append(Row("daemon start by a call, no desktop files", "ms", p50(empty), p99(empty)))
    for name, every in (("some", 10), ("all", 1)):
        device = Device(folder, name, prefix)
        install(device, every)
        what = "one in ten takes part" if every == 10 else "all take part"
        with device:
            for is_first, start, aim in ((True, "first", 100), (False, "second", 30)):
                ours, cat = starts(device, is_first)
                rows.append(
                    Row(
                        f"daemon's {start} start by a call, 10,000 desktop files, {what} (baseline: cat of them)", "ms",
                        p50(ours), p99(ours), p50(cat), f"<= {aim} ms", p50(ours) <= aim,
                    ))
    return rows


def install(device, every):
    """Many desktop files, of which each so manyth takes part; old enough for the cache."""
    for number in range(FILES):
        text = DESKTOP_FILE.format(number=number)
        if number % every == 0:
            text += f"X-Segue-ActivityTypes=org.example.app{number}.page;\n"
        (device.data / f"applications/org.example.App{number}.desktop").write_text(text)
    time.sleep(SETTLING)


def starts(device, is_first):
    """Milliseconds of each start, and of reading all desktop files before it. `is_first`: without a cache."""
    samples, cat = [], []
    for _ in range(START_SAMPLES + 1):
        # It leaves the cache when it ends.
        end(device.pid)
        wait_for_end(device)
        if is_first:
            (device.folder / "cache/segue/applications").unlink(missing_ok=True)
        cat.append(timed(f"cat {device.data}/applications/* > /dev/null 2>&1 || true"))
        samples.append(start_by_call(device))
    # The first has warmed the page cache.
    return samples[1:], cat[1:]


def start_by_call(device):
    """Milliseconds from a call that has the bus start the daemon to its answer."""
    start = time.monotonic()
    device.run(
        "dbus-send", "--session", "--print-reply", "--dest=org.segue.Daemon1", "/org/segue/Daemon1",
        "org.freedesktop.DBus.Peer.Ping")
    taken = (time.monotonic() - start) * 1000
    device.pid = device.owner("org.segue.Daemon1")
    return taken


def timed(command):
    start = time.monotonic()
    subprocess.run(["sh", "-c", command], check=True)
    return (time.monotonic() - start) * 1000


def wait_for_end(device):
    """The bus knows that the last one is gone: else it would answer in its place."""
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        try:
            device.owner("org.segue.Daemon1")
        except RuntimeError:
            return
    raise RuntimeError("the daemon did not end")


def matching(program):
    if not pathlib.Path(program).exists():
        print("bench: matching is left out: scripts/build-daemon match-bench", file=sys.stderr)
        return []
    samples = collections.defaultdict(list)
    for line in subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
        kind, nanoseconds = line.split()
        samples[kind].append(int(nanoseconds) / 1000)
    offer = "matching an offer among 10,000 applications: "
    names = {
        "same": (offer + "the same id", 5), "team": (offer + "three of a team", 5), "nobody": (offer + "nobody", 5),
        "domain": ("matching a host against 10,000 claimed domains", 10),
        "patterns": ("matching a link against 1,000 patterns of its domain", 100),
    }
    return [
        Row(name, "µs", p50(samples[kind]), p99(samples[kind]), None, f"< {aim} µs", p50(samples[kind]) < aim)
        for kind, (name, aim) in names.items()
    ]


def simulator(prefix, examples):
    """As `segue simulate` counts them itself; it varies with the scenario, so that there is no aim."""
    scenario = examples / "everyday.scenario"
    command = [prefix / "bin/segue", "simulate", "--seed", "1", "--schedules", str(SCHEDULES), scenario]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = dict(line.rsplit(None, 1) for line in text.splitlines())
    return [Row(f"simulated schedules a second, {scenario.stem}", "1/s", float(found["schedules a second"]))]
