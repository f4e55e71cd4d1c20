"""The browser of examples/, on two devices with a screen each: tests drive it by keys and the mouse, and its pages see.
"""

from __future__ import annotations

import os
import pathlib
import signal
from collections.abc import Callable
from typing import Any

from screens import Screen
from websites import Website

from harness.device import Device, pair
from harness.example import Example, InstalledExample

APP_ID = "org.segue.MonkeyBrowser"
TYPE = "org.segue.monkeybrowser."
TABS = {"weather": "Weather", "favourite": "Favourite", "coffeebreak": "Coffee Break", "work": "Work"}


class Browser:
    """The browser on one device."""

    def __init__(self, device: Any, place: Any, screen: Screen, website: Website) -> None:
        self.device, self.place, self.screen, self.website = device, place, screen, website
        self.id = APP_ID
        self.process: Any = None

    def start(self) -> None:
        """Starts the browser as its user does."""
        self.process = self.place.start()
        with self.device.bus() as bus:
            # An activity that came before the name has an owner would launch the browser another time.
            bus.wait_for_owner(f"{APP_ID}.Segue")
        self.screen.find("frame", "Monkey Browser", "active")

    def launched(self) -> None:
        """Notes that the bus has launched the browser."""
        self.process = self.place.launched()

    def show_tab(self, kind: str) -> None:
        self.screen.press(f"alt+{list(TABS).index(kind) + 1}")
        self.is_on(kind)

    def is_on(self, kind: str) -> None:
        """Waits until this tab is shown."""
        self.screen.find("page tab", "selected", TABS[kind])

    def type(self, address: str) -> None:
        self.screen.press("ctrl+l")
        self.screen.type(address)

    def go(self, page: str) -> None:
        """Opens a page of the website, and waits until it is there and has the keyboard: the page's messages may
        overtake those of WebKit to the browser."""
        self.type(self.website.address + page)
        self.screen.press("Return")
        self.seen(page, lambda seen: seen["focus"])

    def scroll(self, page: str) -> float:
        """Presses Page Down in the open page; returns the offset at which it has come to rest, which the browser
        knows."""
        seen = self.seen(page, lambda seen: seen["focus"])
        step = 0.8 * (seen["bottom"] - seen["offset"])
        self.screen.press("Next")
        return self._rest(page, lambda now: now["offset"] >= seen["offset"] + step - 1)

    def scroll_to_end(self, page: str) -> float:
        self.seen(page, lambda seen: seen["focus"])
        self.screen.press("End")
        return self._rest(page, lambda now: now["bottom"] >= now["height"] - 1)

    def _rest(self, page: str, condition: Callable[[Any], object]) -> float:
        offset = float(self.seen(page, condition)["offset"])
        # The browser's main loop goes round for each question, and has read the page's message before.
        self.screen.find("push button", "Go")
        return offset

    def seen(self, page: str, condition: Callable[[Any], object] = lambda seen: True) -> Any:
        return self.website.seen(self.screen, page, condition)

    def is_at(self, page: str, offset: float) -> None:
        """Waits until the page is shown at the place."""
        self.seen(page, lambda seen: abs(seen["offset"] - offset) <= 1)

    def offer(self, kind: str, **wanted: Any) -> Any:
        """Waits until this device is offered a tab of the other one."""
        return self.device.offer(self, type=TYPE + kind, **wanted)

    def take(self, kind: str, **wanted: Any) -> Any:
        return self.device.take(self.offer(kind, **wanted))

    def stop(self) -> None:
        """Stops the browser, so that it does not answer any more."""
        os.kill(self.process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)

    def crash_page(self) -> None:
        """Kills the processes of the pages; WebKit has one for each."""
        pages = [pid for pid in self.device.processes() if _name(pid).startswith("WebKitWebProc")]
        assert pages
        for pid in pages:
            os.kill(pid, signal.SIGKILL)

    def close(self) -> None:
        unknown = self.place.was_launched()
        for program in self.place.probes:
            program.close()
        self.place.probes.clear()
        self.process = None
        assert not unknown, "the bus launched another one"


def _name(pid: int) -> str:
    return pathlib.Path(f"/proc/{pid}/comm").read_text()


def _has_ended(browser: Browser) -> bool:
    """Whether no activity of the browser is on offer from this device."""
    return all(activity["app-id"] != APP_ID for activity in browser.device.json("activities")["activities"])


class Stage:
    """Two paired devices with screens, on which the browser is installed, and a website."""

    def __init__(self, folder: pathlib.Path, website: Website) -> None:
        self._closing: list[Any] = []
        try:
            self.website = self._keep(website)
            self.desk, self.lap = (self._keep(Device(name, {"GraceTime": 300})) for name in ("desk", "lap"))
            pair(self.desk, self.lap)
            screens = [self._keep(Screen(device, width, 700)) for device, width in ((self.desk, 960), (self.lap, 980))]
            example = Example("python/monkeybrowser", folder)
            self.browsers = [
                Browser(screen.device, InstalledExample(screen.device, example), screen, self.website)
                for screen in screens]
        except BaseException:
            self.close()
            raise

    def _keep(self, thing: Any) -> Any:
        self._closing.append(thing)
        return thing

    def clear(self) -> None:
        """Prepares for the next test: ends the browsers, and waits until nothing is on offer."""
        for browser in self.browsers:
            browser.close()
        for browser in self.browsers:
            browser.device.until_asked(lambda: _has_ended(browser), "the end of the browser's activities")
        # An activity that was continued on one device is on offer there again once its browser has ended, as long as
        # the other device keeps a copy from its own browser.
        for browser in self.browsers:
            browser.device.until_asked(lambda: not browser.device.listed(browser), "the end of the browser's offers")
            browser.device.watch_anew()
        self.website.forget()

    def close(self) -> None:
        while self._closing:
            self._closing.pop().close()
