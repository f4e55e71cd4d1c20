"""What a process has used, and a device's bus as a front end uses it."""

import contextlib
import os
import time

import measures
from devices import PATIENCE

CONTROL, CONTROL_PATH = "org.segue.Control1", "/org/segue/Control1"


def processor_time(pid):
    """Milliseconds of processor time that a process has taken, by its own clock, which counts in nanoseconds."""
    # As clock_getcpuclockid(3) makes it, which Python lacks.
    return time.clock_gettime((~pid << 3) | 2) * 1000


def anonymous(pid):
    """MiB that are a process's own. Processes of one program share the rest, so that each would have less with more."""
    return measures.device_memory(pid)["Anonymous"]


@contextlib.contextmanager
def connected(device):
    """A connection to its bus, which lets nobody in but the user whose session it is."""
    from gi.repository import Gio

    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    this = os.geteuid()
    os.seteuid(device.folder.stat().st_uid)
    try:
        bus = Gio.DBusConnection.new_for_address_sync(device.address, flags, None, None)
    finally:
        os.seteuid(this)
    try:
        yield bus
    finally:
        bus.close_sync(None)


def called(bus, method, values=None, path=CONTROL_PATH, interface=CONTROL):
    """Milliseconds until the daemon has answered a call, and the answer."""
    start = time.perf_counter()
    reply = bus.call_sync(CONTROL, path, interface, method, values, None, 0, PATIENCE * 1000, None)
    return (time.perf_counter() - start) * 1000, reply.unpack()


def until(found, what):
    """Asks until something is found; nothing tells of it."""
    give_up = time.monotonic() + PATIENCE
    while not (value := found()):
        if time.monotonic() > give_up:
            raise RuntimeError(f"{what} did not come")
        time.sleep(0.01)
    return value
