"""An activity goes from one device to the other."""

from __future__ import annotations

import uuid
from typing import Any

import segue
from dbus_fast import Variant
from support import Loop, View, address


def test_fromResponderToResponder(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    here = View(origin, 41)
    activity = segue.Activity(origin, declared.type, title="Page")
    here.user_activity = activity
    here.line = 42
    activity.needs_save = True
    there = View(target)
    coming: list[segue.Continuation] = []
    came: list[segue.Activity] = []
    continued: list[bool] = []
    sources: list[tuple[uuid.UUID, bool, tuple[uuid.UUID, int] | None]] = []
    ages: list[float | None] = []

    @target.on_will_continue
    def announce(continuation: segue.Continuation) -> bool:
        coming.append(continuation)
        ages.append(continuation.age)
        return True

    @target.on_continue
    def resume(arrived: segue.Activity, restoration: segue.Restoration) -> bool:
        came.append(arrived)
        sources.append((restoration.continuation.id, restoration.continuation.is_stored, arrived.continued_from))
        ages.append(restoration.continuation.age)
        restoration(there)
        assert not there.restored
        return True

    @activity.on_was_continued
    def gone() -> None:
        continued.append(activity.was_continued_in_browser)

    assert loop.take(lap, declared, title="Page") == (0, "")
    loop.until(lambda: continued)
    assert there.line == 42
    assert there.restored == came and came[0].user_info == {"line": 42} and came[0].title == "Page"
    assert continued == [False]
    [continuation] = coming
    assert (continuation.activity_type, continuation.title, continuation.device_name) == (declared.type, "Page", "desk")
    assert continuation.time_left > 0
    assert sources == [(continuation.id, False, (activity.id, activity.revision))]
    # Live state has an age once it has arrived.
    before, then = ages
    assert before is None and then is not None and then >= 0
    # A title set here is the first change.
    came[0].title = "Mine"
    assert came[0].continued_from is None


def test_toTheWindowThatShowsIt(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    class Window(segue.Window):
        def __init__(self, shows: str) -> None:
            super().__init__(target)
            self.shows = shows
            self.came: list[segue.Activity] = []

        def prefers_content(self, target_content_identifier: str) -> bool:
            return target_content_identifier == self.shows

        def can_show_content(self, target_content_identifier: str) -> bool:
            return False

        def continue_activity(self, activity: segue.Activity, restoration: segue.Restoration) -> bool:
            assert restoration.window is self
            self.came.append(activity)
            return True

    activity = segue.Activity(origin, declared.type)
    activity.target_content_identifier = "message-2"
    activity.become_current()
    first, second = Window("message-1"), Window("message-2")
    target.main_window = first
    assert loop.take(lap, declared) == (0, "")
    assert not first.came and second.came[0].target_content_identifier == "message-2"
    # A window that is made for it is found again in the restoration, although nobody else keeps it yet.
    activity.target_content_identifier = "message-3"
    made: list[Window] = []

    @target.on_make_window
    def make(arrived: segue.Activity) -> segue.Window:
        made.append(Window(arrived.target_content_identifier or ""))
        return made[0]

    activity.needs_save = True
    assert loop.take(lap, declared) == (0, "")
    assert made[0].shows == "message-3" and len(made[0].came) == 1


def test_aDocumentInASharedFolder(
    origin: segue.Application, target: segue.Application, desk: Any, lap: Any, declared: Any, loop: Loop,
) -> None:
    class Text(segue.Document):
        line = 1
        has = "nothing"

        def update_user_activity_state(self, activity: segue.Activity) -> None:
            activity.user_info["line"] = self.line

        def user_activity_changed(self, activity: segue.Activity | None) -> None:
            self.has = activity.type if activity else "nothing"

        def restore_user_activity_state(self, activity: segue.Activity) -> None:
            self.line = activity.user_info["line"]

    paths = [device.containers["notes"] / "a list.txt" for device in (desk, lap)]
    for path in paths:
        path.write_text("milk\n")
    here = Text(origin, paths[0].as_uri(), "text/plain")
    here.line = 12
    opened: list[Text] = []

    @target.on_open_document
    def open_it(url: str, activity: segue.Activity, restoration: segue.Restoration) -> bool:
        assert activity.user_info[segue.DOCUMENT_URL_KEY] == segue.URL(url)
        opened.append(Text(target, url, "text/plain"))
        restoration(*opened)
        return True

    offer = loop.offer(lap, declared, type=declared.text, title="a list.txt")
    assert here.user_activity is not None and here.has == declared.text
    here.user_activity.needs_save = True
    assert loop.result(lap.take(offer)) == (0, "")
    # The document has the same file there, and takes the activity that came once the daemon has found the file.
    assert opened[0].url == paths[1].as_uri() and opened[0].line == 12
    loop.until(lambda: opened[0].user_activity)
    assert target.current_activity is opened[0].user_activity
    loop.until(lambda: opened[0].has == declared.text)
    here.url = None
    loop.until(lambda: here.has == "nothing")


def test_asAnApplicationOfTheDesktop(desk: Any, declared: Any, loop: Loop) -> None:
    told: list[tuple[object, ...]] = []
    with segue.Application(declared.id, own_app_id=True, bus_address=address(desk)) as application:
        application.on_activate(lambda token: told.append(("activate", token)))
        application.on_open_urls(lambda urls, token: told.append(("open", urls, token)))
        loop.applications.append(application)
        loop.until(lambda: application.state == segue.ApplicationState.REGISTERED)
        path = "/" + declared.id.replace(".", "/")
        platform = {"activation-token": Variant("s", "a-token")}
        urls = ["file:///home/a/one.txt", "https://example.org/"]
        with desk.bus() as bus:
            interface = "org.freedesktop.Application"
            bus.call_later(declared.id, path, interface, "Activate", "a{sv}", [platform])
            bus.call_later(declared.id, path, interface, "Open", "asa{sv}", [urls, platform])
            loop.until(lambda: len(told) == 2)
    assert told == [("activate", "a-token"), ("open", urls, "a-token")]
