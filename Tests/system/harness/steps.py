"""The calls by which a daemon saves and reads its key and its pins, and what is injected at one of them (attack 49)."""

import contextlib
import re
import subprocess

from .lines import Lines

CALLS = ["unlinkat", "openat", "write", "pwrite64", "fsync", "close", "renameat", "renameat2"]
NAMES = ["identity.pem", "devices"]
KILL = "signal=KILL"
ERRORS = ["ENOSPC", "EIO", "EMFILE", "EINTR"]


def folder(device):
    return device.folder / "state/segue"


def contents(device):
    """The contents of the key's file and of that of the pins; None for one that is missing."""
    files = [folder(device) / name for name in NAMES]
    return [file.read_bytes() if file.exists() else None for file in files]


def trusted(device):
    """The content of the key's file, and the ids that are pinned in the other: a link writes down more of a device, and
    when it does is its own affair."""
    key, pins = contents(device)
    return key, [line for line in (pins or b"").splitlines() if line.startswith(b"[device ")]


def paths(device):
    """The folder itself, through which files are opened and renamed, and the files, which are written and closed."""
    return [folder(device), *(folder(device) / (name + end) for name in NAMES for end in ["", ".new"])]


def steps(device):
    """The calls of the trace that have to do with the key and the pins: (its name, the how manieth of that name).
    strace counts each name for itself, and other files of the folder too."""
    counts, found = {}, []
    for call, rest in re.findall(r"^\d+ +(\w+)\((.*)", device.trace(), re.M):
        counts[call] = counts.get(call, 0) + 1
        if call == "fsync" or any(name in rest for name in NAMES):
            found.append((call, counts[call]))
    return found


def trace_start(device, call=None, number=1, inject=None):
    """The daemon that starts next is traced; something is injected at the so manieth of such calls."""
    calls, what = (call, f"{inject}:when={number}") if call else (",".join(CALLS), "delay_enter=1")
    device.install_traced_daemon(paths(device), calls, what)


def trace_no_more(device):
    device.install_daemon()
    device.reload()


@contextlib.contextmanager
def traced(device, call=None, number=1, inject=None):
    """Traces the running daemon, and injects a fault at the `number`th of such calls."""
    trace = device.folder / "trace"
    trace.unlink(missing_ok=True)
    command = ["/usr/bin/strace", "-f", "-p", str(device.pid()), "-y", "-o", str(trace)]
    command.append(f"-etrace={call or ','.join(CALLS)}")
    for path in paths(device):
        command += ["-P", str(path)]
    if call:
        command.append(f"-einject={call}:{inject}:when={number}")
    with subprocess.Popen(command, stderr=subprocess.PIPE) as tracer:
        Lines(tracer.stderr.fileno()).next()
        try:
            yield
        finally:
            # strace may wait for ever for the last thread of a daemon that was killed, and ignores other signals then.
            tracer.kill() if inject == KILL else tracer.terminate()
