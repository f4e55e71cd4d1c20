"""Whether the daemon is there. A state of the window, with a sentence and a remedy."""

from __future__ import annotations

import enum
from typing import NamedTuple

from .failure import Failure
from .words import _

#: How often the window starts a daemon again that ends by itself, before it leaves that to the user.
ATTEMPTS = 3


class Presence(enum.Enum):
    CONNECTING = "connecting"
    READY = "ready"
    ABSENT = "absent"


class Service(NamedTuple):
    """The state, how often in a row the connection has failed, and the last failure."""

    presence: Presence = Presence.CONNECTING
    attempts: int = 0
    failure: Failure | None = None

    def connecting(self) -> Service:
        return Service(Presence.CONNECTING, self.attempts, self.failure)

    def ready(self) -> Service:
        return Service(Presence.READY)

    def proved(self) -> Service:
        """An answer has come: failures before do not count any more."""
        return Service(self.presence)

    def failed(self, failure: Failure) -> Service:
        return Service(Presence.ABSENT, self.attempts + 1, failure)

    @property
    def tries_again(self) -> bool:
        """Whether the window connects anew by itself. An error that stays the same is left to the user."""
        return self.attempts < ATTEMPTS

    @property
    def title(self) -> str:
        if self.presence is Presence.CONNECTING:
            return _("Connecting to Segue…")
        if self.failure and self.failure.is_older_daemon:
            return _("Segue Was Updated")
        return _("Segue Is Not Running")

    @property
    def sentence(self) -> str:
        return self.failure.whole if self.failure else ""
