#!/usr/bin/env python3
"""Zathura, from outside: what it shows is on offer, and what other devices have opens in it at its page."""
import pathlib
import subprocess
import sys

import segue
import segue.glib
from gi.repository import Gio, GLib
from segue.open_types import Reading

NAME, PATH, BUS = "org.pwmt.zathura", "/org/pwmt/zathura", "org.freedesktop.DBus"
app = segue.Application("org.segue.PythonBridge")
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
windows = {}  # by the names that they have on the bus


class Window(segue.Responder):
    def __init__(self, name):
        super().__init__(app)
        self.name = name
        self.user_activity = segue.Activity(app, Reading.TYPE, title="Zathura")

    def update_user_activity_state(self, activity):  # another device asks; Zathura tells nobody when a page is turned
        GLib.idle_add(setattr, activity, "needs_save", True)  # the next one who asks wants another page
        question = GLib.Variant("(s)", (NAME,))
        answer = bus.call_sync(self.name, PATH, f"{BUS}.Properties", "GetAll", question, None, 0, 1000, None).unpack()[0]
        place = Reading(pathlib.Path(answer["filename"]).as_uri(), page=answer["pagenumber"] + 1)
        activity.user_info = place.to_user_info()


def owned(connection, sender, path, interface, signal, values):
    name, before, now = values.unpack()
    if now:
        windows[name] = Window(name)
    elif name in windows:
        windows.pop(name).user_activity.invalidate()


@app.on_continue
def resume(activity, restoration):
    place = Reading.from_user_info(activity.user_info)  # checked; what raises is declined
    path, _ = GLib.filename_from_uri(place.uri)
    if pathlib.Path(path).is_file():
        return bool(subprocess.Popen([sys.argv[1], f"--page={place.page or 1}", path]))


bus.signal_subscribe(BUS, BUS, "NameOwnerChanged", None, NAME, Gio.DBusSignalFlags.MATCH_ARG0_NAMESPACE, owned)
segue.glib.attach(app)
app.ready()
GLib.MainLoop().run()
