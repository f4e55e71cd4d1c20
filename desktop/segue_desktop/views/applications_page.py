"""Applications: what is on offer from here, which one continues a type, and links."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from gi.repository import Adw, Gtk

from ..model.applications import Activity, Choice, Link, activities, choices, links
from ..model.devices import Device, devices
from ..model.sending import pages, phones, receivers
from ..model.sharing import Sharing, kept, sharing
from ..model.words import _
from .rows import KeyedList, Row, application_icon, application_name, group, name, shown_only, symbol
from .sending import Send, SendMenu

Change = Callable[[str, str, "tuple[Any, ...]"], object]


class ShareRow(Row):
    """An application, and a switch that keeps what it has open on this device."""

    def __init__(self, app: str, state: Callable[[], Sharing], change: Change) -> None:
        super().__init__()
        self._app, self._state, self._change = app, state, change
        self._is_showing = False
        self.add_prefix(Gtk.Image(
            gicon=application_icon(app), pixel_size=32, accessible_role=Gtk.AccessibleRole.PRESENTATION))
        self._switch = Gtk.Switch(valign=Gtk.Align.CENTER)
        name(self._switch, _("Share what {application} has open").format(application=application_name(app)))
        self._switch.connect("notify::active", lambda *_: self._switched())
        self.add_suffix(self._switch)

    def show_item(self, item: Any) -> None:
        self.set_texts(application_name(self._app), "")
        self.show_switch()

    def show_switch(self) -> None:
        self._is_showing = True
        self._switch.set_active(self._app not in self._state().withheld)
        self._is_showing = False

    def _switched(self) -> None:
        if not self._is_showing:
            self._change("WithholdApplication", "(sb)", (self._app, not self._switch.get_active()))


class ActivityRow(ShareRow):
    """What an application has open: whether it is on offer, and a menu that sends it."""

    def __init__(
            self, activity: Activity, state: Callable[[], Sharing], change: Change, send: Send,
            receivers: Callable[[str], list[Device]]) -> None:
        super().__init__(activity.app, state, change)
        self._receivers = receivers
        self._menu = SendMenu(send)
        self._lamp = symbol("emblem-default-symbolic", "success")
        self.add_suffix(self._menu)
        self.add_suffix(self._lamp)

    def show_item(self, item: Any) -> None:
        self.set_texts(item.title, item.subtitle)
        self._lamp.set_visible(item.is_offered)
        self._menu.show_item(item.id, item.title, self._receivers(item.id) if item.is_offered else [])
        self.show_switch()


class ChoiceRow(Adw.ComboRow):
    """The application that continues a type."""

    def __init__(self, choice: Choice, change: Change) -> None:
        super().__init__(use_markup=False, title=choice.type)
        self._choice = choice
        self._change = change
        self._is_showing = False
        self._apps: list[str] = []
        self.connect("notify::selected", lambda *_: self._selected())

    def show_item(self, choice: Choice) -> None:
        self._choice = choice
        self._is_showing = True
        apps = ["", *choice.candidates]
        if apps != self._apps:
            self._apps = apps
            self.set_model(Gtk.StringList.new(
                [application_name(app) if app else _("Ask each time") for app in apps]))
        self.set_selected(apps.index(choice.chosen) if choice.chosen in apps else 0)
        self._is_showing = False

    def _selected(self) -> None:
        if not self._is_showing and self.get_selected() < len(self._apps):
            self._change("SetDefault", "(ss)", (self._choice.type, self._apps[self.get_selected()]))


class LinkRow(Row):
    """A domain, and a switch that keeps its links in the browser."""

    def __init__(self, link: Link, change: Change) -> None:
        super().__init__()
        self._link = link
        self._change = change
        self._is_showing = False
        self.add_prefix(Gtk.Image(
            gicon=application_icon(link.app), pixel_size=32, accessible_role=Gtk.AccessibleRole.PRESENTATION))
        self._switch = Gtk.Switch(valign=Gtk.Align.CENTER)
        self._switch.connect("notify::active", lambda *_: self._switched())
        self.add_suffix(self._switch)
        self.set_activatable_widget(self._switch)

    def show_item(self, link: Link) -> None:
        self._link = link
        self._is_showing = True
        self.set_texts(link.domain, link.subtitle)
        self._switch.set_active(link.opens)
        self._switch.set_sensitive(link.can_choose)
        name(self._switch, _("Open links to {domain} in the application").format(domain=link.domain))
        self._is_showing = False

    def _switched(self) -> None:
        if not self._is_showing:
            self._change("KeepLinks", "(sb)", (self._link.domain, not self._switch.get_active()))


class ApplicationsPage(Gtk.Stack):
    def __init__(self, store: Any, change: Change, send: Send) -> None:
        super().__init__(vhomogeneous=False)
        self._store = store
        page = Adw.PreferencesPage()
        self._parts = {}
        for part, title, description, make in (
                ("activities", _("From Here"), _("What your other devices can continue, and why something cannot be."),
                 lambda activity: ActivityRow(activity, self._sharing, change, send, self._receivers)),
                ("kept", _("Kept on This Device"), _("Applications whose activities go to no other device."),
                 lambda application: ShareRow(application.app, self._sharing, change)),
                ("choices", _("Continue With"), _("For what several applications can continue."),
                 lambda choice: ChoiceRow(choice, change)),
                ("links", _("Links"), _("Domains whose links an application here may open in place of the browser."),
                 lambda link: LinkRow(link, change))):
            place, listed = group(title, description), KeyedList(make, title)
            place.add(listed)
            page.add(place)
            self._parts[part] = (place, listed)
        self.add_named(page, "applications")
        empty = Adw.StatusPage(
            icon_name="view-grid-symbolic", title=_("No Applications"),
            description=_("Applications that know Segue show up here while they run."))
        self.add_named(empty, "empty")
        shown_only(page, empty)
        store.listen("offers explained defaults links status devices activities phones", self.show_all)

    def _sharing(self) -> Sharing:
        return sharing(self._store.status, time.time())

    def _receivers(self, activity: str) -> list[Device]:
        found = receivers(devices(self._store.devices, time.time()), "activity")
        return found + (phones(self._store.phones) if activity in pages(self._store.activities) else [])

    def show_all(self) -> None:
        store = self._store
        own = activities(store.explained)
        shown: dict[str, list[Any]] = {
            "activities": own, "kept": kept(self._sharing(), own), "choices": choices(store.offers, store.defaults),
            "links": links(store.links)}
        for part, items in shown.items():
            place, listed = self._parts[part]
            listed.show_items(items)
            place.set_visible(bool(items))
        self.set_visible_child_name("applications" if any(shown.values()) else "empty")
