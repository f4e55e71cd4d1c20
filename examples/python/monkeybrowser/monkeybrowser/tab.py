"""A tab: an address entry, and the page below it."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable
from typing import Any

from gi.repository import GLib, GObject, Gtk, Pango, WebKit

from . import APP_ID, address, position, unsent
from .position import Position

NO_FILES = "It is a file, which this browser neither shows nor stores."


class Tab(Gtk.Box):
    """Tells when it shows another document, and when the address, the title or the position changes within one."""

    __gsignals__ = {
        "opened": (GObject.SignalFlags.RUN_FIRST, None, ()),
        "changed": (GObject.SignalFlags.RUN_FIRST, None, ()),
        #: Nothing was opened: what happened, and why. The former page is still there.
        "failed": (GObject.SignalFlags.RUN_FIRST, None, (str, str)),
        #: What was opened is there, or has had the time for it; or what was open stays.
        "loaded": (GObject.SignalFlags.RUN_FIRST, None, ()),
        #: A sentence for the user, about the page.
        "told": (GObject.SignalFlags.RUN_FIRST, None, (str,)),
    }

    def __init__(self, kind: str, title: str) -> None:
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self.kind, self.title = kind, title
        #: The address of the page that is shown; WebKit's is already that of the one that was asked for.
        self.url = ""
        #: Where the page is scrolled to.
        self.position = Position()
        #: Whether somebody has typed text into its forms that is not sent.
        self.has_unsent = False
        #: Where it is to be scrolled to, until it is.
        self._wanted: Position | None = None
        self._is_restoring = False
        #: Whether a page was asked for that has not begun to come.
        self._is_coming = False
        #: Ends the wait for that.
        self._bound = 0
        #: Looks whether there is something to see yet, and how often it has.
        self._looking = self._looks = 0
        #: The page that was loaded again when it had ended unexpectedly: if it does so again, it is left at that.
        self._revived = ""
        self._is_reviving = False
        #: Whether the page that is asked for gets the keyboard, having been asked for here.
        self._takes_focus = False
        self._entry = Gtk.Entry(
            hexpand=True, placeholder_text="Address of a web page", input_purpose=Gtk.InputPurpose.URL)
        self._entry.connect("activate", self._entered)
        go = Gtk.Button(label="Go")
        go.connect("clicked", self._entered)
        bar = Gtk.Box(spacing=6, css_classes=["toolbar"])
        bar.append(self._entry)
        bar.append(go)
        self.append(bar)
        self._coming = Coming()
        self._coming.cancel.connect("clicked", self._cancel)
        self.append(self._coming)
        #: Of the signals that come here.
        self._senders = [self._entry, go, self._coming.cancel]
        self._view = self._make_view()
        self._stack = Gtk.Stack(vexpand=True)
        self._stack.add_child(_empty(title))
        self._stack.add_child(self._view)
        self.append(self._stack)

    def _make_view(self) -> Any:
        content = WebKit.UserContentManager()
        content.register_script_message_handler(position.HANDLER, position.WORLD)
        content.connect(f"script-message-received::{position.HANDLER}", self._was_told)
        content.register_script_message_handler(unsent.HANDLER, position.WORLD)
        content.connect(f"script-message-received::{unsent.HANDLER}", self._was_typed)
        for script in (position.SCRIPT, unsent.SCRIPT):
            content.add_script(WebKit.UserScript.new_for_world(
                script, WebKit.UserContentInjectedFrames.TOP_FRAME, WebKit.UserScriptInjectionTime.END,
                position.WORLD, None, None))
        # It keeps neither cookies nor history.
        session = WebKit.NetworkSession.new_ephemeral()
        session.connect("download-started", self._download_started)
        view = WebKit.WebView(user_content_manager=content, network_session=session)
        view.connect("decide-policy", self._decide)
        view.connect("load-changed", self._load_changed)
        view.connect("load-failed", self._load_failed)
        view.connect("web-process-terminated", self._page_ended)
        view.connect("notify::title", self._title_changed)
        # In the loop's next turn: of a page that is asked for WebKit tells the address first, and then that it loads.
        for name in ("notify::uri", "notify::is-loading"):
            view.connect(name, lambda *_: GLib.idle_add(self._within_document))
        self._senders += [content, session, view]
        return view

    # What it shows.

    @property
    def page_title(self) -> str:
        return self._view.get_title() or ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is open in it, nor on its way to it."""
        return not (self.url or self._view.is_loading() or self.is_continuing)

    @property
    def is_continuing(self) -> bool:
        """Whether it shows that an activity is coming: until its page is there, or something else is opened."""
        return bool(self._coming.get_visible())

    def show_coming(self, text: str) -> None:
        self._end_looks()
        self._coming.show_text(text)

    def end_coming(self) -> None:
        self._end_looks()
        self._coming.set_visible(False)

    def _end_coming_when_shown(self) -> None:
        """A page may be loaded, and be empty until its scripts have fetched what it shows."""
        if not self.is_continuing:
            return
        self._end_looks()
        self._looks = 0
        self._looking = GLib.timeout_add(position.LOOK, self._look)
        self._look()

    def _look(self) -> bool:
        self._looks += 1
        if self._looks * position.LOOK > position.SECONDS * 1000:
            # It is empty, or does not answer.
            self.end_coming()
            return False
        looking = self._looking

        def told(value: Any) -> None:
            if looking == self._looking and (value is None or value.to_boolean()):
                self.end_coming()

        self._call(position.HAS_CONTENT, None, told)
        return True

    def _end_looks(self) -> None:
        if self._looking:
            GLib.source_remove(self._looking)
            self._looking = 0

    def open(self, url: str, wanted: Position | None = None) -> None:
        """What is open stays until the new page has begun to come."""
        self._revived = ""
        self._ask(url, wanted)
        self._takes_focus = True
        self._coming.can_cancel(True)

    def _ask(self, url: str, wanted: Position | None) -> None:
        self._wanted, self._is_restoring, self._is_reviving = wanted, False, False
        self._is_coming = True
        self._entry.set_text(url)
        self._view.load_uri(url)
        self._start_bound()

    def close(self) -> None:
        """Ends the page. What GTK and WebKit hold would keep this, and this would keep them, as Python does not see."""
        self._end_bound()
        self._end_looks()
        # First: a page whose process ends is loaded again.
        for sender in (self, *self._senders):
            GObject.signal_handlers_destroy(sender)
        self._view.terminate_web_process()

    def focus_entry(self) -> None:
        self._entry.grab_focus()

    def _entered(self, *_: Any) -> None:
        self.go(self._entry.get_text())

    def go(self, text: str) -> bool:
        """Opens what the user has asked for; whether it is an address."""
        try:
            url = address.typed(text)
        except address.Refused as refused:
            self.emit("failed", "This address cannot be opened.", str(refused))
            return False
        self.end_coming()
        self.open(url)
        return True

    def _cancel(self, *_: Any) -> None:
        """The former page stays, or what has come of the new one."""
        self._view.stop_loading()
        self._stay()

    def _stay(self) -> None:
        self._entry.set_text(self.url)
        self._has_restored()
        self.end_coming()

    # What WebKit asks.

    def _decide(self, view: Any, decision: Any, kind: Any) -> bool:
        """A page, or a server that redirects, leads elsewhere."""
        if kind == WebKit.PolicyDecisionType.RESPONSE:
            # What cannot be shown fails, or becomes a download.
            return False
        action = decision.get_navigation_action()
        opens_window = kind == WebKit.PolicyDecisionType.NEW_WINDOW_ACTION
        try:
            address.followed(action.get_request().get_uri(), not opens_window and not action.is_redirect())
        except address.Refused as refused:
            decision.ignore()
            self.emit("failed", "This address cannot be opened.", str(refused))
            return True
        if opens_window:
            # There are no more windows and tabs than these; a page that opens others by itself opens nothing.
            decision.ignore()
            if action.is_user_gesture():
                view.load_request(action.get_request())
            return True
        return False

    def _download_started(self, session: Any, download: Any) -> None:
        """Another device may have sent the address: nothing is stored that nobody asked for."""
        download.cancel()
        self.emit("failed", f"{download.get_request().get_uri()} was not opened.", NO_FILES)

    # What WebKit tells.

    def _load_changed(self, view: Any, event: Any) -> None:
        if event == WebKit.LoadEvent.COMMITTED:
            self._is_coming = False
            self.url = view.get_uri()
            self._stack.set_visible_child(view)
            self._entry.set_text(self.url)
            if self._takes_focus:
                view.grab_focus()
                self._takes_focus = False
            # Begun anew in each document, since a page's script may replace it by another; by the copy, what the former
            # document answers does not count.
            self._is_restoring, self._wanted = False, copy.copy(self._wanted)
            self.position = self._wanted or Position()
            self.has_unsent = False
            self._start_bound()
            # What was loaded again is what it was.
            self.emit("changed" if self._is_reviving and self.url == self._revived else "opened")
        elif event == WebKit.LoadEvent.FINISHED and not self._is_restoring:
            self._has_restored()

    def _load_failed(self, view: Any, event: Any, url: str, error: Any) -> bool:
        if error.matches(WebKit.NetworkError.quark(), WebKit.NetworkError.CANCELLED):
            return True
        self._stay()
        if error.matches(WebKit.PolicyError.quark(), WebKit.PolicyError.FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE):
            self.emit("failed", f"{url} was not opened.", NO_FILES)
        else:
            self.emit("failed", f"{url} could not be loaded.", error.message)
        # No page of WebKit's in place of the former one.
        return True

    def _page_ended(self, view: Any, reason: Any) -> None:
        """The process of the page has crashed, or was killed, perhaps by one that was only coming. The activity of what
        was open is what it was: that is of this process."""
        wanted = self.position
        self._stay()
        if not self.url:
            self.emit("failed", "The page has ended unexpectedly.", "")
        elif self.url == self._revived:
            self.emit("failed", "The page has ended unexpectedly.", "Press Go to load it again.")
        else:
            self._revived = self.url
            self._ask(self.url, wanted)
            self._is_reviving = True
            self.emit("failed", "The page has ended unexpectedly.", "What was open is loaded again.")

    def _title_changed(self, view: Any, _: Any) -> None:
        if view.get_title():
            self.emit("changed")

    def _within_document(self) -> bool:
        """Another address of the same document."""
        url = self._view.get_uri()
        if not self._view.is_loading() and url and url != self.url:
            self.url = url
            self._entry.set_text(url)
            self.emit("changed")
        return False  # Not again.

    # What was typed into the page's forms.

    def unsent(self, told: Callable[[str | None], object]) -> None:
        """Tells it, as unsent.py describes it; None if the page has ended."""
        self._call("return JSON.stringify(unsentText())", None, lambda value: told(value and value.to_string()))

    def fill_unsent(self, fields: str, filled: Callable[[bool], object]) -> None:
        """Types it; tells whether all of it has found its place."""
        self._call("return fillUnsent(JSON.parse(given))", fields,
                   lambda value: filled(value is not None and value.to_boolean()))

    def drop_unsent(self, fields: str) -> None:
        self._call("return dropUnsent(JSON.parse(given))", fields, lambda value: None)

    def _call(self, script: str, given: str | None, done: Callable[[Any], object]) -> None:
        """Runs it in the page, where it finds `given`; `done` gets what it gives, or None."""
        def ended(view: Any, result: Any) -> None:
            try:
                value = view.call_async_javascript_function_finish(result)
            except GLib.Error:
                # The document has gone.
                value = None
            done(value)

        arguments = None if given is None else GLib.Variant("a{sv}", {"given": GLib.Variant("s", given)})
        self._view.call_async_javascript_function(script, -1, arguments, position.WORLD, None, None, ended)

    def _was_typed(self, content: Any, value: Any) -> None:
        self.has_unsent = value.to_boolean()
        self.emit("changed")

    # Where the page is scrolled to.

    def _was_told(self, content: Any, value: Any) -> None:
        if self._wanted is None:
            self.position = Position.told(value.to_string())
            self.emit("changed")
        elif not self._is_restoring and not self._is_coming:
            # The document's first word.
            self._is_restoring = True
            # The script counts for itself, unless the page keeps it from running.
            self._start_bound(position.SECONDS + 1)
            self._call(
                f"return await restorePosition(JSON.parse(given), {position.SECONDS})",
                json.dumps(vars(self._wanted)), functools.partial(self._restored, self._wanted))

    def _restored(self, wanted: Position, value: Any) -> None:
        if wanted is not self._wanted:
            return
        self._has_restored()
        reached = wanted if value is None else Position.told(value.to_string())
        if not reached.is_close_to(wanted):
            self.position = reached
            self.emit("changed")

    def _has_restored(self) -> None:
        self._wanted, self._is_restoring = None, False
        self._end_bound()
        self._end_coming_when_shown()
        self.emit("loaded")

    def _start_bound(self, seconds: float = position.SECONDS) -> None:
        """There are pages that never end, and some that never begin, and in neither the script does."""
        self._end_bound()
        if self._wanted is not None:
            self._bound = GLib.timeout_add(int(seconds * 1000), self._is_late)

    def _end_bound(self) -> None:
        if self._bound:
            GLib.source_remove(self._bound)
            self._bound = 0

    def _is_late(self) -> bool:
        self._bound = 0
        # One of which nothing has come is waited for, and can be cancelled; when it comes, it is scrolled there.
        if not self._is_coming:
            self._has_restored()
        return False  # Not again.


class Coming(Gtk.Box):
    """Says that an activity is on its way; while its page is loaded, that can be cancelled."""

    def __init__(self) -> None:
        super().__init__(spacing=8, css_classes=["coming"], visible=False)
        self._label = Gtk.Label(xalign=0, hexpand=True, ellipsize=Pango.EllipsizeMode.END)
        self.cancel = Gtk.Button(label="Cancel", focus_on_click=False)
        spinner = Gtk.Spinner()
        # One that nobody sees would have the window drawn for ever.
        self.bind_property("visible", spinner, "spinning", GObject.BindingFlags.SYNC_CREATE)
        self.append(spinner)
        self.append(self._label)
        self.append(self.cancel)

    def show_text(self, text: str) -> None:
        self._label.set_text(text)
        self.can_cancel(False)
        self.set_visible(True)

    def can_cancel(self, can: bool) -> None:
        self.cancel.set_visible(can)


def _empty(title: str) -> Any:
    """What a tab shows before its first page."""
    box = Gtk.Box(
        orientation=Gtk.Orientation.VERTICAL, spacing=12, halign=Gtk.Align.CENTER, valign=Gtk.Align.CENTER)
    box.append(Gtk.Image(icon_name=APP_ID, pixel_size=128))
    box.append(Gtk.Label(label=title, css_classes=["title-2"]))
    box.append(Gtk.Label(label="Type the address of a page, or go on with one from another device.",
                         css_classes=["dim-label"]))
    return box
