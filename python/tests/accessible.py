"""What a screen reader tells of a device's programs, over AT-SPI: their texts, caret, selection and values."""

from __future__ import annotations

import pathlib
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from gi.repository import Gio, GLib

from harness.application import Installed
from harness.bounds import SECONDS

PREFIX = "org.a11y.atspi"
#: The bit of a state that says that it is not hidden.
VISIBLE = 1 << 30
ROOT = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")


class Shown(NamedTuple):
    text: str
    caret: int
    selected: str
    #: How far the text is scrolled.
    scrolled: float
    labels: list[str]
    buttons: dict[str, Any]


class Accessibility:
    """The bus of AT-SPI, which the device's session bus launches as a desktop's does."""

    def __init__(self, device: Any) -> None:
        # As the system's, with the settings' schemas, which are beside the applications.
        text = pathlib.Path("/usr/share/dbus-1/services/org.a11y.Bus.service").read_text()
        Installed.write(
            device.data / "dbus-1" / "services" / "org.a11y.Bus.service",
            text.replace("Exec=", "Exec=/usr/bin/env XDG_DATA_DIRS=/usr/share GSETTINGS_BACKEND=memory "))
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        session = Gio.DBusConnection.new_for_address_sync(
            device.environment["DBUS_SESSION_BUS_ADDRESS"], flags, None, None)
        address = session.call_sync(
            "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, Gio.DBusCallFlags.NONE,
            int(SECONDS * 1000), None).unpack()[0]
        session.close_sync(None)
        self.bus = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)

        # What changes is told; by whom does not matter.
        self.events = 0
        self.bus.signal_subscribe(None, None, None, None, None, Gio.DBusSignalFlags.NONE, self._changed)
        listening = GLib.Variant("(sass)", ("object:", [], ""))
        self._call((ROOT[0], "/org/a11y/atspi/registry"), "Registry", "RegisterEvent", listening)

    def _changed(self, *arguments: Any) -> None:
        self.events += 1

    def _tick(self) -> bool:
        self.events += 1
        return True

    def _call(self, place: Any, interface: str, method: str, arguments: Any = None) -> Any:
        return self._ask(place, f"{PREFIX}.{interface}", method, arguments)

    def _property(self, place: Any, interface: str, name: str) -> Any:
        arguments = GLib.Variant("(ss)", (f"{PREFIX}.{interface}", name))
        return self._ask(place, "org.freedesktop.DBus.Properties", "Get", arguments)

    def _ask(self, place: Any, interface: str, method: str, arguments: Any) -> Any:
        answer = self.bus.call_sync(
            place[0], place[1], interface, method, arguments, None, Gio.DBusCallFlags.NONE, int(SECONDS * 1000), None)
        values = answer.unpack()
        return values[0] if len(values) == 1 else values

    def _shown(self, place: Any) -> Iterator[tuple[Any, str]]:
        """What is not hidden in something, and its role."""
        for child in self._call(place, "Accessible", "GetChildren"):
            states = self._call(child, "Accessible", "GetState")
            if states[0] & VISIBLE:
                yield child, self._call(child, "Accessible", "GetRoleName")
                yield from self._shown(child)

    def _window(self, title: str) -> Any:
        for program in self._call(ROOT, "Accessible", "GetChildren"):
            for window in self._call(program, "Accessible", "GetChildren"):
                if self._property(window, "Accessible", "Name") == title:
                    return window
        raise LookupError(f"no window {title}")

    def look(self, title: str) -> Shown:
        """What a window shows now."""
        text, caret, selected, scrolled, labels, buttons = "", 0, (0, 0), 0.0, [], {}
        for place, role in self._shown(self._window(title)):
            if role in ("text", "text box"):
                text = self._call(place, "Text", "GetText", GLib.Variant("(ii)", (0, -1)))
                caret = self._property(place, "Text", "CaretOffset")
                if self._call(place, "Text", "GetNSelections"):
                    selected = self._call(place, "Text", "GetSelection", GLib.Variant("(i)", (0,)))
            elif "org.a11y.atspi.Value" in self._call(place, "Accessible", "GetInterfaces"):
                # What a scroll bar has in it.
                scrolled = max(scrolled, self._property(place, "Value", "CurrentValue"))
            elif role == "label":
                labels.append(self._property(place, "Accessible", "Name"))
            elif role in ("button", "push button"):
                buttons[self._property(place, "Accessible", "Name")] = place
        return Shown(text, caret, text[selected[0]:selected[1]], scrolled, labels, buttons)

    def until(self, title: str, condition: Callable[[Shown], object]) -> Shown:
        """Waits until a window shows what is wanted."""
        deadline = time.monotonic() + SECONDS
        shown: object = None
        while time.monotonic() < deadline:
            before = self.events
            try:
                shown = self.look(title)
                if condition(shown):
                    return shown
            except (GLib.Error, LookupError) as error:
                # Something has gone while it was looked at.
                shown = error
            # Not everything is told, as that a window has come: then it is looked for again.
            timer = GLib.timeout_add(200, self._tick)
            while self.events == before:
                GLib.MainContext.default().iteration(True)
            GLib.source_remove(timer)
        raise AssertionError(f"“{title}” does not show what is expected: {shown}")

    def click(self, title: str, button: str) -> None:
        """Presses a button that goes away when it has done its work."""
        shown = self.until(title, lambda shown: button in shown.buttons)
        assert self._call(shown.buttons[button], "Action", "DoAction", GLib.Variant("(i)", (0,)))
        # GTK shows for a moment that it is pressed.
        self.until(title, lambda shown: button not in shown.buttons)

    def close(self) -> None:
        self.bus.close_sync(None)
