"""documents.py APP_ID [FILE]: a GTK application whose windows show a file each, with no more code than an author
writes.

It prints what it opens and restores, where its file has gone, and that it was closed.
"""

from __future__ import annotations

import sys

import segue
import segue.gtk
from gi.repository import Gio, Gtk


def say(*words: object) -> None:
    print(*words, flush=True)


class Text(segue.gtk.Document):
    def __init__(self, window: Window, file: Gio.File) -> None:
        super().__init__(window, file)
        self.buffer = window.view.get_buffer()
        self.needs_save_at(self.buffer, "notify::cursor-position")

    def update_user_activity_state(self, activity: segue.Activity) -> None:
        activity.user_info["at"] = self.buffer.get_property("cursor-position")

    def restore_user_activity_state(self, activity: segue.Activity) -> None:
        self.buffer.place_cursor(self.buffer.get_iter_at_offset(activity.user_info["at"]))
        say("restored", activity.user_info["at"])

    def moved(self) -> None:
        say("moved", self.file.get_basename())

    def close(self) -> None:
        say("closed", self.file.get_basename())
        super().close()


class Window(segue.gtk.Window, Gtk.ApplicationWindow):  # type: ignore[misc]
    def __init__(self, application: segue.gtk.Application, file: Gio.File) -> None:
        super().__init__(application, title="Text", default_width=300, default_height=200)
        self.view = Gtk.TextView()
        self.view.get_buffer().set_text(file.load_contents(None)[1].decode())
        self.set_child(self.view)
        Text(self, file)


class Handoff(segue.gtk.Application):
    def open_file(self, file: Gio.File) -> Window:
        say("opens", file.get_basename())
        return Window(self, file)


class Program(Gtk.Application):  # type: ignore[misc]
    def do_startup(self) -> None:
        self.handoff = Handoff(self)
        Gtk.Application.do_startup(self)

    def do_open(self, files: list[Gio.File], count: int, hint: str) -> None:
        self.handoff.open_file(files[0]).present()

    def do_activate(self) -> None:
        pass


program = Program(application_id=sys.argv[1], flags=Gio.ApplicationFlags.HANDLES_OPEN)
sys.exit(program.run([sys.argv[0], *sys.argv[2:]]))
