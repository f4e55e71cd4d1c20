"""The costs of the Swift package: next to the C API, and to a program in Swift that does not link it."""

import collections
import os
import pathlib
import subprocess
import time

from python_package import numbers
from rows import Row, p50, p99

HERE = pathlib.Path(__file__).resolve().parent
START_SAMPLES = 100
#: The aim: beyond a program that does without.
MORE_MILLISECONDS = 2
MORE_KIB = 300


def build(folder, prefix):
    """The programs, as an application's author builds them for others; their directory."""
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    command = ["swift", "build", "-q", "-c", "release", "--package-path", HERE / "swift-programs", "--scratch-path", folder / "build",
               "-Xlinker", "-rpath", "-Xlinker", prefix / "lib"]
    subprocess.run(command, env=environment, check=True)
    os.sync()
    return folder / "build/release"


def package(folder, prefix, programs):
    made = build(folder, prefix)
    return callbacks(made, programs) + start(made)


def callbacks(made, programs):
    ours, bare = numbers(made / "callbacks"), numbers(programs / "callbacks")
    return [
        Row(
            "Swift: a restore callback that reads an entry (baseline: in C)", "us", p50(ours) / 1000, p99(ours) / 1000,
            p50(bare) / 1000,
        )
    ]


def start(made):
    """Start to end of a program that only links the module, in turns with one that does not, and with one that links
    libdbus alone, which the module needs."""
    times, sizes = collections.defaultdict(list), collections.defaultdict(list)
    for _ in range(START_SAMPLES + 1):
        for name in ("bare", "bus", "linked"):
            began = time.perf_counter_ns()
            said = subprocess.run([made / name], check=True, stdout=subprocess.PIPE).stdout
            times[name].append((time.perf_counter_ns() - began) / 1e6)
            sizes[name].append(int(said))
    # The first of each has warmed the page cache.
    bare, bus, linked = (times[name][1:] for name in ("bare", "bus", "linked"))
    more = p50(linked) - p50(bare)
    more_memory = p50(sizes["linked"][1:]) - p50(sizes["bare"][1:])
    return [
        Row(
            "Swift: a program that links Segue, start to end (baseline: one that does not)", "ms", p50(linked), p99(linked),
            p50(bare), f"< {MORE_MILLISECONDS} ms more", more < MORE_MILLISECONDS,
        ),
        Row("Swift: a program that links libdbus alone (baseline: one that does not)", "ms", p50(bus), p99(bus), p50(bare)),
        Row(
            "Swift: its private memory", "KiB", p50(sizes["linked"][1:]), None, p50(sizes["bare"][1:]),
            f"< {MORE_KIB} KiB more", more_memory < MORE_KIB,
        ),
    ]
