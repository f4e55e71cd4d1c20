"""A device of the soak: a host on the network, clocks of its own, a small disk for its state, and applications."""

import contextlib
import os
import signal
import subprocess
import sys
import time

from harness.device import Device
from harness.sleeping import Machine
from harness.tree import HERE

from control import DAEMON, Control
from processes import Process

#: Size of the state directory's file system: the store's file may have 128 MiB, and never comes near to it here.
DISK = "96m"


class Place:
    """An application that is installed on a device."""

    def __init__(self, device, application):
        self.device = device
        self.soak = device.soak
        self.loop = device.soak.loop
        self.application = application
        self.short = application.id.rpartition(".")[2]
        self.installed = device.install(application, device.soak.probe, service=False)
        words = [f"{key}={value}" for key, value in device.machine.environment.items()]
        self.command = [
            "/usr/bin/env", *words, sys.executable, "-S", "-E", str(HERE / "launcher.py"),
            str(self.installed.address), str(device.soak.probe), application.id, "--sources"]
        self.installed.write_service(" ".join(self.command))
        #: The processes that run.
        self.processes = []
        self.loop.watch(self.installed.listener, self.accept)

    def start(self):
        self.device.children.append(subprocess.Popen(
            self.command, env=self.device.environment, stdin=subprocess.DEVNULL, stderr=self.device.log))

    def accept(self):
        connection, _ = self.installed.listener.accept()
        process = Process(self, connection)
        self.processes.append(process)
        self.soak.started(process)

    def left(self, process):
        self.processes.remove(process)
        self.device.children = [child for child in self.device.children if child.poll() is None]
        self.soak.ended(process)

    def close(self):
        self.loop.unwatch(self.installed.listener)
        for process in list(self.processes):
            process.kill("the end")
            process.ended()


class SoakDevice(Device):
    def __init__(self, soak, number, host):
        self.soak = soak
        super().__init__(
            f"d{number}", daemon=False, snapshots=["Share", "Keep"], host=host,
            limits={"SnapshotInterval": 1000, "KeepInterval": 1000})
        self.number = number
        self.is_steady = False
        self.is_cut = False
        self.is_full = False
        self.children = []
        self.mount()
        self.machine = Machine(soak.machine_library, self.folder)
        self.machine.has_daemon(self)
        #: The harms that may have affected its continuations: (when, what).
        self.harms = []
        #: Processes of the daemon that were told to end.
        self.ending = set()
        self.daemon = None
        self.control = Control(self, soak.loop, self.heard)
        self.places = [Place(self, application) for application in soak.applications]

    # The disk

    def mount(self):
        options = f"size={DISK},mode=700"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "soak", self.folder / "state"], check=True)

    def fill(self):
        """Fills the disk: from now on there is no byte left."""
        self.is_full = True
        file = os.open(self.folder / "state/filler", os.O_WRONLY | os.O_CREAT, 0o600)
        free = os.fstatvfs(file)
        # The daemon may take a block meanwhile.
        with contextlib.suppress(OSError):
            os.posix_fallocate(file, 0, free.f_bavail * free.f_frsize)
        os.close(file)

    def empty(self):
        (self.folder / "state/filler").unlink()
        self.is_full = False

    # The daemon

    def heard(self, member, body):
        if member == "ContinuationChanged":
            self.soak.ledger.changed(self, *body)
        elif body[0] == DAEMON:
            self.owner_changed(*body[1:])

    def owner_changed(self, former, owner):
        if former:
            pid, self.daemon = self.daemon, None
            if pid not in self.ending:
                self.soak.ledger.broken(f"{self.name}: the daemon (process {pid}) has ended by itself")
            self.befallen("the daemon ended")
        if owner:
            self.control.ask_bus(self.has_daemon, "GetConnectionUnixProcessID", "s", [owner])

    def has_daemon(self, body):
        if isinstance(body, list):
            self.daemon, = body
            self.soak.log(f"{self.name}: daemon {self.daemon}")

    def befallen(self, what):
        self.harms.append((time.monotonic(), what))
        self.soak.log(f"{self.name}: {what}")

    def was_harmed(self, since, until, words=()):
        """The harms in that time: all of them, or those with one of these words."""
        return [
            what for when, what in self.harms
            if since <= when <= until and (not words or any(word in what for word in words))]

    def end_daemon(self, number):
        if self.daemon:
            self.ending.add(self.daemon)
            self.befallen(f"the daemon gets {signal.Signals(number).name}")
            os.kill(self.daemon, number)

    def everything(self):
        """The processes that stop when the machine sleeps."""
        pids = [process.pid for place in self.places for process in place.processes]
        return pids + [self.daemon] if self.daemon else pids

    def running(self):
        return [process for place in self.places for process in place.processes]

    def send(self, pids, number):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def close(self):
        self.control.close()
        if self.daemon:
            self.ending.add(self.daemon)
        for place in self.places:
            place.close()
        self.send(self.everything(), signal.SIGKILL)
        for child in self.children:
            # A process that has not connected to the soak yet is not among those that run.
            child.kill()
            child.wait()
        subprocess.run(["umount", "-l", self.folder / "state"], check=False)
        super().close()
