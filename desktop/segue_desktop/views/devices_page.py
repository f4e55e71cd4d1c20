"""The paired devices, those that were introduced, and this one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from gi.repository import Adw, Gtk

from ..model.devices import Device, Introduction, devices, introductions, this_device
from ..model.words import _
from .rows import KeyedList, Row, group, name, symbol


class DeviceRow(Row):
    def __init__(self, device: Device, opened: Callable[[Device], object]) -> None:
        super().__init__(activatable=True)
        self._device = device
        self._icon = symbol("computer-symbolic", size=24)
        self.add_prefix(self._icon)
        self._lamp = symbol("emblem-default-symbolic", "success")
        self._lamp.set_tooltip_text(_("Online"))
        self.add_suffix(self._lamp)
        self.add_suffix(symbol("go-next-symbolic", "dim-label"))
        self.connect("activated", lambda _: opened(self._device))

    def show_item(self, device: Device) -> None:
        self._device = device
        self.set_texts(device.name, device.subtitle)
        self._icon.set_opacity(1 if device.is_online else 0.5)
        self._lamp.set_visible(device.is_online)


class IntroductionRow(Row):
    def __init__(self, introduction: Introduction, answer: Callable[[str, Introduction], object]) -> None:
        super().__init__()
        self._introduction = introduction
        self.add_prefix(symbol("contact-new-symbolic", size=24))
        self._buttons = []
        for method, label, style in (
                ("DeclineIntroduction", _("Decline"), "flat"), ("AcceptIntroduction", _("Accept"), "suggested-action")):
            button = Gtk.Button(label=label, valign=Gtk.Align.CENTER, css_classes=[style])
            button.connect("clicked", lambda _, method=method: answer(method, self._introduction))
            self._buttons.append((button, label))
            self.add_suffix(button)

    def show_item(self, introduction: Introduction) -> None:
        self._introduction = introduction
        self.set_texts(introduction.name, introduction.subtitle)
        for button, label in self._buttons:
            name(button, f"{label}: {introduction.name}")


class NoteRow(Row):
    """A sentence that the user should know."""

    def __init__(self, note: Note) -> None:
        super().__init__()
        self.add_prefix(symbol("dialog-warning-symbolic", "warning"))

    def show_item(self, note: Note) -> None:
        self.set_texts(note.key, "")
        self.set_title_lines(0)


class Note:
    def __init__(self, sentence: str) -> None:
        self.key = sentence


class DevicesPage(Adw.PreferencesPage):
    def __init__(
            self, store: Any, opened: Callable[[Device], object], pair: Callable[[], object],
            answer: Callable[[str, Introduction], object]) -> None:
        super().__init__()
        self._store = store
        self.introduced: list[Introduction] = []
        self._introductions = KeyedList(lambda item: IntroductionRow(item, answer), _("Introduced devices"))
        self._introduced = group(
            _("Introduced"), _("A device that you trust says that these are yours, too. Compare the words."))
        self._introduced.add(self._introductions)
        self.add(self._introduced)
        paired = group(_("Your Devices"))
        button = Gtk.Button(child=Adw.ButtonContent(icon_name="list-add-symbolic", label=_("Pair a Device")))
        button.add_css_class("flat")
        button.connect("clicked", lambda _: pair())
        paired.set_header_suffix(button)
        self._devices = KeyedList(lambda item: DeviceRow(item, opened), _("Your devices"))
        paired.add(self._devices)
        self.add(paired)
        here = group(_("This Device"))
        self._name = Row()
        self._name.add_prefix(symbol("user-home-symbolic", size=24))
        listed = Gtk.ListBox(selection_mode=Gtk.SelectionMode.NONE, css_classes=["boxed-list"])
        name(listed, _("This device"))
        listed.append(self._name)
        here.add(listed)
        self._notes = KeyedList(NoteRow, _("What you should know"))
        self._notes.set_margin_top(12)
        here.add(self._notes)
        self.add(here)
        store.listen("devices", self.show_devices)
        store.listen("introductions", self.show_introductions)
        store.listen("status", self.show_status)

    def show_devices(self) -> None:
        self._devices.show_items(devices(self._store.devices, time.time()))

    def show_introductions(self) -> None:
        self.introduced = introductions(self._store.introductions)
        self._introductions.show_items(self.introduced)
        self._introduced.set_visible(bool(self.introduced))

    def show_status(self) -> None:
        here = this_device(self._store.status)
        address = here.addresses[0] if here.addresses else _("Not in a network")
        self._name.set_texts(here.name, f"{address} · Segue {here.version}")
        self._notes.show_items([Note(note) for note in dict.fromkeys(here.notes)])
        self._notes.set_visible(bool(here.notes))
