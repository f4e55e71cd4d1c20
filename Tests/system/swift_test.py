"""The example in Swift on two devices. scripts/test-swift builds it, and names the program in SEGUE_OUTLINE."""

import os
import select
import subprocess

import pytest

from harness.application import Application
from harness.bounds import SECONDS
from harness.device import pair
from harness.tree import PREFIX, SOURCES

PROGRAM = os.environ.get("SEGUE_OUTLINE")
FILES = SOURCES / "examples/swift/outline"
pytestmark = pytest.mark.skipif(not PROGRAM, reason="scripts/test-swift builds the example in Swift")
OUTLINE = Application("org.segue.Outline", "Segue Outline", ["org.segue.outline.writing"])


class Outline:
    """The example on one device, with pipes in the place of its terminal, also where the bus starts it."""

    def __init__(self, device):
        self.device = device
        self.process = None
        self.rest = b""
        pipes = [device.folder / "outline-commands", device.folder / "outline-lines"]
        for pipe in pipes:
            os.mkfifo(pipe)
        # Both ends stay open here, so that a program that ends is not the end of the pipe.
        self.commands, self.lines = (os.open(pipe, os.O_RDWR) for pipe in pipes)
        launcher = device.folder / "segue-outline"
        launcher.write_text(
            f"#!/bin/sh\nLD_LIBRARY_PATH={PREFIX}/lib exec {PROGRAM} <{pipes[0]} >{pipes[1]}\n")
        launcher.chmod(0o755)
        self.launcher = launcher
        service = (FILES / "org.segue.Outline.Segue.service.in").read_text()
        for path, text in [("applications/org.segue.Outline.desktop", (FILES / "org.segue.Outline.desktop").read_text()),
                           ("dbus-1/services/org.segue.Outline.Segue.service",
                            service.replace("@bindir@", str(device.folder)))]:
            file = device.data / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def start(self):
        self.process = subprocess.Popen([self.launcher], env=self.device.environment, stderr=self.device.log)
        self.until("state: registered")

    def type(self, line):
        os.write(self.commands, f"{line}\n".encode())

    def until(self, start):
        """The next line that begins so."""
        while True:
            while b"\n" not in self.rest:
                assert select.select([self.lines], [], [], SECONDS)[0], f"no line {start!r}"
                self.rest += os.read(self.lines, 65536)
            line, _, self.rest = self.rest.partition(b"\n")
            if line.decode().startswith(start):
                return line.decode()

    def close(self):
        self.type("quit")
        if self.process:
            assert self.process.wait(SECONDS) == 0
        os.close(self.commands)
        os.close(self.lines)


@pytest.fixture
def outlines(new_device):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    made = [Outline(desk), Outline(lap)]
    yield made
    for outline in made:
        outline.close()


def begin(outline):
    outline.start()
    for command in ["write Shopping", "change 3 butter", "select 2", "type br"]:
        outline.type(command)


def goes_on(here, there, command):
    """Everything is there as it was here."""
    assert there.until("coming: ") == "coming: Shopping from desk"
    assert there.until("history: ") == "history: 3: third"
    assert there.until("lines: ") == "lines: first | second | butter"
    assert there.until("selection: ") == "selection: 2, draft: br, caret: 2"
    here.until("continued elsewhere")
    command.succeeded()


def test_anOutlineLaunchesTheProgramThere(outlines):
    here, there = outlines
    begin(here)
    goes_on(here, there, there.device.take(there.device.offer(OUTLINE, title="Shopping")))


def test_anOutlineGoesOnInARunningProgramAndBack(outlines):
    here, there = outlines
    begin(here)
    there.start()
    goes_on(here, there, there.device.take(there.device.offer(OUTLINE, title="Shopping")))
    there.type("type ead")
    there.type("select 1")
    command = here.device.take(here.device.offer(OUTLINE, title="Shopping"))
    assert here.until("selection: ") == "selection: 1, draft: bread, caret: 5"
    there.until("continued elsewhere")
    command.succeeded()


def test_whatNobodyUnderstandsIsSaid(outlines):
    here, _ = outlines
    here.start()
    for command in ["", "fly", "change x", "open /nowhere/at/all"]:
        here.type(command)
    assert [here.until(start).split(" ")[0] for start in ["write", "write", "write", "error"]] == ["write"] * 3 + ["error:"]
