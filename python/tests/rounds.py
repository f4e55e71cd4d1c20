"""Rounds through the whole life of objects; as a program, rounds.py COUNT, for valgrind."""

from __future__ import annotations

import contextlib
import sys

import segue

APP_ID = "org.segue.test.Lifetime"
NOWHERE = "unix:path=/nonexistent"


class Failing(segue.Responder):
    """A responder whose callback reads and sets userInfo, and raises."""

    def restore_user_activity_state(self, activity: segue.Activity) -> None:
        activity.user_info["line"] += 1
        raise KeyError("of every round")


def rounds(count: int) -> None:
    with segue.Application(APP_ID, bus_address=NOWHERE) as application:
        activity = segue.Activity(application, "org.segue.test.life")
        for number in range(count):
            activity.user_info = {"line": number, "places": [{1, 2}, {"at": b"x"}], "url": segue.URL("x:y")}
            with contextlib.suppress(KeyError):
                Failing(application).restore(activity)
            with contextlib.suppress(TypeError):
                activity.user_info["bad"] = {"a": [1, object()]}
            assert activity.user_info["line"] == number + 1
            segue.Activity(application, "a.b", user_info=activity.user_info)
            application.dispatch()


if __name__ == "__main__":
    rounds(int(sys.argv[1]))
