"""What the surfaces of the desktop take: how soon they know of an offer, and what they cost a daemon that rests."""

import contextlib
import subprocess
import time

from devices import PATIENCE, Device, link
from measures import MOST_WAKES, device_memory, wakes_per_minute
from rows import Row, p50, p99

ARRIVALS = 60
#: Two announcements a round, each of which a device may send at once so often (announceInterval).
ROUND_SECONDS = 0.6
WATCHER = "org.kde.StatusNotifierWatcher"
BUS, BUS_PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
CONTROL = "org.segue.Control1"
SEARCH = ("/org/segue/Search", "org.gnome.Shell.SearchProvider2")
RUNNER = ("/org/segue/Runner", "org.kde.krunner1")
#: How often each surface is asked before the daemon rests.
QUESTIONS = 30


def measure(folder, prefix, programs):
    return arrivals(folder, prefix, programs) + resting(folder, prefix, programs)


class Desk:
    """Two devices: an application on one of them puts an activity on offer, and the other one has a panel."""

    def __init__(self, folder, prefix, programs):
        self.origin, self.lap = Device(folder, "origin", prefix), Device(folder, "lap", prefix)
        for device in (self.origin, self.lap):
            device.install(programs / "offering")
        self.program = programs / "offering"

    def __enter__(self):
        from gi.repository import Gio

        self.stack = contextlib.ExitStack()
        for device in (self.origin, self.lap):
            self.stack.enter_context(device)
        link(self.origin, self.lap)
        self.application = subprocess.Popen(
            [self.program], env=self.origin.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.stack.callback(self.end)
        self.bus = Gio.DBusConnection.new_for_address_sync(
            self.lap.address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION,
            None, None)
        return self

    def __exit__(self, *problem):
        self.bus.close_sync(None)
        self.stack.close()

    def end(self):
        self.application.stdin.close()
        self.application.wait(PATIENCE)
        self.application.stdout.close()

    def tell(self, word):
        self.application.stdin.write(f"{word}\n")
        self.application.stdin.flush()

    def offer(self):
        """Puts an activity on offer: when that was, in nanoseconds."""
        self.tell("on")
        return int(self.application.stdout.readline())

    def call(self, path, interface, method, values=None, name=CONTROL):
        return self.bus.call_sync(name, path, interface, method, values, None, 0, PATIENCE * 1000, None).unpack()

    def own_panel(self):
        from gi.repository import GLib

        self.call(BUS_PATH, BUS, "RequestName", GLib.Variant("(su)", (WATCHER, 0)), BUS)


def turn_until(found, what):
    """Runs the main loop until something is found."""
    from gi.repository import GLib

    give_up = time.monotonic() + PATIENCE
    context = GLib.MainContext.default()
    wake = GLib.timeout_add(100, lambda: True)
    while not found():
        if time.monotonic() > give_up:
            raise RuntimeError(f"{what} did not come")
        context.iteration(True)
    GLib.source_remove(wake)


def arrivals(folder, prefix, programs):
    """From the call by which an activity is put on offer to what the other device's desktop hears of it."""
    from gi.repository import GLib

    place = folder / "arrivals"
    place.mkdir()
    told, item, answer = [], [], []
    with Desk(place, prefix, programs) as desk:
        desk.own_panel()
        stamps = {}

        def stamp(name):
            stamps.setdefault(name, time.monotonic_ns())

        def answered(bus, result):
            if bus.call_finish(result).unpack()[0]:
                stamp("answer")

        def changed(*_):
            stamp("told")
            desk.bus.call(
                CONTROL, *SEARCH, "GetInitialResultSet", GLib.Variant("(as)", (["measured"],)), None, 0, PATIENCE * 1000, None,
                answered)

        def owned(_bus, _sender, _path, _interface, _name, values):
            stamp("item" if values.unpack()[2] else "gone")

        desk.bus.signal_subscribe(None, CONTROL, "OffersChanged", None, None, 0, changed)
        desk.bus.signal_subscribe(
            BUS, BUS, "NameOwnerChanged", BUS_PATH, f"org.kde.StatusNotifierItem-{desk.lap.pid}-1", 0, owned)
        for _ in range(ARRIVALS + 1):
            stamps.clear()
            start = desk.offer()
            turn_until(lambda: {"told", "item", "answer"} <= stamps.keys(), "an offer")
            for name, samples in (("told", told), ("item", item), ("answer", answer)):
                samples.append((stamps[name] - start) / 1e6)
            time.sleep(ROUND_SECONDS)
            desk.tell("off")
            turn_until(lambda: "gone" in stamps, "the end of an offer")
            time.sleep(ROUND_SECONDS)
    # The first has warmed everything up.
    told, item, answer = told[1:], item[1:], answer[1:]
    return [
        Row(f"from an offer on one device to {what} on another (baseline: OffersChanged)", "ms", p50(ours), p99(ours), p50(told))
        for what, ours in (("the panel's item", item), ("the overview's first answer", answer))
    ]


def resting(folder, prefix, programs):
    """The daemon while another device offers something: with a panel, and after questions of overview and runner, beside one
    with neither."""
    from gi.repository import GLib

    memory, wakes = {}, {}
    for name in ("without", "with"):
        place = folder / name
        place.mkdir()
        with Desk(place, prefix, programs) as desk:
            desk.offer()
            give_up = time.monotonic() + PATIENCE
            while not desk.lap.json("activities")["offers"]:
                if time.monotonic() > give_up:
                    raise RuntimeError("no offer came")
            if name == "with":
                desk.own_panel()
                for _ in range(QUESTIONS):
                    time.sleep(0.05)
                    found, = desk.call(*SEARCH, "GetInitialResultSet", GLib.Variant("(as)", (["measured"],)))
                    desk.call(*SEARCH, "GetResultMetas", GLib.Variant("(as)", (found,)))
                    desk.call(*RUNNER, "Match", GLib.Variant("(s)", ("measured",)))
                item = f"org.kde.StatusNotifierItem-{desk.lap.pid}-1"
                desk.call("/MenuBar", "com.canonical.dbusmenu", "GetLayout", GLib.Variant("(iias)", (0, -1, [])), item)
            memory[name] = device_memory(desk.lap.pid)["Pss"]
            wakes[name] = wakes_per_minute(desk.lap.pid)
    more, most = memory["with"] - memory["without"], MOST_WAKES
    return [
        Row("linked daemon with all surfaces in use, PSS (baseline: with none)", "MiB", memory["with"], None, memory["without"],
            "<= 1 MiB above", more <= 1),
        Row("the same, wake-ups a minute (baseline: with none)", "", wakes["with"], None, wakes["without"], f"<= {most}, heartbeats",
            wakes["with"] <= most),
    ]
