"""segue-bridge with real players and readers, which nobody sees: what it costs while they are open and nobody asks, how soon
a change in one of them is on offer on another device, and how long a choice takes in a program that runs, beside the same
calls of the program's own interface."""

import contextlib
import os
import pathlib
import shutil
import sys
import tempfile
import time

from measures import device_memory, wakes_per_minute
from rows import Row, p50, p99

os.environ.setdefault("SEGUE_PREFIX", "/usr/local")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests" / "system"))

from dbus_fast import Variant  # noqa: E402 (Tests/system says where its packages are)

from harness.device import Device, pair  # noqa: E402
from harness.folders import Nautilus  # noqa: E402
from harness.players import INTERFACE, MPRIS, Player, enable, install_players, make_film  # noqa: E402
from harness.readers import Evince, Okular, Zathura, give_screen, make_book, screen  # noqa: E402
from harness.waiting import wait_for  # noqa: E402

OPEN = 5
SAMPLES = 15
#: A device announces its offers ten times at once, then four times a second: two announcements a change.
ROUND_SECONDS = 0.6
SECONDS = 61
READY_SECONDS = 0.2
#: Milliseconds that a choice may take beyond the program's own.
BEYOND = 150
BRIDGE = "org.segue.Bridge"


def measure():
    programs = [name for name, needed in NEEDED.items() if all(shutil.which(word) for word in needed)]
    if not os.path.exists(MPRIS):
        programs = [name for name in programs if name != "mpv"]
    if left_out := sorted(set(NEEDED) - set(programs)):
        print(f"bench: bridges are measured without {', '.join(left_out)}: not installed", file=sys.stderr)
    if not shutil.which("Xvfb"):
        print("bench: bridges are left out without Xvfb", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory(prefix="segue-bridges-", dir="/tmp") as scratch, Desks(pathlib.Path(scratch)) as desks:
        rows = resting(desks, programs[:OPEN])
        if "mpv" in programs:
            rows += [changes(desks), films(desks)]
        return rows + [pages(desks, kind) for kind in (Zathura, Okular) if kind.program in programs]


NEEDED = {
    "mpv": ["mpv"], "okular": ["okular"], "zathura": ["zathura"], "evince": ["evince", "gio"], "vlc": ["vlc"],
    "nautilus": ["nautilus"],
}


class Desks:
    """Two devices that are paired, each with a screen that nobody sees."""

    def __init__(self, folder):
        self.folder = folder

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        with contextlib.ExitStack() as made:
            players = self.folder / "players"
            players.mkdir()
            if shutil.which("vlc") and shutil.which("mpv"):
                install_players(players)
            path = os.environ["PATH"]
            made.callback(os.environ.update, PATH=path)
            os.environ["PATH"] = f"{players}:{path}"
            self.desk, self.lap = (made.enter_context(contextlib.closing(Device(name))) for name in ("desk", "lap"))
            pair(self.desk, self.lap)
            for device in (self.desk, self.lap):
                give_screen(device, made.enter_context(screen()))
            self.book = make_book(self.folder / "a book.pdf")
            self.films = [make_film(self.folder / f"{number}.wav") for number in range(SAMPLES + 2)]
            self.stack = made.pop_all()
        return self

    def __exit__(self, *problem):
        self.stack.close()


def resting(desks, programs):
    """The bridge at rest, with a film that plays, and documents and a folder that are looked at."""
    desk = desks.desk
    enable(desk, *programs)
    for name in programs:
        begin(desk, name, desks)
    for name in programs:
        application = f"org.segue.Bridge.{name.capitalize()}"
        wait_for(lambda: any(row["app-id"] == application for row in desk.json("activities")["activities"]), f"{name} on offer")
    with desk.bus() as bus:
        pid = bus.pid_of(BRIDGE)
    memory = device_memory(pid)
    private, wakes = memory["Private_Clean"] + memory["Private_Dirty"], wakes_per_minute(pid)
    desk.segue("bridge", "disable", *programs)
    what = ", ".join(programs)
    return [
        Row(f"segue-bridge at rest with {len(programs)} programs open ({what}), wake-ups a minute", "", wakes, aim="0",
            met=wakes == 0),
        Row("the same, private memory", "MiB", private, aim="<= 6 MiB", met=private <= 6),
    ]


def begin(device, name, desks):
    if name in ("vlc", "mpv"):
        player = Player(device, name)
        player.start()
        show(player, desks.films[0])
    elif name == "nautilus":
        Nautilus(device).start(desks.folder)
    else:
        {"zathura": Zathura, "okular": Okular, "evince": Evince}[name](device).start(desks.book, 2)


def show(player, film):
    """Plays a film. What mpv 0.35 says of its status is not reliable then."""
    player.tell("OpenUri", "s", film.as_uri())
    player.tell("Play")
    wait_for(lambda: player.url() == film.as_uri() and player.at() > 0, "the film")


def changes(desks):
    """From the call by which mpv opens another film to that film's offer on the other device, beside mpv's own signal."""
    desk, lap = desks.desk, desks.lap
    for device in (desk, lap):
        enable(device, "mpv")
    player = running(desk)
    ours, theirs = [], []
    show(player, desks.films[0])
    known = lap.offer(player.application)["id"]
    with desk.bus() as here, lap.bus() as there:
        here.match(f"type='signal',member='PropertiesChanged',arg0='{INTERFACE}'")
        there.match("type='signal',interface='org.segue.Control1',member='OffersChanged'")
        for film in desks.films[1:SAMPLES + 1]:
            time.sleep(ROUND_SECONDS)
            begun = time.monotonic()
            player.tell("OpenUri", "s", film.as_uri())
            while here.next_signal("PropertiesChanged").body[1].get("Metadata", Variant("a{sv}", {})).value.get(
                    "xesam:url", Variant("s", "")).value != film.as_uri():
                pass
            theirs.append(time.monotonic() - begun)
            while not (new := [row["id"] for row in there.control("ListOffers")[0]
                               if row["app-id"] == player.application.id and row["id"] != known]):
                there.next_signal("OffersChanged")
            known = new[0]
            ours.append(time.monotonic() - begun)
    return Row("another film in mpv, until the other device has its offer (baseline: until mpv says so)", "ms",
               1000 * p50(ours), 1000 * p99(ours), 1000 * p50(theirs))


def running(device):
    player = Player(device, "mpv")
    if not player.is_there():
        player.start()
    return player


def films(desks):
    """A film at its place in an mpv that runs, and has another one open."""
    desk, lap = desks.desk, desks.lap
    here, there = running(desk), running(lap)
    # One that was not on offer before.
    other, film = desks.films[0], desks.films[-1]
    show(here, film)
    here.pause_at(SECONDS)
    title = film.name
    offer = lap.offer(here.application, title=title)["id"]

    def is_there():
        return there.url() == film.as_uri() and there.is_at(SECONDS)

    def directly():
        there.tell("OpenUri", "s", film.as_uri())
        wait_for(lambda: there.url() == film.as_uri() and (there.get("Metadata") or {}).get("mpris:length"), "the film")
        # As the bridge has to, in a player that is not ready for it at first.
        wait_for(sent_there, "the place", lambda left: None)

    def sent_there():
        there.tell("SetPosition", "ox", there.get("Metadata")["mpris:trackid"], SECONDS * 1_000_000)
        until = time.monotonic() + READY_SECONDS
        while not is_there() and time.monotonic() < until:
            time.sleep(0.01)
        return is_there()

    def otherwise():
        show(there, other)

    ours, theirs = beside(lap, offer, here.application.id, otherwise, directly, is_there)
    return choice("a film at its place in an mpv that runs", ours, theirs)


def pages(desks, kind):
    """A page in a window that has the document at an earlier one."""
    desk, lap = desks.desk, desks.lap
    for device in (desk, lap):
        enable(device, kind.program)
    here, there = kind(desk), kind(lap)
    page = 13
    if here.windows():
        here.go(page)
    else:
        here.start(desks.book, page)
    there.start(desks.book)
    offer = lap.offer(here.application)["id"]
    ours, theirs = beside(
        lap, offer, here.application.id, lambda: there.go(1), lambda: there.go_to(page), lambda: there.page() == page)
    return choice(f"a page in a window of {kind.__name__} that runs", ours, theirs)


def beside(lap, offer, application, otherwise, directly, is_there):
    """A choice and the calls of the program's own interface, in turn: seconds until the program is at the place."""
    ours, theirs = [], []
    with lap.bus() as bus:
        for _ in range(SAMPLES + 1):
            otherwise()
            begun = time.monotonic()
            serial = bus.call_later(
                "org.segue.Control1", "/org/segue/Control1", "org.segue.Control1", "Continue", "sa{sv}",
                [offer, {"app": Variant("s", application)}])
            wait_for(is_there, "the place by Segue")
            ours.append(time.monotonic() - begun)
            bus.body(bus.reply(serial))
            otherwise()
            begun = time.monotonic()
            directly()
            wait_for(is_there, "the place")
            theirs.append(time.monotonic() - begun)
    # The first has warmed everything up.
    return ours[1:], theirs[1:]


def choice(what, ours, theirs):
    beyond = 1000 * (p50(ours) - p50(theirs))
    return Row(f"from a choice to {what} (baseline: by its own interface)", "ms", 1000 * p50(ours), 1000 * p99(ours),
               1000 * p50(theirs), f"<= {BEYOND} ms beyond", beyond <= BEYOND)
