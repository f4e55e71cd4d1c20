"""What can be continued here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gi.repository import Adw, Gtk

from ..model.offers import Offer, offers, progress
from ..model.transfers import Transfer, transfers
from ..model.words import _
from .rows import KeyedList, Row, application_icon, application_name, group, name, shown_only

Take = Callable[[Offer, str], object]


class OfferRow(Row):
    """An offer: the whole row continues it, and so does its button; a menu chooses another application."""

    def __init__(self, offer: Offer, take: Take, stop: Callable[[], object]) -> None:
        super().__init__()
        self.offer = offer
        self._take = take
        self._icon = Gtk.Image(pixel_size=32, accessible_role=Gtk.AccessibleRole.PRESENTATION)
        self.add_prefix(self._icon)
        self._spinner = Gtk.Spinner(visible=False)
        self._button = Gtk.Button(label=_("Continue"), valign=Gtk.Align.CENTER)
        self._button.connect("clicked", lambda _: self._take(self.offer, ""))
        self._popover = Gtk.Popover()
        self._menu = Gtk.MenuButton(
            valign=Gtk.Align.CENTER, popover=self._popover, tooltip_text=_("Continue in another application"))
        self._stop = Gtk.Button(
            icon_name="process-stop-symbolic", valign=Gtk.Align.CENTER, has_frame=False, visible=False)
        self._stop.connect("clicked", lambda _: stop())
        for part in (self._spinner, self._stop, self._button, self._menu):
            self.add_suffix(part)
        self.connect("activated", lambda _: self._activated())
        self._candidates: tuple[str, ...] = ()
        self._shown_icon = ""

    def show_item(self, offer: Offer) -> None:
        self.offer = offer
        if self._shown_icon != offer.icon_app or not self._icon.get_gicon():
            self._shown_icon = offer.icon_app
            self._icon.set_from_gicon(application_icon(offer.icon_app))
        self.set_texts(offer.title, offer.subtitle)
        self._icon.set_opacity(1 if offer.can_continue else 0.5)
        self.set_activatable(offer.can_continue)
        self._button.set_visible(offer.can_continue and not offer.needs_choice)
        name(self._button, _("Continue “{title}”").format(title=offer.title))
        self._menu.set_visible(len(offer.candidates) > 1)
        if offer.needs_choice:
            self._menu.set_label(_("Continue In…"))
        elif self._menu.get_icon_name() != "view-more-symbolic":
            self._menu.set_icon_name("view-more-symbolic")
        self._menu.set_has_frame(offer.needs_choice)
        name(self._menu, _("Continue “{title}” in another application").format(title=offer.title))
        name(self._stop, _("Stop continuing “{title}”").format(title=offer.title))
        if self._candidates != offer.candidates:
            self._candidates = offer.candidates
            self._popover.set_child(self._choices())

    def show_progress(self, state: str | None, can_stop: bool) -> None:
        """The state of the continuation of this offer; None where it is not being continued."""
        self._stop.set_visible(can_stop)
        self._spinner.set_visible(state is not None)
        self._spinner.set_spinning(state is not None)
        self._button.set_sensitive(state is None)
        if state is not None:
            self.set_texts(self.offer.title, progress(state))

    def _choices(self) -> Any:
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        for app in self._candidates:
            line = Gtk.Box(spacing=12)
            line.append(Gtk.Image(gicon=application_icon(app), accessible_role=Gtk.AccessibleRole.PRESENTATION))
            line.append(Gtk.Label(label=application_name(app)))
            button = Gtk.Button(child=line, has_frame=False)
            name(button, application_name(app))
            button.connect("clicked", lambda _, app=app: self._chose(app))
            box.append(button)
        return box

    def _chose(self, app: str) -> None:
        self._popover.popdown()
        self._take(self.offer, app)

    def _activated(self) -> None:
        if self.offer.needs_choice:
            self._popover.popup()
        else:
            self._take(self.offer, "")


class TransferRow(Row):
    """A file or a connection on its way, how far it is, and a button that stops it."""

    def __init__(self, transfer: Transfer, stop: Callable[[str], object]) -> None:
        super().__init__()
        self._bar = Gtk.ProgressBar(valign=Gtk.Align.CENTER, width_request=96)
        self._stop = Gtk.Button(icon_name="process-stop-symbolic", valign=Gtk.Align.CENTER, has_frame=False)
        self._stop.connect("clicked", lambda _: stop(transfer.id))
        self.add_suffix(self._bar)
        self.add_suffix(self._stop)

    def show_item(self, transfer: Transfer) -> None:
        self.set_texts(transfer.title, transfer.subtitle)
        self._bar.set_visible(transfer.fraction is not None)
        self._bar.set_fraction(transfer.fraction or 0)
        name(self._bar, _("Progress of “{title}”").format(title=transfer.title))
        name(self._stop, _("Stop “{title}”").format(title=transfer.title))


class OffersPage(Gtk.Stack):
    """The offers of other devices, or what it takes that there are some."""

    def __init__(
            self, store: Any, take: Take, stop: Callable[[], object], stop_transfer: Callable[[str], object]) -> None:
        super().__init__(vhomogeneous=False)
        self._store = store
        self.shown: list[Offer] = []
        self._list = KeyedList(lambda offer: OfferRow(offer, take, stop), _("What can be continued here"))
        place = group(_("Continue Here"), _("What your other devices, and other applications, have open."))
        place.add(self._list)
        page = Adw.PreferencesPage()
        page.add(place)
        self._transfers = KeyedList(lambda transfer: TransferRow(transfer, stop_transfer), _("On their way"))
        self._on_their_way = group(_("On Their Way"), _("Files and connections of applications."))
        self._on_their_way.add(self._transfers)
        page.add(self._on_their_way)
        self._place = place
        self.add_named(page, "offers")
        empty = Adw.StatusPage(
            icon_name="org.segue.Desktop-symbolic", title=_("Nothing to Continue"),
            description=_("Open a document or a page on another device of yours. It shows up here."))
        self.add_named(empty, "empty")
        shown_only(page, empty)
        store.listen("offers explained continuation continuations transfers", self.show_all)

    def show_all(self) -> None:
        self.shown = offers(self._store.offers, self._store.explained)
        self._list.show_items(self.shown)
        for row in self._list.rows:
            is_continuing = self._store.continuing == row.offer.key
            row.show_progress(
                self._store.progress if is_continuing else None, is_continuing and bool(self._store.continuation))
        moving = transfers(self._store.transfers)
        self._transfers.show_items(moving)
        self._on_their_way.set_visible(bool(moving))
        self._place.set_visible(bool(self.shown))
        self.set_visible_child_name("offers" if self.shown or moving else "empty")
