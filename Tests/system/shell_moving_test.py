"""segue-shell between devices: a session that is continued elsewhere, and its way back."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import sys

import pytest
from harness.application import Application, Installed
from harness.bounds import SECONDS
from harness.device import Device, pair
from harness.network import Network
from harness.terminal import Terminal
from harness.tree import HERE, PREFIX, SOURCES
from harness.waiting import wait_for

SHELL = PREFIX / "bin" / "segue-shell"


class ShellUser:
    """A user of segue-shell on a device, with terminals of the test's."""

    def __init__(self, device):
        self.device = device
        self.terminals = []
        for source, target in [("applications/org.segue.Shell.desktop.in", "applications/org.segue.Shell.desktop"),
                               ("dbus-1/services/org.segue.Shell.Segue.service.in",
                                "dbus-1/services/org.segue.Shell.Segue.service")]:
            Installed.write(
                device.data / target, (SOURCES / "data" / source).read_text().replace("@PREFIX@", str(PREFIX)))
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
        assert arguments[0] == os.path.realpath(SHELL)
        self.terminals.append(Terminal(arguments, self.environment, **size))
        return self.terminals[-1]

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


@pytest.fixture
def shells(new_device):
    """(desk's, lap's), on devices of the test's own."""
    devices = new_device("desk"), new_device("lap")
    pair(*devices)
    made = users(devices)
    yield made
    for user in made:
        user.close()


@pytest.fixture
def far():
    """The same on two hosts, with a cable between them."""
    with contextlib.ExitStack() as ends:
        network = Network()
        ends.callback(network.close)
        devices = []
        for name in ["desk", "lap"]:
            devices.append(Device(name, host=network.host()))
            ends.callback(devices[-1].close)
        pair(*devices)
        made = users(devices)
        for user in made:
            ends.callback(user.close)
        yield made


APPLICATION = Application("org.segue.Shell")


def moved(desk, lap, *program, **size):
    """(the terminal on desk, the one on lap), both on a shared session."""
    here = desk.terminal("--share", "--", *(program or ["/bin/sh"])).until("$")
    here.type("echo st''arted\r")
    here.until("started")
    lap.device.take(lap.device.offer(APPLICATION)).succeeded()
    there = lap.opened(**size)
    return here, there.until("started")


def test_aSessionIsContinuedOnAnotherDevice(shells):
    desk, lap = shells
    here, there = moved(desk, lap, rows=30, columns=100)
    there.type("stty size; pwd\r")
    here.until("30 100")
    here.until(lambda: "shared with" in here.screen.title)
    here.type("echo from the d''esk\r")
    there.until("from the desk")
    # The end of its terminal is none of the session's.
    there.kill()
    here.until(lambda: "shared" not in here.screen.title)
    # It is on offer again, and is taken again.
    lap.device.take(lap.device.offer(APPLICATION)).succeeded()
    again = lap.opened().until("from the desk")
    again.type("exit 5\r")
    assert (again.ended(), here.ended()) == (5, 5)
    lap.device.no_offer(APPLICATION)


def test_whatIsNotSharedIsNotOffered(shells):
    desk, lap = shells
    desk.terminal("--", "/bin/sh").until("$").type("echo private\r")
    desk.terminal("--share", "--", "/bin/sh", "-c", "cd /; exec sh").until("$").type("echo\r")
    assert lap.device.offer(APPLICATION)["title"] == "sh in /"
    assert len(lap.device.offers_of(APPLICATION)) == 1


def test_withoutATerminalsProgram(shells):
    desk, lap = shells
    with lap.device.bus() as bus:
        bus.ask("UpdateActivationEnvironment", "a{ss}", [{"TERMINAL": "", "PATH": "/nowhere"}])
    here = desk.terminal("--share", "--", "/bin/sh").until("$")
    here.type("echo\r")
    lap.device.take(lap.device.offer(APPLICATION)).failed()


def test_theEndOfTheServiceEndsNoSession(shells):
    desk, lap = shells
    here, there = moved(desk, lap)
    old = desk.service()
    os.kill(old, signal.SIGKILL)
    there.type("echo goes o''n\r")
    here.until("goes on")
    there.type("~.")
    there.ended()
    # Another one offers the session.
    wait_for(lambda: desk.service() not in (None, old), "a new service")


def test_aVimSessionMovesThereAndBackWhileTheCableIsPulled(far, tmp_path):
    desk, lap = far
    text = tmp_path / "letter"
    here = desk.terminal("--share", "--", "/bin/sh").until("$")
    here.type(f"vim.tiny {text}\r")
    here.until("[New]")
    here.type("iWritten on the desk.\x1b")
    here.until("Written on the desk.")
    lap.device.take(lap.device.offer(APPLICATION)).succeeded()
    there = lap.opened(rows=30, columns=100).until("Written on the desk.")
    there.type("oWritten on the lap.\x1b")
    here.until("Written on the lap.")
    desk.device.host.unplug()
    there.until("is not reached")
    # Here it goes on meanwhile.
    here.type("oWritten in between.\x1b")
    here.until("Written in between.")
    assert "in between" not in there.text
    desk.device.host.plug()
    there.until("Written in between.").until_gone("is not reached")
    there.type("oWritten there again.\x1b:w\r")
    here.until("Written there again.")
    there.type("\r~.")
    assert there.ended() == 0
    here.type(":q\r")
    here.until("$")
    assert text.read_text() == (
        "Written on the desk.\nWritten on the lap.\nWritten in between.\nWritten there again.\n")
