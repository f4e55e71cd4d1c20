"""One device: its facts, another name, introducing it, and its removal."""

from __future__ import annotations

from typing import Any

from gi.repository import Adw, Gtk

from ..model.devices import Device, others_online
from ..model.sending import RULES, receivers, rule_names
from ..model.words import _
from .dialog import Dialog
from .rows import Row, group, name
from .sending import SendTextDialog


class DeviceDialog(Dialog):
    def __init__(self, window: Any, store: Any, device: Device, all_devices: list[Device]) -> None:
        super().__init__(window, device.name, 440, 640)
        self._window, self._store, self._device = window, store, device
        page = Adw.PreferencesPage()
        self.set_body(page)
        page.add(self._naming())
        page.add(self._facts())
        page.add(self._sending())
        page.add(self._deeds(others_online(all_devices, device)))

    def _naming(self) -> Any:
        naming = group("")
        self._entry = Adw.EntryRow(title=_("Name"), text=self._device.name, show_apply_button=True)
        self._entry.connect("apply", lambda _: self._rename(self._entry.get_text().strip()))
        naming.add(self._entry)
        return naming

    def _facts(self) -> Any:
        facts = group("")
        device = self._device
        for title, value in (
                (_("Last seen"), device.seen), (_("Words"), device.words),
                (_("Addresses"), "\n".join(device.addresses) or _("None known")), (_("Introduced by"), device.introducer),
                (_("In the way"), device.hint)):
            if value:
                row = Row()
                row.set_subtitle_lines(0)
                row.set_texts(title, value)
                facts.add(row)
        return facts

    def _sending(self) -> Any:
        sending = group("")
        device = self._device
        rule = Adw.ComboRow(title=_("When it sends something"), model=Gtk.StringList.new(rule_names()))
        rule.set_selected(RULES.index(device.receiving) if device.receiving in RULES else 0)
        rule.connect("notify::selected", lambda *_: self._receive(RULES[rule.get_selected()]))
        sending.add(rule)
        if receivers([device], "text"):
            text = Row(activatable=True)
            text.set_texts(_("Send a Text…"), _("It is shown there, and can be copied."))
            text.connect("activated", lambda _: self._write())
            sending.add(text)
        return sending

    def _deeds(self, others: list[Device]) -> Any:
        deeds = group("")
        share = Row()
        share.set_texts(_("Share With It"), _("What you have open here is offered to it."))
        self._share = Gtk.Switch(valign=Gtk.Align.CENTER, active=not self._device.is_withheld)
        name(self._share, _("Share with “{name}”").format(name=self._device.name))
        self._share.connect("notify::active", lambda *_: self._switched())
        share.add_suffix(self._share)
        share.set_activatable_widget(self._share)
        deeds.add(share)
        if others:
            introduce = Row(activatable=True)
            introduce.set_texts(
                _("Introduce to Your Other Devices"), _("They need not be paired with it one by one."))
            introduce.connect("activated", lambda _: self._introduce())
            deeds.add(introduce)
        remove = Gtk.Button(label=_("Remove…"), css_classes=["destructive-action", "pill"], halign=Gtk.Align.CENTER)
        remove.set_margin_top(24)
        name(remove, _("Remove “{name}”").format(name=self._device.name))
        remove.connect("clicked", lambda _: self._ask())
        deeds.add(remove)
        return deeds

    def _rename(self, text: str) -> None:
        """An empty name stands for the one that the device gives itself."""
        self._do("RenameDevice", "(ss)", (self._device.id, text), _("Renamed."))

    def _switched(self) -> None:
        self._store.call(
            "WithholdFromDevice", "(sb)", (self._device.id, not self._share.get_active()),
            lambda _, failure: self._window.toast(failure.whole) if failure else None)

    def _receive(self, rule: str) -> None:
        """The dialogue stays: another choice may follow."""
        self._store.call(
            "SetReceiving", "(ss)", (self._device.id, rule),
            lambda _, failure: self._window.toast(failure.whole) if failure else None)

    def _write(self) -> None:
        SendTextDialog(self._window, self._store, self._device).present()
        self.close()

    def _introduce(self) -> None:
        self._do("Introduce", "(ss)", (self._device.id, ""), _("Introduced. Accept it on the other devices."))

    def _ask(self) -> None:
        question = Adw.MessageDialog(
            transient_for=self, modal=True, heading=_("Remove “{name}”?").format(name=self._device.name),
            body=_("Nothing can be continued between the two any more. Remove this device there, too."))
        question.add_response("cancel", _("Cancel"))
        question.add_response("remove", _("Remove"))
        question.set_response_appearance("remove", Adw.ResponseAppearance.DESTRUCTIVE)
        question.set_close_response("cancel")
        question.connect("response", self._answered)
        question.present()

    def _answered(self, _question: Any, answer: str) -> None:
        if answer != "remove":
            return
        said = _("“{name}” was removed.").format(name=self._device.name)
        self._do("RemoveDevice", "(s)", (self._device.id,), said)

    def _do(self, method: str, signature: str, values: tuple[str, ...], said: str) -> None:
        self._store.call(
            method, signature, values,
            lambda _, failure: self._window.toast(failure.whole if failure else said))
        self.close()
