"""A session of X without a screen: KRunner and a panel, driven by keys and clicks as a person's."""

import os
import pathlib
import re
import subprocess

from gnome import connect
from harness.lines import Lines
from harness.waiting import wait_for
from people import Reader

PICTURES = pathlib.Path("/segue-test/pictures")


class Display:
    def __init__(self, user, number, width=1280):
        self.user = user
        self.width = width
        self.name = f":{number}"
        variables = {
            "DISPLAY": self.name, "XDG_SESSION_TYPE": "x11", "QT_QPA_PLATFORM": "xcb", "GDK_BACKEND": "x11",
            "GSK_RENDERER": "cairo"}
        user.environment |= variables
        # So do sessions, for what the bus starts.
        user.run("dbus-update-activation-environment", *variables)
        self.processes = []
        # Without -noreset it begins anew when its last client leaves, as the first ones come.
        self.start("Xvfb", self.name, "-screen", "0", f"{width}x720x24", "-nolisten", "tcp", "-noreset")
        wait_for(lambda: os.path.exists(f"/tmp/.X11-unix/X{number}"), "the display")
        # The manager manages windows once it runs its startup command.
        manager = self.start("openbox", "--startup", "echo ready", stdout=subprocess.PIPE)
        Lines(manager.stdout.fileno()).next()
        wait_for(lambda: "window id" in user.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK"), "the window manager")

    def start(self, *command, **options):
        log = open(f"/segue-test/{self.user.entry.pw_name}-{os.path.basename(command[0])}.log", "ab")
        self.processes.append(self.user.start(command, **{"stdout": log, "stderr": log, **options}))
        return self.processes[-1]

    def tool(self, *words):
        return self.user.run("xdotool", *words)

    def windows(self, *wanted):
        """The windows that are shown and fit, by xdotool's words."""
        process = self.user.start(
            ["xdotool", "search", "--onlyvisible", *wanted], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        said, _ = process.communicate(timeout=60)
        return said.decode().split()

    def height(self, *wanted):
        """The height of the first of these windows; 0 while there is none."""
        windows = self.windows(*wanted)
        said = self.tool("getwindowgeometry", windows[0]) if windows else "Geometry: 0x0"
        return int(re.search(r"Geometry: \d+x(\d+)", said).group(1))

    def click(self, x, y, window=None, button=1):
        """Clicks at a place of a window; without one, of that which has the keyboard."""
        where = ["mousemove", "--window", window] if window else ["getactivewindow", "mousemove", "--window", "%1"]
        wait_for(lambda: self.done(*where, str(x), str(y), "click", str(button)), "the click")

    def done(self, *words):
        """Whether xdotool has done that. A window that is closed while it looks at it is an error to it."""
        process = self.user.start(
            ["xdotool", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0 or "BadWindow" in said or "_NET_ACTIVE_WINDOW" in said, f"xdotool {' '.join(words)}: {said}"
        return process.returncode == 0

    def below(self):
        """The picture of everything below a panel at the top."""
        self.user.run("import", "-display", self.name, "-window", "root", "-crop", "1280x680+0+40", "rgb:/tmp/below")
        return pathlib.Path("/tmp/below").read_bytes()

    def picture(self, name):
        self.user.run("import", "-display", self.name, "-window", "root", f"/tmp/{name}.png")
        (PICTURES / f"{name}.png").write_bytes(pathlib.Path(f"/tmp/{name}.png").read_bytes())

    def is_light(self, name, x, y):
        """Whether something light is near that place of the picture."""
        box = f"16x16+{x - 8}+{y - 8}"
        said = self.user.run("convert", f"/tmp/{name}.png", "-crop", box, "-colorspace", "Gray", "-format", "%[fx:maxima]", "info:")
        return float(said) > 0.8

    def picture_at_rest(self, name, shown=None):
        """The picture, once three in a row are the same; `shown`: where something light is by then."""
        seen = []

        def is_at_rest():
            self.picture(name)
            seen.append((PICTURES / f"{name}.png").read_bytes())
            return len(seen) > 2 and seen[-1] == seen[-2] == seen[-3] and (not shown or self.is_light(name, *shown))

        wait_for(is_at_rest, "the screen at rest")

    def close(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


def texts(desk, lap):
    """A text that is open on desk, and its application on lap: (reader, place, line)."""
    reader, place = Reader(desk), Reader(lap)
    reader.do("search Termination")
    at = re.search(r"at line (\d+) of", reader.until("at line")).group(1)
    wait_for(lap.offers, "an offer")
    return reader, place, at


def continued(reader, place, at):
    line = place.until("continued")
    assert line.endswith(f"line {at}"), (line, at)
    for each in (reader, place):
        each.end()


def find_in_runner(display, query, picture):
    """Continues what KRunner finds: types the query, and presses Return."""
    process = display.start("krunner")
    bus = connect(display.user)
    bus.wait_for_owner("org.kde.krunner", 60)
    app = ("org.kde.krunner", "/App", "org.kde.krunner.App")
    bus.call(*app, "display", timeout=60)
    empty = wait_for(lambda: display.height("--class", "krunner"), "KRunner's window")
    bus.call(*app, "query", "s", [query], timeout=60)
    # The window grows with its first match.
    wait_for(lambda: display.height("--class", "krunner") > empty, "a match")
    display.picture_at_rest(picture)
    display.tool("key", "Return")
    bus.close()
    return process


#: Where the panel's first run has its icons, between the clock and the bell of Xfce's notifications.
ICON = (1135, 12)


def choose_in_panel(display, picture):
    """Continues the first that Xfce's panel lists: a click on the icon, and the keys of its menu."""
    process = display.start("xfce4-panel", "--disable-wm-check")
    # The item has its name as soon as there is a panel that shows it. Until all parts of the panel are there, another one
    # is where it will be.
    bus = connect(display.user)
    bus.wait_for_owner(f"org.kde.StatusNotifierItem-{display.user.daemon()}-1", 60)
    display.picture_at_rest(picture, shown=ICON)
    empty = display.below()
    display.tool("mousemove", *map(str, ICON), "click", "1")
    wait_for(lambda: display.below() != empty, "the item's menu")
    display.picture_at_rest(picture)
    display.tool("key", "Down", "Return")
    bus.close()
    return process


def runner(desk, lap):
    display = Display(lap, 71)
    what = texts(desk, lap)
    find_in_runner(display, "gpl", "runner")
    continued(*what)
    display.close()


def panel(desk, lap):
    display = Display(lap, 72)
    what = texts(desk, lap)
    choose_in_panel(display, "panel")
    continued(*what)
    display.close()
