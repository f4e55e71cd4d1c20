"""Rows of the window. Texts of other devices and people are shown as they are: nothing in them is markup."""

from gi.repository import Adw, Gio, GLib, Gtk


def row(title, details="", **properties):
    """A row of a list."""
    made = Adw.ActionRow(**properties)
    made.set_title(GLib.markup_escape_text(title))
    made.set_subtitle(GLib.markup_escape_text(details))
    made.set_title_lines(1)
    made.set_subtitle_lines(2)
    return made


def icon(application, fallback="application-x-executable-symbolic", size=32):
    """The icon of an application, by its desktop file's id."""
    image = Gtk.Image(pixel_size=size, accessible_role=Gtk.AccessibleRole.PRESENTATION)
    try:
        info = Gio.DesktopAppInfo.new(f"{application}.desktop") if application else None
    except TypeError:
        # There is no such file.
        info = None
    if info and info.get_icon():
        image.set_from_gicon(info.get_icon())
    else:
        image.set_from_icon_name(fallback)
        image.set_pixel_size(24)
    return image


def button(icon_name, label, pressed):
    """A button of a row, which a screen reader knows by its label."""
    made = Gtk.Button(icon_name=icon_name, valign=Gtk.Align.CENTER, tooltip_text=label)
    made.add_css_class("flat")
    made.update_property([Gtk.AccessibleProperty.LABEL], [label])
    made.connect("clicked", lambda _button: pressed())
    return made


class Group:
    """A titled list whose rows are replaced together, and which is there only while it has some."""

    def __init__(self, page, title, description=""):
        self.group = Adw.PreferencesGroup(title=title, description=description)
        self.rows = []
        page.add(self.group)
        self.group.set_visible(False)

    def show(self, rows):
        for former in self.rows:
            self.group.remove(former)
        self.rows = list(rows)
        for each in self.rows:
            self.group.add(each)
        self.group.set_visible(bool(self.rows))
