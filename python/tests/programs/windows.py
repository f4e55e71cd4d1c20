"""windows.py APP_ID [FILE]: an application of GTK.

With a file it opens two windows: One has a view, and a box with an entry in it; Two shows the file. The program prints
its callbacks, what it restores, and how many windows and responders live on when a window is closed. Control-R restores
another window from the state of the one with the keyboard, and control-G lets GTK do so.
"""

from __future__ import annotations

import gc
import sys
from typing import Any
from weakref import WeakSet

import segue
import segue.gtk
from gi.repository import Gio, GLib, Gtk


living: WeakSet[Any] = WeakSet()


def say(*words: object) -> None:
    print(*words, flush=True)


class View(segue.gtk.Responder, Gtk.TextView):  # type: ignore[misc]
    def __init__(self, application: segue.gtk.Application) -> None:
        super().__init__(application, accepts_tab=False, vexpand=True)
        self.needs_save_at(self.get_buffer(), "changed")

    def update_user_activity_state(self, activity: segue.Activity) -> None:
        activity.user_info["text"] = self.get_buffer().get_property("text")
        activity.user_info["places"] = {1, None, segue.URL("x:y")}

    def restore_user_activity_state(self, activity: segue.Activity) -> None:
        self.get_buffer().set_text(activity.user_info["text"])
        self.user_activity = activity
        say("restored", activity.user_info["text"])
        if activity.title == "Broken":
            raise KeyError("after restoring")


class Box(segue.gtk.Responder, Gtk.Box):  # type: ignore[misc]
    pass


class Window(segue.gtk.Window, Gtk.ApplicationWindow):  # type: ignore[misc]
    def __init__(self, application: segue.gtk.Application, title: str) -> None:
        super().__init__(application, title=title, default_width=300, default_height=200)
        self.view = View(application)
        self.box = Box(application, orientation=Gtk.Orientation.VERTICAL)
        self.entry = Gtk.Entry()
        # A box that is no responder stands between.
        inner = Gtk.Box()
        inner.append(self.entry)
        self.box.append(inner)
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        column.append(self.view)
        column.append(self.box)
        self.set_child(column)
        living.update((self, self.view, self.box))

    def set_startup_id(self, token: str) -> None:
        say("token", token)
        super().set_startup_id(token)


class Handoff(segue.gtk.Application):
    def state_changed(self, state: int, error: segue.Error | None) -> None:
        say("state", int(state))

    def will_continue(self, continuation: segue.Continuation) -> bool:
        say("will-continue", continuation.title)
        if continuation.title == "Alone":
            # No window is left on the screen when the state comes, or fails to come.
            for window in self.toolkit.get_windows():
                window.destroy()
        return False

    def continue_activity(self, activity: segue.Activity, restoration: segue.Restoration) -> bool:
        window = Window(self, activity.title or "Untitled")
        restoration(window.view)
        window.present()
        return True

    def did_fail(self, continuation: segue.Continuation, error: segue.Error) -> None:
        say("failed", continuation.title)

    def restore_window(self, activity: segue.Activity) -> Window:
        say("places", activity.user_info["places"] == {1, None, segue.URL("x:y")})
        return Window(self, "Restored")


class Program(Gtk.Application):  # type: ignore[misc]
    #: The library's side of the first window, kept when that is gone.
    one: segue.Window | None = None

    def do_startup(self) -> None:
        self.handoff = Handoff(self)
        Gtk.Application.do_startup(self)
        for name, function, key in (("hand", self.restore_by_hand, "r"), ("gtk", self.restore_by_gtk, "g")):
            action = Gio.SimpleAction(name=name)
            action.connect("activate", function)
            self.add_action(action)
            self.set_accels_for_action(f"app.{name}", [f"<Control>{key}"])
        self.connect("window-removed", lambda program, window: GLib.idle_add(self.look))

    def look(self) -> bool:
        try:
            self.one and self.one.focused_responder
        except segue.ClosedError:
            say("One is closed")
        gc.collect()
        say("living", len(living))
        return False

    def restore_by_hand(self, *arguments: Any) -> None:
        state = self.get_active_window().save_state()
        # The state is as one that was kept in a file.
        kept = GLib.Variant.new_from_bytes(state.get_type(), GLib.Bytes(state.get_data_as_bytes().get_data()), False)
        self.handoff.restore(kept)

    def restore_by_gtk(self, *arguments: Any) -> None:
        kept = GLib.VariantDict()
        self.get_active_window().emit("save-state", kept)
        self.emit("restore-window", Gtk.RestoreReason.RESTORE, kept.end())

    def do_open(self, files: list[Gio.File], count: int, hint: str) -> None:
        two = Window(self.handoff, "Two")
        two.document = segue.Document(self.handoff, files[0].get_uri(), "text/plain")
        two.present()
        one = Window(self.handoff, "One")
        for responder, name in ((one.view, "One view"), (one.box, "One box")):
            responder.user_activity = segue.Activity(
                self.handoff, f"{self.get_application_id()}.page", title=name)
        one.present()
        self.one = one.segue_window

    def do_activate(self) -> None:
        say("activate")
        empty = Window(self.handoff, "Empty")
        self.one = empty.segue_window
        empty.present()


program = Program(application_id=sys.argv[1], flags=Gio.ApplicationFlags.HANDLES_OPEN)
status = program.run([sys.argv[0], *sys.argv[2:]])
say("closed", program.handoff.is_closed)
sys.exit(status)
