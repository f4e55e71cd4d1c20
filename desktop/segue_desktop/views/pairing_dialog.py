"""Pairing: a page for each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gi.repository import Adw, GLib, Gtk

from ..model.failure import Failure, lost
from ..model.pairing import RENEWAL_SECONDS, Pairing, Step, ascii_digits, failed, options, pairing
from ..model.service import Presence
from ..model.words import _
from .dialog import Dialog
from .pairing_pages import AskPage, CodePage, DigitsPage, EndPage, TypingPage, WaitingPage
from .rows import shown_only


class PairingDialog(Dialog):
    """Pairs while it is open. Closing it ends the pairing, on the other device too."""

    def __init__(self, window: Any, store: Any) -> None:
        super().__init__(window, _("Pair a Device"), 440, 580)
        self._window, self._store = window, store
        self._pairing = Pairing()
        #: Each call of Pair has a number: the daemon tells of a former pairing until this one has begun.
        self._number = 0
        self._has_begun = False
        #: The options of a pairing that the daemon was not told of yet.
        self._wanted: dict[str, Any] | None = None
        self._is_closed = False
        pages = {
            Step.WAITING: WaitingPage(lambda: self._pair(showing=True), self._copied),
            Step.CODE: CodePage(self._copy),
            Step.SHOWING: DigitsPage(), Step.TYPING: TypingPage(self._typed),
            Step.ASKING: AskPage(self._confirmed), Step.ENDING: EndPage(),
            Step.PAIRED: EndPage(_("Done"), self.close, "emblem-ok-symbolic", "success"),
            Step.FAILED: EndPage(_("Try Again"), self._pair, "dialog-warning-symbolic", "warning"),
        }
        self._stack = Gtk.Stack(vexpand=True)
        for step, page in pages.items():
            self._stack.add_named(page, step.value)
        shown_only(*pages.values())
        self._overlay = Adw.ToastOverlay(child=self._stack)
        self.set_body(self._overlay)
        store.listen("pairing", self._changed)
        store.listen("service", self._service_changed)
        self._renewal = GLib.timeout_add_seconds(RENEWAL_SECONDS, self._renew)
        self.connect("close-request", lambda _: self._end())
        self._pair()

    # The user

    def _pair(self, showing: bool = False, copied: Mapping[str, Any] | None = None) -> None:
        """Begins anew, in place of what goes on."""
        self._number += 1
        self._has_begun = False
        said = {key: GLib.Variant("as" if isinstance(value, list) else "s", value) for key, value in (copied or {}).items()}
        if showing:
            said["show-code"] = GLib.Variant("b", True)
        self._wanted = said
        self._show(Pairing())
        if self._store.service.presence is Presence.ABSENT:
            self._store.connection.connect()
        else:
            self._begin()

    def _begin(self) -> None:
        """Tells the daemon, once there is one: it may be starting again."""
        if self._wanted is None or self._store.service.presence is not Presence.READY:
            return
        said, self._wanted = self._wanted, None
        number = self._number

        def begun(_: Any, failure: Failure | None) -> None:
            if number != self._number or self._is_closed:
                return
            if failure is not None:
                self._show(failed(failure.sentence, failure.remedy))
            else:
                self._has_begun = True
                self._changed()

        self._store.call("Pair", "(a{sv})", (said,), begun)

    def _copied(self, text: str) -> bool:
        """A code or an address of the other device; false if it is neither."""
        said = options(text)
        if said is not None:
            self._pair(copied=said)
        return said is not None

    def _typed(self, digits: str) -> None:
        self._store.call("TypeDigits", "(s)", (ascii_digits(digits),), self._answered)

    def _confirmed(self, is_taken: bool) -> None:
        self._store.call("ConfirmPairing", "(b)", (is_taken,), self._answered)

    def _copy(self, code: str) -> None:
        self.get_clipboard().set(code)
        self._toast(_("Copied"))

    # The daemon

    def _answered(self, _value: Any, failure: Failure | None) -> None:
        if failure is not None and not self._is_closed:
            self._toast(failure.whole)

    def _changed(self) -> None:
        number = self._number

        def told(value: Any, failure: Failure | None) -> None:
            if number != self._number or self._is_closed:
                return
            self._show(failed(failure.sentence, failure.remedy) if failure else pairing(value))

        if self._has_begun and not self._is_closed:
            self._store.call("GetPairing", "", (), told)

    def _service_changed(self) -> None:
        """A pairing ends with the daemon; one that has not begun waits for the next."""
        service = self._store.service
        if self._is_closed or self._pairing.is_over:
            return
        if service.presence is Presence.READY:
            self._begin()
        elif self._wanted is None or service.presence is Presence.ABSENT:
            self._number += 1
            self._has_begun = False
            self._wanted = None
            failure = lost() if service.failure is None else service.failure
            self._show(failed(failure.sentence, failure.remedy))

    def _renew(self) -> bool:
        if self._has_begun and not self._pairing.is_over and self._pairing.step is not Step.CODE:
            self._store.call("RenewPairing", "", (), lambda *_: None)
        return True

    def _show(self, shown: Pairing) -> None:
        self._pairing = shown
        page = self._stack.get_child_by_name(shown.step.value)
        page.show_pairing(shown)
        if self._stack.get_visible_child() is not page:
            self._stack.set_visible_child(page)
            page.focus()

    def _toast(self, text: str) -> None:
        self._overlay.add_toast(Adw.Toast(title=GLib.markup_escape_text(text)))

    def _end(self) -> bool:
        self._is_closed = True
        GLib.source_remove(self._renewal)
        self._store.forget(self._changed, self._service_changed)
        if not self._pairing.is_over:
            self._store.call("EndPairing", "", (), lambda *_: None)
        return False
