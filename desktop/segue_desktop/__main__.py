"""Segue's window: segue-desktop."""

import sys

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
gi.require_version("Gdk", "4.0")

from gi.repository import Adw, Gio  # noqa: E402

from .window import Window  # noqa: E402


class Desktop(Adw.Application):
    def __init__(self):
        super().__init__(application_id="org.segue.Desktop", flags=Gio.ApplicationFlags.DEFAULT_FLAGS)
        for name, keys, act in (("quit", ["<Control>q"], self.quit), ("close", ["<Control>w"], self.quit)):
            action = Gio.SimpleAction.new(name, None)
            action.connect("activate", lambda _action, _value, act=act: act())
            self.add_action(action)
            self.set_accels_for_action(f"app.{name}", keys)
        for number, page in enumerate(("activities", "devices", "applications"), 1):
            self.set_accels_for_action(f"win.page::{page}", [f"<Alt>{number}"])

    def do_activate(self):
        window = self.props.active_window or Window(self)
        window.present()


def main():
    sys.exit(Desktop().run(sys.argv))


if __name__ == "__main__":
    main()
