"""What a process holds: memory and descriptors."""

import os


def memory(pid):
    """KiB of its own, what is only mapped from files left out."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon"))


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))
