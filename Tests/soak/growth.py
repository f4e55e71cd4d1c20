"""What processes hold, from the first rest to the last: descriptors and memory."""

import dataclasses
import time

from harness.process import descriptors

#: What one that was watched from the first rest to the last may hold more in the end.
MORE_DESCRIPTORS = 4
MORE_KIB = 4096


@dataclasses.dataclass
class Sample:
    when: float
    descriptors: int
    #: KiB.
    pss: int
    anonymous: int


def sample(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        sizes = {line.split()[0]: int(line.split()[1]) for line in file if line.split()[-1] == "kB"}
    return Sample(time.monotonic(), descriptors(pid), sizes["Pss:"], sizes["Anonymous:"])


class Growth:
    """Of each process by what it is and its number: when it was looked at."""

    def __init__(self, ledger):
        self.ledger = ledger
        self.samples = {}

    def look(self, devices):
        watched = [(f"daemon of {device.name}", device.daemon) for device in devices if device.daemon]
        watched += [(process.name, process.pid) for device in devices for process in device.running()]
        for name, pid in watched:
            try:
                self.samples.setdefault((name, pid), []).append(sample(pid))
            except (FileNotFoundError, ProcessLookupError):
                continue

    def judge(self):
        """The first rest is for what is made once."""
        for (name, pid), samples in self.samples.items():
            if len(samples) < 3:
                continue
            first, last = samples[1], samples[-1]
            descriptors_, kib = last.descriptors - first.descriptors, last.anonymous - first.anonymous
            if descriptors_ > MORE_DESCRIPTORS or kib > MORE_KIB:
                self.ledger.broken(
                    f"{name} (process {pid}) has grown by {descriptors_} descriptors and {kib} KiB in "
                    f"{last.when - first.when:.0f} s")

    def rows(self):
        """(what, seconds, descriptors and memory at first, then), the longest first."""
        found = [
            (name, samples[-1].when - samples[0].when, samples[0], samples[-1])
            for (name, _), samples in self.samples.items() if len(samples) > 1]
        return sorted(found, key=lambda row: -row[1])
