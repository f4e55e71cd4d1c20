"""Plugins' objects in an application, with org.segue.text-position, which is installed with the library."""

from __future__ import annotations

import gc
import itertools
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import segue
from support import Loop

TEXT_POSITION = "org.segue.text-position"


class Place(segue.PluginObject):
    """The place of a cursor, which records its callbacks."""

    def __init__(self, plugin: segue.Plugin, key_prefix: str | None = None) -> None:
        super().__init__(plugin, "position", key_prefix=key_prefix)
        self.restored: list[segue.Activity] = []
        self.errors: list[segue.Error] = []

    def did_restore(self, activity: segue.Activity) -> None:
        self.restored.append(activity)

    def did_fail(self, activity: segue.Activity, error: segue.Error) -> None:
        self.errors.append(error)


@pytest.fixture
def application() -> Iterator[segue.Application]:
    with segue.Application("org.segue.test.Hosting", bus_address="unix:path=/nonexistent") as made:
        yield made


@pytest.fixture
def plugin(application: segue.Application) -> segue.Plugin:
    return segue.Plugin(application, TEXT_POSITION)


def test_whatItIs(application: segue.Application, plugin: segue.Plugin) -> None:
    assert plugin.id == TEXT_POSITION and plugin.name == "Text position" and plugin.version
    assert repr(plugin) == f"<segue.Plugin {TEXT_POSITION} {plugin.version}>"


def test_whatIsNotThere(application: segue.Application, plugin: segue.Plugin) -> None:
    with pytest.raises(segue.NotFoundError):
        segue.Plugin(application, "org.segue.test.nowhere")
    with pytest.raises(segue.InvalidArgumentError):
        segue.Plugin(application, "../evil")
    with pytest.raises(segue.Error) as raised:
        segue.Plugin.at(application, "/tmp/org.segue.test.so")
    assert raised.value.message
    with pytest.raises(segue.NotFoundError):
        segue.PluginObject(plugin, "nothing")
    with pytest.raises(segue.NotFoundError):
        segue.PluginObject(plugin, "position").extension("org.segue.test.nothing/1")


def test_properties(plugin: segue.Plugin) -> None:
    place = Place(plugin)
    place["text.line"] = 42
    place["text.selections"] = [42, 1, 42, 7]
    place["text.file"] = "file:///home/a/list.txt"
    assert (place["text.line"], place["text.column"], place["text.selections"]) == (42, 1, [42, 1, 42, 7])
    assert place["text.file"] == "file:///home/a/list.txt" and type(place["text.file"]) is segue.URL
    place["text.file"] = segue.URL("file:///home/a/other.txt")
    place["text.selections"] = None
    assert place["text.selections"] is None and place["text.file"].endswith("other.txt")


def test_propertiesTogether(application: segue.Application) -> None:
    player = segue.PluginObject(segue.Plugin(application, "org.segue.media-position"), "playback")
    with pytest.raises(segue.InvalidArgumentError, match=r"media\.url: it is restored together"):
        player["media.time"] = 5.0
    player.set_properties({"media.url": segue.URL("https://example.org/talk.ogg"), "media.time": 62.5})
    player["media.time"] = 70.0
    assert (player["media.url"], player["media.time"], player["media.rate"]) == ("https://example.org/talk.ogg", 70, 1)
    with pytest.raises(segue.PluginError):
        player.set_properties({"media.rate": float("nan")})
    with pytest.raises(segue.NotFoundError):
        player.set_properties({"media.time": 5.0, "media.none": 1})
    assert player["media.time"] == 70


BAD: list[tuple[str, Any, type[Exception]]] = [
    ("text.nothing", 1, segue.NotFoundError), ("text.line", "42", segue.InvalidArgumentError),
    ("text.line", -1, segue.InvalidArgumentError), ("text.line", 2**32, segue.InvalidArgumentError),
    ("text.line", 0, segue.PluginError), ("text.line", None, segue.InvalidArgumentError),
    ("text.selections", [1, 2, 3], segue.PluginError), ("text.selections", [1.5], segue.InvalidArgumentError),
    ("text.file", "no url", segue.InvalidArgumentError), ("text.file", "\ud800", ValueError),
    ("text.line", 2**64, OverflowError), ("text.line", object(), TypeError), ("\ud800", 1, ValueError),
]


@pytest.mark.parametrize(("key", "value", "error"), BAD, ids=[str(index) for index in range(len(BAD))])
def test_whatAPropertyRefuses(plugin: segue.Plugin, key: str, value: Any, error: type[Exception]) -> None:
    place = Place(plugin)
    place["text.line"] = 7
    with pytest.raises(error):
        place[key] = value
    assert place["text.line"] == 7
    if error is segue.NotFoundError:
        with pytest.raises(segue.NotFoundError):
            place[key]


def test_savesAndRestoresByItself(application: segue.Application, plugin: segue.Plugin) -> None:
    activity = segue.Activity(application, "org.segue.test.text")
    left, right = Place(plugin, "left."), Place(plugin, "right.")
    left["text.line"], right["text.line"] = 3, 5
    for place in (left, right):
        place.user_activity = activity
        place.update(activity)
    assert left.user_activity is activity
    assert activity.user_info["left.text.line"] == 3 and activity.user_info["right.text.line"] == 5
    other = Place(plugin, "right.")
    other.restore(activity)
    assert other["text.line"] == 5 and other.restored == [activity] and not other.errors
    # A malformed entry changes nothing.
    activity.user_info["right.text.line"] = "five"
    with pytest.raises(segue.InvalidArgumentError) as raised:
        other.restore(activity)
    [error] = other.errors
    assert "text.line" in error.message and raised.value is error
    assert other["text.line"] == 5


@pytest.mark.parametrize("member", ["did_restore", "did_fail"])
def test_anExceptionInItsCallbacks(application: segue.Application, plugin: segue.Plugin, member: str) -> None:
    def fail(*arguments: object) -> None:
        raise KeyError("in a plugin's callback")

    place = Place(plugin)
    setattr(place, member, fail)
    activity = segue.Activity(application, "org.segue.test.text", user_info={"text.line": 4})
    if member == "did_fail":
        activity.user_info["text.line"] = "four"
    with pytest.raises(KeyError):
        place.restore(activity)


def test_fromDeviceToDevice(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    here = Place(segue.Plugin(origin, TEXT_POSITION))
    here.user_activity = segue.Activity(origin, declared.type)
    here["text.line"] = 99
    there, view = Place(segue.Plugin(target, TEXT_POSITION)), segue.Responder(target)
    outcomes: list[segue.Outcome] = []

    @target.on_continue
    def resume(activity: segue.Activity, restoration: segue.Restoration) -> bool:
        outcomes.append(restoration(there, view))
        return True

    assert loop.take(lap, declared) == (0, "")
    assert there["text.line"] == 99 and len(there.restored) == 1
    assert outcomes[0].is_done and outcomes[0].error is None


def test_inAnyOrder(application: segue.Application) -> None:
    for order in itertools.permutations(["plugin", "place", "document", "activity"]):
        plugin = segue.Plugin(application, TEXT_POSITION)
        place = Place(plugin)
        place.user_activity = activity = segue.Activity(application, "org.segue.test.text")
        document = segue.Document(application, None, "text/plain")
        document.add_responder(place)
        document.remove_responder(place)
        objects: dict[str, Any] = {"plugin": plugin, "place": place, "document": document, "activity": activity}
        references = [weakref.ref(each) for each in objects.values()]
        plugin = place = document = activity = None  # type: ignore[assignment]
        for name in order:
            del objects[name]
        gc.collect()
        assert [reference() for reference in references] == [None] * 4
    application.dispatch()
