"""A small browser whose pages go on at another device. handoff.py has all that concerns Segue."""

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("WebKit", "6.0")

APP_ID = "org.segue.MonkeyBrowser"
