"""The bridge of examples/python/bridge, which acts for Zathura from outside, with the real one on two devices."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

from harness.application import Application as Declared
from harness.device import Device, pair
from harness.example import Example, InstalledExample
from harness.readers import Zathura, are_here, give_screen, make_book, screen
from harness.waiting import wait_for

pytestmark = pytest.mark.skipif(
    not os.environ.get("SEGUE_BRIDGES") or not are_here("zathura"), reason="scripts/test-bridges runs it, with Zathura")
BRIDGE = Declared("org.segue.PythonBridge", "Zathura", ["org.segue.open.Reading"])


@pytest.fixture
def places() -> Iterator[list[InstalledExample]]:
    folder = tempfile.mkdtemp(prefix="sg-", dir="/tmp")
    example = Example("python/bridge", folder)
    devices = [Device(name) for name in ("desk", "lap")]
    with screen() as one, screen() as other:
        try:
            pair(*devices)
            give_screen(devices[0], one)
            give_screen(devices[1], other)
            yield [InstalledExample(device, example) for device in devices]
        finally:
            for device in devices:
                Zathura(device).close()
                device.close()
            shutil.rmtree(folder)


def test_aBookGoesOnInZathuraByFortyLinesOfPython(places: list[Any], tmp_path: Any) -> None:
    here, there = places
    book = make_book(tmp_path / "a book.pdf")
    here.start()
    reader, other = Zathura(here.device), Zathura(there.device)
    reader.start(book, 13)
    command = there.device.take(there.device.offer(BRIDGE))
    there.launched()
    command.succeeded()
    wait_for(lambda: other.shows(book) and other.page() == 13, "the book at its page there")
    # The page is that of the moment in which somebody asks.
    reader.go(7)
    offer = there.device.offer(BRIDGE)
    there.device.take(offer).succeeded()
    wait_for(lambda: len(other.windows()) == 2, "a second window there")
