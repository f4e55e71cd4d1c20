#!/usr/bin/env python3
"""An editor of text files that goes on at another device: with the same file, selection and place on the screen."""

import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, Gtk  # noqa: E402

from handoff import Handoff  # noqa: E402
from window import Window  # noqa: E402


class Notes(Gtk.Application):
    def __init__(self):
        super().__init__(application_id="org.segue.GtkNotes", flags=Gio.ApplicationFlags.HANDLES_OPEN)

    def do_startup(self):
        self.handoff = Handoff(self)
        Gtk.Application.do_startup(self)
        for name, function, key in (
            ("open", self.choose, "<Control>o"), ("new", self.choose_new, "<Control>n"),
            ("quit", self.leave, "<Control>q"),
        ):
            action = Gio.SimpleAction(name=name)
            action.connect("activate", function)
            self.add_action(action)
            self.set_accels_for_action(f"app.{name}", [key])
        self.set_accels_for_action("window.close", ["<Control>w"])

    def do_activate(self):
        self.handoff.restore_windows(lambda: Window(self.handoff).present())

    def do_open(self, files, count, hint):
        for file in files:
            self.handoff.show(file.get_path(), Window(self.handoff))

    def choose(self, *arguments):
        self.ask_for_file("Open", Gtk.FileChooserAction.OPEN)

    def choose_new(self, *arguments):
        self.ask_for_file("New", Gtk.FileChooserAction.SAVE)

    def ask_for_file(self, title, action):
        # Kept until it is answered.
        self.chooser = Gtk.FileChooserNative(title=title, action=action, transient_for=self.get_active_window())
        self.chooser.connect("response", self.chosen)
        self.chooser.show()

    def chosen(self, chooser, response):
        if response == Gtk.ResponseType.ACCEPT:
            empty = self.get_active_window()
            if empty is None or empty.document is not None:
                empty = Window(self.handoff)
            self.handoff.show(chooser.get_file().get_path(), empty)
        self.chooser = None

    def leave(self, *arguments):
        """Closes all windows, except those whose text cannot be saved; the program ends with the last one."""
        for window in self.get_windows():
            window.close()


sys.exit(Notes().run(sys.argv))
