"""Plays a demo within a time limit, and leaves no processes or files behind."""

import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from demo_stage import Failed


def adopt_orphans():
    """Makes this process the parent of orphaned processes, so that no process of the demo can escape."""
    set_child_subreaper = 36
    if ctypes.CDLL(None, use_errno=True).prctl(set_child_subreaper, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def children():
    """The child processes of this one."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == os.getpid():
                yield int(stat.parent.name), state


def end_children():
    """Ends all descendants, first politely, then by force: an orphan of a child becomes a child of this process."""
    begun = time.monotonic()
    told = set()
    while alive := list(children()):
        for pid, state in alive:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                if state == "Z":
                    os.waitpid(pid, 0)
                elif time.monotonic() - begun > 5:
                    os.kill(pid, signal.SIGKILL)
                elif pid not in told:
                    told.add(pid)
                    os.kill(pid, signal.SIGTERM)
        time.sleep(0.01)


def stop(number, _frame):
    raise Failed("it took too long" if number == signal.SIGALRM else f"signal {number}")


def play(demo, usage, bound):
    """Calls `demo(folder, Segue's prefix, the reader's)`, and ends every process that it has left."""
    if len(sys.argv) != 3:
        sys.exit(usage)
    # The pages and the marks are UTF-8 in every locale.
    sys.stdout.reconfigure(encoding="utf-8")
    segue_prefix, reader_prefix = (pathlib.Path(path).resolve() for path in sys.argv[1:])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, stop)
    signal.alarm(bound)
    adopt_orphans()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="segue-demo-", dir="/tmp"))
    begun = time.monotonic()
    failure = None
    try:
        demo(folder, segue_prefix, reader_prefix)
    except (Failed, OSError, subprocess.SubprocessError) as error:
        failure = error
    finally:
        # A second signal must not interrupt the cleanup.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
        end_children()
        logs = {log.parent.name: log.read_text(errors="replace") for log in folder.glob("*/log")}
        shutil.rmtree(folder)
    if failure:
        print(f"\n  ✗ {failure}\n\nThe demo FAILED.", flush=True)
        for name, log in logs.items():
            print(f"\nThe log of the {name}:\n{log}", file=sys.stderr)
        sys.exit(1)
    print(f"\nEach step was verified, in {time.monotonic() - begun:.1f} seconds. Nothing is left running.")
