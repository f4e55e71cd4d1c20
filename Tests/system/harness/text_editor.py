"""GNOME's real text editor on a device, with a window manager and a keyboard."""

import shutil
import subprocess
import time

from .application import Application
from .bounds import SECONDS
from .waiting import wait_for

TEXT_EDITOR = Application("org.segue.Bridge.GnomeTextEditor", "Text Editor", ["org.segue.open.Text"])
#: Seconds after which a screen that has not changed counts as still.
STILL = 1
SERVICES = ["org.gnome.TextEditor", "org.gtk.vfs.Daemon", "org.gtk.vfs.Metadata"]


class TextEditor:
    """The editor on one device, as its user sees and drives it. It says nothing of its place: something is typed there."""

    def __init__(self, device):
        self.device = device
        for name in SERVICES:
            shutil.copy(f"/usr/share/dbus-1/services/{name}.service", device.data / "dbus-1/services")
        device.reload()
        # A cursor that blinks is never still.
        settings = device.folder / "config/gtk-4.0/settings.ini"
        settings.parent.mkdir()
        settings.write_text("[Settings]\ngtk-cursor-blink=false\ngtk-enable-animations=false\n")
        subprocess.Popen(["openbox"], env=device.environment, stdin=subprocess.DEVNULL, stdout=device.log,
                         stderr=device.log)

    def is_running(self):
        with self.device.bus() as bus:
            return bus.ask("NameHasOwner", "s", ["org.gnome.TextEditor"]) == [True]

    def start(self, *files):
        subprocess.Popen(
            ["gnome-text-editor", *map(str, files)], env=self.device.environment, stdin=subprocess.DEVNULL,
            stdout=self.device.log, stderr=self.device.log)
        for file in files:
            self.is_in_front(file)

    def is_in_front(self, file):
        """Waits until its window has that title."""
        wait_for(lambda: self.tool("search", "--onlyvisible", "--name", file.name), f"{file.name} in a window")

    def tool(self, *words):
        return subprocess.run(
            ["xdotool", *words], env=self.device.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            timeout=SECONDS, text=True).stdout.strip()

    def picture(self):
        return subprocess.run(
            ["import", "-window", "root", "-depth", "8", "rgb:-"], env=self.device.environment, stdout=subprocess.PIPE,
            check=True, timeout=SECONDS).stdout

    def rests(self, file):
        """Waits until the file is in front, and nothing changes on the screen any more: its text is loaded."""
        self.is_in_front(file)
        seen, since = b"", time.monotonic()

        def is_still():
            nonlocal seen, since
            picture = self.picture()
            if picture != seen:
                seen, since = picture, time.monotonic()
            # An editor that loads a text may do nothing for a moment, and has its cursor at the end meanwhile.
            return time.monotonic() - since > STILL

        wait_for(is_still, f"{file.name} on the screen")

    def go_to_end(self, file):
        self.rests(file)
        top = self.picture()
        # A key that comes before the window has the focus is nobody's.
        wait_for(lambda: self.tool("key", "ctrl+End") == "" and self.picture() != top, "the end of the text")
        self.rests(file)

    def place(self, file, mark):
        """(line, column), both from 1, at which the file has what is typed now."""
        self.rests(file)

        def typed():
            if mark not in file.read_text():
                self.tool("key", "ctrl+s")
            return mark in file.read_text()

        self.tool("type", mark)
        wait_for(typed, f"{mark} in the file")
        before = file.read_text().partition(mark)[0]
        return before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1
