"""An application as it is installed: a desktop file, a service file, and the probe behind them."""

import os
import socket
import sys

from .bounds import SECONDS
from .probe import Probe
from .tree import HERE


class Application:
    """One application id with one activity type, installed on devices or not; `lines` are added to the desktop file."""

    def __init__(self, app_id, name="Probe", types=None, lines=()):
        self.id = app_id
        self.name = name
        self.type = app_id + ".page"
        self.types = [self.type] if types is None else types
        self.lines = list(lines)

    def desktop_file(self, types=None):
        types = self.types if types is None else types
        lines = ["[Desktop Entry]", "Type=Application", f"Name={self.name}"]
        if types:
            lines.append(f"X-Segue-ActivityTypes={';'.join(types)};")
        return "\n".join(lines + self.lines) + "\n"


class Installed:
    """An application on a device. `flags` are the probe's when the bus launches it."""

    def __init__(self, device, application, probe, flags=(), types=None, service=True):
        self.device = device
        self.application = application
        self.program = probe
        self.probes = []
        self.desktop = device.data / "applications" / f"{application.id}.desktop"
        self.service = device.data / "dbus-1" / "services" / f"{application.id}.Segue.service"
        self.address = device.folder / f"launch-{application.id.rpartition('.')[2]}"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.address))
        self.listener.listen(8)
        self.exec = " ".join(
            map(str, [sys.executable, HERE / "launcher.py", self.address, probe, application.id, *flags]))
        self.write(self.desktop, application.desktop_file(types))
        if service:
            self.write_service()

    @staticmethod
    def write(path, text):
        """Writes a file at once: half-written files are another test's subject."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".draft")
        draft.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.replace(draft, path)

    def write_service(self, exec=None, name=None):
        name = name or f"{self.application.id}.Segue"
        self.write(self.service, f"[D-BUS Service]\nName={name}\nExec={exec or self.exec}\n")

    def start(self, *flags, ready=True, environment={}):
        """Starts the probe by hand."""
        probe = Probe.start(
            self.program, self.application.id, *flags, environment={**self.device.environment, **environment},
            log=self.device.log)
        self.probes.append(probe)
        return probe.ready() if ready else probe

    def launched(self, timeout=SECONDS):
        """The next probe that the bus launches."""
        probe = Probe.accept(self.listener, timeout)
        self.probes.append(probe)
        return probe

    def was_launched(self):
        """Whether the bus has launched a probe that `launched` has not returned."""
        self.listener.settimeout(0)
        try:
            self.probes.append(Probe.accept(self.listener, 0))
            return True
        except (BlockingIOError, TimeoutError):
            return False

    def remove(self):
        for path in [self.desktop, self.service]:
            path.unlink(missing_ok=True)

    def close(self):
        for probe in self.probes:
            probe.close()
        self.remove()
        self.listener.close()
