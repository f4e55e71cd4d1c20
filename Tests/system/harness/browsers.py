"""The browsers that the extension is tested in, and one of them on a device."""

import os

from .application import Installed as Files
from .chromium import Chromium
from .firefox import Firefox
from .tree import PREFIX, SOURCES

#: Whether the browsers are installed: scripts/test-browsers installs them.
WANTED = "SEGUE_BROWSERS" in os.environ

KINDS = {"firefox": Firefox, "chromium": Chromium}


class Installed:
    """A browser on a device, the user's default, with the files that Segue installs for it."""

    def __init__(self, device, kind):
        self.device = device
        self.id = f"org.segue.Browser.{kind.kind.capitalize()}"
        self.browser = kind(device.folder, device.environment, PREFIX / "libexec" / "segue-browser")
        self.files = []
        for part in [f"applications/{self.id}.desktop", f"dbus-1/services/{self.id}.Segue.service"]:
            text = (SOURCES / "data" / f"{part}.in").read_text().replace("@LIBEXECDIR@", str(PREFIX / "libexec"))
            self.put(device.data / part, text)
        name = f"{kind.command}.desktop"
        self.put(device.data / "applications" / name,
                 f"[Desktop Entry]\nType=Application\nName={kind.kind}\nExec={self.browser.program} %u\n"
                 "MimeType=x-scheme-handler/http;x-scheme-handler/https;\n")
        self.put(device.folder / "config/mimeapps.list",
                 f"[Default Applications]\nx-scheme-handler/http={name};\nx-scheme-handler/https={name};\n")
        self.set_path(f"{self.browser.program.parent}:{device.environment['PATH']}")

    def put(self, path, text):
        Files.write(path, text)
        self.files.append(path)

    def set_path(self, path):
        """Sets the path by which the bus finds programs."""
        with self.device.bus() as bus:
            bus.ask("ReloadConfig")
            bus.ask("UpdateActivationEnvironment", "a{ss}", [{"PATH": path}])

    def close(self):
        self.browser.close()
        for path in self.files:
            path.unlink(missing_ok=True)
        self.set_path(self.device.environment["PATH"])
