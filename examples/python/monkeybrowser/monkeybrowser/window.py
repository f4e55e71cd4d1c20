"""The window: four tabs, and a bar for error messages."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gi.repository import Gdk, GObject, Gtk

from . import APP_ID
from .tab import Tab

TABS = {"weather": "Weather", "favourite": "Favourite", "coffeebreak": "Coffee Break", "work": "Work"}

STYLE = """
.toolbar { padding: 6px; }
.coming { padding: 6px 12px; background: alpha(@theme_selected_bg_color, 0.15); }
.notice { padding: 6px 6px 6px 12px; background: alpha(@warning_color, 0.25); }
"""


class Window(Gtk.ApplicationWindow):
    """Emits a signal when another tab is shown."""

    __gsignals__ = {"tab-changed": (GObject.SignalFlags.RUN_FIRST, None, ())}

    def __init__(self, application: Any, make_tab: Callable[[str, str], Tab]) -> None:
        super().__init__(
            application=application, title="Monkey Browser", icon_name=APP_ID, default_width=900, default_height=640)
        style = Gtk.CssProvider()
        style.load_from_data(STYLE.encode())
        Gtk.StyleContext.add_provider_for_display(
            Gdk.Display.get_default(), style, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
        self.notice = Notice()
        self.tabs = {kind: make_tab(kind, title) for kind, title in TABS.items()}
        self._stack = Gtk.Stack(vexpand=True)
        for tab in self.tabs.values():
            self._stack.add_titled(tab, tab.kind, tab.title)
            tab.connect("failed", lambda _, message, reason: self.notice.show_text(message, reason))
            tab.connect("told", lambda _, sentence: self.notice.show_text(sentence))
            tab.connect("opened", lambda _: self.notice.set_visible(False))
        self._stack.connect("notify::visible-child", lambda *_: self.emit("tab-changed"))
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.append(self.notice)
        box.append(self._stack)
        self.set_child(box)
        self.set_titlebar(Gtk.HeaderBar(title_widget=Gtk.StackSwitcher(stack=self._stack)))
        self._add_keys()
        self.tab.focus_entry()

    def _add_keys(self) -> None:
        """Ctrl+L for the address, Alt+1 to Alt+4 for the tabs."""
        keys = Gtk.ShortcutController(scope=Gtk.ShortcutScope.GLOBAL)

        def add(key: str, action: Callable[[Any], object]) -> None:
            keys.add_shortcut(Gtk.Shortcut(
                trigger=Gtk.ShortcutTrigger.parse_string(key),
                action=Gtk.CallbackAction.new(lambda window, _: action(window) is None)))

        def show(kind: str, window: Any) -> None:
            window.show_tab(window.tabs[kind])

        add("<Control>l", lambda window: window.tab.focus_entry())
        for number, kind in enumerate(self.tabs, 1):
            add(f"<Alt>{number}", functools.partial(show, kind))
        self.add_controller(keys)

    @property
    def tab(self) -> Tab:
        """The tab that is shown."""
        tab: Tab = self._stack.get_visible_child()
        return tab

    @property
    def spare_tab(self) -> Tab:
        """The tab for a page that belongs to none: the tab that is shown if it is empty, else the first empty one. If
        none is empty, the one that is shown."""
        return next((tab for tab in (self.tab, *self.tabs.values()) if tab.is_empty), self.tab)

    def open(self, text: str) -> None:
        """Opens an address that another program has passed."""
        tab = self.spare_tab
        if tab.go(text):
            self.show_tab(tab)

    def show_tab(self, tab: Tab) -> None:
        self._stack.set_visible_child(tab)

    def close_tabs(self) -> None:
        """Called when the window has been closed."""
        GObject.signal_handlers_destroy(self._stack)
        for tab in self.tabs.values():
            tab.close()


class Notice(Gtk.Box):
    """A bar with an error message, until it is closed."""

    def __init__(self) -> None:
        super().__init__(spacing=6, css_classes=["notice"], visible=False)
        self._label = Gtk.Label(xalign=0, hexpand=True, wrap=True)
        close = Gtk.Button(
            icon_name="window-close-symbolic", tooltip_text="Dismiss", has_frame=False,
            focus_on_click=False)
        close.update_property([Gtk.AccessibleProperty.LABEL], ["Dismiss"])
        close.connect("clicked", lambda _: self.set_visible(False))
        self.append(self._label)
        self.append(close)

    def show_text(self, *sentences: str) -> None:
        self._label.set_text(" ".join(sentence for sentence in sentences if sentence))
        self.set_visible(True)
