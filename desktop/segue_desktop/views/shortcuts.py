"""The window that lists the keys."""

from __future__ import annotations

from typing import Any

from gi.repository import Gtk

from ..model.words import _

#: The key of each action.
KEYS = {
    "win.part::offers": "<Alt>1", "win.part::devices": "<Alt>2", "win.part::applications": "<Alt>3",
    "win.pair": "<Control>n", "win.refresh": "F5", "win.show-help-overlay": "<Control>question",
    "window.close": "<Control>w", "app.quit": "<Control>q",
}


def shortcuts_window(parent: Any) -> Any:
    """Made when somebody asks for it: it would make the main window come later."""
    window = Gtk.ShortcutsWindow(modal=True, transient_for=parent)
    section = Gtk.ShortcutsSection(section_name="keys", visible=True)
    listed = Gtk.ShortcutsGroup(visible=True)
    for action, title in (
            ("win.part::offers", _("Show what can be continued")), ("win.part::devices", _("Show devices")),
            ("win.part::applications", _("Show applications")), ("win.pair", _("Pair a device")),
            ("win.refresh", _("Ask Again")), ("win.show-help-overlay", _("Show these keys")),
            ("window.close", _("Close the window")), ("app.quit", _("Quit"))):
        listed.append(Gtk.ShortcutsShortcut(accelerator=KEYS[action], title=title, visible=True))
    section.append(listed)
    window.set_child(section)
    return window
