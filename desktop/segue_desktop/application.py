"""The program: one window, its actions, and its style."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
from gi.repository import Adw, Gdk, Gio, GLib, Gtk  # noqa: E402

from .bus.store import Store  # noqa: E402
from .model.words import _, is_right_to_left  # noqa: E402
from .views.findings import FindingsDialog  # noqa: E402
from .views.last_dialog import LastDialog  # noqa: E402
from .views.send_files import SendFilesWindow  # noqa: E402
from .views.shortcuts import KEYS, shortcuts_window  # noqa: E402
from .views.window import Window  # noqa: E402

APP_ID = "org.segue.Desktop"
STYLE = """
.digits { font-size: 32px; font-weight: 700; font-feature-settings: "tnum"; letter-spacing: 2px; }
entry.digits { padding: 6px 12px; }
.notice { padding: 8px 18px; background: alpha(@warning_bg_color, 0.25); }
.code { background: white; border-radius: 12px; }
"""


class Desktop(Adw.Application):
    def __init__(self, version: str) -> None:
        super().__init__(application_id=APP_ID, flags=Gio.ApplicationFlags.HANDLES_COMMAND_LINE)
        self._version = version
        self._window: Any = None

    def do_startup(self) -> None:
        Adw.Application.do_startup(self)
        Gtk.Window.set_default_icon_name(APP_ID)
        if is_right_to_left():
            Gtk.Widget.set_default_direction(Gtk.TextDirection.RTL)
        style = Gtk.CssProvider()
        style.load_from_data(STYLE.encode())
        Gtk.StyleContext.add_provider_for_display(
            Gdk.Display.get_default(), style, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
        self.store = Store()
        self.store.connection.start()
        self._add(self, "quit", lambda: self.quit())
        self._add(self, "about", self._about)
        # The daemon asks for this when a text was sent here and the user wants to read it.
        text = Gio.SimpleAction.new("text", GLib.VariantType.new("s"))
        text.connect("activate", lambda _, value: self._show_text(value.get_string()))
        self.add_action(text)
        for action, key in KEYS.items():
            self.set_accels_for_action(action, [key])

    def do_command_line(self, line: Any) -> int:
        words = list(line.get_arguments())[1:]
        if not words or words[0] != "--send":
            self.activate()
            return 0
        words, device = words[1:], ""
        if len(words) > 1 and words[0] == "--device":
            words, device = words[2:], words[1]
        # A file manager may give addresses.
        paths = [line.create_file_for_arg(word).get_path() for word in words]
        files = [path for path in paths if path]
        if not files:
            line.printerr("segue-desktop: --send needs files of this machine.\n")
            return 64
        SendFilesWindow(self, self.store, files, device).present()
        return 0

    def do_activate(self) -> None:
        if self._window is None:
            self._window = self._open()
        self._window.present()

    def _show_text(self, id_: str) -> None:
        self.activate()
        self._window.show_text(id_)

    def do_shutdown(self) -> None:
        self.store.connection.close()
        Adw.Application.do_shutdown(self)

    def _open(self) -> Any:
        window = Window(self, self.store)
        self._add(window, "show-help-overlay", lambda: shortcuts_window(window).present())
        self._add(window, "pair", window.pair)
        self._add(window, "last", lambda: LastDialog(window, self.store).present())
        self._add(window, "check", lambda: FindingsDialog(window).present())
        self._add(window, "refresh", self.store.refresh)
        part = Gio.SimpleAction.new("part", GLib.VariantType.new("s"))
        part.connect("activate", lambda _, value: window.show_page(value.get_string()))
        window.add_action(part)
        pause = Gio.SimpleAction.new("pause", GLib.VariantType.new("s"))
        pause.connect("activate", lambda _, value: window.pause(value.get_string()))
        window.add_action(pause)
        window.connect("close-request", lambda _: self._closed())
        return window

    def _closed(self) -> bool:
        self._window = None
        # Files may be on their way in windows of their own.
        if len(self.get_windows()) <= 1:
            self.quit()
        return False

    @staticmethod
    def _add(place: Any, name: str, act: Callable[[], object]) -> None:
        action = Gio.SimpleAction.new(name, None)
        action.connect("activate", lambda *_: act())
        place.add_action(action)

    def _about(self) -> None:
        Adw.AboutWindow(
            transient_for=self._window, application_name=_("Segue"), application_icon=APP_ID, version=self._version,
            developer_name=_("The Segue developers"), license_type=Gtk.License.APACHE_2_0,
            comments=_("Go on at this device where you were on another.")).present()


def run(version: str) -> int:
    if Gdk.Display.get_default() is None and "--gapplication-service" not in sys.argv:
        print("segue-desktop: There is no display. Start it in a graphical session.", file=sys.stderr)
        return 1
    GLib.set_prgname(APP_ID)
    return int(Desktop(version).run(sys.argv))
