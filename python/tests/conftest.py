"""Two devices with a daemon each, and applications of this process on them."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import segue
from support import Loop, address

from harness.application import Application as Declared
from harness.device import Device, pair


@pytest.fixture(scope="session")
def devices() -> Iterator[tuple[Any, Any]]:
    desk, lap = (Device(name, containers=["notes"]) for name in ("desk", "lap"))
    try:
        pair(desk, lap)
        yield desk, lap
    finally:
        desk.close()
        lap.close()


@pytest.fixture
def desk(devices: tuple[Any, Any]) -> Any:
    return devices[0]


@pytest.fixture
def lap(devices: tuple[Any, Any]) -> Any:
    return devices[1]


@pytest.fixture
def loop() -> Loop:
    return Loop()


numbers = itertools.count(1)


@pytest.fixture
def declared(desk: Any, lap: Any) -> Iterator[Any]:
    """An application that both devices know; declared.type is its activity type, and declared.text its documents'."""
    made = Declared(f"org.segue.test.Python{next(numbers)}")
    made.text = made.id + ".text"
    made.lines.append(f"X-Segue-DocumentActivityTypes=text/plain={made.text};")
    installed = [device.install(made, sys.executable, service=False) for device in (desk, lap)]
    yield made
    for device, place in zip((desk, lap), installed):
        device.installed.remove(place)
        place.close()


@pytest.fixture
def open_application(declared: Any, loop: Loop) -> Iterator[Callable[..., segue.Application]]:
    """Opens the application on a device, in this process, and waits until it is registered there."""

    def start(device: Any, kind: type[segue.Application] = segue.Application) -> segue.Application:
        application = kind(declared.id, bus_address=address(device))
        loop.applications.append(application)
        application.ready()
        loop.until(lambda: application.state == segue.ApplicationState.REGISTERED)
        return application

    yield start
    for application in loop.applications:
        application.exception_handler = lambda error: None
        application.close()


@pytest.fixture
def origin(open_application: Callable[..., segue.Application], desk: Any) -> segue.Application:
    """The application on desk."""
    return open_application(desk)


@pytest.fixture
def target(open_application: Callable[..., segue.Application], lap: Any) -> segue.Application:
    """The application on lap."""
    return open_application(lap)
