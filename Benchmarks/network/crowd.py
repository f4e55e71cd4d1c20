"""As many devices as can be paired, all of which offer something new all the time."""

import multiprocessing
import os
import pathlib
import threading
import time

import flood
from devices import APP, TYPE, Device
from harness.application import Application
from harness.peer.device import Peer
from hosts import until
from rows import Row

DEVICES = 32
# Offers in one list.
LIST = 32
# Seconds: until the lists that may come at once are used up, and those that are counted.
WARM_UP = 8
WINDOW = 15


def crowd(folder, prefix):
    with Device(folder, "centre", prefix) as device:
        started = multiprocessing.Event()
        others = multiprocessing.Process(target=run, args=(device, started), daemon=True)
        others.start()
        try:
            until(lambda: device.status()["online"] == DEVICES, "the links", 60)
            started.set()
            time.sleep(WARM_UP)
            count, spent, began = flood.Count.shared.value, processor(device.pid), time.monotonic()
            time.sleep(WINDOW)
            took = time.monotonic() - began
            rate = (flood.Count.shared.value - count) * LIST / took
            share = (processor(device.pid) - spent) / took
        finally:
            others.kill()
            others.join()
    return [
        Row(f"offers a second of {DEVICES} devices, each new (the daemon takes 4 lists a second of each)", "1/s", rate),
        Row("the processor's part that this takes", "%", share * 100),
    ]


def run(device, started):
    """In a process of its own, which is other machines'."""
    os.nice(19)
    application = Application(APP, types=[TYPE])
    application.type = TYPE
    links = []
    for number in range(DEVICES):
        peer = Peer(f"other{number}")
        peer.pair(device)
        links.append(peer.login(device))
    started.wait()
    for link in links:
        threading.Thread(target=flood.offers, args=(link, application, None), daemon=True).start()
    threading.Event().wait()


def processor(pid):
    """Seconds of processor time."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
