"""A disk that stalls, or fails, for as long as a test says: what waits for it waits as long."""

import os
import pathlib
import subprocess

from .tree import HERE, SEGUED
from .waiting import wait_for


def build(folder):
    """Builds the library that is preloaded into a process, and returns its path."""
    library = pathlib.Path(folder) / "disk.so"
    subprocess.run(
        [os.environ.get("CC", "cc"), "-std=c11", "-O1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", "-o", library,
         HERE.parent / "stalling" / "disk.c", "-ldl"],
        check=True)
    return library


class Disk:
    """The disk of the processes that are started with `environment`."""

    def __init__(self, library, folder):
        self.folder = pathlib.Path(folder)
        self.environment = {"LD_PRELOAD": str(library), "SEGUE_TEST_DISK": str(folder)}

    def stall(self):
        (self.folder / "stalls").touch()

    def until_stalled(self):
        waits = self.folder / "waits"
        wait_for(lambda: waits.exists() and waits.stat().st_size > 0, "somebody who waits for the disk")
        os.truncate(waits, 0)

    def go_on(self):
        (self.folder / "stalls").unlink()

    def fail(self):
        (self.folder / "fails").touch()

    def has_daemon(self, device):
        """The device's daemon, which has not been started yet, is one of them."""
        words = " ".join(f"{key}={value}" for key, value in self.environment.items())
        device.install_daemon(f"/usr/bin/env {words} {SEGUED}")
        device.reload()
