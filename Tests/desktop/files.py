"""A file of one person is sent from the menu of GNOME Files, the real program with Segue's extension, and taken by a click."""

import contextlib

from harness.waiting import wait_for
from people import User, pair
from person import Person, both

FILE = "plan & map.txt"


def choose(person, word):
    """Goes down a menu with the keyboard, until the item with the word has it."""
    person.sight.find(word)
    for _ in range(30):
        if person.sight.has(word, "focused"):
            return
        person.press("Down")
    raise AssertionError(f"the keyboard does not come to “{word}”")


def files(_desk, _lap):
    # A screen reader waits for what others have left behind on the bus of accessibility.
    desk, lap = User("study"), User("porch")
    pair(desk, lap)
    wait_for(lambda: all(user.status()["online"] == 1 for user in (desk, lap)), "a link")
    with contextlib.ExitStack() as ends:
        here, there = (ends.enter_context(Person(*words)) for words in ((desk, 83, 1200), (lap, 84, 1280)))
        folder = there.user.home / "plans"
        there.user.run("mkdir", "-p", str(folder))
        there.write(folder / FILE, "to the ridge, by noon\n")
        notifier = here.notifier()
        program = there.open("nautilus", str(folder), title="plans")
        there.sight.find(FILE)
        there.click(FILE, button=3)
        choose(there, "Send to…")
        there.display.picture("files-menu")
        there.press("Return")
        choose(there, here.device)
        there.display.picture("files-devices")
        there.press("Return")
        there.sight.find("label", f"{here.device} Shows It")
        here.click_card("files-card")
        came = here.user.home / "Downloads" / FILE
        there.sight.find("label", "Sent")
        wait_for(came.exists, "the file")
        assert came.read_text() == (folder / FILE).read_text() and came.stat().st_uid == desk.entry.pw_uid
        both("files-sent", here, there)
        here.end(notifier)
        there.end(program)
