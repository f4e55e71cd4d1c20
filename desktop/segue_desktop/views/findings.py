"""What `segue doctor` has found, with the cure."""

from __future__ import annotations

from typing import Any

from gi.repository import Adw, Gtk

from ..bus.checker import check
from ..model.doctor import Finding
from ..model.words import _
from .dialog import Dialog
from .rows import KeyedList, Row, group, name, symbol


class FindingRow(Row):
    def __init__(self, finding: Finding) -> None:
        super().__init__()
        style = {"error": "error", "warning": "warning"}.get(finding.severity, "dim-label")
        image = Gtk.Image(icon_name=finding.icon, css_classes=[style])
        name(image, finding.kind)
        self.add_prefix(image)
        self.set_title_lines(0)
        self.set_subtitle_lines(0)

    def show_item(self, finding: Finding) -> None:
        self.set_texts(finding.message, finding.advice)


class Findings(Gtk.Box):
    """Checks when it is told to, and shows that it does."""

    def __init__(self) -> None:
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self._place = group(_("Check of This Device"))
        self._button = Gtk.Button(
            icon_name="view-refresh-symbolic", css_classes=["flat"], tooltip_text=_("Check Again"),
            valign=Gtk.Align.CENTER)
        name(self._button, _("Check Again"))
        self._button.connect("clicked", lambda _: self.check())
        self._place.set_header_suffix(self._button)
        self._list = KeyedList(FindingRow, _("What the check has found"))
        self._well = Row()
        self._well.add_prefix(symbol("emblem-default-symbolic", "success"))
        self._fine = Gtk.ListBox(selection_mode=Gtk.SelectionMode.NONE, css_classes=["boxed-list"])
        self._fine.append(self._well)
        self._place.add(self._fine)
        self._place.add(self._list)
        self.append(self._place)
        self._list.set_visible(False)
        self._is_checking = False

    def check(self) -> None:
        if self._is_checking:
            return
        self._is_checking = True
        self._button.set_sensitive(False)
        self._well.set_texts(_("Checking…"), "")
        check(self._checked)

    def _checked(self, findings: list[Finding]) -> None:
        self._is_checking = False
        self._button.set_sensitive(True)
        unique = list({finding.key: finding for finding in findings}.values())
        self._list.show_items(unique)
        self._list.set_visible(bool(unique))
        self._fine.set_visible(not unique)
        self._well.set_texts(_("Nothing is missing on this device."), "")


class FindingsDialog(Dialog):
    def __init__(self, window: Any) -> None:
        super().__init__(window, _("Check This Device"), 520, 480)
        findings = Findings()
        findings.check()
        clamp = Adw.Clamp(child=findings, margin_top=12, margin_bottom=24, margin_start=12, margin_end=12)
        self.set_body(Gtk.ScrolledWindow(child=clamp, hscrollbar_policy=Gtk.PolicyType.NEVER))
