"""A tab: an address entry, and the page below it."""

from __future__ import annotations

import copy
from typing import Any

from gi.repository import GLib, GObject, Gtk, Pango, WebKit

from . import APP_ID, address, position
from .position import Position


class Tab(Gtk.Box):
    """Tells when it shows another document, and when the address, the title or the position changes within one."""

    __gsignals__ = {
        "opened": (GObject.SignalFlags.RUN_FIRST, None, ()),
        "changed": (GObject.SignalFlags.RUN_FIRST, None, ()),
        #: Nothing was opened: what happened, and why. The former page is still there.
        "failed": (GObject.SignalFlags.RUN_FIRST, None, (str, str)),
    }

    def __init__(self, kind: str, title: str) -> None:
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self.kind, self.title = kind, title
        #: The address of the page that is shown; WebKit's is already that of the one that was asked for.
        self.url = ""
        #: Where the page is scrolled to.
        self.position = Position()
        #: Where it is to be scrolled to, until it is.
        self._wanted: Position | None = None
        self._is_restoring = False
        #: Whether the page that is asked for gets the keyboard, having been asked for here.
        self._takes_focus = False
        self._entry = Gtk.Entry(
            hexpand=True, placeholder_text="Address of a web page", input_purpose=Gtk.InputPurpose.URL)
        self._entry.connect("activate", self._go)
        go = Gtk.Button(label="Go")
        go.connect("clicked", self._go)
        bar = Gtk.Box(spacing=6, css_classes=["toolbar"])
        bar.append(self._entry)
        bar.append(go)
        self.append(bar)
        self._coming = Coming()
        self.append(self._coming)
        self._view = self._make_view()
        self._stack = Gtk.Stack(vexpand=True)
        self._stack.add_child(_empty(title))
        self._stack.add_child(self._view)
        self.append(self._stack)

    def _make_view(self) -> Any:
        content = WebKit.UserContentManager()
        content.register_script_message_handler(position.HANDLER, position.WORLD)
        content.connect(f"script-message-received::{position.HANDLER}", self._was_told)
        content.add_script(WebKit.UserScript.new_for_world(
            position.SCRIPT, WebKit.UserContentInjectedFrames.TOP_FRAME, WebKit.UserScriptInjectionTime.END,
            position.WORLD, None, None))
        # It keeps neither cookies nor history.
        view = WebKit.WebView(user_content_manager=content, network_session=WebKit.NetworkSession.new_ephemeral())
        view.connect("load-changed", self._load_changed)
        view.connect("load-failed", self._load_failed)
        view.connect("web-process-terminated", self._page_ended)
        view.connect("notify::title", self._title_changed)
        # In the loop's next turn: of a page that is asked for WebKit tells the address first, and then that it loads.
        for name in ("notify::uri", "notify::is-loading"):
            view.connect(name, lambda *_: GLib.idle_add(self._within_document))
        return view

    # What it shows.

    @property
    def page_title(self) -> str:
        return self._view.get_title() or ""

    @property
    def is_continuing(self) -> bool:
        """Whether it shows that an activity is coming: until its page is there, or something else is opened."""
        return bool(self._coming.get_visible())

    def show_coming(self, text: str) -> None:
        self._coming.show_text(text)

    def end_coming(self) -> None:
        self._coming.set_visible(False)

    def open(self, url: str, wanted: Position | None = None) -> None:
        """What is open stays until the new page has begun to come."""
        self._wanted, self._is_restoring, self._takes_focus = wanted, False, True
        self._entry.set_text(url)
        self._view.load_uri(url)

    def focus_entry(self) -> None:
        self._entry.grab_focus()

    def _go(self, *_: Any) -> None:
        try:
            url = address.typed(self._entry.get_text())
        except address.Refused as refused:
            self.emit("failed", "This address cannot be opened.", str(refused))
            return
        self.end_coming()
        self.open(url)

    # What WebKit tells.

    def _load_changed(self, view: Any, event: Any) -> None:
        if event == WebKit.LoadEvent.COMMITTED:
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
            self.emit("opened")
        elif event == WebKit.LoadEvent.FINISHED and not self._is_restoring:
            self._has_restored()

    def _load_failed(self, view: Any, event: Any, url: str, error: Any) -> bool:
        if error.matches(WebKit.NetworkError.quark(), WebKit.NetworkError.CANCELLED):
            return True
        self._entry.set_text(self.url)
        self._has_restored()
        self.emit("failed", f"{url} could not be loaded.", error.message)
        # No page of WebKit's in place of the former one.
        return True

    def _page_ended(self, view: Any, reason: Any) -> None:
        """The process of the page has crashed, or was killed. Its activity is what it was: that is of this process."""
        self._has_restored()
        self.emit("failed", "The page has ended unexpectedly.", "Press Go to load it again.")

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

    # Where the page is scrolled to.

    def _was_told(self, content: Any, value: Any) -> None:
        if self._wanted is None:
            self.position = Position.told(value.to_string())
            self.emit("changed")
        elif not self._is_restoring:
            # The document's first word.
            self._is_restoring = True
            wanted = GLib.Variant("a{sv}", {
                name: GLib.Variant("d", number) for name, number in
                {**vars(self._wanted), "seconds": position.SECONDS}.items()})
            self._view.call_async_javascript_function(
                "return await restorePosition(offset, fraction, width, seconds)", -1, wanted, position.WORLD, None,
                None, self._restored, self._wanted)

    def _restored(self, view: Any, result: Any, wanted: Position) -> None:
        try:
            reached = Position.told(view.call_async_javascript_function_finish(result).to_string())
        except GLib.Error:
            # The document has gone.
            reached = None
        if wanted is not self._wanted:
            return
        self._has_restored()
        if reached is not None and not reached.is_close_to(wanted):
            self.position = reached
            self.emit("changed")

    def _has_restored(self) -> None:
        self._wanted, self._is_restoring = None, False
        self.end_coming()


class Coming(Gtk.Box):
    """Says that an activity is on its way."""

    def __init__(self) -> None:
        super().__init__(spacing=8, css_classes=["coming"], visible=False)
        self._label = Gtk.Label(xalign=0, hexpand=True, ellipsize=Pango.EllipsizeMode.END)
        self.append(Gtk.Spinner(spinning=True))
        self.append(self._label)

    def show_text(self, text: str) -> None:
        self._label.set_text(text)
        self.set_visible(True)


def _empty(title: str) -> Any:
    """What a tab shows before its first page."""
    box = Gtk.Box(
        orientation=Gtk.Orientation.VERTICAL, spacing=12, halign=Gtk.Align.CENTER, valign=Gtk.Align.CENTER)
    box.append(Gtk.Image(icon_name=APP_ID, pixel_size=128))
    box.append(Gtk.Label(label=title, css_classes=["title-2"]))
    box.append(Gtk.Label(label="Type the address of a page, or go on with one from another device.",
                         css_classes=["dim-label"]))
    return box
