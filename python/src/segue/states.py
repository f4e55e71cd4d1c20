"""The state of an application's registration, and the activity that is current in it."""

from __future__ import annotations

import enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .activity import Activity


class ApplicationState(enum.IntEnum):
    """The state of an application's registration."""

    REGISTERING = 0
    REGISTERED = 1
    NAME_TAKEN = 2
    LOST = 3


class CurrentReason(enum.IntEnum):
    """The reason why an activity is current."""

    NONE = 0
    EXPLICIT = 1
    FOCUS = 2
    DOCUMENT = 3
    LAST_SET = 4
    WINDOW = 5


class Current:
    """The current activity, the reason why it is current, and a sentence about that for a developer."""

    def __init__(self, reason: CurrentReason | int, activity: Activity | None, sentence: str) -> None:
        self.reason = reason
        self.activity = activity
        self.sentence = sentence

    def __repr__(self) -> str:
        return f"<segue.Current: {self.sentence}>"
