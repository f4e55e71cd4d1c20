"""The window that sends files: the choice of a device, then how far they are."""

from __future__ import annotations

import os
import time
from typing import Any

from gi.repository import Adw, GLib, Gtk

from ..bus.sender import Sender
from ..model.devices import Device, devices
from ..model.sending import receivers
from ..model.transfers import progress_to
from ..model.words import _, apart
from .dialog import Dialog
from .first_pages import pill
from .rows import KeyedList, Row, shown_only


class DeviceRow(Row):
    def __init__(self, device: Device, chosen: Any) -> None:
        super().__init__(activatable=True)
        self._device = device
        self.connect("activated", lambda _: chosen(self._device))

    def show_item(self, device: Device) -> None:
        self._device = device
        self.set_texts(device.name, device.subtitle)


class SendFilesWindow(Dialog):
    """`device`: the id of the one that was chosen already; "" for none."""

    def __init__(self, application: Any, store: Any, files: list[str], device: str = "") -> None:
        super().__init__(None, _("Send Files"), 420, 400)
        self.set_application(application)
        self.set_modal(False)
        self._store, self._files, self._wanted = store, files, device
        self._device: Device | None = None
        self._sender: Sender | None = None
        self._stack = Gtk.Stack()
        self._list = KeyedList(lambda device: DeviceRow(device, self._send), _("Devices"))
        page = Adw.PreferencesPage()
        # The titles of these groups are markup.
        self._group = Adw.PreferencesGroup(title=GLib.markup_escape_text(self._what()))
        self._group.add(self._list)
        page.add(self._group)
        none = Adw.StatusPage(
            icon_name="network-offline-symbolic", title=_("No Device Is Online"),
            description=_("Devices to which something can be sent show up here."))
        self._bar = Gtk.ProgressBar()
        self._progress = Adw.StatusPage(icon_name="document-send-symbolic", child=self._bar)
        self._result = Adw.StatusPage()
        self._again = pill(_("Choose a Device"), self._choose)
        self._result.set_child(self._again)
        for name, child in (("devices", page), ("none", none), ("progress", self._progress), ("result", self._result)):
            self._stack.add_named(child, name)
        shown_only(page, none, self._progress, self._result)
        self.set_body(self._stack)
        self._listeners = (self._show_devices, self._show_progress)
        store.listen("devices service", self._show_devices)
        store.listen("transfers", self._show_progress)
        self.connect("close-request", lambda _: self._closed())
        self._show_devices()

    def _what(self) -> str:
        if len(self._files) == 1:
            return _("Send “{title}” to…").format(title=os.path.basename(self._files[0]))
        return _("Send {number} files to…").format(number=len(self._files))

    def _show_devices(self) -> None:
        found = receivers(devices(self._store.devices, time.time()), "activity")
        self._list.show_items(found)
        wanted = next((device for device in found if device.id == self._wanted), None)
        if wanted is not None:
            self._wanted = ""
            self._send(wanted)
        elif self._stack.get_visible_child_name() in ("devices", "none"):
            self._stack.set_visible_child_name("devices" if found else "none")

    def _choose(self) -> None:
        self._stack.set_visible_child_name("devices")
        self._show_devices()

    def _send(self, device: Device) -> None:
        if self._sender is not None:
            return
        self._device = device
        self._progress.set_title(_("{name} Shows It").format(name=apart(device.name)))
        self._progress.set_description(GLib.markup_escape_text(
            _("It is sent once it was clicked there. Closing this window takes it back.")))
        self._bar.set_visible(False)
        self._stack.set_visible_child_name("progress")
        self._sender = Sender(device.id, self._files, self._ended)

    def _show_progress(self) -> None:
        fraction = progress_to(self._store.transfers, self._device.id) if self._device and self._sender else None
        if fraction is None or self._device is None:
            return
        self._progress.set_title(_("On Its Way to {name}").format(name=apart(self._device.name)))
        self._progress.set_description("")
        self._bar.set_visible(True)
        self._bar.set_fraction(fraction)

    def _ended(self, said: str, reason: str) -> None:
        self._sender = None
        self._result.set_icon_name("dialog-warning-symbolic" if reason else "emblem-ok-symbolic")
        self._result.set_title(_("Not Sent") if reason else _("Sent"))
        self._result.set_description(GLib.markup_escape_text(reason or said))
        self._again.set_visible(bool(reason))
        self._stack.set_visible_child_name("result")

    def _closed(self) -> bool:
        self._store.forget(*self._listeners)
        if self._sender is not None:
            self._sender.stop()
        return False
