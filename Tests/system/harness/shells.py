"""Users of segue-shell on devices, with terminals of the test's."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import struct
import sys

from .application import Application, Installed
from .bounds import SECONDS
from .device import Device
from .terminal import Terminal
from .tree import HERE, PREFIX, SOURCES
from .tree import SEGUE_SHELL as SHELL

APPLICATION = Application("org.segue.Shell")


class ShellUser:
    """A user of segue-shell on a device, with terminals of the test's."""

    def __init__(self, device):
        self.device = device
        self.terminals = []
        for source, target in [("applications/org.segue.Shell.desktop.in", "applications/org.segue.Shell.desktop"),
                               ("dbus-1/services/org.segue.Shell.Segue.service.in",
                                "dbus-1/services/org.segue.Shell.Segue.service")]:
            Installed.write(
                device.data / target, (SOURCES / "data" / source).read_text()
                .replace("@PREFIX@/bin/segue-shell", str(SHELL)).replace("@PREFIX@", str(PREFIX)))
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{device.folder}/terminal.socket")
        self.listener.listen()
        program = device.folder / "terminal"
        tell = f"{sys.executable} {HERE}/terminal_program.py {device.folder}/terminal.socket"
        # Called as xterm is, with -e.
        program.write_text(f"#!/bin/sh\nshift\nexec {tell} \"$@\"\n")
        program.chmod(0o755)
        self.environment = {**device.environment, "TERM": "xterm", "PS1": "$ ", "SHELL": "/bin/sh",
                            "TERMINAL": str(program), "VIMINIT": "set nocp noswapfile"}
        with device.bus() as bus:
            bus.ask("ReloadConfig")
            bus.ask("UpdateActivationEnvironment", "a{ss}", [{"TERMINAL": str(program)}])

    def terminal(self, *arguments, **size):
        self.terminals.append(Terminal([SHELL, *arguments], self.environment, **size))
        return self.terminals[-1]

    def opened(self, **size):
        """The terminal that was opened for a continuation."""
        self.listener.settimeout(SECONDS)
        connection = self.listener.accept()[0]
        with connection:
            data = b""
            while part := connection.recv(65536):
                data += part
        arguments = json.loads(data)["arguments"]
        assert arguments[0] == os.path.join(os.path.realpath(os.path.dirname(SHELL)), os.path.basename(SHELL))
        self.terminals.append(Terminal(arguments, self.environment, **size))
        return self.terminals[-1]

    def took(self, **size):
        """The terminal that opens for the session that is on offer here."""
        self.device.take(self.device.offer(APPLICATION)).succeeded()
        return self.opened(**size)

    def signal_session(self, name, number):
        """Its process; SIGKILL takes its terminal with it."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(f"{self.environment['XDG_RUNTIME_DIR']}/segue-shell/{name}")
            credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        os.kill(struct.unpack("3i", credentials)[0], number)

    def connected(self):
        """How many sessions are connected to the service. A socket that it has accepted has the path that it listens at."""
        path = f"{self.environment['XDG_RUNTIME_DIR']}/segue-shell/service"
        with open("/proc/net/unix") as sockets:
            return sum(line.split()[5] == "03" for line in sockets if line.rstrip().endswith(path))

    def service(self):
        """Its process; None where none has the name."""
        with self.device.bus() as bus:
            has_name = "org.segue.Shell.Segue" in bus.ask("ListNames")[0]
            return bus.pid_of("org.segue.Shell.Segue") if has_name else None

    def close(self):
        for terminal in self.terminals:
            terminal.close()
        self.listener.close()
        # Sessions and the service outlive what started them: on purpose.
        mark = f"{Device.MARK}={self.device.folder}".encode()
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if ((process / "exe").resolve() == SHELL.resolve()
                        and mark in (process / "environ").read_bytes().split(b"\0")):
                    os.kill(int(process.name), signal.SIGKILL)


def users(devices):
    return [ShellUser(device) for device in devices]


def moved(desk, lap, *program, **size):
    """(the terminal on desk, the one on lap), both on a shared session."""
    here = desk.terminal("--share", "--", *(program or ["/bin/sh"])).until("$")
    here.type("echo st''arted\r")
    here.until("started")
    return here, lap.took(**size).until("started")
