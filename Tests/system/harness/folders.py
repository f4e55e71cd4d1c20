"""The real Nautilus on a device, on a screen that nobody sees."""

import shutil
import subprocess

from .application import Application
from .bounds import SECONDS
from .waiting import wait_for
from .wire import BusError

NAUTILUS = Application("org.segue.Bridge.Nautilus", "Files", ["org.segue.open.Folder"])


class Nautilus:
    """Nautilus on one device, as its user sees and drives it."""

    NAME = "org.gnome.Nautilus"
    PATH = "/org/freedesktop/FileManager1"
    INTERFACE = "org.freedesktop.FileManager1"

    def __init__(self, device):
        self.device = device
        shutil.copy(f"/usr/share/dbus-1/services/{self.NAME}.service", device.data / "dbus-1/services")
        device.reload()

    def is_running(self):
        with self.device.bus() as bus:
            return bus.ask("NameHasOwner", "s", [self.NAME]) == [True]

    def start(self, *folders):
        """As from a terminal: one window for each folder."""
        subprocess.Popen(
            ["nautilus", *map(str, folders)], env=self.device.environment, stdin=subprocess.DEVNULL,
            stdout=self.device.log, stderr=self.device.log)
        for folder in folders:
            wait_for(lambda: folder.as_uri() in self.shown(), f"{folder} in Nautilus")

    def show(self, folder):
        with self.device.bus() as bus:
            bus.call(self.NAME, self.PATH, self.INTERFACE, "ShowFolders", "ass", [[folder.as_uri()], ""])
        wait_for(lambda: folder.as_uri() in self.shown(), f"{folder} in Nautilus")

    def windows(self):
        """The locations of each window; {} where it does not run, or does not answer yet."""
        if not self.is_running():
            return {}
        with self.device.bus() as bus:
            try:
                return bus.call(
                    self.NAME, self.PATH, "org.freedesktop.DBus.Properties", "Get", "ss",
                    [self.INTERFACE, "OpenWindowsWithLocations"])[0]
            except BusError:
                return {}

    def shown(self):
        return [place for places in self.windows().values() for place in places]

    def close(self):
        """As its menu does."""
        with self.device.bus() as bus:
            bus.call(self.NAME, "/org/gnome/Nautilus", "org.gtk.Actions", "Activate", "sava{sv}", ["quit", [], {}])

    def picture(self):
        """The pixels of the screen."""
        return subprocess.run(
            ["import", "-window", "root", "-depth", "8", "rgb:-"], env=self.device.environment, stdout=subprocess.PIPE,
            check=True, timeout=SECONDS).stdout
