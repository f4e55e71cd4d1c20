"""An activity goes from one device to the other."""

from __future__ import annotations

from typing import Any

import segue
from support import Loop, View


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

    @target.on_will_continue
    def announce(continuation: segue.Continuation) -> bool:
        coming.append(continuation)
        return True

    @target.on_continue
    def resume(arrived: segue.Activity, restoration: segue.Restoration) -> bool:
        came.append(arrived)
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
