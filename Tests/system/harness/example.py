"""A program of examples/, built and installed by its own Makefile, as somebody who copies it does."""

import configparser
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import sys

from .application import Installed
from .lines import Lines
from .probe import Probe
from .tree import HERE, PREFIX, SOURCES


def read(path):
    """A key-file, with the case of its keys."""
    file = configparser.RawConfigParser()
    file.optionxform = str
    with open(path) as lines:
        file.read_file(lines)
    return file


class Example:
    """An example, built in a directory of its own, so that it leaves nothing in the sources."""

    def __init__(self, path, folder):
        self.folder = pathlib.Path(folder) / path.replace("/", "-")
        shutil.copytree(SOURCES / "examples" / path, self.folder)
        self.id = next(self.folder.rglob("*.desktop")).stem
        self.make("clean", "all")

    def make(self, *arguments):
        environment = dict(os.environ, PKG_CONFIG_PATH=str(PREFIX / "lib" / "pkgconfig"))
        subprocess.run(["make", "-s", "-C", self.folder, *arguments], check=True, env=environment)


class InstalledExample:
    """An example on a device, for its user. The service file runs it behind launcher.py, so that the test hears it."""

    def __init__(self, device, example):
        self.device = device
        self.probes = []
        example.make("install", f"PREFIX={device.folder}", f"datadir={device.data}", f"PYTHON={sys.executable}")
        self.desktop = device.data / "applications" / f"{example.id}.desktop"
        self.service = device.data / "dbus-1" / "services" / f"{example.id}.Segue.service"
        words = shlex.split(read(self.desktop)["Desktop Entry"]["Exec"])
        # Without %F and the like, which stand for files.
        self.command = [word for word in words if not word.startswith("%")]
        # The loader does not know the prefix; see docs/building.md.
        self.environment = {
            **device.environment, "LD_LIBRARY_PATH": str(PREFIX / "lib"),
            "PATH": f"{device.folder}/bin:{device.environment['PATH']}"}
        self.address = device.folder / f"launch-{example.id.rpartition('.')[2]}"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.address))
        self.listener.listen(8)
        text = self.service.read_text()
        launch = shlex.split(read(self.service)["D-BUS Service"]["Exec"])
        environment = ["/usr/bin/env", f"LD_LIBRARY_PATH={PREFIX / 'lib'}"]
        heard = [*environment, sys.executable, HERE / "launcher.py", self.address, *launch]
        Installed.write(self.service, text.replace(shlex.join(launch), " ".join(map(str, heard))))
        device.installed.append(self)

    def start(self, *arguments):
        """Starts it as its user does."""
        process = subprocess.Popen(
            [*self.command, *arguments], env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.device.log)
        program = Probe(Lines(process.stdout.fileno()), process.stdin.fileno(), process.pid, process=process)
        self.probes.append(program)
        return program

    def launched(self):
        """The next program that the bus launches."""
        program = Probe.accept(self.listener)
        self.probes.append(program)
        return program

    def was_launched(self):
        """Whether the bus has launched a program that `launched` has not returned."""
        try:
            self.probes.append(Probe.accept(self.listener, 0))
            return True
        except (BlockingIOError, TimeoutError):
            return False

    def close(self):
        for program in self.probes:
            program.close()
        for path in [self.desktop, self.service, self.address]:
            path.unlink(missing_ok=True)
        self.listener.close()
