"""A bar above the pages while nothing is shared, with the way back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gi.repository import Gtk

from ..model.words import _


class PauseBar(Gtk.Box):
    def __init__(self, resume: Callable[[], object]) -> None:
        super().__init__(spacing=12, css_classes=["notice"], visible=False)
        self._sentence = Gtk.Label(wrap=True, xalign=0, hexpand=True)
        self._button = Gtk.Button(label=_("Resume"), valign=Gtk.Align.CENTER)
        self._button.connect("clicked", lambda _: resume())
        self.append(self._sentence)
        self.append(self._button)

    def show_sentence(self, sentence: str) -> None:
        self._sentence.set_label(sentence)
        self.set_visible(bool(sentence))


def pause_menu(part: Any) -> Any:
    """Fills a menu with the pauses that people want."""
    for label, action in (
            (_("For an Hour"), "win.pause::hour"), (_("Until Tomorrow"), "win.pause::tomorrow"),
            (_("Until I Resume"), "win.pause::ever"), (_("Always in This Network"), "win.pause::here")):
        part.append(label, action)
    return part
