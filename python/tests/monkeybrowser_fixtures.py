"""The fixtures of the Monkey Browser's tests. A test file names those that it uses."""

from __future__ import annotations

import pathlib
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import segue
from browsers import APP_ID, Browser, Stage
from support import Loop, address
from websites import Website

from harness.application import Application as Declared


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sg-", dir="/tmp"))
    made = Stage(folder, Website())
    yield made
    made.close()
    shutil.rmtree(folder)


@pytest.fixture
def browsers(stage: Stage) -> Iterator[list[Browser]]:
    yield stage.browsers
    stage.clear()


@pytest.fixture
def here(browsers: list[Browser]) -> Browser:
    """The browser on desk, which runs."""
    browsers[0].start()
    return browsers[0]


@pytest.fixture
def there(browsers: list[Browser]) -> Browser:
    """The browser on lap, which does not run yet."""
    return browsers[1]


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    for application in made.applications:
        application.close()


@pytest.fixture
def other(loop: Loop) -> Callable[[Any], segue.Application]:
    """A program of this process in the browser's place."""

    def start(device: Any, app_id: str = APP_ID) -> segue.Application:
        application = segue.Application(app_id, bus_address=address(device))
        loop.applications.append(application)
        return application

    return start


def run(loop: Loop, application: segue.Application) -> None:
    application.ready()
    loop.until(lambda: application.state == segue.ApplicationState.REGISTERED)


def taken(loop: Loop, application: segue.Application, browser: Browser, **wanted: object) -> segue.Activity:
    """The activity that this program gets on the browser's device, in its place, when the user takes an offer."""
    came: list[segue.Activity] = []

    @application.on_continue
    def resume(activity: segue.Activity, restoration: segue.Restoration) -> bool:
        came.append(activity)
        return True

    assert loop.take(browser.device, browser, **wanted)[0] == 0
    return came[0]


def told(there: Browser, loop: Loop, other: Callable[[Any], segue.Application]) -> segue.Activity:
    """The activity of the other device's page, as another program on this device gets it."""
    target = other(there.device)
    run(loop, target)
    return taken(loop, target, there)


@pytest.fixture
def another(browsers: list[Browser]) -> Iterator[Declared]:
    """Another application that both devices know."""
    made = Declared("org.segue.test.Another")
    places = [browser.device.install(made, sys.executable, service=False) for browser in browsers]
    yield made
    for place in places:
        place.device.installed.remove(place)
        place.close()
