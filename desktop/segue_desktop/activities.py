"""The page of what can be continued, what this device offers, and how the last continuation went."""

from gi.repository import Adw, GLib, Gtk

from . import model
from .client import CONTINUE_TIME
from .rows import Group, icon, row
from .texts import _


class Activities:
    def __init__(self, client, toast):
        """`toast` shows a sentence."""
        self.client, self.toast = client, toast
        self.offers, self.running = (), set()
        self.empty = Adw.StatusPage(
            icon_name="org.segue.Segue-symbolic", title=_("Nothing to Continue"),
            description=_("What you do on another device shows up here, when its application takes part."))
        page = Adw.PreferencesPage()
        self.elsewhere = Group(page, _("Continue"), _("What your other devices, and other applications, have open"))
        self.stored = Group(page, _("Recently"), _("Where you left off on this device"))
        self.own = Group(page, _("Open on This Device"))
        self.last = Group(page, _("Last Continuation"))
        self.widget = Gtk.Stack()
        self.widget.add_named(self.empty, "empty")
        self.widget.add_named(page, "list")
        #: Whether each list has something.
        self.filled = {}

    def refresh(self):
        self.client.call("ListOffers", done=self._offers_came)
        self.client.call("ListActivities", done=lambda rows: self._fill(self.own, [
            self._own(model.Activity.of(each)) for each in rows]))
        self.client.call("ListStored", done=self._stored_came)
        self.client.call("GetLast", done=self._last_came)

    def _fill(self, group, rows):
        group.show(rows)
        self.filled[group] = bool(rows) and group is not self.last
        self.widget.set_visible_child_name("list" if any(self.filled.values()) else "empty")

    def _offers_came(self, rows):
        self.offers = tuple(model.Offer.of(each) for each in rows)
        self._fill(self.elsewhere, [self._offer(each) for each in self.offers])

    def _stored_came(self, rows):
        found = [model.Activity.stored(each) for each in rows if each.get("here") and each.get("kind") == "search"]
        self._fill(self.stored, [self._continuable(each.title, each.details, each.application, each.id) for each in found[:5]])

    def _last_came(self, values):
        told = model.last(values)
        if not told:
            return self._fill(self.last, [])
        title, said, phases = told
        expander = Adw.ExpanderRow(title=GLib.markup_escape_text(title), subtitle=GLib.markup_escape_text(said))
        for phase, time in phases:
            line = row(phase)
            line.add_suffix(Gtk.Label(label=time, css_classes=["dim-label", "numeric"]))
            expander.add_row(line)
        self._fill(self.last, [expander])

    # Rows

    def _own(self, activity):
        made = row(activity.title, activity.details)
        made.add_prefix(icon(activity.application))
        return made

    def _offer(self, offer):
        if not offer.can_continue:
            made = row(offer.title, offer.details, sensitive=False)
            made.add_prefix(icon(""))
            return made
        if offer.needs_choice:
            expander = Adw.ExpanderRow(title=GLib.markup_escape_text(offer.title), subtitle=GLib.markup_escape_text(offer.details))
            for application in offer.candidates:
                expander.add_row(self._continuable(application, "", application, offer.id, offer.device, offer.type))
            return expander
        return self._continuable(offer.title, offer.details, offer.application, offer.id, offer.device)

    def _continuable(self, title, details, application, id_, device="", chosen_for=""):
        """`chosen_for`: the type for which the user chooses this application of several."""
        made = row(title, details, activatable=True)
        made.add_prefix(icon(application, "web-browser-symbolic"))
        spinner = Gtk.Spinner(spinning=True, visible=id_ in self.running)
        made.add_suffix(spinner)
        made.add_suffix(Gtk.Image(icon_name="go-next-symbolic", accessible_role=Gtk.AccessibleRole.PRESENTATION))
        made.connect("activated", lambda _row: self._continue(spinner, id_, device, application if chosen_for else ""))
        return made

    def _continue(self, spinner, id_, device, application):
        options = {}
        if device:
            options["device"] = GLib.Variant("s", device)
        if application:
            options["app"] = GLib.Variant("s", application)
        self.running.add(id_)
        spinner.set_visible(True)

        def ended(sentence):
            self.running.discard(id_)
            spinner.set_visible(False)
            if sentence:
                self.toast(sentence)
            self.refresh()

        self.client.call(
            "Continue", "sa{sv}", (id_, options), done=lambda _id: ended(""),
            failed=lambda failure: ended(failure.sentence), timeout=CONTINUE_TIME)
