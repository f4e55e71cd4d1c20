"""An application in GLib's main loop, and so in GTK's.

Exceptions of callbacks go to sys.excepthook, as those of GTK's own callbacks do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gi.repository import GLib

from ._attachment import Attachment, descriptor, show

if TYPE_CHECKING:
    from .application import Application

__all__ = ["Attachment", "attach"]


def attach(application: Application, priority: int = GLib.PRIORITY_DEFAULT) -> Attachment:
    """Lets the default main context dispatch the application."""

    def readable(number: int, condition: Any) -> bool:
        application.dispatch()
        return True

    source = GLib.unix_fd_add_full(priority, descriptor(application), GLib.IOCondition.IN, readable)
    return Attachment(application, show, lambda: GLib.source_remove(source))
