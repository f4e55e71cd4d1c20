"""How long it takes until what is done on one host is seen on the other."""

import collections

from devices import APP, make_fifo
from hosts import HAS_KDE, KDESide, pairs
from rows import Row, p50, p99

# The aims of p50 and p99 of an announcement, as parts of KDE Connect's.
ANNOUNCE = 0.6
CHOOSE = 0.9
SIZES = {"1 KiB": ("", 1024), "64 KiB": ("-64", 64 * 1024)}


def announce(folder, prefix, programs, count):
    """An activity becomes current after a second of idling, until user interfaces on the other device are told."""
    with pairs(folder, prefix) as (ours, theirs):
        origin, other = ours
        origin.install("/bin/false")
        samples = gather(
            origin.run_for(count * 2 + 60, programs / "announce", other.address, str(count), *kde_arguments(theirs)))
    name = "become-current to the offer's signal there, after 1 s idle (KDE: a URL to its signal)"
    return both(name, samples, ANNOUNCE)


def choose(folder, prefix, programs, count):
    """A choice until the application has the state, which its origin saves for it, beside a text one way."""
    found = []
    with pairs(folder, prefix) as (ours, theirs):
        origin, continuing = ours
        for size, (suffix, length) in SIZES.items():
            stamps = {}
            for device, program in ((origin, "origin"), (continuing, "continuing")):
                stamps[device] = make_fifo(device.folder / f"stamps{suffix}")
                device.install(programs / (program + suffix), stamps[device])
                # The bus knows the service file as it is now.
                device.wire.ask("ReloadConfig")
            running = origin.spawn(programs / ("origin" + suffix), stamps[origin])
            try:
                out = continuing.run_for(
                    120, programs / "choose", continuing.address, stamps[continuing], stamps[origin], str(count),
                    str(length), *kde_arguments(theirs))
            finally:
                running.terminate()
                running.wait()
                continuing.end_owner(f"{APP}.Segue")
            name = f"choice to restore callback, with a save, {size} (KDE: a text as long, one way)"
            found += both(name, gather(out), CHOOSE)
    return found


def kde_arguments(sides):
    if not HAS_KDE:
        return ["-", "-", "-"]
    one, other = sides
    return [one.address, other.address, KDESide.path(other) + "/share"]


def gather(text):
    samples = collections.defaultdict(list)
    for line in text.splitlines():
        key, microseconds = line.split()
        samples[key].append(float(microseconds) / 1000)
    return samples


def both(name, samples, aim):
    found = []
    for word, of in (("p50", p50), ("p99", p99)):
        ours, theirs = of(samples["ours"]), of(samples["kde"]) if samples["kde"] else None
        found.append(
            Row(f"{name}, {word}", "ms", ours, None, theirs, f"<= {aim}x", ours <= aim * theirs if theirs else None))
    return found
