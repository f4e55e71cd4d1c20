"""Programs in Swift on a device, with pipes in the place of their terminals, also where the bus starts them."""

import os
import select
import subprocess

from .bounds import SECONDS
from .tree import PREFIX


class SwiftProgram:
    """One application on one device. `desktop` and `service` are the texts of its files; in `service`, @bindir@ is the
    folder of the program."""

    def __init__(self, device, id_, name, program, desktop, service):
        self.device = device
        self.process = None
        self.rest = b""
        self.seen = []
        pipes = [device.folder / f"{name}-commands", device.folder / f"{name}-lines"]
        for pipe in pipes:
            os.mkfifo(pipe)
        # Both ends stay open here, so that a program that ends is not the end of the pipe.
        self.commands, self.lines = (os.open(pipe, os.O_RDWR) for pipe in pipes)
        self.launcher = device.folder / name
        self.launcher.write_text(
            f'#!/bin/sh\nLD_LIBRARY_PATH={PREFIX}/lib exec {program} "$@" <{pipes[0]} >{pipes[1]}\n')
        self.launcher.chmod(0o755)
        for path, text in [(f"applications/{id_}.desktop", desktop),
                           (f"dbus-1/services/{id_}.Segue.service", service.replace("@bindir@", str(device.folder)))]:
            file = device.data / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def start(self, *arguments):
        self.process = subprocess.Popen(
            [self.launcher, *arguments], env=self.device.environment, stderr=self.device.log)
        self.until("state: registered")

    def type(self, line):
        os.write(self.commands, f"{line}\n".encode())

    def until(self, start):
        """The next line that begins so."""
        while True:
            while b"\n" not in self.rest:
                assert select.select([self.lines], [], [], SECONDS)[0], f"no line {start!r} after {self.seen[-8:]}"
                self.rest += os.read(self.lines, 65536)
            line, _, self.rest = self.rest.partition(b"\n")
            self.seen.append(line.decode())
            if line.decode().startswith(start):
                return line.decode()

    def signal(self, number):
        """To the process that was started here."""
        self.process.send_signal(number)

    def close(self):
        """Ends the programs that read commands, which is what they do at a command that is none of theirs."""
        self.type("quit")
        if self.process:
            assert self.process.wait(SECONDS) == 0
        os.close(self.commands)
        os.close(self.lines)
