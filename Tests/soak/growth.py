"""The descriptors and the memory that processes hold, from the first rest to the last."""

import dataclasses
import time

from harness.process import descriptors

#: The growth that a process may have between its second rest and its last.
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
    """The samples of each process, by its name and its id."""

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
        """Compares each process's last sample with its second: by the first rest not all that is made once was made."""
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
        """(name, seconds, first sample, last sample) of each process, the longest watched first."""
        found = [
            (name, samples[-1].when - samples[0].when, samples[0], samples[-1])
            for (name, _), samples in self.samples.items() if len(samples) > 1]
        return sorted(found, key=lambda row: -row[1])
