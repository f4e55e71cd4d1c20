"""Where the Monkey Browser shows an activity that has come, and which place of a page its own activity has."""

from __future__ import annotations

import itertools
import os
import pathlib
import select
from collections.abc import Callable, Mapping
from typing import Any

import monkeybrowser_fixtures as fixtures
import segue
from browsers import TYPE, Browser
from monkeybrowser_fixtures import run, told
from support import Loop
from websites import GROWING, PAGE, lines

from harness.application import Application as Declared
from harness.bounds import SECONDS

stage, browsers, here, there = fixtures.stage, fixtures.browsers, fixtures.here, fixtures.there
loop, other, another = fixtures.loop, fixtures.other, fixtures.another


# The browser's window.


#: Numbers of pages, so that no offer of an earlier test is taken for one of this test.
plans = itertools.count(1)


def coming(here: Browser, there: Browser) -> Any:
    """A plan of here's tab Work is on its way to there, which runs and shows another tab: the command, and the page."""
    page = f"/plan{next(plans)}"
    there.start()
    there.go("/local")
    here.show_tab("work")
    here.go(page)
    offer = there.offer("work", title=page[1:].capitalize())
    here.stop()
    command = there.device.take(offer)
    there.screen.find("Work", "Continuing activity…", offer["title"])
    return command, page


def test_whatHasComeIsInFrontOfTheUser(here: Browser, there: Browser) -> None:
    command, page = coming(here, there)
    there.screen.run("xdotool", "getactivewindow", "windowminimize", "--sync")
    there.screen.find_none("frame", "Monkey Browser", "active")
    here.go_on()
    command.succeeded()
    there.seen(page)
    there.screen.find("frame", "Monkey Browser", "active")


def test_whyNothingComesIsInFrontOfTheUser(here: Browser, there: Browser) -> None:
    command, _ = coming(here, there)
    there.screen.run("xdotool", "getactivewindow", "windowminimize", "--sync")
    there.screen.find_none("frame", "Monkey Browser", "active")
    here.close()
    error = command.failed()
    there.screen.find("frame", "Monkey Browser", "active")
    there.screen.find("label", error.split(": ", 1)[1].split("\n")[0].strip())


def test_whatIsOpenedMeanwhileStaysInFront(here: Browser, there: Browser) -> None:
    command, _ = coming(here, there)
    there.go("/mine")
    here.close()
    command.failed()
    there.screen.find("Dismiss")
    there.is_on("work")


def test_choosingSomethingElseOpensNoWindowAgain(
        here: Browser, there: Browser, another: Declared, loop: Loop, other: Callable[..., segue.Application]) -> None:
    first, _ = coming(here, there)
    for browser in (here, there):
        run(loop, other(browser.device, another.id))
    origin, target = loop.applications
    target.on_continue(lambda activity, restoration: True)
    segue.Activity(origin, another.type).become_current()
    second = loop.offer(there.device, another)
    there.screen.press("alt+F4")
    there.screen.find_none("Monkey Browser")
    assert loop.result(there.device.take(second))[0] == 0
    first.failed()
    # Without a window, and with nothing on its way, it ends.
    ended = os.pidfd_open(there.process.pid)
    try:
        assert select.select([ended], [], [], SECONDS)[0], "it has a window"
    finally:
        os.close(ended)


# The places that the browser reads from pages, some of which try to mislead it.


def page(script: str, text: str = lines(200), title: str = "Page") -> str:
    return PAGE.format(title=title, text=text, script=script)


def is_close(one: float, other: float) -> bool:
    """The wheel turns smoothly, and comes to rest between two pixels."""
    return abs(one - other) <= 1


def test_scrollingThatAPageMakesUpIsNotTold(here: Browser, there: Browser) -> None:
    here.website.pages = {"/flood": page("""
      addEventListener("hashchange", () => {
        for (let count = 0; count < 20000; ++count) dispatchEvent(new Event("scroll"));
        document.title = "Flooded";
      });
    """)}
    here.go("/flood")
    there.offer("weather", title="Page")
    before = processor_time(here.process.pid)
    here.screen.press("Tab", "Return")
    # By then the browser has dealt with the page's earlier messages.
    there.offer("weather", title="Flooded")
    assert processor_time(here.process.pid) - before < 0.5


def processor_time(pid: int) -> float:
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_aTurningOfTheWheelThatAPageMakesUpDoesNotKeepItFromItsPlace(here: Browser, there: Browser) -> None:
    there.start()
    grow = "document.querySelector"
    script = GROWING.replace(grow, f"dispatchEvent(new Event('wheel')); {grow}")
    here.website.pages = {"/turning": page(script, lines(5))}
    here.website.complete()
    here.go("/turning")
    here.seen("/turning", lambda seen: seen["height"] > 3000)
    offset = here.scroll_to_end("/turning")
    here.website.hold()
    command = there.take("weather")
    assert there.seen("/turning")["height"] < offset
    there.screen.find("Continuing activity…")
    here.website.complete()
    there.is_at("/turning", offset)
    command.succeeded()


def test_aPageThatNamesItsElementsAsTheDocumentDoesIsWhereItIs(
        here: Browser, there: Browser, loop: Loop, other: Callable[..., segue.Application]) -> None:
    names = """
      <form name="documentElement"><input name="clientWidth"></form>
      <form name="scrollingElement"><input name="scrollHeight"></form>
    """
    here.website.pages = {"/names": page("", names + lines(200))}
    here.go("/names")
    offset = here.scroll("/names")
    place = told(there, loop, other).user_info
    assert is_close(place["ScrollOffset"], offset) and 0 < place["ScrollFraction"] < 1
    here.go("/one")
    assert place["ViewWidth"] == here.seen("/one")["width"]


def test_anAddressTooLongToBeToldIsNotOnOffer(
        here: Browser, there: Browser, loop: Loop, other: Callable[..., segue.Application]) -> None:
    here.website.pages = {"/lengthy": page("""
      const show = (address, title) => { history.pushState(0, "", address); document.title = title; };
      let times = 0;
      addEventListener("hashchange", () => {
        if (++times === 1) show("/" + "x".repeat(3000), "Long");
      });
      addEventListener("keydown", (event) => {
        if (event.key === "s") show("/short", "Short");
      });
    """)}
    here.go("/lengthy")
    there.offer("weather", title="Page")
    here.screen.press("Tab", "Return")
    there.device.no_offer(there)
    here.screen.press("s")
    there.offer("weather", title="Short")
    assert told(there, loop, other).user_info["Url"] == here.website.address + "/short"


#: The title becomes the page's size three frames after a change, when the browser knows it already.
RESIZED = """
  const root = document.documentElement;
  const frame = (count) => requestAnimationFrame(() => {
    if (count) return frame(count - 1);
    document.title = `${root.clientWidth} by ${root.scrollHeight}`;
    tell();
  });
  new ResizeObserver(() => frame(2)).observe(root);
"""


def is_where_it_says(seen: Any, place: Mapping[str, Any]) -> None:
    assert is_close(place["ScrollOffset"], seen["offset"]) and place["ViewWidth"] == seen["width"]
    assert abs(place["ScrollFraction"] - seen["offset"] / seen["height"]) < 1e-6


def test_inANarrowerWindowThePositionIsAnother(
        here: Browser, there: Browser, loop: Loop, other: Callable[..., segue.Application]) -> None:
    here.website.pages = {"/sized": page(RESIZED)}
    here.go("/sized")
    here.scroll("/sized")
    here.screen.run("xdotool", "getactivewindow", "windowsize", "--sync", "600", "600")
    seen = here.seen("/sized", lambda seen: seen["width"] < 800)
    there.offer("weather", title=f"{seen['width']} by {seen['height']}")
    place = told(there, loop, other).user_info
    is_where_it_says(seen, place)
    assert place["ScrollOffset"] > 0


def test_inAPageThatHasGrownThePositionIsAnother(
        here: Browser, there: Browser, loop: Loop, other: Callable[..., segue.Application]) -> None:
    here.website.pages = {"/growth": page(GROWING + RESIZED, lines(30))}
    here.go("/growth")
    here.scroll("/growth")
    here.website.complete()
    seen = here.seen("/growth", lambda seen: seen["height"] > 5000)
    there.offer("weather", title=f"{seen['width']} by {seen['height']}")
    place = told(there, loop, other).user_info
    is_where_it_says(seen, place)
    assert place["ScrollOffset"] > 0


def test_aPageThatIsComeBackToIsWhereItWas(
        here: Browser, there: Browser, loop: Loop, other: Callable[..., segue.Application]) -> None:
    here.website.pages = {
        "/first": page("""
          addEventListener("pageshow", (event) => event.persisted && setTimeout(() => {
            requestAnimationFrame(() => document.title = "Again");
          }));
        """),
        "/back": page("addEventListener('load', () => setTimeout(() => history.back()));", title="Back")}
    here.go("/first")
    offset = here.scroll("/first")
    here.type(here.website.address + "/back")
    here.screen.press("Return")
    here.website.asked("/back")
    there.offer("weather", title="Again")
    assert is_close(told(there, loop, other).user_info["ScrollOffset"], offset)


def test_whatReplacesAPageIsScrolledInItsPlace(
        browsers: list[Browser], there: Browser, loop: Loop, other: Callable[..., segue.Application]) -> None:
    there.start()
    origin = other(browsers[0].device)
    run(loop, origin)
    # The page has an image that does not come, so that it is never complete.
    there.website.pages = {"/moved": page(
        "setTimeout(() => location.replace('/target'));", lines(5) + "<img src='/slow'>")}
    info = {"Url": there.website.address + "/moved", "ScrollOffset": 700.0, "ScrollFraction": 0.1, "ViewWidth": 890.0}
    activity = segue.Activity(origin, TYPE + "favourite", title="Moved", user_info=info)
    activity.become_current()
    assert loop.take(there.device, there, title="Moved")[0] == 0
    assert there.seen("/target", lambda seen: seen["offset"] > 0)["width"] == 890
    there.is_at("/target", 700)
    there.screen.find_none("Continuing activity…")
