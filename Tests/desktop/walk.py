"""What two people do on two fresh desktops, from the first window on: they pair, a text goes on at the other device by each
surface, and a page comes back. All of it is clicked and typed, and read on the screen."""

import contextlib
import re

from gnome import Shell
from harness.waiting import wait_for
from person import Notes, Person, both, read_code
from websites import Website
from xsession import PICTURES, choose_in_panel, find_in_runner

TITLE = "voyage.txt"
QUERY = "voyage"
LINES = "\n".join(f"line {number} of the voyage" for number in range(1, 301))


def people(desk, lap):
    with contextlib.ExitStack() as ends:
        here, there = (ends.enter_context(Person(*words)) for words in ((desk, 81, 1200), (lap, 82, 1280)))
        by_digits(here, there)
        remove(here, there)
        by_picture(here, there)
        for person in (here, there):
            person.write(person.notes / TITLE, LINES)
        texts(here, there)
        page_back(here, there, ends)
        in_gnome(here, there)


# Pairing, in the window

def begin(*both_people):
    for person in both_people:
        person.open("segue-desktop", title="Segue")
        person.sight.find("label", "Go On at Another Device")


def begin_to_pair(person):
    person.click("push button", "Pair a Device")
    person.sight.find("label", "Looking for the Other Device")


def address(person):
    return person.user.status()["addresses"][0]


def digits(person):
    def has_digits(window):
        return any(re.fullmatch(r"\d{3} \d{3}", label) for label in window.labels)

    window = person.sight.until("Pair a Device", has_digits)
    return next(label for label in window.labels if re.fullmatch(r"\d{3} \d{3}", label))


def are_paired(name, here, there):
    for person, other in ((here, there), (there, here)):
        person.sight.find("label", f"Paired with “{other.device}”")
    both(name, here, there)
    for person, other in ((here, there), (there, here)):
        person.click("push button", "Done")
        person.press("alt+2")
        person.sight.find("list item", other.device, "Your devices")
    wait_for(lambda: all(person.user.status()["online"] == 1 for person in (here, there)), "a link")


def by_digits(here, there):
    begin(here, there)
    both("people-first", here, there)
    for person in (here, there):
        begin_to_pair(person)
    here.fill("Pair a Device", address(there))
    there.sight.find("label", f"Which Digits Does “{here.device}” Show?")
    shown = digits(here)
    there.type(shown.replace(" ", ""))
    both("people-digits", here, there)
    there.press("Return")
    here.sight.find("label", f"Did “{there.device}” Accept the Digits?")
    here.click("push button", "Yes")
    are_paired("people-paired-by-digits", here, there)


def remove(here, there):
    for person, other in ((here, there), (there, here)):
        person.click("list item", other.device, "Your devices")
        person.click("push button", f"Remove “{other.device}”")
        person.sight.find("label", f"Remove “{other.device}”?")
        person.click("push button", "Remove", f"Remove “{other.device}”?")
        person.sight.find("label", "Go On at Another Device")
        # Two dialogues have gone at once, and openbox may give the keyboard to none.
        person.activate("Segue")


def by_picture(here, there):
    for person in (here, there):
        begin_to_pair(person)
    here.click("push button", "Show a Code")
    here.sight.find("label", "Show This Code to the Other Device")
    read = []

    def is_read():
        here.display.picture("people-picture-desk")
        read[:] = [read_code(PICTURES / "people-picture-desk.png")]
        return read[0].startswith("SEGUE:")

    wait_for(is_read, "the code in the picture")
    there.fill("Pair a Device", read[0])
    are_paired("people-paired-by-picture", here, there)


# A text, by each surface

class Text:
    """A text that is open on one device and goes on at the other."""

    def __init__(self, here, there):
        self.here = here
        self.origin, self.target = Notes(here.sight, TITLE), Notes(there.sight, TITLE)

    def open(self):
        self.here.open("segue-gtk-notes", str(self.here.notes / TITLE), title=TITLE)
        self.here.press("Next", "Next")

    def open_anew(self):
        """Closes it, and opens it again: a notification tells of it once."""
        self.here.activate(TITLE)
        self.here.press("alt+F4")
        self.here.sight.find_none("frame", TITLE)
        self.open()

    def move(self):
        """Its user goes on reading, and selects words in another line: the place."""
        self.here.activate(TITLE)
        before = self.origin.sight.look(TITLE)
        self.here.press("Next", "Down", "Down", "Home", *["shift+ctrl+Right"] * 2)
        return self.origin.place(lambda shown: shown.caret != before.caret and shown.scrolled != before.scrolled)

    def offered(self, other):
        return wait_for(lambda: [row for row in other.offers() if row["title"] == TITLE], "the offer of the text")


def texts(here, there):
    """With the runner, the panel, a notification and the window of the other device, which starts the editor anew each time."""
    text = Text(here, there)
    text.open()
    windows = list(there.programs)
    for window in windows:
        there.end(window)
    for surface in (runner, panel, notification, window_of_segue):
        if surface is notification:
            text.open_anew()
        place = text.move()
        text.offered(there.user)
        process = surface(there)
        text.target.is_at(place)
        if process is not None:
            there.end(process)
        both(f"people-{surface.__name__}-continued", here, there)
        there.activate(TITLE)
        there.press("alt+F4")
        there.sight.find_none("frame", TITLE)
        print(f"people: the text went on by the {surface.__name__}, at caret {place.caret}, scrolled by {place.scrolled}")


def runner(person):
    return find_in_runner(person.display, QUERY, "people-runner")


def panel(person):
    return choose_in_panel(person.display, "people-panel")


def notification(person):
    process = person.notifier()
    person.click_card("people-notification")
    return process


def window_of_segue(person):
    process = person.open("segue-desktop", title="Segue")
    person.sight.find("list item", TITLE, "What can be continued here")
    person.display.picture("people-window")
    person.click("push button", f"Continue “{TITLE}”")
    return process


# A page, back

class Screened:
    """A screen, as pages tell it apart: by its width."""

    def __init__(self, person):
        self.device, self.width = person, person.display.width


def send(person, title, other, picture):
    """Sends what is open here to the other device, in the window."""
    person.activate("Segue")
    person.press("alt+3")
    person.click(f"Send “{title}” to…")
    person.sight.find("push button", other.device, "focused")
    person.display.picture(picture)
    person.press("Return")
    person.sight.find("label", f"Sent to {other.device}.")


def scrolled(person, site):
    """Goes down a page; where the page has come to rest, which the browser knows then."""
    seen = site.seen(Screened(person), "/monkeys")
    least = seen["offset"] + 0.8 * (seen["bottom"] - seen["offset"]) - 1
    person.press("Next")
    offset = site.seen(Screened(person), "/monkeys", lambda now: now["offset"] >= least)["offset"]
    person.sight.find("push button", "Go")
    return offset


def page_back(here, there, ends):
    """The other device sends the page that it reads: its window's "Send to…", and the card here, which is clicked."""
    site = Website()
    ends.callback(site.close)
    there.open("segue-monkeybrowser", title="Monkey Browser")
    there.press("ctrl+l")
    there.type(f"{site.address}/monkeys")
    there.press("Return")
    site.seen(Screened(there), "/monkeys", lambda seen: seen["focus"])
    offset = scrolled(there, site)
    notifier = here.notifier()
    window = there.open("segue-desktop", title="Segue")
    send(there, "Monkeys", here, "people-send-lap")
    here.click_card("people-card-desk")
    came = site.seen(Screened(here), "/monkeys", lambda seen: abs(seen["offset"] - offset) <= 1)
    both("people-page", here, there)
    for process in (window, notifier):
        (there if process is window else here).end(process)
    print(f"people: a page was sent back, and is at {came['offset']} of {came['height']}, as at the sender")


# GNOME

def in_gnome(here, there):
    """The overview of GNOME's shell, on the other device, its list of notifications, and the banner of what was sent."""
    for program in list(there.programs):
        there.end(program)
    former = dict(there.user.environment)
    del there.user.environment["DISPLAY"]
    there.user.environment["GDK_BACKEND"] = "wayland"
    shell = Shell(there.user)
    there.user.environment["WAYLAND_DISPLAY"] = "wayland-0"
    # The other desktop has this font: a place is compared in pixels.
    there.user.run("gsettings", "set", "org.gnome.desktop.interface", "font-name", "Sans 10")
    there.user.run("dbus-update-activation-environment", "GDK_BACKEND", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE",
                   "GSETTINGS_BACKEND")
    shell.tidy()
    text = Text(here, there)
    surfaces = {"overview": shell.find_in_overview, "message": shell.click_message, "banner": shell.click_banner}
    for name, surface in surfaces.items():
        if name == "message":
            text.open_anew()
        place = text.move()
        text.offered(there.user)
        if name == "banner":
            # An offer alone has no banner.
            shell.show_banners()
            send(here, TITLE, there, "people-send-desk")
        surface(TITLE, f"people-{name}")
        text.target.is_at(place)
        shell.close_list()
        shell.picture(f"people-{name}-continued-lap")
        here.display.picture(f"people-{name}-continued-desk")
        there.user.run("gdbus", "call", "--session", "--dest", Notes.APPLICATION, "--object-path", "/org/segue/GtkNotes",
                       "--method", "org.gtk.Actions.Activate", "quit", "[]", "{}")
        there.sight.find_none("frame", TITLE)
        print(f"people: the text went on by GNOME's {name}")
    shell.close()
    there.user.environment = former
