"""Devices whose users have Flatpaks, and what runs in these."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from harness.bounds import SECONDS
from harness.device import Device
from harness.lines import Lines
from harness.probe import Probe
from harness.tree import SOURCES
from repository import flatpak

#: The portal of documents, which scripts/dependencies has unpacked, and what it asks.
PORTALS = {
    "org.freedesktop.portal.Documents": "xdg-document-portal",
    "org.freedesktop.impl.portal.PermissionStore": "xdg-permission-store",
}


class FlatpakDevice(Device):
    """A device whose bus and daemon see what its user has installed as Flatpaks, as after a login, with the portal of
    documents."""

    #: No file of a user counts that is in a folder which anybody may write to.
    PLACE = "/run" if os.getuid() == 0 else os.environ.get("XDG_RUNTIME_DIR", "/tmp")

    def start_bus(self):
        self.system = pathlib.Path(tempfile.mkdtemp(prefix="sg-", dir=self.PLACE))
        # An ordinary user does not make the installation of the system, but Flatpak asks it.
        subprocess.run(["ostree", "init", f"--repo={self.system}/repo", "--mode=bare-user-only"], check=True)
        exports = [folder / "exports/share" for folder in [self.data / "flatpak", self.system]]
        # Its data folder is one in its home, as everybody's.
        self.environment |= {
            "HOME": str(self.folder), "XDG_DATA_DIRS": ":".join(map(str, exports)),
            "FLATPAK_SYSTEM_DIR": str(self.system),
            # Flatpak asks there whether a user's parents allow an application.
            "DBUS_SYSTEM_BUS_ADDRESS": self.environment["DBUS_SESSION_BUS_ADDRESS"]}
        for name, program in PORTALS.items():
            program = SOURCES / ".build-packages/usr/libexec" / program
            (self.data / f"dbus-1/services/{name}.service").write_text(f"[D-BUS Service]\nName={name}\nExec={program}\n")
        configuration = self.folder / "bus.conf"
        configuration.write_text(configuration.read_text().replace(
            "<auth>", "".join(f"<servicedir>{path}/dbus-1/services</servicedir>" for path in exports) + "<auth>"))
        (self.folder / "launch").mkdir(exist_ok=True)
        self.flatpaks = []
        super().start_bus()

    def add(self, repository, *applications, where="--user"):
        """Installs these applications as its user does, or with `--system` as its administrator does."""
        repository.install_on(self.environment, *(application.id for application in applications), where=where)
        self.reload()
        self.flatpaks += [Flatpak(self, application) for application in applications]
        return self.flatpaks[-len(applications):]

    def document(self, application, name, text):
        """A file that its user has chosen for an application: its path in the sandbox, where the portal shows it."""
        file = self.folder / name
        file.write_text(text)
        opened = os.open(file, os.O_PATH)
        with self.bus() as bus:
            (id_,), _ = bus.call(
                "org.freedesktop.portal.Documents", "/org/freedesktop/portal/documents",
                "org.freedesktop.portal.Documents", "AddFull", "ahusas", [[0], 0, application.id, ["read"]], [opened])
        os.close(opened)
        return pathlib.Path(f"/run/flatpak/doc/{id_}/{name}")

    def close(self):
        for installed in self.flatpaks:
            installed.close()
        with self.bus() as bus:
            if bus.ask("NameHasOwner", "s", ["org.freedesktop.portal.Documents"])[0]:
                portal = bus.pid_of("org.freedesktop.portal.Documents")
                handle = os.pidfd_open(portal)
                # It takes its file system away when it is told to end.
                os.kill(portal, signal.SIGTERM)
                self.wait_for_end(handle)
        subprocess.run(["fusermount3", "-u", "-z", self.folder / "run/doc"], stderr=subprocess.DEVNULL)
        super().close()
        shutil.rmtree(self.system)


class Flatpak:
    """An application that is installed on a device."""

    def __init__(self, device, application):
        self.device = device
        self.application = application
        self.probes = []
        address = device.folder / "launch" / application.id
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(address))
        self.listener.listen(8)
        flatpak(
            "--user", "override", f"--filesystem={address.parent}", application.id, environment=device.environment)

    def start(self, *options, id_=None, ready=True):
        """Starts the probe in its sandbox, by the user's hand, with options of Flatpak's; `id_`: under another id."""
        # The library's sentences go where the test can read them.
        process = subprocess.Popen(
            ["flatpak", "run", *options, self.application.id, "/app/bin/segue-probe", id_ or self.application.id],
            env=self.device.environment, stdin=subprocess.DEVNULL, stdout=self.device.log, stderr=subprocess.PIPE)
        probe = self.launched()
        probe.sandbox, probe.said = process, Lines(process.stderr.fileno())
        return probe.ready() if ready else probe

    def launched(self):
        """The next probe that has been started."""
        self.probes.append(Probe.accept(self.listener, SECONDS))
        self.probes[-1].sandbox = None
        return self.probes[-1]

    def run(self, program, *words):
        """Runs a program in a sandbox of the application's to its end: its status and its output."""
        done = subprocess.run(
            ["flatpak", "run", f"--command={program}", self.application.id, *words], env=self.device.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def end(self):
        for probe in self.probes:
            probe.close()
            if probe.sandbox:
                probe.sandbox.wait(SECONDS)
                probe.sandbox.stderr.close()
        self.probes = []

    def close(self):
        self.end()
        self.listener.close()


def rests(pid):
    """Waits until no timer of the process runs: it will do nothing by itself any more."""
    end = time.monotonic() + SECONDS
    while any("it_value: (0, 0)" not in text for text in timers(pid)):
        assert time.monotonic() < end, f"{pid} still waits for a time"
        os.sched_yield()


def timers(pid):
    for entry in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        text = entry.read_text()
        if "it_value:" in text:
            yield text
