#!/usr/bin/python3
"""The least program of segue-desktop's kind: a window of GTK 4 and libadwaita with a label, in Python."""

import sys

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
from gi.repository import Adw, Gtk  # noqa: E402


def show(application):
    content = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    content.append(Adw.HeaderBar())
    content.append(Gtk.Label(label="Hello", vexpand=True))
    Adw.ApplicationWindow(application=application, content=content, default_width=640, default_height=480).present()


application = Adw.Application(application_id="org.segue.bench.Hello")
application.connect("activate", show)
sys.exit(application.run(sys.argv))
