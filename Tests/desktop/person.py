"""A person at a desktop of X: what the windows say, keys and clicks, and the programs that the person uses."""

import os
import subprocess

from harness.bounds import SECONDS
from harness.waiting import wait_for
from sight import Sight
from xsession import Display

#: The folder that both devices share, as far as Segue is told.
SHARED = "notes"
#: The notification server of Xfce.
NOTIFIER = "/usr/lib/x86_64-linux-gnu/xfce4/notifyd/xfce4-notifyd"
#: How far the line at the top may be from the edge, in pixels, in windows whose edges cut it.
LINE = 32


class Person:
    def __init__(self, user, number, width):
        self.user = user
        self.name = user.entry.pw_name
        self.device = f"device of {self.name}"
        self.notes = user.home / SHARED
        user.run("mkdir", "-p", str(self.notes))
        settings = user.home / ".config/gtk-4.0/settings.ini"
        user.run("mkdir", "-p", str(settings.parent))
        # Without animations everything is at its place at once.
        settings.write_text("[Settings]\ngtk-enable-animations=false\n")
        declared = f"[Container {SHARED}]\nPath={self.notes}\n"
        path = user.home / ".config/segue/segue.conf"
        if declared not in path.read_text():
            path.write_text(path.read_text() + declared)
        # The bus of accessibility outlives a display that it does not know.
        self.sight = Sight(self.name, self._start_reader)
        self.display = Display(user, number, width)
        self.programs = []

    def _start_reader(self, *command, **options):
        return self.user.start(command, stderr=open(f"/segue-test/{self.name}-reader.log", "wb"), **options)

    def write(self, path, text):
        """A file of the person's own."""
        path.write_text(text)
        os.chown(path, self.user.entry.pw_uid, self.user.entry.pw_gid)

    # Eyes and hands

    def click(self, *words, button=1):
        x, y = self.sight.find(*words)["at"]
        self.display.click(x, y, button=button)

    def press(self, *keys):
        self.display.tool("key", "--delay", "20", *keys)

    def type(self, text):
        self.display.tool("type", "--delay", "20", text)

    def fill(self, title, text):
        """Types into the entry of a window, and presses Return."""
        x, y, width, height = self.sight.area("text", title)
        self.display.click(x + width // 2, y + height // 2)
        self.press("ctrl+a")
        self.type(text)
        self.press("Return")

    def activate(self, title):
        """Clicks on a window's title."""
        window = wait_for(lambda: self.display.windows("--name", f"^{title}$"), f"the window {title}")[0]
        self.display.tool("windowactivate", "--sync", window)

    # Programs

    def open(self, *command, title=None):
        """Starts a program as a menu does."""
        self.programs.append(self.display.start(*command))
        self.sight.find("frame", title or command[0], "active")
        return self.programs[-1]

    def end(self, process):
        process.terminate()
        process.wait(SECONDS)
        if process in self.programs:
            self.programs.remove(process)
        self.display.processes.remove(process)

    def click_card(self, picture):
        """Clicks the button of what Xfce's notification server shows: a click on its text only closes it there."""
        window = wait_for(lambda: self.display.windows("--class", "xfce4-notifyd"), "the notification")[0]
        x, y = self.sight.find("push button", "Continue")["at"]
        self.display.picture_at_rest(picture)
        self.display.click(x, y, window)

    def notifier(self):
        return self.display.start(NOTIFIER)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_rest):
        if kind is not None:
            # A picture shows what was there where it went wrong.
            self.display.picture(f"failed-{self.name}")
        self.sight.close()
        self.display.close()
        self.display.close()


class Notes:
    """The editor of a text on a person's device."""

    APPLICATION = "org.segue.GtkNotes"

    def __init__(self, sight, title):
        self.sight, self.title = sight, title

    def place(self, condition=lambda shown: True):
        """Where the text is: (selected, caret, how far it is scrolled)."""
        return self.sight.until(self.title, lambda shown: shown.selected and shown.scrolled > 0 and condition(shown))

    def is_at(self, wanted):
        """Waits until the text is there as it is wanted: the same words selected, the same caret, the same line on top."""
        def is_so(shown):
            return (shown.text, shown.caret, shown.selected) == (wanted.text, wanted.caret, wanted.selected)

        came = self.place(lambda shown: is_so(shown) and abs(shown.scrolled - wanted.scrolled) < LINE)
        print(f"{self.title}: “{came.selected}” is selected at {came.caret}, scrolled to {came.scrolled:.0f} of {wanted.scrolled:.0f}")


def both(name, *people):
    """A picture of each person's screen, once it is at rest: a page is there before it is painted."""
    for person in people:
        person.display.picture_at_rest(f"{name}-{person.name}")


def read_code(path):
    """What a camera reads in a picture."""
    read = subprocess.run(["zbarimg", "-q", "--raw", path], stdout=subprocess.PIPE, text=True)
    return read.stdout.strip()


