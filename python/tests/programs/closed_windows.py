"""closed_windows.py FOLDER [ADDRESS]: opens the Monkey Browser's window, and a page in it if there is an address, and
closes it, some times; prints how many windows, and how many of their tabs, are left."""

from __future__ import annotations

import gc
import sys
from typing import Any

sys.path.insert(1, sys.argv[1])

import monkeybrowser  # noqa: E402
from gi.repository import GLib, Gtk  # noqa: E402
from monkeybrowser.handoff import Handoff, PagesWindow  # noqa: E402
from monkeybrowser.tab import Tab  # noqa: E402

ROUNDS = 4


class Program(Gtk.Application):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(application_id=monkeybrowser.APP_ID)
        self.rounds = 0

    def do_startup(self) -> None:
        self.handoff = Handoff(self)
        Gtk.Application.do_startup(self)

    def do_activate(self) -> None:
        self.hold()
        self.open()

    def open(self) -> None:
        window = self.handoff.open_window()
        if sys.argv[2:]:
            window.tab.connect("opened", lambda tab: GLib.idle_add(self.close, tab.get_root()))
            window.tab.open(sys.argv[2])
            return
        window.connect("map", lambda window: GLib.idle_add(self.close, window))
        if window.get_mapped():
            self.close(window)

    def close(self, window: Any) -> None:
        window.close()
        self.rounds += 1
        # The next step comes in the loop's next turn, when this one no longer holds the window.
        GLib.idle_add(self.open if self.rounds < ROUNDS else self.count)

    def count(self) -> None:
        gc.collect()
        print(*(sum(isinstance(thing, kind) for thing in gc.get_objects()) for kind in (PagesWindow, Tab)))
        self.release()
        self.quit()


Program().run()
