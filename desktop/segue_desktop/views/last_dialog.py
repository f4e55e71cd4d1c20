"""How the last continuation went: its phases as bars."""

from __future__ import annotations

from typing import Any

from gi.repository import Adw, GLib, Gtk

from ..model.failure import Failure
from ..model.last import Last, Phase, last
from ..model.words import _
from .dialog import Dialog
from .rows import Row, group, name, symbol


class Bar(Gtk.DrawingArea):
    """Where a phase lies in the whole."""

    def __init__(self, phase: Phase) -> None:
        super().__init__(
            content_height=8, content_width=120, valign=Gtk.Align.CENTER, css_classes=["accent"],
            accessible_role=Gtk.AccessibleRole.PRESENTATION)
        self._phase = phase
        self.set_draw_func(self._draw)

    def _draw(self, _area: Any, context: Any, width: int, height: int) -> None:
        color = self.get_style_context().get_color()
        length = max(2.0, self._phase.length * width)
        start = min(self._phase.start * width, width - length)
        if self.get_direction() == Gtk.TextDirection.RTL:
            start = width - start - length
        for alpha, left, wide in ((0.15, 0.0, float(width)), (1.0, start, length)):
            context.set_source_rgba(color.red, color.green, color.blue, color.alpha * alpha)
            context.rectangle(left, 0, wide, height)
            context.fill()


class LastDialog(Dialog):
    def __init__(self, window: Any, store: Any) -> None:
        super().__init__(window, _("Last Continuation"), 480, 560)
        self._place = Gtk.Stack()
        self._place.add_named(Gtk.Spinner(spinning=True), "asking")
        self.set_body(self._place)
        store.call("GetLast", "", (), self._told)

    def _told(self, value: Any, failure: Failure | None) -> None:
        shown = last(value) if failure is None else None
        if shown is not None:
            self._show(self._page(shown))
        elif failure is not None:
            self._show(status("dialog-warning-symbolic", failure.sentence, failure.remedy))
        else:
            self._show(status("document-open-recent-symbolic", _("Nothing Continued Yet"), ""))

    def _show(self, child: Any) -> None:
        self._place.add_named(child, "told")
        self._place.set_visible_child_name("told")

    def _page(self, shown: Last) -> Any:
        page = Adw.PreferencesPage()
        place = group(shown.title, shown.summary)
        if shown.error:
            row = Row()
            row.add_prefix(symbol("dialog-error-symbolic", "error"))
            row.set_title_lines(0)
            row.set_texts(shown.error, "")
            place.add(row)
        for phase in shown.phases:
            row = Row()
            row.set_texts(phase.name, phase.duration)
            row.add_suffix(Bar(phase))
            name(row, f"{phase.name}: {phase.duration}")
            place.add(row)
        page.add(place)
        return page


def status(icon: str, title: str, description: str) -> Any:
    return Adw.StatusPage(
        icon_name=icon, title=title, description=GLib.markup_escape_text(description))
