"""The program."""

from __future__ import annotations

import sys
from typing import Any

from gi.repository import Gio, GLib, Gtk

from . import APP_ID
from .handoff import Handoff


class Browser(Gtk.Application):
    """GTK owns the application's id on the bus, and Segue the name below it."""

    def __init__(self) -> None:
        super().__init__(application_id=APP_ID, flags=Gio.ApplicationFlags.HANDLES_OPEN)

    def do_startup(self) -> None:
        # Called in the one process that owns the id, without a window: the launch decides what to show.
        self.handoff = Handoff(self)
        Gtk.Application.do_startup(self)

    def do_activate(self) -> None:
        self.handoff.open_window()

    def do_open(self, files: list[Any], count: int, hint: str) -> None:
        """Opens the addresses that other programs pass to the default browser."""
        for file in files:
            self.handoff.open_window().open(file.get_uri())


def main() -> Any:
    GLib.set_prgname(APP_ID)
    return Browser().run(sys.argv)
