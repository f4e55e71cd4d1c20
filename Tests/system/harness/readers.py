"""Real readers of documents on a device, on a screen that nobody sees."""

import collections
import contextlib
import os
import shutil
import signal
import subprocess

from dbus_fast import Variant

from .application import Application
from .bounds import SECONDS
from .lines import Lines
from .waiting import wait_for
from .wire import BusError

PAGES = 20
#: The red of each page, times its number.
SHADE = 12


def make_book(path):
    """A PDF of 20 pages, each with its number on it, and in a colour of its own."""
    objects = {1: b"<< /Type /Catalog /Pages 2 0 R >>", 3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
    kids = b" ".join(b"%d 0 R" % (4 + 2 * page) for page in range(PAGES))
    objects[2] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (PAGES, kids)
    for page in range(PAGES):
        colour = b"%.4f 0.5 0.5 rg 0 0 612 792 re f" % ((page + 1) * SHADE / 255)
        stream = colour + b" 0 g BT /F1 40 Tf 100 600 Td (Page %d) Tj ET" % (page + 1)
        objects[4 + 2 * page] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * page))
        objects[5 + 2 * page] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream)
    data = b"%PDF-1.4\n"
    places = []
    for number in sorted(objects):
        places.append(b"%010d 00000 n \n" % len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    table = len(data)
    count = len(places) + 1
    data += b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, b"".join(places))
    data += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, table)
    path.write_bytes(data)
    return path


@contextlib.contextmanager
def screen(size="1024x768"):
    """The name of an X display."""
    read, write = os.pipe()
    # Without -noreset it begins anew when its last client has left, and refuses those that come meanwhile.
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"], pass_fds=[write],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        yield ":" + Lines(read).next().strip()
    finally:
        server.terminate()
        server.wait(SECONDS)
        os.close(read)


def give_screen(device, display):
    """As a desktop does, for the programs that its bus starts too."""
    # Okular finds its parts there.
    variables = {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "NO_AT_BRIDGE": "1", "XDG_DATA_DIRS": "/usr/share",
                 # Evince notes no pages of temporary files, where tests have theirs.
                 "TMPDIR": "/var/tmp"}
    device.environment.update(variables)
    with device.bus() as bus:
        bus.ask("UpdateActivationEnvironment", "a{ss}", [variables])


class Reader:
    """A reader on one device, as its user sees and drives it. Subclasses know its calls; pages are from 1."""

    def __init__(self, device):
        self.device = device
        self.application = Application(
            f"org.segue.Bridge.{self.program.capitalize()}", self.program, ["org.segue.open.Reading"])

    def start(self, path, page=1):
        subprocess.Popen([self.program, path], env=self.device.environment, stdin=subprocess.DEVNULL,
                         stdout=self.device.log, stderr=self.device.log)
        wait_for(lambda: self.shows(path), f"the book in {self.program}")
        self.go(page)

    def windows(self):
        with self.device.bus() as bus:
            return [name for name in bus.ask("ListNames")[0] if name.startswith(self.prefix)]

    def call(self, member, signature="", *values, interface=None):
        """The answer of the one window; None without one, or while it does not answer yet."""
        windows = self.windows()
        if len(windows) != 1:
            return None
        with self.device.bus() as bus:
            try:
                return bus.call(windows[0], self.path, interface or self.interface, member, signature, list(values))
            except BusError:
                return None

    def shows(self, path):
        return self.document() == str(path) and self.page() is not None

    def go(self, page):
        self.go_to(page)
        wait_for(lambda: self.page() == page, f"page {page}")

    def close(self):
        for pid in self.device.processes():
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")) in ("zathura", "evince", "okular"):
                os.kill(pid, signal.SIGKILL)


class Zathura(Reader):
    program = "zathura"
    prefix = "org.pwmt.zathura.PID-"
    path = "/org/pwmt/zathura"
    interface = "org.pwmt.zathura"

    def get(self, name):
        answer = self.call("Get", "ss", self.interface, name, interface="org.freedesktop.DBus.Properties")
        return answer[0] if answer else None

    def document(self):
        return self.get("filename")

    def page(self):
        number = self.get("pagenumber") if self.get("numberofpages") else None
        return None if number is None else number + 1

    def go_to(self, page):
        self.call("GotoPage", "u", page - 1)


class Okular(Reader):
    program = "okular"
    prefix = "org.kde.okular-"
    path = "/okular"
    interface = "org.kde.okular"

    def document(self):
        answer = self.call("currentDocument")
        return answer[0].removeprefix("file://") if answer else None

    def page(self):
        answer = self.call("currentPage")
        return answer[0] if answer and answer[0] else None

    def go_to(self, page):
        self.call("goToPage", "u", page)


class Evince(Reader):
    """Its page is on its screen, and in what GVFS remembers of the document."""
    program = "evince"
    daemon = "org.gnome.evince.Daemon"

    def __init__(self, device):
        super().__init__(device)
        for service in [self.daemon, "org.gtk.vfs.Daemon", "org.gtk.vfs.Metadata"]:
            shutil.copy(f"/usr/share/dbus-1/services/{service}.service", device.data / "dbus-1/services")
        device.reload()

    def owner(self, path):
        """The process that has the document; empty without one."""
        with self.device.bus() as bus:
            return bus.call(self.daemon, "/org/gnome/evince/Daemon", self.daemon, "FindDocument", "sb",
                            [path.as_uri(), False])[0]

    def start(self, path, page=1):
        subprocess.Popen([self.program, path], env=self.device.environment, stdin=subprocess.DEVNULL,
                         stdout=self.device.log, stderr=self.device.log)
        # Its daemon knows of a document before that is loaded.
        wait_for(lambda: self.owner(path) and self.page(), f"the book in {self.program}")
        self.turn(path, page)

    def go(self, path, page):
        """For the one window."""
        self.turn(path, page)
        wait_for(lambda: self.page() == page, f"page {page}")

    def turn(self, path, page):
        with self.device.bus() as bus:
            bus.call(self.owner(path), "/org/gnome/evince/Evince", "org.gnome.evince.Application", "Reload", "a{sv}u",
                     [{"page-index": Variant("u", page - 1)}, 0])
        self.notes(path, page)

    def kill(self, path):
        with self.device.bus() as bus:
            os.kill(bus.ask("GetConnectionUnixProcessID", "s", [self.owner(path)])[0], signal.SIGKILL)

    def notes(self, path, page):
        """Waits until the page is written down."""
        info = ["gio", "info", "-a", "metadata::evince::page", path]
        wait_for(lambda: f"::page: {page - 1}\n" in subprocess.run(
            info, env=self.device.environment, stdout=subprocess.PIPE, text=True, timeout=SECONDS).stdout,
            f"page {page} in the metadata")

    def page(self):
        return page_on_screen(self.device)


def page_on_screen(device):
    """The page of which the screen shows most, by its colour; None where it shows none."""
    seen = subprocess.run(
        ["import", "-window", "root", "-depth", "8", "rgb:-"], env=device.environment, stdout=subprocess.PIPE, check=True,
        timeout=SECONDS).stdout
    # Every eleventh pixel.
    reds = collections.Counter(seen[at] for at in range(0, len(seen), 33) if seen[at + 1:at + 3] == b"\x80\x80")
    return round(reds.most_common(1)[0][0] / SHADE) if reds else None


def are_here(*programs):
    return all(shutil.which(program) for program in ("Xvfb", *programs))
