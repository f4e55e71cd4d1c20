"""Machines that sleep: no real one can be put to sleep for a test, so that clocks are moved for single processes."""

import os
import pathlib
import struct
import subprocess

from .tree import HERE, SEGUED


def build(folder):
    """Builds the library that is preloaded into a process, and returns its path."""
    library = pathlib.Path(folder) / "machine.so"
    subprocess.run(
        [os.environ.get("CC", "cc"), "-std=c11", "-O1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", "-o", library,
         HERE.parent / "sleeping" / "machine.c", "-ldl", "-lpthread"],
        check=True)
    return library


class Machine:
    """The clocks of the processes that are started with `environment`."""

    def __init__(self, library, folder):
        self.slept = 0
        self.set = 0
        self.file = pathlib.Path(folder) / "slept"
        self.file.write_bytes(struct.pack("=qq", 0, 0))
        self.environment = {"LD_PRELOAD": str(library), "SEGUE_TEST_SLEPT": str(self.file)}

    def sleep(self, seconds):
        self.slept += seconds * 1000
        self.write()

    def set_clock(self, seconds):
        """Sets the clock that people read so much forward, or back."""
        self.set += seconds * 1000
        self.write()

    def write(self):
        file = os.open(self.file, os.O_WRONLY)
        os.pwrite(file, struct.pack("=qq", self.slept, self.set), 0)
        os.close(file)

    def has_daemon(self, device):
        """The device's daemon, which has not been started yet, is one of them."""
        words = " ".join(f"{key}={value}" for key, value in self.environment.items())
        device.install_daemon(f"/usr/bin/env {words} {SEGUED}")
        device.reload()
