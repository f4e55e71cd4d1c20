"""The memory and the descriptors of a process."""

import os
import platform
import time

from .bounds import SECONDS

#: Whether scripts/test --sanitize has started this.
SANITIZED = bool(os.environ.get("ASAN_OPTIONS") or os.environ.get("TSAN_OPTIONS"))


def memory(pid, file="status", field="RssAnon"):
    """KiB of its own, what is only mapped from files left out. 0 under a sanitizer, which keeps what is freed."""
    if SANITIZED:
        return 0
    with open(f"/proc/{pid}/{file}") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(field))


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def sleeps(pid):
    """How often its threads have gone to sleep, each with what woke it."""
    count = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status") as file:
            count += next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))
    return count


#: The calls in which a main loop waits: which of their arguments is the time-out, and what it is where there is none.
FOR_EVER = {
    "x86_64": {
        "7": (2, 0xFFFFFFFF), "232": (3, 0xFFFFFFFF), "281": (3, 0xFFFFFFFF),  # poll, epoll_wait, epoll_pwait
        "271": (2, 0),  # ppoll
    },
    "aarch64": {"22": (3, 0xFFFFFFFF), "73": (2, 0)},  # epoll_pwait, ppoll
}.get(platform.machine(), {})


def waits_for_ever(pid):
    """Whether each of its threads waits for descriptors, and for no time."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/syscall") as file:
            call, *arguments = file.read().split()
        argument, without = FOR_EVER.get(call, (0, None))
        if without is None or int(arguments[argument], 16) & 0xFFFFFFFF != without:
            return False
    return True


def wait_until_at_rest(pid):
    """There is no event for this one: the process is looked at again and again."""
    end = time.monotonic() + SECONDS
    while not waits_for_ever(pid):
        assert time.monotonic() < end, f"{pid} does not come to rest"
        os.sched_yield()


def watches(pid, folder):
    """Whether it has asked the kernel to tell of changes in the folder."""
    inode = f"ino:{os.stat(folder).st_ino:x} "
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with open(f"/proc/{pid}/fdinfo/{fd}") as file:
            if any(line.startswith("inotify ") and inode in line for line in file):
                return True
    return False
