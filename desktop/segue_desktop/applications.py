"""The page of the applications that take part, and of which one continues a type that several can."""

from gi.repository import Adw, Gtk

from . import model
from .rows import Group, button, icon, row
from .texts import _


class Applications:
    def __init__(self, client, toast):
        self.client, self.toast = client, toast
        page = Adw.PreferencesPage()
        self.defaults = Group(page, _("Chosen by You"), _("Which application continues what several can"))
        self.verdicts = Group(page, _("Why, and Why Not"), _("What is offered to each device, and what each offers here"))
        self.empty = Adw.StatusPage(
            icon_name="application-x-executable-symbolic", title=_("No Application Takes Part Yet"),
            description=_("Start one that works with Segue; it is listed here with what it offers."))
        self.widget = Gtk.Stack()
        self.widget.add_named(self.empty, "empty")
        self.widget.add_named(page, "list")
        self.filled = {}

    def refresh(self):
        self.client.call("GetDefaults", done=lambda chosen: self._fill(
            self.defaults, [self._default(type_, app) for type_, app in sorted(chosen.items())]))
        self.client.call("Explain", "s", ("",), done=lambda rows: self._fill(
            self.verdicts, [self._verdict(model.Verdict.of(each)) for each in rows]))

    def _fill(self, group, rows):
        group.show(rows)
        self.filled[group] = bool(rows)
        self.widget.set_visible_child_name("list" if any(self.filled.values()) else "empty")

    def _default(self, type_, app):
        made = row(type_, app)
        made.add_prefix(icon(app))
        made.add_suffix(button("edit-clear-symbolic", _("Ask again for {}").format(type_), lambda: self.client.call(
            "SetDefault", "ss", (type_, ""), done=lambda *_values: self.refresh(),
            failed=lambda failure: self.toast(failure.sentence))))
        return made

    def _verdict(self, verdict):
        made = row(verdict.title, verdict.sentence)
        made.set_subtitle_lines(0)
        made.add_prefix(icon(verdict.application))
        made.add_suffix(Gtk.Image(
            icon_name="emblem-ok-symbolic" if verdict.is_offered else "action-unavailable-symbolic",
            css_classes=["success" if verdict.is_offered else "dim-label"]))
        return made
