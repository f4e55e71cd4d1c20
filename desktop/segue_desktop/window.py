"""The window: pages over one client, and what is said where there is no daemon or no device yet."""

import pathlib

from gi.repository import Adw, Gio, GLib, Gtk

from .activities import Activities
from .applications import Applications
from .client import Client
from .devices import Devices
from .pairing import PairingDialog
from .texts import _

ICONS = pathlib.Path(__file__).resolve().parents[3] / "icons"

#: Which pages a signal of the daemon concerns.
CONCERNS = {
    "OffersChanged": ("activities", "applications"), "StoredChanged": ("activities",), "ContinuationChanged": ("activities",),
    "DevicesChanged": ("devices", "applications"), "IntroductionsChanged": ("devices",), "PairingChanged": ("devices",)}


class Window(Adw.ApplicationWindow):
    def __init__(self, application):
        super().__init__(application=application, default_width=640, default_height=620, title="Segue")
        self.set_size_request(340, 300)
        self.dialog = None
        # Segue's icon is beside the program, wherever that is installed.
        Gtk.IconTheme.get_for_display(self.get_display()).add_search_path(str(ICONS))
        self.client = Client(self._daemon_changed, self._signalled)
        self.activities = Activities(self.client, self.toast)
        self.devices = Devices(self.client, self.toast, self.pair)
        self.applications = Applications(self.client, self.toast)
        self.pages = Adw.ViewStack(vexpand=True)
        for name, page, title, icon in (
                ("activities", self.activities, _("Continue"), "media-playback-start-symbolic"),
                ("devices", self.devices, _("Devices"), "computer-symbolic"),
                ("applications", self.applications, _("Applications"), "view-app-grid-symbolic")):
            self.pages.add_titled(page.widget, name, title).set_icon_name(icon)
        action = Gio.SimpleAction.new("page", GLib.VariantType("s"))
        action.connect("activate", lambda _action, name: self.pages.set_visible_child_name(name.get_string()))
        self.add_action(action)
        self.absent = Adw.StatusPage(icon_name="network-offline-symbolic", title=_("Segue Does Not Run"))
        retry = Gtk.Button(label=_("Try Again"), halign=Gtk.Align.CENTER, css_classes=["pill", "suggested-action"])
        retry.connect("clicked", lambda _button: self.client.enter())
        self.absent.set_child(retry)
        self.first = Adw.StatusPage(
            icon_name="org.segue.Segue", title=_("Go On Where You Were"),
            description=_("Pair this device with another one of yours. What you do there can then be continued here."))
        start = Gtk.Button(label=_("Pair a Device…"), halign=Gtk.Align.CENTER, css_classes=["pill", "suggested-action"])
        start.connect("clicked", lambda _button: self.pair())
        self.first.set_child(start)
        self.waiting = Adw.StatusPage(child=Gtk.Spinner(spinning=True, width_request=32, height_request=32))
        self.stack = Gtk.Stack(vexpand=True)
        for name, page in (("waiting", self.waiting), ("absent", self.absent), ("first", self.first), ("pages", self.pages)):
            self.stack.add_named(page, name)
        switcher = Adw.ViewSwitcherTitle(stack=self.pages, title="Segue")
        header = Adw.HeaderBar(title_widget=switcher, centering_policy=Adw.CenteringPolicy.STRICT)
        bar = Adw.ViewSwitcherBar(stack=self.pages)
        switcher.bind_property("title-visible", bar, "reveal", 0)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        for part in (header, self.stack, bar):
            box.append(part)
        self.toasts = Adw.ToastOverlay(child=box)
        self.set_content(self.toasts)
        #: Pages that are asked for anew when the loop has time, so that a burst of signals is one refresh.
        self.stale = set()

    def toast(self, sentence):
        self.toasts.add_toast(Adw.Toast(title=GLib.markup_escape_text(sentence), timeout=6))

    # The daemon

    def _daemon_changed(self):
        if self.client.door:
            return self._refresh({"activities", "devices", "applications"})
        if self.client.problem:
            self.absent.set_description(GLib.markup_escape_text(self.client.problem.sentence))
            self.stack.set_visible_child_name("absent")

    def _signalled(self, name):
        if name == "PairingChanged" and self.dialog:
            self.dialog.refresh()
        self._refresh(set(CONCERNS.get(name, ())))

    def _refresh(self, pages):
        if not self.stale and pages:
            GLib.idle_add(self._refresh_stale)
        self.stale |= pages

    def _refresh_stale(self):
        stale, self.stale = self.stale, set()
        if "activities" in stale:
            self.activities.refresh()
        if "applications" in stale:
            self.applications.refresh()
        if "devices" in stale:
            self.client.call("GetStatus", done=self._status_came)
        return GLib.SOURCE_REMOVE

    def _status_came(self, status):
        self.devices.refresh(status)
        is_first = not status.get("devices") and not status.get("introductions")
        self.stack.set_visible_child_name("first" if is_first else "pages")

    # Pairing

    def pair(self):
        if self.dialog:
            return self.dialog.present()
        self.dialog = PairingDialog(self.client, self)
        self.dialog.connect("close-request", self._pairing_closed)
        self.dialog.present()

    def _pairing_closed(self, _dialog):
        self.dialog = None
        self._refresh({"devices"})
        return False
