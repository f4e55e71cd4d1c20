"""Lists whose rows stay while what they show changes, and parts that all pages have."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from gi.repository import Adw, Gio, GLib, Gtk, Pango

#: The icon of an application that has none.
NO_ICON = "application-x-executable"


class Row(Adw.ActionRow):
    """A row whose texts are texts: titles of other devices are no markup."""

    def __init__(self, **properties: Any) -> None:
        super().__init__(use_markup=False, title_lines=2, subtitle_lines=4, **properties)

    def set_texts(self, title: str, subtitle: str) -> None:
        if (self.get_title(), self.get_subtitle()) != (title, subtitle):
            self.set_title(title)
            self.set_subtitle(subtitle)


class KeyedList(Gtk.ListBox):
    """Shows items that have a key. An item's row is made once, and stays while the item does: so does the focus."""

    def __init__(self, make: Callable[[Any], Any], label: str) -> None:
        super().__init__(selection_mode=Gtk.SelectionMode.NONE, css_classes=["boxed-list"])
        name(self, label)
        self._make = make
        self._rows: dict[Hashable, Any] = {}
        self._order: list[Hashable] = []

    def show_items(self, items: Sequence[Any]) -> None:
        keys = [item.key for item in items]
        for key in set(self._rows) - set(keys):
            self.remove(self._rows.pop(key))
        self._order = [key for key in self._order if key in self._rows]
        for index, item in enumerate(items):
            row = self._rows.get(item.key)
            if row is None:
                row = self._rows[item.key] = self._make(item)
                self.insert(row, index)
                self._order.insert(index, item.key)
            elif self._order[index] != item.key:
                self.remove(row)
                self.insert(row, index)
                self._order.remove(item.key)
                self._order.insert(index, item.key)
            row.show_item(item)

    @property
    def rows(self) -> list[Any]:
        return [self._rows[key] for key in self._order]


def name(widget: Any, text: str) -> None:
    """The widget's name for a screen reader."""
    widget.update_property([Gtk.AccessibleProperty.LABEL], [text])


def shown_only(*pages: Any) -> None:
    """Hides the pages of a stack from screen readers while another one is on top, which GTK 4.8 does not."""
    for page in pages:
        page.update_state([Gtk.AccessibleState.HIDDEN], [not page.get_mapped()])
        page.connect("map", lambda page: page.update_state([Gtk.AccessibleState.HIDDEN], [False]))
        page.connect("unmap", lambda page: page.update_state([Gtk.AccessibleState.HIDDEN], [True]))


def symbol(icon: str, *classes: str, size: int = 16) -> Any:
    """A picture that says nothing which the text beside it does not say."""
    return Gtk.Image(icon_name=icon, pixel_size=size, css_classes=list(classes),
                     accessible_role=Gtk.AccessibleRole.PRESENTATION)


def application_info(app_id: str) -> Any:
    """What the desktop knows of an application; None for one that is not installed here."""
    try:
        return Gio.DesktopAppInfo.new(app_id + ".desktop") if app_id else None
    except TypeError:  # So says PyGObject that there is none.
        return None


def application_name(app_id: str) -> str:
    info = application_info(app_id)
    return str(info.get_display_name()) if info else app_id


def application_icon(app_id: str) -> Any:
    info = application_info(app_id)
    return (info.get_icon() if info else None) or Gio.ThemedIcon.new(NO_ICON)


def group(title: str, description: str = "") -> Any:
    return Adw.PreferencesGroup(
        title=GLib.markup_escape_text(title), description=GLib.markup_escape_text(description))


def paragraph(text: str = "", *classes: str) -> Any:
    label = Gtk.Label(
        label=text, wrap=True, wrap_mode=Pango.WrapMode.WORD_CHAR, justify=Gtk.Justification.CENTER,
        css_classes=list(classes), max_width_chars=44)
    return label
