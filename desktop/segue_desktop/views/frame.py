"""The frame around the pages: the header, the switcher that moves to the bottom of a narrow window, and a bar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gi.repository import Adw, Gio, GLib, Gtk

from ..model.words import _
from .pause_bar import PauseBar, pause_menu
from .rows import name, shown_only

PARTS = ("offers", "devices", "applications")


class Frame(Gtk.Box):
    def __init__(
            self, offers: Any, devices: Any, applications: Any, welcome: Any, absent: Any,
            resume: Callable[[], object]) -> None:
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self._parts = Adw.ViewStack(vexpand=True)
        for part, page, title, icon in zip(
                PARTS, (offers, devices, applications), (_("Continue"), _("Devices"), _("Applications")),
                ("org.segue.Desktop-symbolic", "computer-symbolic", "view-grid-symbolic")):
            self._parts.add_titled_with_icon(page, part, title, icon)
        self._title = Adw.ViewSwitcherTitle(stack=self._parts, title=_("Segue"))
        self._header = Adw.HeaderBar(title_widget=self._title, centering_policy=Adw.CenteringPolicy.STRICT)
        menu = Gtk.MenuButton(icon_name="open-menu-symbolic", menu_model=main_menu(), primary=True,
                              tooltip_text=_("Main Menu"))
        name(menu, _("Main Menu"))
        self._header.pack_end(menu)
        self._bar = Gtk.Label(wrap=True, css_classes=["notice"], visible=False)
        self._pause = PauseBar(resume)
        spinner = Adw.StatusPage(title=_("Connecting to Segue…"))
        spinner.set_child(Gtk.Spinner(spinning=True, width_request=32, height_request=32, halign=Gtk.Align.CENTER))
        self._pages = Gtk.Stack(vexpand=True)
        for page, child in (
                ("connecting", spinner), ("pages", self._parts), ("welcome", welcome), ("absent", absent)):
            self._pages.add_named(child, page)
        shown_only(offers, devices, applications, spinner, self._parts, welcome, absent)
        self._overlay = Adw.ToastOverlay(child=self._pages)
        self._switcher = Adw.ViewSwitcherBar(stack=self._parts)
        for part in (self._header, self._bar, self._pause, self._overlay, self._switcher):
            self.append(part)
        self._title.connect("notify::title-visible", lambda *_: self._arrange())
        self._arrange()

    @property
    def page(self) -> str:
        return str(self._pages.get_visible_child_name())

    def show_page(self, page: str) -> bool:
        """Whether another page was shown before."""
        is_new = page != self.page
        if is_new:
            self._pages.set_visible_child_name(page)
            self._arrange()
        return is_new

    def show_part(self, part: str) -> None:
        if self.page == "pages" and part in PARTS:
            self._parts.set_visible_child_name(part)
            # To its first row, past what is around the list.
            self._parts.get_visible_child().child_focus(Gtk.DirectionType.TAB_FORWARD)

    def show_bar(self, sentence: str) -> None:
        """A sentence above pages that are shown as they were last."""
        self._bar.set_label(sentence)
        self._bar.set_visible(bool(sentence) and self.page == "pages")

    def show_pause(self, sentence: str) -> None:
        self._pause.show_sentence(sentence)

    def show_counts(self, offers: int, introductions: int) -> None:
        for part, count in (("offers", offers), ("devices", introductions)):
            page = self._parts.get_page(self._parts.get_child_by_name(part))
            page.set_badge_number(count)
            page.set_needs_attention(part == "devices" and count > 0)

    def toast(self, text: str) -> None:
        self._overlay.add_toast(Adw.Toast(title=GLib.markup_escape_text(text), timeout=8))

    def _arrange(self) -> None:
        has_parts = self.page == "pages"
        self._title.set_view_switcher_enabled(has_parts)
        self._switcher.set_reveal(has_parts and self._title.get_title_visible())


def main_menu() -> Any:
    menu = Gio.Menu()
    for section in (
            ((_("Pair a Device…"), "win.pair"), (_("Last Continuation"), "win.last"),
             (_("Check This Device"), "win.check")),
            ((_("Keyboard Shortcuts"), "win.show-help-overlay"), (_("About Segue"), "app.about"))):
        part = Gio.Menu()
        for label, action in section:
            part.append(label, action)
        menu.append_section(None, part)
    menu.insert_submenu(1, _("Pause"), pause_menu(Gio.Menu()))
    return menu
