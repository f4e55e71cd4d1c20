"""A window in front of the main one, which Escape closes."""

from __future__ import annotations

from typing import Any

from gi.repository import Adw, Gtk


class Dialog(Adw.Window):
    def __init__(self, window: Any, title: str, width: int, height: int) -> None:
        super().__init__(
            transient_for=window, modal=True, title=title, default_width=width, default_height=height,
            destroy_with_parent=True)
        escape = Gtk.ShortcutController()
        escape.add_shortcut(Gtk.Shortcut(
            trigger=Gtk.ShortcutTrigger.parse_string("Escape"), action=Gtk.NamedAction.new("window.close")))
        self.add_controller(escape)

    def set_body(self, body: Any) -> None:
        """What is below the header."""
        body.set_vexpand(True)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.append(Adw.HeaderBar())
        box.append(body)
        self.set_content(box)
