"""The program."""

from __future__ import annotations

import sys
from typing import Any

from gi.repository import GLib, Gtk

from . import APP_ID
from .handoff import Handoff


class Browser(Gtk.Application):
    """GTK owns the application's id on the bus, and Segue the name below it."""

    def __init__(self) -> None:
        super().__init__(application_id=APP_ID)

    def do_startup(self) -> None:
        # In the one process that owns the id, and without a window: what launched it says what to show.
        self.handoff = Handoff(self)
        Gtk.Application.do_startup(self)

    def do_activate(self) -> None:
        self.handoff.open_window()


def main() -> Any:
    GLib.set_prgname(APP_ID)
    return Browser().run(sys.argv)
