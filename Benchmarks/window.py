"""How long segue-desktop takes to open, beside the least program of its kind."""

import contextlib
import ctypes
import os
import pathlib
import select
import shutil
import subprocess
import sys
import time

from devices import PATIENCE, Device
from rows import Row, p50, p99

HERE = pathlib.Path(__file__).resolve().parent
STARTS = 15


class Screen:
    """A display that tells when a window is shown on it."""

    #: X11/X.h: SubstructureNotifyMask, MapNotify. A window of GTK is no smaller than this.
    MASK, MAPPED = 1 << 19, 19

    def __init__(self):
        reading, writing = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"], pass_fds=[writing],
            stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as file:
            self.name = f":{file.readline().strip()}"
        self.x = ctypes.CDLL("libX11.so.6")
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        self.display = ctypes.c_void_p(self.x.XOpenDisplay(self.name.encode()))
        root = ctypes.c_ulong(self.x.XDefaultRootWindow(self.display))
        self.x.XSelectInput(self.display, root, ctypes.c_long(self.MASK))
        self.x.XSync(self.display, 0)

    def wait(self):
        """Until a window is shown."""
        event = (ctypes.c_long * 24)()
        give_up = time.monotonic() + PATIENCE
        while time.monotonic() < give_up:
            while self.x.XPending(self.display):
                self.x.XNextEvent(self.display, event)
                if ctypes.cast(event, ctypes.POINTER(ctypes.c_int))[0] == self.MAPPED:
                    return
            select.select([self.x.XConnectionNumber(self.display)], [], [], 1)
        raise RuntimeError("no window came")

    def forget(self):
        """What was told until now is not waited for."""
        self.x.XSync(self.display, 1)

    def close(self):
        self.x.XCloseDisplay(self.display)
        self.server.terminate()
        self.server.wait()


def measure(folder, prefix):
    """From the start of the process to its window on the screen, with a daemon that runs."""
    ours, hello = prefix / "bin/segue-desktop", HERE / "desktop/hello.py"
    if not shutil.which("Xvfb") or subprocess.run([hello, "--help"], capture_output=True).returncode != 0:
        print("bench: segue-desktop's start is left out: Debian's xvfb, gir1.2-gtk-4.0 and gir1.2-adw-1", file=sys.stderr)
        return []
    samples = {ours: [], hello: []}
    with Device(folder, "alone", prefix) as device, contextlib.closing(Screen()) as screen:
        environment = {
            **device.environment, "XDG_DATA_DIRS": f"{prefix}/share:/usr/share", "DISPLAY": screen.name, "GDK_BACKEND": "x11",
            "GSK_RENDERER": "cairo"}
        for _ in range(STARTS + 1):
            for program, times in samples.items():
                screen.forget()
                start = time.monotonic()
                process = subprocess.Popen([program], env=environment, stderr=subprocess.DEVNULL)
                try:
                    screen.wait()
                    times.append((time.monotonic() - start) * 1000)
                finally:
                    process.kill()
                    process.wait()
    # The first of each has warmed the page cache.
    window, least = samples[ours][1:], samples[hello][1:]
    return [Row("segue-desktop, from its start to its window (baseline: a hello world of GTK 4 in Python)", "ms", p50(window),
                p99(window), p50(least), "<= 1.5x", p50(window) <= 1.5 * p50(least))]
