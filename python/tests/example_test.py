"""The ten lines of the README, installed as its Makefile installs them, and launched by the bus."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

from harness.example import Example, InstalledExample


@pytest.fixture
def places(desk: Any, lap: Any) -> Iterator[list[Any]]:
    folder = tempfile.mkdtemp(prefix="sg-", dir="/tmp")
    example = Example("python/ten-lines", folder)
    installed = [InstalledExample(device, example) for device in (desk, lap)]
    yield installed
    for place in installed:
        place.device.installed.remove(place)
        place.close()
    shutil.rmtree(folder)


def test_tenLines(desk: Any, lap: Any, places: list[Any]) -> None:
    here, there = places
    first = here.start("42")
    declared = type("Declared", (), {"id": "org.segue.NotesPython"})()
    command = lap.take(lap.offer(declared))
    second = there.launched()
    assert second.lines.next() == "going on at line 42"
    command.succeeded()
    # And back: the activity that came is on offer from there, with its line.
    first.kill()
    command = desk.take(desk.offer(declared))
    third = here.launched()
    assert third.lines.next() == "going on at line 42"
    command.succeeded()
