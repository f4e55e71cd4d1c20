"""What has gone wrong, in a sentence, and what to do about it."""

from __future__ import annotations

from typing import NamedTuple

from .words import _

#: The names with which a bus or a daemon says that it does not know a method: an older version.
UNKNOWN = frozenset(
    f"org.freedesktop.DBus.Error.{name}" for name in ("UnknownMethod", "UnknownInterface", "UnknownObject"))
#: No answer came in time, or the connection has ended.
SILENCE = frozenset(f"org.freedesktop.DBus.Error.{name}" for name in ("NoReply", "Timeout", "TimedOut"))
PREFIX = "org.segue.Error."
#: The bus finds no service file of the daemon, or could not start the program.
UNSTARTABLE = ("org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.Spawn.")


class Failure(NamedTuple):
    """An error of the daemon or of the bus. `name` is for programs."""

    name: str
    message: str
    advice: str = ""

    @property
    def is_older_daemon(self) -> bool:
        return self.name in UNKNOWN

    @property
    def sentence(self) -> str:
        if self.is_older_daemon:
            return _("The running Segue daemon is an older version, which cannot do this.")
        if self.name in SILENCE:
            return _("The Segue daemon does not answer.")
        if self.name.startswith(UNSTARTABLE):
            return _("The session bus could not start the Segue daemon.")
        return self.message or _("Something went wrong, and no reason was given.")

    @property
    def remedy(self) -> str:
        if self.is_older_daemon:
            return _("Log out and in again, so that the installed version starts.")
        if self.name.startswith(UNSTARTABLE):
            return _("What is missing stands below.")
        return self.advice

    @property
    def whole(self) -> str:
        return f"{self.sentence} {self.remedy}".strip()

    def is_called(self, name: str) -> bool:
        return self.name == PREFIX + name


def lost() -> Failure:
    """The connection has ended before the answer."""
    return Failure("", _("The Segue daemon has ended in the meantime."), _("Try again: it starts by itself."))
