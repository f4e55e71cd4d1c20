"""The costs of plugins: a property set, loading one, and saving and restoring many objects."""

import collections
import os
import pathlib
import subprocess

from devices import Device
from rows import Row, p50, p99

HERE = pathlib.Path(__file__).resolve().parent
ID = "org.segue.bench-record"
LOAD_SAMPLES = 40
OBJECTS = (1, 10, 100, 1000)


def measure(folder, prefix, programs):
    own = folder / "prefix"
    path = install(own, prefix)
    return calls(own, programs) + load(own, path, programs) + rounds(folder, own, prefix, programs)


def install(own, prefix):
    """Builds the plugin as an application's own."""
    place = own / "lib/segue/plugins"
    place.mkdir(parents=True)
    path = place / f"{ID}.so"
    flags = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-O2", "-fPIC", "-shared"]
    source = HERE / "plugin/record.c"
    subprocess.run(["gcc", *flags, f"-I{prefix}/include", "-Wl,-z,now", "-o", path, source], check=True)
    (place / f"{ID}.plugin").write_bytes((HERE / f"plugin/{ID}.plugin").read_bytes())
    return path


def calls(own, programs):
    """One property set. The ways take turns, some thousand calls each."""
    samples = gather(subprocess.run([programs / "plugin-calls", own], check=True, stdout=subprocess.PIPE, text=True).stdout)
    direct, libffi, gobject, ours = (p50(samples[way]) for way in ("direct", "libffi", "gobject", "set"))
    return [
        Row("the setter of a plugin called directly", "ns", baseline=direct),
        Row("the same by GObject's generic marshaller (baseline: libffi alone)", "ns", gobject, None, libffi),
        Row(
            "a plugin's property set (baseline: libffi alone)", "ns", ours, p99(samples["set"]), libffi,
            "<= 1.2x", ours <= 1.2 * libffi,
        ),
        Row("a plugin's property set (baseline: GObject)", "ns", ours, None, gobject, "< 1x", ours < gobject),
    ]


def load(own, path, programs):
    # A file that was just written is not on disk yet.
    os.sync()
    samples = collections.defaultdict(list)
    for _ in range(LOAD_SAMPLES + 1):
        for way in ("dlopen", "segue"):
            output = subprocess.run(
                [programs / "plugin-load", way, path, own], check=True, stdout=subprocess.PIPE, text=True).stdout
            samples[way].append(float(output) / 1000)
    # The first of each has warmed the page cache.
    bare, ours = samples["dlopen"][1:], samples["segue"][1:]
    return [
        Row(
            "loading a plugin (baseline: dlopen)", "ms", p50(ours), p99(ours), p50(bare), "< 1 ms beyond",
            p50(ours) - p50(bare) < 1,
        )
    ]


def rounds(folder, own, prefix, programs):
    """Objects of one property each; next to responders of the application that save and restore the same."""
    with Device(folder, "origin", prefix) as device:
        device.install(programs / "plugin-rounds")
        samples = gather(device.run(programs / "plugin-rounds", own))
    found = []
    for deed, what in (("update", "saved"), ("restore", "restored")):
        each = {}
        for count in OBJECTS:
            ours, bare = samples[f"{deed}-{count}"], samples[f"own-{deed}-{count}"]
            each[count] = p50(ours) / count
            name = f"{count:,} objects of a plugin {what} (baseline: the application's responders)"
            found.append(Row(name, "us", p50(ours), p99(ours), p50(bare)))
        few, many = OBJECTS[1], OBJECTS[-1]
        found.append(
            Row(
                f"an object of {many:,} that are {what} (baseline: of {few})", "us", each[many], None, each[few],
                "<= 1.5x: linear", each[many] <= 1.5 * each[few],
            ))
    return found


def gather(text):
    samples = collections.defaultdict(list)
    for line in text.splitlines():
        key, value = line.split()
        samples[key].append(float(value))
    return samples
