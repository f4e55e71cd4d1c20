"""The Monkey Browser (examples/python/monkeybrowser) with pages that crash, never end, or are no pages."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import monkeybrowser_fixtures as fixtures
import pytest
import segue
from browsers import TYPE, Browser
from monkeybrowser_fixtures import run, taken
from support import HERE, ROOT, Loop

from harness.bounds import SECONDS

stage, browsers, here, there = fixtures.stage, fixtures.browsers, fixtures.here, fixtures.there
loop, other = fixtures.loop, fixtures.other

Send = Callable[..., None]


@pytest.fixture
def send(browsers: list[Browser], there: Browser, loop: Loop, other: Callable[..., segue.Application]) -> Send:
    """Lets the browser on lap, which shows /local, continue an activity of another program on desk."""
    there.start()
    there.go("/local")
    origin = other(browsers[0].device)
    run(loop, origin)

    def send(page: str, kind: str = "weather", **position: float) -> None:
        activity = segue.Activity(origin, TYPE + kind, title=page, user_info={
            "Url": there.website.address + page, **position})
        activity.become_current()
        status, error = loop.result(there.device.take(loop.offer(there.device, there, title=page)))
        assert status == 0, error

    return send


def test_aPageThatCrashesIsLoadedAgainWhereItWasOnce(here: Browser, there: Browser) -> None:
    here.go("/one")
    offset = here.scroll("/one")
    offer = there.offer("weather", title="One")
    for text in ("What was open is loaded again.", "Press Go to load it again."):
        here.website.forget()
        here.crash_page()
        here.screen.find("label", "The page has ended unexpectedly.", text)
        if text.startswith("What"):
            here.is_at("/one", offset)
            here.screen.find_none("Continuing activity…")
            # It is the same activity.
            assert there.offer("weather", title="One")["id"] == offer["id"]
            here.screen.find("label", text)
    assert there.offer("weather", title="One")["id"] == offer["id"]


def test_aProcessThatEndsWhileAPageComesLeavesWhatWasOpen(there: Browser, send: Send) -> None:
    offset = there.scroll("/local")
    send("/slow")
    there.screen.find("Continuing activity…")
    there.website.asked("/slow")
    there.website.forget()
    there.crash_page()
    there.screen.find("label", "The page has ended unexpectedly.")
    there.screen.find_none("Continuing activity…")
    there.is_at("/local", offset)


def test_aWebPageThatLeadsToAFileLeavesWhatWasOpen(there: Browser, send: Send) -> None:
    offset = there.scroll("/local")
    send("/redirect/file:///etc/passwd")
    # WebKit ends the process that asks for this.
    there.screen.find("push button", "Dismiss")
    there.screen.find_none("Continuing activity…")
    there.is_at("/local", offset)


def test_aFileIsNotStored(there: Browser, send: Send) -> None:
    offset = there.scroll("/local")
    send("/file")
    there.screen.find("label", "/file was not opened.", "which this browser neither shows nor stores")
    there.screen.find_none("Continuing activity…")
    there.is_at("/local", offset)
    there.type(there.website.address + "/file")
    there.screen.press("Return")
    there.is_at("/local", offset)
    assert not list(there.device.folder.rglob("unwanted*"))


def test_whatNeverEndsIsWaitedForNoLongerThanTenSeconds(there: Browser, send: Send) -> None:
    send("/endless", ScrollOffset=700.0)
    there.website.asked("/endless")
    there.screen.find("Continuing activity…")
    there.screen.find_none("Continuing activity…")


def test_aPageThatBeginsLaterOpensAtItsPlace(there: Browser, send: Send) -> None:
    send("/slow", ScrollOffset=40.0, ViewWidth=float(there.seen("/local")["width"]))
    there.website.asked("/slow")
    # The window says that the page is coming, for longer than a page that has come may take to reach its place.
    send("/endless", "work")
    there.screen.find_none("Work", "Continuing activity…")
    there.screen.find("Weather", "Continuing activity…")
    there.show_tab("weather")
    there.website.complete()
    there.is_at("/slow", 40)
    there.screen.find_none("Continuing activity…")


def test_itIsSaidThatAPageComesUntilThereIsSomethingToSee(
        browsers: list[Browser], there: Browser, send: Send) -> None:
    there.website.pages = {"/empty": """<!doctype html><title>Empty</title><body><script>
      addEventListener("load", async () => {
        document.title = "Loaded";
        document.body.innerHTML = await (await fetch("/rest")).text();
      });
    </script>"""}
    there.website.hold()
    send("/empty")
    there.website.asked("/rest")
    browsers[0].offer("weather", title="Loaded")
    there.screen.find("Continuing activity…")
    there.website.complete()
    there.screen.find_none("Continuing activity…")


def test_aPageThatStaysTooShortTellsWhereItIs(
        browsers: list[Browser], there: Browser, send: Send, loop: Loop) -> None:
    send("/growing", ScrollOffset=5000.0, ScrollFraction=0.5, ViewWidth=float(there.seen("/local")["width"]))
    there.website.asked("/rest")
    there.screen.find_none("Continuing activity…")
    activity = taken(loop, loop.applications[0], browsers[0], title="Growing")
    assert activity.user_info["ScrollOffset"] == there.seen("/growing")["offset"] == 0


def test_waitingForAPageCanBeCancelled(browsers: list[Browser], there: Browser, send: Send) -> None:
    offset = there.scroll("/local")
    send("/slow")
    there.website.asked("/slow")
    there.screen.click("push button", "Cancel")
    there.screen.find_none("Continuing activity…")
    there.is_at("/local", offset)
    browsers[0].offer("weather", title="Local")


def test_theEndOfAPageIsReachedInAHigherWindow(there: Browser, send: Send) -> None:
    height = there.seen("/local")["height"]
    width = there.seen("/local")["width"]
    # The place was saved in a window that is 200 pixels high.
    send("/end", ScrollOffset=height - 200.0, ScrollFraction=(height - 200.0) / height, ViewWidth=float(width))
    there.seen("/end", lambda seen: seen["bottom"] >= seen["height"] - 1)
    start = time.monotonic()
    there.screen.find_none("Continuing activity…")
    # It is there well before the ten seconds have passed.
    assert time.monotonic() - start < 5


def test_aLinkToSomethingElseIsNotFollowed(here: Browser, there: Browser) -> None:
    here.go("/links")
    here.screen.press("Tab", "Tab", "Return")
    here.screen.find("label", "This address cannot be opened.", "“mailto”")
    there.offer("weather", title="Links")


def test_aLinkThatOpensAWindowOpensInItsTab(here: Browser, there: Browser) -> None:
    here.go("/links")
    here.screen.press("Tab", "Tab", "Tab", "Return")
    here.seen("/one")
    there.offer("weather", title="One")


def closed_windows(there: Browser, *address: str) -> str:
    done = subprocess.run(
        [sys.executable, HERE / "programs" / "closed_windows.py", ROOT / "examples" / "python" / "monkeybrowser",
         *address], env=there.place.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        timeout=SECONDS)
    return done.stdout


def test_aWindowThatIsClosedIsGone(there: Browser) -> None:
    """Its pages are gone, too: GTK and WebKit hold objects that Python has given them, and Python does not see that."""
    assert closed_windows(there) == "0 0\n"


def test_aPageWhoseWindowIsClosedIsNotLoadedAgain(there: Browser) -> None:
    """The browser loads a page again whose process has crashed, but not one whose window was closed."""
    assert closed_windows(there, there.website.address + "/one") == "0 0\n"
    assert there.website.times_asked("/one") == 4
