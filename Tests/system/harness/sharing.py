"""An application whose userInfo names files in a folder that two devices share."""

import os
import urllib.parse

import cbor2
import pytest

from .device import pair
from .encoding import decode, hexadecimal


def url(path, rest=""):
    """A path's URL, as a value of userInfo."""
    return cbor2.CBORTag(32, "file://" + urllib.parse.quote(str(path)) + rest)


def write(path, text="text"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def arrive(path, text="text"):
    """Writes a file as synchronisation does: under another name, then renamed."""
    draft = write(path.with_name(f".syncthing.{path.name}.tmp"), text)
    os.replace(draft, path)


class Shared:
    """Two devices with a container "notes", and an application on both of them."""

    def __init__(self, desk, lap, application, install):
        self.desk, self.lap, self.application = desk, lap, application
        self.here, self.there = desk.containers["notes"], lap.containers["notes"]
        self.places = install(desk, application), install(lap, application)
        self.origin, self.target = [place.start() for place in self.places]
        self.count = 0

    def offer(self, info):
        """Makes a new activity with such a userInfo current; what lap is offered."""
        self.count += 1
        name = f"a{self.count}"
        self.origin.do(
            f"activity {name} {self.application.type}", f"title {name} {name}", f"info {name} {hexadecimal(info)}",
            f"current {name}")
        return self.lap.offer(self.application, title=name)

    def take(self, info):
        """Begins to continue it; the command, when the target has been told."""
        command = self.lap.take(self.offer(info))
        self.target.expect("will-continue")
        return command

    def arrived(self, command):
        """The userInfo that the target gets."""
        info = decode(self.target.expect("continue")[1])
        command.succeeded()
        return info

    def failed(self, command):
        """The error that did_fail got: (code, message)."""
        _, code, message = self.target.expect("fail")
        assert message in command.failed()
        return code, message


@pytest.fixture
def own(new_device):
    """Makes two devices of the test's own, with limits of lap's."""
    def make(containers=("notes",), **limits):
        desk, lap = new_device("desk", containers=["notes"]), new_device("lap", containers=containers, **limits)
        pair(desk, lap)
        return desk, lap

    return make
