"""The pages of the pairing dialogue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gi.repository import Gdk, GLib, Gtk, Pango

from ..model.pairing import Pairing, is_complete
from ..model.words import _
from .rows import name, paragraph, symbol

#: The size of a module of the code's picture before it is scaled.
MODULE = 4


class Page(Gtk.ScrolledWindow):
    """A title, a sentence, and what the step asks for."""

    def __init__(self, *parts: Any, icon: str = "", style: str = "dim-label") -> None:
        super().__init__(hscrollbar_policy=Gtk.PolicyType.NEVER)
        box = Gtk.Box(
            orientation=Gtk.Orientation.VERTICAL, spacing=18, valign=Gtk.Align.CENTER, margin_top=12, margin_bottom=36,
            margin_start=24, margin_end=24)
        self._title = paragraph("", "title-2")
        self._sentence = paragraph("", "dim-label")
        for part in ([symbol(icon, style, size=72)] if icon else []) + [self._title, self._sentence, *parts]:
            box.append(part)
        self.set_child(box)

    def show_pairing(self, shown: Pairing) -> None:
        self._title.set_label(shown.title)
        self._sentence.set_label(shown.sentence)
        self._sentence.set_visible(bool(shown.sentence))

    def focus(self) -> None:
        """The page is shown: gives the keyboard to what is to be done on it."""
        self.child_focus(Gtk.DirectionType.TAB_FORWARD)


class WaitingPage(Page):
    """While the other device is looked for; and other ways than the network's."""

    def __init__(self, show_code: Callable[[], object], copied: Callable[[str], bool]) -> None:
        spinner = Gtk.Spinner(spinning=True, halign=Gtk.Align.CENTER, width_request=32, height_request=32)
        self._addresses = paragraph("", "caption", "dim-label")
        self._addresses.set_selectable(True)
        show = Gtk.Button(label=_("Show a Code"), halign=Gtk.Align.CENTER, css_classes=["pill"])
        show.connect("clicked", lambda _: show_code())
        self._entry = Gtk.Entry(placeholder_text=_("Code or address of the other device"), hexpand=True)
        name(self._entry, _("Code or address of the other device"))
        use = Gtk.Button(label=_("Use"))
        line = Gtk.Box(css_classes=["linked"])
        line.append(self._entry)
        line.append(use)
        self._wrong = paragraph("", "error")
        self._wrong.set_visible(False)

        def take(*_arguments: Any) -> None:
            is_taken = copied(self._entry.get_text())
            self._wrong.set_label(
                "" if is_taken else _("A code begins with “SEGUE:”, and an address is like 192.0.2.7:4711."))
            self._wrong.set_visible(not is_taken)
            if is_taken:
                self._entry.set_text("")

        self._entry.connect("activate", take)
        use.connect("clicked", take)
        other = paragraph(_("Do they not find each other?"), "heading")
        other.set_margin_top(24)
        super().__init__(spinner, other, show, line, self._wrong, self._addresses)

    def show_pairing(self, shown: Pairing) -> None:
        super().show_pairing(shown)
        lines = "\n".join(f"segue pair {address}" for address in shown.addresses[:3])
        self._addresses.set_label(_("On the other device’s command line:") + "\n" + lines if lines else "")
        self._addresses.set_visible(bool(lines))


class CodePage(Page):
    """The code as a picture, and to be copied."""

    def __init__(self, copy: Callable[[str], object]) -> None:
        self._code = ""
        self._picture = Gtk.Picture(
            width_request=240, height_request=240, can_shrink=True, halign=Gtk.Align.CENTER, css_classes=["code"])
        name(self._picture, _("The code as a picture (QR code)"))
        self._label = Gtk.Label(
            selectable=True, ellipsize=Pango.EllipsizeMode.MIDDLE, css_classes=["monospace", "caption"],
            max_width_chars=40)
        button = Gtk.Button(label=_("Copy the Code"), halign=Gtk.Align.CENTER, css_classes=["pill"])
        button.connect("clicked", lambda _: copy(self._code))
        super().__init__(self._picture, self._label, button)

    def show_pairing(self, shown: Pairing) -> None:
        super().show_pairing(shown)
        if shown.code == self._code:
            return
        self._code = shown.code
        self._label.set_label(shown.code)
        # The library behind it is not needed for a window to open.
        from ..bus.qr import modules
        rows = modules(shown.code)
        self._picture.set_visible(rows is not None)
        if rows is not None:
            self._picture.set_paintable(texture(rows))


class DigitsPage(Page):
    """The digits that are typed on the other device."""

    def __init__(self) -> None:
        self._digits = Gtk.Label(css_classes=["digits"])
        super().__init__(self._digits)

    def show_pairing(self, shown: Pairing) -> None:
        super().show_pairing(shown)
        # Digits stand in this order in scripts of either direction.
        self._digits.set_label(shown.digits)
        self._digits.set_direction(Gtk.TextDirection.LTR)


class TypingPage(Page):
    """The digits of the other device are typed here."""

    def __init__(self, typed: Callable[[str], object]) -> None:
        self._entry = Gtk.Entry(
            css_classes=["digits"], xalign=0.5, max_length=12, width_chars=7, halign=Gtk.Align.CENTER,
            input_purpose=Gtk.InputPurpose.DIGITS)
        name(self._entry, _("Digits of the other device"))
        self._button = Gtk.Button(
            label=_("Pair"), halign=Gtk.Align.CENTER, css_classes=["pill", "suggested-action"], sensitive=False)

        def send(_: Any) -> None:
            if is_complete(self._entry.get_text()):
                typed(self._entry.get_text())

        self._entry.connect("changed", lambda entry: self._button.set_sensitive(is_complete(entry.get_text())))
        self._entry.connect("activate", send)
        self._button.connect("clicked", send)
        super().__init__(self._entry, self._button)

    def focus(self) -> None:
        self._entry.set_text("")
        self._entry.grab_focus()


class AskPage(Page):
    """Whether the other device took the digits."""

    def __init__(self, confirmed: Callable[[bool], object]) -> None:
        self._digits = Gtk.Label(css_classes=["digits", "dim-label"])
        line = Gtk.Box(spacing=12, halign=Gtk.Align.CENTER)
        self._no, yes = (Gtk.Button(label=label, css_classes=["pill"]) for label in (_("No"), _("Yes")))
        yes.add_css_class("suggested-action")
        for button, answer in ((self._no, False), (yes, True)):
            button.connect("clicked", lambda _, answer=answer: confirmed(answer))
            line.append(button)
        super().__init__(self._digits, line)

    def focus(self) -> None:
        """A Return key that is pressed too often must not say yes."""
        self._no.grab_focus()

    def show_pairing(self, shown: Pairing) -> None:
        super().show_pairing(shown)
        self._digits.set_label(shown.digits)
        self._digits.set_visible(bool(shown.digits))
        self._digits.set_direction(Gtk.TextDirection.LTR)


class EndPage(Page):
    """How it has ended; without a button, while it ends."""

    def __init__(
            self, label: str = "", act: Callable[[], object] | None = None, icon: str = "", style: str = "") -> None:
        parts = []
        if act is not None:
            button = Gtk.Button(label=label, halign=Gtk.Align.CENTER, css_classes=["pill", "suggested-action"])
            button.connect("clicked", lambda _: act())
            parts.append(button)
        else:
            parts.append(Gtk.Spinner(spinning=True, halign=Gtk.Align.CENTER, width_request=32, height_request=32))
        super().__init__(*parts, icon=icon, style=style)


def texture(rows: list[list[bool]]) -> Any:
    """Black on white in any style: not every reader takes a code whose colours are changed over."""
    pixels = bytearray()
    for row in rows:
        line = b"".join((b"\x00\x00\x00" if dark else b"\xff\xff\xff") * MODULE for dark in row)
        pixels += line * MODULE
    side = len(rows) * MODULE
    return Gdk.MemoryTexture.new(side, side, Gdk.MemoryFormat.R8G8B8, GLib.Bytes.new(bytes(pixels)), side * 3)
