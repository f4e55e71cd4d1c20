"""The copies of activities that a device keeps (semantics C5, X7)."""

import contextlib
import os
import subprocess

import pytest

from .device import matches
from .lines import Lines

#: The calls by which the store changes its file and its journal.
STEPS = "pwrite64,fsync,fdatasync,ftruncate,unlink"

needs_strace = pytest.mark.skipif(not os.path.exists("/usr/bin/strace"), reason="strace is not installed")


def stored(device, kind, **wanted):
    """The copies of a kind that the device keeps, as `segue stored` lists them."""
    return [item for item in device.json("stored") if item["kind"] == kind and matches(item, wanted)]


def until_stored(device, kind="snapshot", count=1, **wanted):
    """The first of the copies, once there are so many."""
    def found():
        copies = stored(device, kind, **wanted)
        return copies if len(copies) >= count else None

    return device.until_asked(found, f"a copy ({kind}) with {wanted}", "StoredChanged")[0]


def until_not_stored(device, kind="snapshot", **wanted):
    device.until_asked(
        lambda: not stored(device, kind, **wanted), f"the end of the copy ({kind}) with {wanted}", "StoredChanged")


def trace_storing(device, inject):
    """The daemon under strace, which injects something at one of the steps that touch the store."""
    store = device.folder / "state/segue/store.sqlite"
    device.install_traced_daemon([store, f"{store}-journal"], STEPS, inject)


@contextlib.contextmanager
def delay_storing(device, seconds):
    """The first step that touches the store takes so long, and is in the trace when it is over."""
    store = device.folder / "state/segue/store.sqlite"
    command = ["/usr/bin/strace", "-f", "-p", str(device.pid()), "-o", str(device.folder / "trace"), "-P", str(store),
               "-P", f"{store}-journal", f"-etrace={STEPS}", f"-einject={STEPS}:delay_enter={seconds}s:when=1"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as tracer:
        try:
            Lines(tracer.stderr.fileno()).next()
            yield
        finally:
            tracer.terminate()
