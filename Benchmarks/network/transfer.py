"""256 MiB from one host to the other, through a continuation stream."""

import collections

import streams
from hosts import KDE, KDESide, hosted, pairs, until
from rows import Row, p50

ROUNDS = 3


def beside_forwarders(folder, prefix, programs, forward):
    with hosted(folder, prefix) as ours:
        hosts = [side.host for side in ours]
        return streams.crossing(folder, *ours, programs, forward, hosts, " between two hosts")


def beside_a_file(folder, prefix, programs):
    """A file that KDE Connect sends is written to disk there, a stream's bytes are counted."""
    file = folder / "file"
    file.write_bytes(bytes(streams.BYTES))
    ours, theirs = collections.defaultdict(list), []
    with pairs(folder, prefix) as ((origin, continuing), sides):
        streams.install(origin, continuing, programs)
        running = origin.spawn(programs / "stream-origin")
        try:
            for number in range(ROUNDS):
                streams.wait_for_offer(continuing)
                streams.add(ours, streams.continued(continuing, programs))
                if sides:
                    theirs.append(sent(file, *sides, number))
        finally:
            running.terminate()
            running.wait()
    name = "256 MiB through a stream (KDE: a file)"
    return [Row(name, "MiB/s", p50(ours["rate"]), None, p50(theirs) if theirs else None)]


def sent(file, one, other, number):
    """MiB/s of a file of another name each time, until all of it is there."""
    copy = file.with_name(f"file{number}")
    copy.hardlink_to(file)
    one.call(KDESide.path(other) + "/share", f"{KDE}.device.share", "shareUrl", "s", copy.as_uri())

    def arrived():
        return [path for path in other.folder.rglob(copy.name) if path.stat().st_size == streams.BYTES]

    seconds, (path, *_) = until(arrived, "the file", 120)
    path.unlink()
    return streams.BYTES / (1 << 20) / seconds
