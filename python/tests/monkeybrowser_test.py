"""The Monkey Browser (examples/python/monkeybrowser): its pages go on at another device."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import monkeybrowser_fixtures as fixtures
import segue
from browsers import APP_ID, TABS, TYPE, Browser
from monkeybrowser_fixtures import run, told
from support import Loop

from harness.application import Application as Declared


stage, browsers, here, there = fixtures.stage, fixtures.browsers, fixtures.here, fixtures.there
loop, other, another = fixtures.loop, fixtures.other, fixtures.another


def test_aPageGoesOnInItsTabAtItsPlaceAndBack(here: Browser, there: Browser) -> None:
    here.show_tab("coffeebreak")
    here.go("/beans")
    offset = here.scroll("/beans")
    # The bus launches the browser there, whose window says at once which page is on its way, and in which tab.
    offer = there.offer("coffeebreak", title="Beans")
    assert offer["web-host"] in here.website.address
    here.stop()
    command = there.device.take(offer)
    there.launched()
    there.screen.find("label", "Coffee Break", "Continuing activity…", "Beans", "desk")
    there.is_on("coffeebreak")
    here.go_on()
    there.is_at("/beans", offset)
    there.screen.find_none("Continuing activity…")
    command.succeeded()
    # Back, after reading on, to the browser that has been there all the time.
    further = there.scroll("/beans")
    assert further > offset
    here.show_tab("weather")
    here.take("coffeebreak").succeeded()
    here.is_on("coffeebreak")
    here.is_at("/beans", further)


def test_itGoesOnWhereTheBrowserRuns(here: Browser, there: Browser) -> None:
    there.start()
    there.go("/local")
    here.show_tab("work")
    here.go("/plan")
    offset = here.scroll("/plan")
    there.take("work").succeeded()
    there.is_on("work")
    there.is_at("/plan", offset)
    # The other tab has kept its page.
    there.show_tab("weather")
    here.offer("weather", title="Local")


def test_goMakesAnotherActivity(here: Browser, there: Browser) -> None:
    there.start()
    here.go("/one")
    first = there.offer("weather", title="One")
    here.type(here.website.address + "/two")
    here.screen.click("push button", "Go", "Weather")
    second = there.offer("weather", title="Two")
    assert second["id"] != first["id"]
    assert [offer["id"] for offer in there.device.offers_of(there)] == [second["id"]]
    # The first activity was invalidated, and not just replaced: it cannot be fetched any more.
    assert there.device.take(first).failed()


def test_theTabThatIsShownIsOnOffer(here: Browser, there: Browser) -> None:
    here.go("/rain")
    here.show_tab("work")
    # The tab has no page.
    there.device.no_offer(there)
    here.go("/plan")
    there.offer("work", title="Plan")
    here.screen.click("page tab", "Weather")
    there.offer("weather", title="Rain")
    assert len(there.device.offers_of(there)) == 1


def test_theKeyboardElsewhereInTheWindowEndsNoOffer(here: Browser, there: Browser) -> None:
    here.go("/growing")
    there.offer("weather", title="Growing")
    here.screen.press("ctrl+l", "shift+Tab")
    here.screen.find("page tab", "Work", "focused")
    here.website.complete()
    there.offer("weather", title="Grown")
    here.screen.press("space")
    here.is_on("work")
    there.device.no_offer(there)


def test_aPageThatGrowsIsScrolledOnceItIsHighEnough(here: Browser, there: Browser) -> None:
    there.start()
    here.website.complete()
    here.go("/growing")
    here.seen("/growing", lambda seen: seen["height"] > 3000)
    offset = here.scroll_to_end("/growing")
    here.website.hold()
    command = there.take("weather")
    short = there.seen("/growing")
    assert short["height"] < offset
    there.screen.find("Continuing activity…")
    here.website.complete()
    there.is_at("/growing", offset)
    there.screen.find_none("Continuing activity…")
    command.succeeded()


def test_aPageThatIsOnlyAskedForIsNotHandedOver(here: Browser, there: Browser) -> None:
    there.start()
    here.go("/one")
    offset = here.scroll("/one")
    here.type(here.website.address + "/slow")
    here.screen.press("Return")
    here.website.asked("/slow")
    here.screen.press("alt+2", "alt+1")
    there.take("weather").succeeded()
    there.is_at("/one", offset)
    here.website.complete()
    here.seen("/slow")
    there.offer("weather", title="Slow")


def test_anotherPlaceInThePageIsTheSameActivity(here: Browser, there: Browser) -> None:
    there.start()
    here.go("/one")
    first = there.offer("weather", title="One")
    # The page has the keyboard; this is its only link.
    here.screen.press("Tab", "Return")
    here.seen("/one#part")
    there.device.take(first).succeeded()
    there.seen("/one#part")


def test_aNarrowerWindowShowsTheSameLines(here: Browser, there: Browser) -> None:
    there.start()
    there.screen.run("xdotool", "getactivewindow", "windowsize", "--sync", "600", "600")
    here.go("/long")
    for _ in range(4):
        here.scroll("/long")
    wide = here.seen("/long")
    assert wide["first"] > 10
    there.take("weather").succeeded()
    narrow = there.seen("/long", lambda seen: abs(seen["first"] - wide["first"]) <= 1)
    assert narrow["height"] > wide["height"] and narrow["offset"] > wide["offset"]


def test_anOriginThatEndsWhileItSavesIsToldAndLosesNothing(here: Browser, there: Browser) -> None:
    there.start()
    there.go("/local")
    offset = there.scroll("/local")
    here.show_tab("work")
    here.go("/plan")
    here.scroll("/plan")
    offer = there.offer("work")
    here.stop()
    command = there.device.take(offer)
    there.screen.find("Work", "Continuing activity…")
    here.close()
    error = command.failed()
    there.screen.find("label", error.split(": ", 1)[1].split("\n")[0].strip())
    there.screen.find_none("Continuing activity…")
    there.is_on("weather")
    there.is_at("/local", offset)
    here.offer("weather", title="Local")
    there.screen.click("push button", "Dismiss")
    there.screen.find_none("Dismiss")


def test_whatComesAfterTheWindowWasClosedOpensAnother(here: Browser, there: Browser) -> None:
    there.start()
    there.go("/local")
    here.offer("weather", title="Local")
    here.show_tab("work")
    here.go("/plan")
    offset = here.scroll("/plan")
    offer = there.offer("work", title="Plan")
    here.stop()
    command = there.device.take(offer)
    there.screen.find("Work", "Continuing activity…")
    there.screen.press("alt+F4")
    there.screen.find_none("Monkey Browser")
    # The page that was open in it is on offer no more.
    here.device.no_offer(here)
    here.go_on()
    command.succeeded()
    there.is_on("work")
    there.is_at("/plan", offset)


def test_aPageThatCannotBeLoadedLeavesTheFormerOne(here: Browser, there: Browser) -> None:
    here.go("/one")
    offset = here.scroll("/one")
    here.type(here.website.address + "/broken")
    here.screen.press("Return")
    here.screen.find("label", "/broken could not be loaded.")
    command = there.take("weather", title="One")
    there.launched()
    command.succeeded()
    there.is_at("/one", offset)


def test_aPageThatCrashesCanStillBeHandedOver(here: Browser, there: Browser) -> None:
    here.go("/one")
    offset = here.scroll("/one")
    there.offer("weather", title="One")
    here.crash_page()
    here.screen.find("label", "The page has ended unexpectedly.")
    command = there.take("weather")
    there.launched()
    command.succeeded()
    there.is_at("/one", offset)
    here.screen.click("push button", "Go", "Weather")
    here.screen.find_none("Dismiss")
    here.is_at("/one", 0)


def test_whatIsNoWebPageIsNotOpened(here: Browser, there: Browser) -> None:
    here.go("/one")
    offset = here.scroll("/one")
    for typed in ("javascript:alert(1)", "file:///etc/passwd", "data:text/html,x"):
        here.type(typed)
        here.screen.press("Return")
        here.screen.find("label", "cannot be opened", f"“{typed.partition(':')[0]}”")
        here.screen.click("push button", "Dismiss")
        here.screen.find_none("Dismiss")
    here.is_at("/one", offset)
    there.offer("weather", title="One")


# Activities that other programs send, and get.


HOSTILE: dict[str, dict[str, Any]] = {
    "javascript": {"Url": "javascript:alert(document.cookie)"},
    "file": {"Url": "file:///etc/passwd"},
    "data": {"Url": "data:text/html,<h1>x"},
    "no host": {"Url": "http:///x"},
    "address": {"Url": 4, "ScrollOffset": 4},
    "without an address": {},
    "control characters": {"Url": " http://127.0.0.1/\n"},
    "longer": {"Url": "http://127.0.0.1/" + "x" * 9000},
}


def test_aHostileAddressIsRefusedAndNothingIsLost(
        browsers: list[Browser], there: Browser, loop: Loop, other: Callable[[Any], segue.Application]) -> None:
    there.start()
    there.go("/local")
    offset = there.scroll("/local")
    origin = other(browsers[0].device)
    run(loop, origin)
    for why, user_info in HOSTILE.items():
        activity = segue.Activity(origin, TYPE + "weather", title=why, user_info=user_info)
        activity.become_current()
        status, error = loop.result(there.device.take(loop.offer(there.device, there, title=why)))
        assert status == 1, error
        there.screen.find("label", "The page of the other device was not opened.", why)
        there.screen.find_none("Continuing activity…")
        there.screen.click("push button", "Dismiss")
        there.screen.find_none("Dismiss")
        there.is_at("/local", offset)
        activity.invalidate()


def test_aSenselessPositionOpensThePageAtItsTop(
        browsers: list[Browser], there: Browser, loop: Loop, other: Callable[[Any], segue.Application]) -> None:
    there.start()
    origin = other(browsers[0].device)
    run(loop, origin)
    for number, place in enumerate((float("nan"), float("inf"), -5.0, 1e300, 2**62, "far", True, [1])):
        page = f"/sent{number}"
        info = {
            "Url": there.website.address + page, "ScrollOffset": place, "ScrollFraction": place, "ViewWidth": place}
        activity = segue.Activity(origin, TYPE + "favourite", title=page, user_info=info)
        activity.become_current()
        assert loop.take(there.device, there, title=page)[0] == 0
        there.is_on("favourite")
        there.seen(page)
        there.screen.find_none("Continuing activity…")
        there.is_at(page, 0)
        activity.invalidate()


def test_choosingSomethingElseShowsNothing(
        here: Browser, there: Browser, another: Declared, loop: Loop,
        other: Callable[..., segue.Application]) -> None:
    there.start()
    there.go("/local")
    offset = there.scroll("/local")
    here.show_tab("work")
    here.go("/plan")
    first = there.offer("work", title="Plan")
    for browser in (here, there):
        run(loop, other(browser.device, another.id))
    origin, target = loop.applications
    target.on_continue(lambda activity, restoration: True)
    choice = segue.Activity(origin, another.type)
    choice.become_current()
    second = loop.offer(there.device, another)
    here.stop()
    command = there.device.take(first)
    there.screen.find("Work", "Continuing activity…")
    assert loop.result(there.device.take(second))[0] == 0
    command.failed()
    there.is_on("weather")
    there.screen.find_none("Continuing activity…")
    there.screen.find_none("Dismiss")
    there.is_at("/local", offset)


def test_passwordsStayHere(
        here: Browser, there: Browser, loop: Loop, other: Callable[[Any], segue.Application]) -> None:
    here.type(here.website.address.replace("http://", "http://me:secret@") + "/private#part")
    here.screen.press("Return")
    here.seen("/private#part")
    activity = told(there, loop, other)
    url = here.website.address + "/private#part"
    assert activity.webpage_url == url
    assert dict(activity.user_info) == {
        "Url": url, "ScrollOffset": 0.0, "ScrollFraction": 0.0, "ViewWidth": here.seen("/private#part")["width"]}


def test_launchedByTheBusItOpensNoEmptyWindow(browsers: list[Browser], there: Browser) -> None:
    with there.device.bus() as bus:
        bus.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "StartServiceByName", "su",
                 [f"{APP_ID}.Segue", 0])
    there.launched()
    found = subprocess.run(
        ["xdotool", "search", "--onlyvisible", "--name", "Monkey Browser"], env=there.device.environment,
        stdout=subprocess.PIPE)
    assert found.stdout == b""


def test_everyTabHasItsType(there: Browser) -> None:
    text = there.place.desktop.read_text()
    assert all(TYPE + kind + ";" in text for kind in TABS)
