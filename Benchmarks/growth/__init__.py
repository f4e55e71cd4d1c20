"""Growth: what ever more of something takes, up to as much as there may be, and by which power it grows."""

import dataclasses
import json
import os
import sys

from rows import Row

from . import crowd, start, states, stored

#: KiB that many continuations may leave behind: a few pages of an allocator, and no more with more of them.
FLAT = 512


def measure(folder, prefix, programs):
    parts = os.environ.get("GROWTH", "devices mesh stored states paces files").split()
    curves, rows = [], []
    for name, made in (
            ("devices", lambda: crowd.star(folder / "star", prefix, programs)),
            ("mesh", lambda: crowd.mesh(folder / "mesh", prefix, programs)),
            ("stored", lambda: stored.measure(folder, prefix)),
            ("states", lambda: states.sizes(folder, prefix, programs)),
            ("files", lambda: start.measure(folder, prefix))):
        if name in parts:
            print(f"bench: growth: {name}", file=sys.stderr)
            curves += made()
    if "paces" in parts:
        print("bench: growth: paces", file=sys.stderr)
        found, memory, seconds = states.paces(folder, prefix, programs)
        curves += found
        for rate, more in memory:
            rows.append(Row(
                f"memory more after {rate} continuations a second for {seconds} s (PSS, the daemon that grew more)", "KiB", more,
                aim=f"<= {FLAT} KiB", met=more <= FLAT))
    if path := os.environ.get("CURVES"):
        with open(path, "w", encoding="utf-8") as file:
            json.dump([dataclasses.asdict(curve) for curve in curves], file, indent=1)
            file.write("\n")
    return [row for curve in curves for row in curve.rows()] + rows
