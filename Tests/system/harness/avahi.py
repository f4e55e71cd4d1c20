"""The machine's part of a host in a test's network: a system bus, and Avahi on it."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import pytest

from .lines import Lines
from .wire import Bus

NAME = "org.freedesktop.Avahi"
BUS_CONFIGURATION = """<busconfig>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
    <allow user="*"/>
  </policy>
</busconfig>
"""
# Avahi announces nothing of the machine, so that all announcements are Segue's. It then need not look for a free name
# first, and is ready at once.
AVAHI_CONFIGURATION = """[server]
host-name={name}
use-iff-running=no
{server}
[publish]
publish-addresses=no
publish-hinfo=no
publish-workstation=no
publish-domain=no
{publish}
"""


class Machine:
    """The machine of a host; each of its parts must be started."""

    def __init__(self, host):
        self.host = host
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sg-", dir="/tmp"))
        self.address = f"unix:path={self.folder}/bus"
        self.environment = {"DBUS_SYSTEM_BUS_ADDRESS": self.address, "PATH": os.environ["PATH"] + ":/usr/sbin"}
        self.log = open(self.folder / "log", "ab")
        self.bus_process = self.avahi = None

    def start_bus(self):
        (self.folder / "bus.conf").write_text(BUS_CONFIGURATION.format(folder=self.folder))
        self.bus_process = subprocess.Popen(
            ["dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile", "--print-address"],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log)
        Lines(self.bus_process.stdout.fileno()).next()

    def bus(self):
        return Bus(str(self.folder / "bus"))

    def start_avahi(self, server="", publish=""):
        """Starts it, with further lines of its configuration. It is on the bus when this returns."""
        if shutil.which("avahi-daemon", path=self.environment["PATH"]) is None:
            pytest.skip("avahi-daemon is not installed")
        (self.folder / "avahi.conf").write_text(
            AVAHI_CONFIGURATION.format(name=f"machine{self.host.number}", server=server, publish=publish))
        # Avahi's socket and its PID file have fixed paths, so that each daemon has a /run of its own. Avahi does not
        # start without its own user, which a machine that has only unpacked it lacks.
        script = (
            "mount -t tmpfs tmpfs /run && mkdir /run/avahi-daemon && "
            "if ! getent passwd avahi >/dev/null; then for file in passwd group; do "
            "cp /etc/$file /run/ && echo 'avahi:x:65533:65533::/run:/bin/false' >>/run/$file && "
            "mount --bind /run/$file /etc/$file; done; fi && "
            f"exec avahi-daemon -f {self.folder}/avahi.conf --no-drop-root --no-chroot --no-rlimits")
        self.avahi = subprocess.Popen(
            [*self.host.prefix, "unshare", "--mount", "sh", "-c", script], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        with self.bus() as bus:
            bus.wait_for_owner(NAME)

    def stop_avahi(self, number=signal.SIGTERM):
        self.avahi.send_signal(number)
        self.avahi.wait()
        self.avahi = None

    def start(self):
        self.start_bus()
        self.start_avahi()

    def close(self):
        for process in [self.avahi, self.bus_process]:
            if process:
                process.kill()
                process.wait()
        if self.bus_process:
            self.bus_process.stdout.close()
        self.log.close()
        shutil.rmtree(self.folder)
