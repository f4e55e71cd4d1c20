"""One device: its facts, another name, introducing it, and its removal."""

from __future__ import annotations

from typing import Any

from gi.repository import Adw, Gtk

from ..model.devices import Device, others_online
from ..model.words import _
from .rows import Row, group, name


class DeviceDialog(Adw.Window):
    """`done` shows a failure, or what was done."""

    def __init__(self, window: Any, store: Any, device: Device, all_devices: list[Device]) -> None:
        super().__init__(
            transient_for=window, modal=True, title=device.name, default_width=440, default_height=560,
            destroy_with_parent=True)
        self._window, self._store, self._device = window, store, device
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        box.append(Adw.HeaderBar())
        page = Adw.PreferencesPage(vexpand=True)
        box.append(page)
        self.set_content(box)
        page.add(self._naming())
        page.add(self._facts())
        page.add(self._deeds(others_online(all_devices, device)))
        escape = Gtk.ShortcutController()
        escape.add_shortcut(Gtk.Shortcut(
            trigger=Gtk.ShortcutTrigger.parse_string("Escape"), action=Gtk.NamedAction.new("window.close")))
        self.add_controller(escape)

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
                row = Row(subtitle_selectable=True) if hasattr(Adw.ActionRow.props, "subtitle_selectable") else Row()
                row.set_subtitle_lines(0)
                row.set_texts(title, value)
                facts.add(row)
        return facts

    def _deeds(self, others: list[Device]) -> Any:
        deeds = group("")
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
        question.connect("response", lambda _, answer: answer == "remove" and self._remove())
        question.present()

    def _remove(self) -> None:
        said = _("“{name}” is removed.").format(name=self._device.name)
        self._do("RemoveDevice", "(s)", (self._device.id,), said)

    def _do(self, method: str, signature: str, values: tuple[str, ...], said: str) -> None:
        self._store.call(
            method, signature, values,
            lambda _, failure: self._window.toast(failure.whole if failure else said))
        self.close()
