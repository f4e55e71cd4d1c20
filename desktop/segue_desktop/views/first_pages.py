"""The pages in place of all others: the daemon is not there, or no device is paired yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gi.repository import Adw, GLib, Gtk

from ..model.words import _
from .findings import Findings


def pill(label: str, act: Callable[[], object]) -> Any:
    button = Gtk.Button(label=label, halign=Gtk.Align.CENTER, css_classes=["pill", "suggested-action"])
    button.connect("clicked", lambda _: act())
    return button


class FirstPage(Gtk.Box):
    """A status page with a button, and the check of this device below it."""

    def __init__(self, icon: str, label: str, act: Callable[[], object]) -> None:
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self.findings = Findings()
        self.button = pill(label, act)
        content = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=36)
        content.append(self.button)
        content.append(Adw.Clamp(child=self.findings, maximum_size=520))
        self._status = Adw.StatusPage(icon_name=icon, child=content, vexpand=True)
        self.append(self._status)

    def show_texts(self, title: str, description: str) -> None:
        self._status.set_title(title)
        self._status.set_description(GLib.markup_escape_text(description))


class WelcomePage(FirstPage):
    def __init__(self, pair: Callable[[], object]) -> None:
        super().__init__("org.segue.Desktop", _("Pair a Device"), pair)
        self.show_texts(
            _("Go On at Another Device"),
            _("Install Segue on another device of yours, open this window there, too, and choose “Pair a Device” on "
              "both. One shows six digits, which you type on the other."))


class AbsentPage(FirstPage):
    def __init__(self, start: Callable[[], object]) -> None:
        super().__init__("network-offline-symbolic", _("Start Segue"), start)
