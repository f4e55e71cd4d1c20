"""What is sent: the menu of devices, the dialogue for a text, and a text that was sent here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gi.repository import Gdk, Gtk

from ..model.devices import Device
from ..model.failure import Failure
from ..model.sending import text_called
from ..model.words import _
from .dialog import Dialog
from .last_dialog import status
from .rows import name

Send = Callable[[str, Device], object]


class SendMenu(Gtk.MenuButton):
    """A button with the devices to which an activity can be sent."""

    def __init__(self, send: Send) -> None:
        self._popover = Gtk.Popover()
        super().__init__(
            valign=Gtk.Align.CENTER, popover=self._popover, icon_name="document-send-symbolic", has_frame=False,
            tooltip_text=_("Send to…"))
        self._send = send
        self._activity = ""
        self._devices: list[Device] = []

    def show_item(self, activity: str, title: str, devices: list[Device]) -> None:
        self._activity = activity
        self.set_visible(bool(devices))
        name(self, _("Send “{title}” to…").format(title=title))
        if [device.id for device in devices] != [device.id for device in self._devices]:
            self._devices = devices
            self._popover.set_child(self._choices())

    def _choices(self) -> Any:
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        for device in self._devices:
            button = Gtk.Button(label=device.name, has_frame=False)
            button.connect("clicked", lambda _, device=device: self._chose(device))
            box.append(button)
        return box

    def _chose(self, device: Device) -> None:
        self._popover.popdown()
        self._send(self._activity, device)


def text_view(**properties: Any) -> tuple[Any, Any]:
    """A text of several lines, and its place in a dialogue."""
    view = Gtk.TextView(
        wrap_mode=Gtk.WrapMode.WORD_CHAR, accepts_tab=False, top_margin=12, bottom_margin=12, left_margin=12,
        right_margin=12, **properties)
    return view, Gtk.ScrolledWindow(child=view, vexpand=True, css_classes=["card"])


def body_of(*parts: Any) -> Any:
    box = Gtk.Box(
        orientation=Gtk.Orientation.VERTICAL, spacing=12, margin_top=12, margin_bottom=12, margin_start=12, margin_end=12)
    for part in parts:
        box.append(part)
    return box


class SendTextDialog(Dialog):
    """Takes a text for a device."""

    def __init__(self, window: Any, store: Any, device: Device) -> None:
        super().__init__(window, _("Send a Text"), 440, 320)
        self._window, self._store, self._device = window, store, device
        self._view, place = text_view()
        name(self._view, _("Text for “{name}”").format(name=device.name))
        self._button = Gtk.Button(
            label=_("Send"), css_classes=["suggested-action", "pill"], halign=Gtk.Align.CENTER, sensitive=False)
        self._button.connect("clicked", lambda _: self._send())
        self._view.get_buffer().connect("changed", lambda _: self._button.set_sensitive(bool(self._text.strip())))
        self.set_body(body_of(place, self._button))

    @property
    def _text(self) -> str:
        buffer = self._view.get_buffer()
        return str(buffer.get_text(*buffer.get_bounds(), False))

    def _send(self) -> None:
        # The dialogue stays until the text has gone: it is the only place where that is.
        self._button.set_sensitive(False)
        self._window.send(self._device, {"text": self._text}, self._sent)

    def _sent(self, failure: Failure | None) -> None:
        self._button.set_sensitive(True)
        if failure is None:
            self.close()


class TextDialog(Dialog):
    """A text that another device has sent."""

    def __init__(self, window: Any, store: Any, id_: str) -> None:
        super().__init__(window, _("Text"), 480, 360)
        self._window, self._id = window, id_
        self._place = Gtk.Stack()
        self._place.add_named(Gtk.Spinner(spinning=True), "asking")
        self.set_body(self._place)
        store.call("ListTexts", "", (), self._told)

    def _told(self, value: Any, failure: Failure | None) -> None:
        text = text_called(value, self._id) if failure is None else None
        if failure is not None:
            shown = status("dialog-warning-symbolic", failure.sentence, failure.remedy)
        elif text is None:
            shown = status(
                "edit-clear-all-symbolic", _("The Text Is Gone"), _("It was kept for an hour. Have it sent once more."))
        else:
            shown = self._page(text.heading, text.text)
        self._place.add_named(shown, "told")
        self._place.set_visible_child_name("told")

    def _page(self, heading: str, text: str) -> Any:
        view, place = text_view(editable=False, cursor_visible=False)
        view.get_buffer().set_text(text)
        name(view, heading)
        copy = Gtk.Button(label=_("Copy"), css_classes=["suggested-action", "pill"], halign=Gtk.Align.CENTER)
        copy.connect("clicked", lambda _: self._copy(text))
        return body_of(Gtk.Label(label=heading, xalign=0, css_classes=["dim-label"]), place, copy)

    def _copy(self, text: str) -> None:
        Gdk.Display.get_default().get_clipboard().set_content(Gdk.ContentProvider.new_for_value(text))
        self._window.toast(_("Copied."))
        self.close()
