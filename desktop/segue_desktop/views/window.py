"""The main window."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from gi.repository import Adw, Gdk, GLib

from ..model.devices import Device, Introduction, devices
from ..model.failure import Failure
from ..model.offers import Offer
from ..model.sending import sent_sentence
from ..model.service import Presence
from ..model.sharing import HOUR, sharing, tomorrow
from ..model.words import _
from .applications_page import ApplicationsPage
from .device_dialog import DeviceDialog
from .devices_page import DevicesPage
from .first_pages import AbsentPage, WelcomePage
from .frame import Frame
from .offers_page import OffersPage
from .pairing_dialog import PairingDialog
from .rows import application_info
from .sending import TextDialog

#: How often the ages in the lists are counted anew.
AGE_SECONDS = 30


class Window(Adw.ApplicationWindow):
    def __init__(self, application: Any, store: Any) -> None:
        super().__init__(
            application=application, title=_("Segue"), default_width=760, default_height=620, width_request=360,
            height_request=294)
        self._store = store
        self._offers = OffersPage(store, self._take, self._stop, self._stop_transfer)
        self._devices = DevicesPage(store, self._open_device, self.pair, self._answer)
        self._applications = ApplicationsPage(store, self._change, self._send_activity)
        self._welcome = WelcomePage(self.pair)
        self._absent = AbsentPage(store.connection.connect)
        self.frame = Frame(self._offers, self._devices, self._applications, self._welcome, self._absent, self.resume)
        self.set_content(self.frame)
        store.listen("service status devices", self.show_state)
        store.listen("offers explained introductions", self._show_counts)
        store.listen("status", self._show_sharing)
        self._ages = GLib.timeout_add_seconds(AGE_SECONDS, self._count_ages)
        self.connect("close-request", lambda _: self._closed())
        self.show_state()

    def show_state(self) -> None:
        """Which of the pages that are in place of all others is shown, if one is."""
        service, store = self._store.service, self._store
        is_ready = service.presence is Presence.READY
        if service.presence is Presence.ABSENT:
            self._absent.show_texts(service.title, service.sentence)
            if self.frame.show_page("absent"):
                self._absent.findings.check()
        elif is_ready and "devices" in store.known and not store.devices and not store.introductions:
            if self.frame.show_page("welcome"):
                self._welcome.findings.check()
        elif is_ready and ("devices" in store.known or store.failures):
            self.frame.show_page("pages")
        elif self.frame.page in ("absent", "welcome"):
            self.frame.show_page("connecting")
        failure = next((store.failures[topic] for topic in ("devices", "offers") if topic in store.failures), None)
        if not is_ready:
            self.frame.show_bar(service.title)
        else:
            self.frame.show_bar(failure.whole if failure else "")

    def toast(self, text: str) -> None:
        self.frame.toast(text)

    def pair(self) -> None:
        PairingDialog(self, self._store).present()

    def show_page(self, page: str) -> None:
        self.frame.show_part(page)

    # The pause

    def pause(self, length: str) -> None:
        """`length`: "hour", "tomorrow", "ever", or "here" for the present network."""
        if length == "here":
            self._change("SetPauseHere", "(b)", (True,))
        else:
            now = time.time()
            until = {"hour": int(now) + HOUR, "tomorrow": tomorrow(now)}.get(length, 0)
            self._change("SetPause", "(bt)", (True, until))

    def resume(self) -> None:
        if sharing(self._store.status, time.time()).is_paused_here:
            self._change("SetPauseHere", "(b)", (False,))
        else:
            self._change("SetPause", "(bt)", (False, 0))

    def _show_sharing(self) -> None:
        self.frame.show_pause(sharing(self._store.status, time.time()).sentence)

    # Texts that were sent

    def show_text(self, id_: str) -> None:
        TextDialog(self, self._store, id_).present()

    def send(self, device: Device, what: dict[str, str], done: Callable[[Failure | None], object]) -> None:
        """Sends an activity or a text, and says what has become of it."""
        def sent(_value: Any, failure: Failure | None) -> None:
            self.toast(failure.whole if failure else sent_sentence(device))
            done(failure)

        said = {name: GLib.Variant("s", value) for name, value in what.items()}
        self._store.call("Send", "(sa{sv})", (device.id, said), sent)

    # Wishes of the pages

    def _send_activity(self, activity: str, device: Device) -> None:
        self.send(device, {"offer": activity}, lambda _: None)

    def _take(self, offer: Offer, app: str) -> None:
        token = ""
        info = application_info(app or (offer.icon_app if offer.can_continue and not offer.in_browser else ""))
        if info is not None:
            # The application's window may come to the front.
            token = Gdk.Display.get_default().get_app_launch_context().get_startup_notify_id(info, []) or ""

        def ended(failure: Failure | None) -> None:
            # Another choice has taken its place: that is no news to who has made it.
            if failure is not None and not failure.is_called("UserCancelled"):
                self.toast(failure.whole)

        self._store.take(offer.key, {"activation-token": token, "app": app}, ended)

    def _stop(self) -> None:
        if self._store.continuation:
            self._store.call("CancelContinuation", "(s)", (self._store.continuation,), self._ended)

    def _stop_transfer(self, transfer: str) -> None:
        self._store.call("StopTransfer", "(s)", (transfer,), self._ended)

    def _ended(self, _: Any, failure: Failure | None) -> None:
        if failure is not None:
            self.toast(failure.whole)

    def _open_device(self, device: Device) -> None:
        DeviceDialog(self, self._store, device, devices(self._store.devices, time.time())).present()

    def _answer(self, method: str, introduction: Introduction) -> None:
        said = {
            "AcceptIntroduction": _("Accepted. It is paired once it has accepted this device, too."),
            "DeclineIntroduction": _("Declined."),
        }[method]
        self._store.call(
            method, "(s)", (introduction.id,), lambda _, failure: self.toast(failure.whole if failure else said))

    def _change(self, method: str, signature: str, values: tuple[Any, ...]) -> None:
        def done(_: Any, failure: Failure | None) -> None:
            if failure is not None:
                self.toast(failure.whole)
            self._store.refresh("GetDefaults", "GetStatus", "ListOffers", "ListLinks")

        self._store.call(method, signature, values, done)

    def _show_counts(self) -> None:
        self.frame.show_counts(
            sum(offer.can_continue for offer in self._offers.shown), len(self._devices.introduced))

    def _count_ages(self) -> bool:
        self._store.refresh("ListOffers", "ListDevices")
        return True

    def _closed(self) -> bool:
        GLib.source_remove(self._ages)
        return False
