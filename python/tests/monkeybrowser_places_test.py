"""Where the Monkey Browser shows what has come, and which place of a page it tells."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from typing import Any

import monkeybrowser_fixtures as fixtures
import segue
from browsers import Browser
from monkeybrowser_fixtures import run
from support import Loop

from harness.application import Application as Declared
from harness.bounds import SECONDS

stage, browsers, here, there = fixtures.stage, fixtures.browsers, fixtures.here, fixtures.there
loop, other, another = fixtures.loop, fixtures.other, fixtures.another


# Its window.


def coming(here: Browser, there: Browser) -> Any:
    """The plan of here's tab Work is on its way to there, which runs and shows another tab: the command."""
    there.start()
    there.go("/local")
    here.show_tab("work")
    here.go("/plan")
    offer = there.offer("work", title="Plan")
    here.stop()
    command = there.device.take(offer)
    there.screen.find("Work", "Continuing activity…")
    return command


def test_whatHasComeIsInFrontOfTheUser(here: Browser, there: Browser) -> None:
    command = coming(here, there)
    there.screen.run("xdotool", "getactivewindow", "windowminimize", "--sync")
    there.screen.find_none("frame", "Monkey Browser", "active")
    here.go_on()
    command.succeeded()
    there.seen("/plan")
    there.screen.find("frame", "Monkey Browser", "active")


def test_whyNothingComesIsInFrontOfTheUser(here: Browser, there: Browser) -> None:
    command = coming(here, there)
    there.screen.run("xdotool", "getactivewindow", "windowminimize", "--sync")
    there.screen.find_none("frame", "Monkey Browser", "active")
    here.close()
    error = command.failed()
    there.screen.find("frame", "Monkey Browser", "active")
    there.screen.find("label", error.split(": ", 1)[1].split("\n")[0].strip())


def test_choosingSomethingElseOpensNoWindowAgain(
        here: Browser, there: Browser, another: Declared, loop: Loop, other: Callable[..., segue.Application]) -> None:
    first = coming(here, there)
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
