"""The page of the paired devices, and of those that were introduced."""

import time

from gi.repository import Adw, GLib, Gtk

from . import model
from .rows import Group, button, row
from .texts import _


class Devices:
    def __init__(self, client, toast, pair):
        """`pair` begins a pairing."""
        self.client, self.toast = client, toast
        page = Adw.PreferencesPage()
        self.problems = Group(page, _("Needs Attention"))
        self.introduced = Group(page, _("Introduced"), _("Another of your devices knows these. Are they yours?"))
        self.paired = Group(page, _("Your Devices"))
        self.own = Group(page, _("This Device"))
        start = Gtk.Button(label=_("Pair a Device…"), halign=Gtk.Align.CENTER, css_classes=["pill"])
        start.connect("clicked", lambda _button: pair())
        last = Adw.PreferencesGroup()
        last.add(start)
        page.add(last)
        self.widget = page
        #: The devices that are unfolded, so that they stay so.
        self.unfolded = set()

    def refresh(self, status):
        self.problems.show([self._problem(each.text) for each in model.problems(status)])
        about = row(status.get("device-name", ""), _("As your other devices know it"))
        about.add_prefix(Gtk.Image(icon_name="computer-symbolic"))
        self.own.show([about])
        self.client.call("ListDevices", done=lambda rows: self.paired.show(
            self._device(model.Device.of(each, int(time.time()))) for each in rows))
        self.client.call("ListIntroductions", done=lambda rows: self.introduced.show(
            self._introduction(model.Introduction.of(each)) for each in rows))

    def _problem(self, text):
        made = row(text)
        made.set_title_lines(0)
        made.add_prefix(Gtk.Image(icon_name="dialog-warning-symbolic", css_classes=["warning"]))
        return made

    def _device(self, device):
        made = Adw.ExpanderRow(title=GLib.markup_escape_text(device.name), subtitle=GLib.markup_escape_text(device.state))
        made.add_prefix(Gtk.Image(
            icon_name="computer-symbolic", css_classes=["success" if device.is_online else "dim-label"]))
        made.set_expanded(device.id in self.unfolded)
        made.connect("notify::expanded", lambda row, _spec: self._note(device.id, row.get_expanded()))
        name = Adw.EntryRow(title=_("Name here"), text=device.name, show_apply_button=True)
        name.connect("apply", lambda entry: self._change("RenameDevice", "ss", device.id, entry.get_text().strip()))
        made.add_row(name)
        for label, text in device.facts:
            fact = row(label, text, css_classes=["property"])
            fact.set_subtitle_selectable(True) if hasattr(fact, "set_subtitle_selectable") else None
            made.add_row(fact)
        removing = row(_("Forget this device"), _("Both stop offering anything to each other"))
        removing.add_suffix(button("user-trash-symbolic", _("Forget {}").format(device.name), lambda: self._ask(device)))
        made.add_row(removing)
        return made

    def _note(self, id_, is_unfolded):
        (self.unfolded.add if is_unfolded else self.unfolded.discard)(id_)

    def _introduction(self, introduction):
        made = row(introduction.name, introduction.details)
        for icon_name, label, method in (
                ("window-close-symbolic", _("Decline {}"), "DeclineIntroduction"),
                ("emblem-ok-symbolic", _("Pair with {}"), "AcceptIntroduction")):
            made.add_suffix(button(
                icon_name, label.format(introduction.name),
                lambda method=method: self._change(method, "s", introduction.id)))
        return made

    def _ask(self, device):
        dialog = Adw.MessageDialog(
            transient_for=self.widget.get_root(), modal=True, heading=_("Forget {}?").format(device.name),
            body=_("To go on with each other later, both have to be paired again."), close_response="cancel")
        dialog.add_response("cancel", _("Cancel"))
        dialog.add_response("forget", _("Forget"))
        dialog.set_response_appearance("forget", Adw.ResponseAppearance.DESTRUCTIVE)
        dialog.connect("response::forget", lambda *_args: self._change("RemoveDevice", "s", device.id))
        dialog.present()

    def _change(self, method, signature, *values):
        self.client.call(method, signature, values, failed=lambda failure: self.toast(failure.sentence))
