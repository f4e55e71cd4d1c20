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
    """Emits signals when it shows another document, and when address, title or position change within a document."""

    __gsignals__ = {
        "opened": (GObject.SignalFlags.RUN_FIRST, None, ()),
        "changed": (GObject.SignalFlags.RUN_FIRST, None, ()),
        #: A page was not opened; the arguments are what happened, and why. The former page is still open.
        "failed": (GObject.SignalFlags.RUN_FIRST, None, (str, str)),
        #: The opened page is loaded, or had the time for it; or the former page stays.
        "loaded": (GObject.SignalFlags.RUN_FIRST, None, ()),
        #: A sentence for the user, about the page.
        "told": (GObject.SignalFlags.RUN_FIRST, None, (str,)),
    }

    def __init__(self, kind: str, title: str) -> None:
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self.kind, self.title = kind, title
        #: The address of the page that is shown; WebKit's is already that of the requested page.
        self.url = ""
        #: Where the page is scrolled to.
        self.position = Position()
        #: Whether its forms have text that the user has typed and not sent.
        self.has_unsent = False
        #: The position to scroll to, until it is reached.
        self._wanted: Position | None = None
        self._is_restoring = False
        #: Whether a requested page has not begun to load.
        self._is_coming = False
        #: The timer that ends the wait for the position.
        self._bound = 0
        #: The timer that checks whether the page shows content yet, and how often it has.
        self._looking = self._looks = 0
        #: The page that was loaded again after it had ended unexpectedly: if it ends again, it is not loaded once more.
        self._revived = ""
        self._is_reviving = False
        #: Whether the requested page gets the keyboard focus, because it was requested here.
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
        #: The senders of the signals that are connected here.
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
        # The session keeps neither cookies nor history.
        session = WebKit.NetworkSession.new_ephemeral()
        session.connect("download-started", self._download_started)
        view = WebKit.WebView(user_content_manager=content, network_session=session)
        view.connect("decide-policy", self._decide)
        view.connect("load-changed", self._load_changed)
        view.connect("load-failed", self._load_failed)
        view.connect("web-process-terminated", self._page_ended)
        view.connect("notify::title", self._title_changed)
        # In the loop's next turn: WebKit changes the address of a requested page first, and then says that it loads.
        for name in ("notify::uri", "notify::is-loading"):
            view.connect(name, lambda *_: GLib.idle_add(self._within_document))
        self._senders += [content, session, view]
        return view

    # Its content.

    @property
    def page_title(self) -> str:
        return self._view.get_title() or ""

    @property
    def is_empty(self) -> bool:
        """Whether it has no page, and none on its way."""
        return not (self.url or self._view.is_loading() or self.is_continuing)

    @property
    def is_continuing(self) -> bool:
        """Whether it shows that an activity is coming: until its page is loaded, or another page is opened."""
        return bool(self._coming.get_visible())

    def show_coming(self, text: str) -> None:
        self._end_looks()
        self._coming.show_text(text)

    def end_coming(self) -> None:
        self._end_looks()
        self._coming.set_visible(False)

    def _end_coming_when_shown(self) -> None:
        """Ends the bar once the page shows content: a loaded page may be empty until its scripts have fetched that."""
        if not self.is_continuing:
            return
        self._end_looks()
        self._looks = 0
        self._looking = GLib.timeout_add(position.LOOK, self._look)
        self._look()

    def _look(self) -> bool:
        self._looks += 1
        if self._looks * position.LOOK > position.SECONDS * 1000:
            # The page is empty, or does not answer.
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
        """Opens a page; the former one stays until the new one has begun to load."""
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
        """Ends the page, and disconnects all signals: objects of GTK and WebKit and this one would keep each other
        alive in a cycle that Python does not see."""
        self._end_bound()
        self._end_looks()
        # This comes first, since a page whose process ends is otherwise loaded again.
        for sender in (self, *self._senders):
            GObject.signal_handlers_destroy(sender)
        self._view.terminate_web_process()

    def focus_entry(self) -> None:
        self._entry.grab_focus()

    def _entered(self, *_: Any) -> None:
        self.go(self._entry.get_text())

    def go(self, text: str) -> bool:
        """Opens the address that the user has typed. Returns whether it is one."""
        try:
            url = address.typed(text)
        except address.Refused as refused:
            self.emit("failed", "This address cannot be opened.", str(refused))
            return False
        self.end_coming()
        self.open(url)
        return True

    def _cancel(self, *_: Any) -> None:
        """Stops loading. The former page stays, or the part of the new one that has come."""
        self._view.stop_loading()
        self._stay()

    def _stay(self) -> None:
        self._entry.set_text(self.url)
        self._has_restored()
        self.end_coming()

    # WebKit's requests.

    def _decide(self, view: Any, decision: Any, kind: Any) -> bool:
        """Decides about the target of a link or a redirect."""
        if kind == WebKit.PolicyDecisionType.RESPONSE:
            # A response that cannot be shown fails, or becomes a download.
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
            # The browser has no other windows and tabs; a page that opens one without a click opens nothing.
            decision.ignore()
            if action.is_user_gesture():
                view.load_request(action.get_request())
            return True
        return False

    def _download_started(self, session: Any, download: Any) -> None:
        """Refuses a download: the address may be another device's, and the user has not asked for a file."""
        download.cancel()
        self.emit("failed", f"{download.get_request().get_uri()} was not opened.", NO_FILES)

    # WebKit's notifications.

    def _load_changed(self, view: Any, event: Any) -> None:
        if event == WebKit.LoadEvent.COMMITTED:
            self._is_coming = False
            self.url = view.get_uri()
            self._stack.set_visible_child(view)
            self._entry.set_text(self.url)
            if self._takes_focus:
                view.grab_focus()
                self._takes_focus = False
            # Restoring begins anew in each document, since a page's script may replace the document; because of the
            # copy, an answer of the former document does not count.
            self._is_restoring, self._wanted = False, copy.copy(self._wanted)
            self.position = self._wanted or Position()
            self.has_unsent = False
            self._start_bound()
            # A page that was loaded again is the same page, with the same activity.
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
        # WebKit shows no error page in place of the former page.
        return True

    def _page_ended(self, view: Any, reason: Any) -> None:
        """The process of the page has crashed, or was killed, perhaps by a page that was only loading. The activity of
        the open page is unchanged, since it belongs to this process."""
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
        """Notes another address of the same document."""
        url = self._view.get_uri()
        if not self._view.is_loading() and url and url != self.url:
            self.url = url
            self._entry.set_text(url)
            self.emit("changed")
        return False  # Not again.

    # Text in the page's forms.

    def unsent(self, told: Callable[[str | None], object]) -> None:
        """Calls `told` with the fields, as unsent.py describes them; None if the page has ended."""
        self._call("return JSON.stringify(unsentText())", None, lambda value: told(value and value.to_string()))

    def fill_unsent(self, fields: str, filled: Callable[[bool], object]) -> None:
        """Fills the fields in; calls `filled` with whether every one was found."""
        self._call("return fillUnsent(JSON.parse(given))", fields,
                   lambda value: filled(value is not None and value.to_boolean()))

    def drop_unsent(self, fields: str) -> None:
        self._call("return dropUnsent(JSON.parse(given))", fields, lambda value: None)

    def _call(self, script: str, given: str | None, done: Callable[[Any], object]) -> None:
        """Runs the script in the page, with the variable `given`; `done` gets its result, or None."""
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
            # This is the document's first message.
            self._is_restoring = True
            # The script has its own time limit, but the page may keep it from running.
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
        """Limits the wait: some pages never finish loading, and some never begin, and the script ends in neither."""
        self._end_bound()
        if self._wanted is not None:
            self._bound = GLib.timeout_add(int(seconds * 1000), self._is_late)

    def _end_bound(self) -> None:
        if self._bound:
            GLib.source_remove(self._bound)
            self._bound = 0

    def _is_late(self) -> bool:
        self._bound = 0
        # The wait for a page that has not begun goes on, and can be cancelled; when the page comes, it is scrolled.
        if not self._is_coming:
            self._has_restored()
        return False  # Not again.


class Coming(Gtk.Box):
    """A bar which says that an activity is on its way; while its page is being loaded, the user can cancel that."""

    def __init__(self) -> None:
        super().__init__(spacing=8, css_classes=["coming"], visible=False)
        self._label = Gtk.Label(xalign=0, hexpand=True, ellipsize=Pango.EllipsizeMode.END)
        self.cancel = Gtk.Button(label="Cancel", focus_on_click=False)
        spinner = Gtk.Spinner()
        # A hidden spinner that spins would have the window drawn for ever.
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
    """The content of a tab before its first page."""
    box = Gtk.Box(
        orientation=Gtk.Orientation.VERTICAL, spacing=12, halign=Gtk.Align.CENTER, valign=Gtk.Align.CENTER)
    box.append(Gtk.Image(icon_name=APP_ID, pixel_size=128))
    box.append(Gtk.Label(label=title, css_classes=["title-2"]))
    box.append(Gtk.Label(label="Type the address of a page, or go on with one from another device.",
                         css_classes=["dim-label"]))
    return box
