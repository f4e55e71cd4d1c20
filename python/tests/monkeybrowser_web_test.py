"""The Monkey Browser (examples/python/monkeybrowser) as the default browser: pages of other browsers go on in it."""

from __future__ import annotations

import itertools
import math
import pathlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import monkeybrowser_fixtures as fixtures
import pytest
import segue
from browsers import APP_ID, Browser
from monkeybrowser_fixtures import run, taken
from support import Loop
from websites import PAGE, WORDS, lines

from harness.application import Application as Declared
from harness.browsers import KINDS, WANTED
from harness.browsers import Installed as InstalledBrowser

stage, browsers, here, there = fixtures.stage, fixtures.browsers, fixtures.here, fixtures.there
loop, other = fixtures.loop, fixtures.other

#: A line of the page, and the number of its paragraph: the first paragraph is a link.
LINE, PARAGRAPH = 57, 58
TEXT = f"{LINE}. {WORDS}"[:60].strip()


@pytest.fixture
def default(there: Browser) -> Iterator[pathlib.Path]:
    """Makes it the user's default browser on lap; the file that says so."""
    subprocess.run(
        ["xdg-settings", "set", "default-web-browser", f"{APP_ID}.desktop"], env=there.place.environment, check=True)
    choice: pathlib.Path = there.device.folder / "config" / "mimeapps.list"
    yield choice
    choice.unlink(missing_ok=True)


def in_browser(device: Any, application: Any) -> Any:
    """The application's offer on a device, if it is one for the default browser."""
    return next((offer for offer in device.offers_of(application) if offer["in-browser"]), None)


class Tabs:
    """Another browser, on desk, whose activities are as segue-browser makes them."""

    def __init__(self, declared: Declared, application: segue.Application, loop: Loop, there: Browser) -> None:
        self.id = declared.id
        self._application, self._loop, self._there = application, loop, there
        self._current: segue.Activity | None = None

    def show(self, page: str, has_address: bool = True, **place: Any) -> Any:
        """Puts the page in front, at this place, and returns the offer of it on lap."""
        if self._current is not None:
            self._current.invalidate()
        entries = {name.replace("_", "-"): value for name, value in place.items()}
        self._current = segue.Activity(
            self._application, segue.BROWSING_WEB, title=page, user_info=entries,
            webpage_url=self._there.website.address + page if has_address else None)
        self._current.become_current()
        return self._loop.offer(self._there.device, self, title=page)

    def take(self, page: str, **place: Any) -> None:
        status, error = self._loop.result(self._there.device.take(self.show(page, **place)))
        assert status == 0, error


numbers = itertools.count(1)


@pytest.fixture
def tabs(
        browsers: list[Browser], there: Browser, loop: Loop,
        other: Callable[..., segue.Application]) -> Iterator[Tabs]:
    desk = browsers[0].device
    declared = Declared(f"org.segue.test.Tabs{next(numbers)}", types=[segue.BROWSING_WEB])
    place = desk.install(declared, sys.executable, service=False)
    application = other(desk, declared.id)
    run(loop, application)
    yield Tabs(declared, application, loop, there)
    desk.installed.remove(place)
    place.close()


# Pages of another browser.


def test_aPageOfAnotherBrowserOpensAtItsPlace(default: pathlib.Path, there: Browser, tabs: Tabs) -> None:
    there.start()
    # The page is laid out in another way: the text counts.
    tabs.take("/one", scroll_x=0.0, scroll_y=900.0, fraction=0.02, text=TEXT)
    there.is_on("weather")
    top = there.seen("/one", lambda seen: seen["first"] == PARAGRAPH)["offset"]
    there.screen.find_none("Continuing activity…")
    # The page is laid out as it was there: it opens at the same pixel. Its text may have other white space.
    there.website.pages = {"/two": PAGE.format(title="Two", text=lines(200).replace(" ", "\n  "), script="")}
    tabs.take("/two", scroll_x=0.0, scroll_y=top - 30.0, fraction=0.3, text=TEXT.replace(" ", "\t"))
    there.is_at("/two", top - 30)
    # The text is not there any more, or is no text.
    for number, text in enumerate(("What was here before", 4, "(" * 9000)):
        page = f"/half{number}"
        tabs.take(page, scroll_x=0.0, scroll_y=900.0, fraction=0.5, text=text)
        there.seen(page, lambda seen: abs(seen["offset"] - seen["height"] / 2) <= 1)
    tabs.take("/three", scroll_y=3000)
    there.is_at("/three", 3000)
    tabs.take("/four")
    there.is_at("/four", 0)
    there.screen.find_none("Continuing activity…")


def test_theTextStandsAsFarDownAsItStood(default: pathlib.Path, there: Browser, tabs: Tabs) -> None:
    """There was a picture above the text."""
    there.start()
    tabs.take("/one", scroll_y=900.0, fraction=0.02, text=TEXT, text_below=0.0)
    top = there.seen("/one", lambda seen: seen["first"] == PARAGRAPH)["offset"]
    tabs.take("/two", scroll_y=900.0, fraction=0.02, text=TEXT, text_below=250.0)
    there.is_at("/two", top - 250)
    # The page opens at its top, whatever text is first there.
    tabs.take("/three", scroll_y=0.0, fraction=0.0, text=TEXT, text_below=404.0)
    there.screen.find_none("Continuing activity…")
    there.is_at("/three", 0)


def test_itIsLaunchedForAPageOfAnotherBrowser(default: pathlib.Path, there: Browser, tabs: Tabs, loop: Loop) -> None:
    command = there.device.take(tabs.show("/one", scroll_y=900.0, fraction=0.02, text=TEXT))
    there.launched()
    there.screen.find("label", "Weather", "Continuing activity…", "/one", "desk")
    assert loop.result(command)[0] == 0
    there.seen("/one", lambda seen: seen["first"] == PARAGRAPH)
    there.screen.find_none("Continuing activity…")


def test_ofSeveralPlacesWithTheTextItIsTheNearest(default: pathlib.Path, there: Browser, tabs: Tabs) -> None:
    there.start()
    there.website.pages = {"/twice": PAGE.format(title="Twice", text=lines(100) + lines(100), script="")}
    tabs.take("/twice", scroll_y=900.0, fraction=0.75, text=TEXT)
    there.seen("/twice", lambda seen: seen["first"] == PARAGRAPH + 100)


def test_aPageThatIsFilledLaterIsFollowed(default: pathlib.Path, there: Browser, tabs: Tabs) -> None:
    there.start()
    tabs.take("/growing", scroll_y=900.0, fraction=0.5, text=TEXT)
    there.seen("/growing", lambda seen: seen["height"] < 900)
    # The browser cannot know that the page will be higher.
    there.screen.find_none("Continuing activity…")
    there.website.complete()
    there.seen("/growing", lambda seen: seen["first"] == PARAGRAPH)


def test_itOpensWhereNothingIsOpen(
        default: pathlib.Path, browsers: list[Browser], there: Browser, tabs: Tabs) -> None:
    there.start()
    there.show_tab("work")
    there.go("/plan")
    for kind, page in (("weather", "/one"), ("favourite", "/two"), ("coffeebreak", "/three")):
        tabs.take(page)
        there.is_on(kind)
        there.seen(page)
    there.show_tab("work")
    browsers[0].offer("work", title="Plan")
    # All tabs are taken.
    tabs.take("/four")
    there.seen("/four")
    there.is_on("work")
    # A page that is opened there after that belongs to the tab.
    there.go("/local")
    browsers[0].offer("work", title="Local")


def test_aPageThatDoesNotComeLeavesWhatWasShown(
        default: pathlib.Path, there: Browser, tabs: Tabs, loop: Loop) -> None:
    there.start()
    there.go("/local")
    command = there.device.take(tabs.show("/one"))
    there.screen.find("label", "Favourite", "Continuing activity…")
    loop.applications[0].close()
    assert loop.result(command)[0] == 1
    there.is_on("weather")
    there.screen.find_none("Continuing activity…")


def test_aPageWithoutAnAddressIsRefused(default: pathlib.Path, there: Browser, tabs: Tabs, loop: Loop) -> None:
    there.start()
    there.go("/local")
    assert loop.result(there.device.take(tabs.show("/one", has_address=False)))[0] == 1
    there.screen.find("label", "The page of the other device was not opened.", "without an address")
    there.is_on("weather")


#: The title says that the page has come to rest, once the browser knows.
STILL = """
  let resting;
  addEventListener("keydown", () => addEventListener("scroll", () => {
    clearTimeout(resting);
    resting = setTimeout(() => document.title = "Resting", 500);
  }));
"""
#: A bar that does not scroll with the page, and so is no place on it.
BAR = f"<div style='position: fixed; top: 0; background: white'>Number {LINE} is a line.</div>"
#: The height of a line: the line at the top of the view is usually cut.
HEIGHT = 20


@pytest.mark.parametrize("bar", ["", BAR], ids=["plain", "bar"])
def test_itsPlaceGoesOnToOtherBrowsers(
        default: pathlib.Path, there: Browser, tabs: Tabs, loop: Loop, other: Callable[..., segue.Application],
        browsers: list[Browser], bar: str) -> None:
    there.start()
    style = f"<style>p {{ margin: 0; line-height: {HEIGHT}px }}</style><div style='width: 3000px'>Wide</div>"
    text = style + "".join(f"<p>Number {number} is a line." for number in range(200))
    there.website.pages = {"/still": PAGE.format(title="Moving", text=bar + text, script=STILL)}
    tabs.take("/still", scroll_x=120.0, scroll_y=900.0, fraction=0.02, text=f"Number {LINE} is a line.")
    # The letters are not as high as the line.
    top = there.seen("/still", lambda seen: abs(seen["first"] - PARAGRAPH) <= 1)["offset"]
    there.scroll("/still")
    target = other(browsers[0].device)
    run(loop, target)
    activity = taken(loop, target, browsers[0], title="Resting")
    # The page may have scrolled on until it was at rest.
    now = there.seen("/still")
    offset, height = now["offset"], now["height"]
    assert (activity.type, activity.webpage_url) == (segue.BROWSING_WEB, there.website.address + "/still")
    place = dict(activity.user_info)
    # The first line in the view that is whole; below the bar it is the next one.
    whole = LINE + math.ceil((offset - 1 - top) / HEIGHT)
    assert place.pop("text") in [f"Number {number} is a line." for number in range(whole, whole + (2 if bar else 1))]
    assert 0 <= place.pop("text-below") <= 3 * HEIGHT
    assert place == {
        "scroll-x": 120.0, "scroll-y": pytest.approx(offset, abs=1),
        "fraction": pytest.approx(offset / height, abs=1e-3)}


def test_itGoesOnInTheMonkeyBrowserElsewhere(default: pathlib.Path, here: Browser, there: Browser, tabs: Tabs) -> None:
    there.start()
    tabs.take("/one", scroll_y=900.0, fraction=0.02, text=TEXT)
    there.seen("/one", lambda seen: seen["first"] == PARAGRAPH)
    there.scroll("/one")
    first = there.seen("/one")["first"]
    here.device.take(here.device.offer(here, type=segue.BROWSING_WEB, title="One")).succeeded()
    here.seen("/one", lambda seen: abs(seen["first"] - first) <= 1)


SENSELESS: list[dict[str, Any]] = [
    {"scroll_y": float("nan"), "fraction": float("inf"), "scroll_x": -5.0, "text": 4},
    {"scroll_y": -5, "fraction": 1e300, "text": ""}, {"scroll_y": "far", "fraction": True, "text": [TEXT]},
    {"text": " \n"}, {"text": "(" * 9000}, {"text": r"5\d[.]"}]


def test_aSenselessPlaceOpensThePageAtItsTop(default: pathlib.Path, there: Browser, tabs: Tabs) -> None:
    there.start()
    for number, place in enumerate(SENSELESS):
        page = f"/sent{number}"
        tabs.take(page, **place)
        there.seen(page)
        there.screen.find_none("Continuing activity…")
        there.is_at(page, 0)


def test_whereItIsNotTheDefaultBrowserItDoesNotGetThem(
        default: pathlib.Path, there: Browser, tabs: Tabs) -> None:
    tabs.show("/one")
    other = there.device.data / "applications/other.desktop"
    other.write_text("[Desktop Entry]\nType=Application\nName=Other\nExec=true %u\n")
    try:
        default.write_text("[Default Applications]\nx-scheme-handler/https=other.desktop\n")
        there.device.until(lambda watch: in_browser(there.device, tabs), "the offer for whichever browser that is")
        reasons = [row["reason"] for row in there.device.json("explain", segue.BROWSING_WEB)]
        assert "not-default-browser" in reasons
    finally:
        other.unlink()


# Addresses that other programs open.


def open_by_bus(there: Browser, *addresses: str) -> None:
    with there.device.bus() as bus:
        bus.call(
            APP_ID, "/org/segue/MonkeyBrowser", "org.freedesktop.Application", "Open", "asa{sv}",
            [list(addresses), {}])


def test_itOpensWhatOtherProgramsOpen(default: pathlib.Path, here: Browser, there: Browser) -> None:
    there.process = there.place.start(there.website.address + "/one?a=b%20c&d#part")
    there.seen("/one?a=b%20c&d#part")
    there.is_on("weather")
    offset = there.scroll("/one?a=b%20c&d#part")
    # A page that was opened so is a page as any other.
    here.take("weather", title="One").succeeded()
    here.is_at("/one?a=b%20c&d#part", offset)
    subprocess.run(["xdg-open", there.website.address + "/two"], env=there.place.environment, check=True)
    there.seen("/two")
    there.is_on("favourite")
    open_by_bus(there, there.website.address + "/three", there.website.address + "/four")
    # Either page may be the first that is there.
    there.is_on("work")
    here.offer("work", title="Four")
    # gio follows the desktop file to the letter. All tabs are taken.
    subprocess.run(["gio", "open", there.website.address + "/five"], env=there.place.environment, check=True)
    here.offer("work", title="Five")
    there.seen("/five", lambda seen: seen["focus"])
    there.show_tab("coffeebreak")
    here.offer("coffeebreak", title="Three")


def test_whatIsNoPageIsNotOpened(there: Browser) -> None:
    there.start()
    there.go("/local")
    open_by_bus(there, "file:///etc/passwd")
    there.screen.find("label", "This address cannot be opened.", "“file”")
    there.is_on("weather")


# Firefox and Chromium, with the extension.


@pytest.fixture
def only_there(browsers: list[Browser]) -> Iterator[None]:
    """Removes it from desk, where it would get its own pages back, whatever the default browser is."""
    files = [browsers[0].place.desktop, browsers[0].place.service]
    for file in files:
        file.rename(file.with_suffix(".away"))
    yield
    for file in files:
        file.with_suffix(".away").rename(file)


@pytest.fixture(params=KINDS)
def foreign(request: Any, browsers: list[Browser], only_there: None) -> Iterator[Any]:
    """The default browser of desk, which runs."""
    if not WANTED:
        pytest.skip("scripts/test-browsers has the browsers")
    made = InstalledBrowser(browsers[0].device, KINDS[request.param])
    try:
        made.browser.start()
        made.browser.allow("localhost")
        yield made
    finally:
        made.close()


FIRST = "[...document.querySelectorAll('p')].findIndex((line) => line.getBoundingClientRect().bottom > 0)"


def read(foreign: Any, there: Browser) -> Any:
    """Opens a page, scrolls it to a line, and returns the offer of it on lap."""
    page = foreign.browser.open(there.website.address + "/one")
    page.evaluate(f"document.querySelectorAll('p')[{PARAGRAPH}].scrollIntoView()")
    page.until(f"{FIRST} === {PARAGRAPH}")
    return there.device.offer(foreign, title="One")


@pytest.mark.browsers
def test_aPageOfARealBrowserGoesOnAndBack(default: pathlib.Path, there: Browser, foreign: Any) -> None:
    there.start()
    command = there.device.take(read(foreign, there))
    there.seen("/one", lambda seen: seen["first"] == PARAGRAPH)
    command.succeeded()
    there.scroll("/one")
    first = there.seen("/one")["first"]
    assert first > PARAGRAPH
    desk = foreign.device
    command = desk.take(desk.offer(there, title="One"))
    page = foreign.browser.find("/one")
    page.until(f"Math.abs({FIRST} - {first}) <= 1")
    command.succeeded()


@pytest.mark.browsers
def test_aPageOfARealBrowserGoesOnAndBackWhereNeitherRuns(default: pathlib.Path, there: Browser, foreign: Any) -> None:
    command = there.device.take(read(foreign, there))
    there.launched()
    there.seen("/one", lambda seen: seen["first"] == PARAGRAPH)
    command.succeeded()
    there.scroll("/one")
    first = there.seen("/one")["first"]
    foreign.browser.end()
    desk = foreign.device
    command = desk.take(desk.offer(there, title="One"))
    page = foreign.browser.started().find("/one")
    page.until(f"Math.abs({FIRST} - {first}) <= 1")
    command.succeeded()


@pytest.mark.browsers
def test_itsOwnPageOpensInTheDefaultBrowser(there: Browser, foreign: Any) -> None:
    there.start()
    there.go("/own")
    foreign.browser.end()
    desk = foreign.device
    command = desk.take(desk.until(lambda watch: in_browser(desk, there), "the page's offer"))
    foreign.browser.started().find("/own")
    command.succeeded()
