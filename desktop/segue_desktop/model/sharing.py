"""What the user shares, and when: GetStatus, with the applications of Explain."""

from __future__ import annotations

import datetime
from typing import NamedTuple

from .applications import Activity
from .fields import Fields, flag, number, texts
from .words import _, apart

#: When a new day begins for who pauses until tomorrow.
MORNING = 6
HOUR = 3600


class Sharing(NamedTuple):
    """Whether nothing is shared now, and the applications that are kept on this device."""

    is_paused: bool
    is_paused_here: bool
    #: One sentence on the pause; empty without one.
    sentence: str
    withheld: tuple[str, ...]


class KeptApplication(NamedTuple):
    """An application that the user keeps on this device, and that has nothing open."""

    app: str

    @property
    def key(self) -> str:
        return self.app


def sharing(status: Fields, now: float) -> Sharing:
    """`now` in seconds since 1970."""
    is_here, until = flag(status, "paused-here"), number(status, "paused-until")
    sentence = ""
    if is_here:
        sentence = _("Paused in this network: nothing is shared, and nothing of other devices is shown.")
    elif flag(status, "paused") and until:
        sentence = _("Paused until {time}: nothing is shared, and nothing of other devices is shown.").format(
            time=apart(clock(until, now)))
    elif flag(status, "paused"):
        sentence = _("Paused: nothing is shared, and nothing of other devices is shown.")
    return Sharing(flag(status, "paused"), is_here, sentence, tuple(texts(status, "withheld")))


def kept(state: Sharing, shown: list[Activity]) -> list[KeptApplication]:
    """The applications without a row of their own."""
    known = {activity.app for activity in shown}
    return [KeptApplication(app) for app in state.withheld if app not in known]


def clock(time: float, now: float) -> str:
    """The time on the wall, with its day if that is not today."""
    try:
        moment, today = (datetime.datetime.fromtimestamp(seconds) for seconds in (time, now))
    except (OverflowError, OSError, ValueError):
        return "?"
    return moment.strftime("%H:%M" if moment.date() == today.date() else "%Y-%m-%d %H:%M")


def tomorrow(now: float) -> int:
    """Six in the morning; who is up an hour before means the one after."""
    moment = datetime.datetime.fromtimestamp(now + HOUR)
    morning = moment.replace(hour=MORNING, minute=0, second=0, microsecond=0)
    if morning <= moment:
        morning += datetime.timedelta(days=1)
    return int(morning.timestamp())
