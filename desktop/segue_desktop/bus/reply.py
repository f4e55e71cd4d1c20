"""What a reply says: its values, or the failure with its advice."""

from __future__ import annotations

from typing import Any

from gi.repository import Gio, GLib

from ..model.failure import Failure

NO_REPLY = "org.freedesktop.DBus.Error.NoReply"
#: Errors of the connection itself that mean that nobody answers.
SILENT = (Gio.IOErrorEnum.TIMED_OUT, Gio.IOErrorEnum.CLOSED)


def read(reply: Any) -> tuple[Any, Failure | None]:
    """The values of a reply: one alone, several as a tuple; or a failure."""
    body = reply.get_body()
    values = body.unpack() if body is not None else ()
    if reply.get_message_type() == Gio.DBusMessageType.ERROR:
        message, advice = ([value for value in values if isinstance(value, str)] + ["", ""])[:2]
        return None, Failure(reply.get_error_name() or "", message, advice)
    return (values[0] if len(values) == 1 else values), None


def failure_of(error: GLib.Error) -> Failure:
    name = Gio.DBusError.get_remote_error(error) or ""
    if any(error.matches(Gio.io_error_quark(), code) for code in SILENT):
        name = NO_REPLY
    message = error.message
    # GIO puts the error's name before the message.
    prefix = f"GDBus.Error:{name}: "
    return Failure(name, message[len(prefix):] if message.startswith(prefix) else message)
