"""An application of GTK 4: its windows and widgets tell the library what is in front of the user.

    class Notes(Gtk.Application):
        def do_startup(self):
            self.handoff = Handoff(self)       # of segue.gtk.Application, with open_document and so on
            Gtk.Application.do_startup(self)

    class Window(segue.gtk.Window, Gtk.ApplicationWindow): ...
    class View(segue.gtk.Responder, Gtk.TextView): ...
    class Text(segue.gtk.Document): ...    # a file that a window shows

The service file's Exec has --gapplication-service: so launched, GTK opens no window until an activity arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from weakref import ref

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, GLib, GObject, Gtk  # noqa: E402

from . import _variant, application as _application, document as _document, glib  # noqa: E402
from . import responder as _responder, window as _window  # noqa: E402
from ._handles import Handle, caught  # noqa: E402
from .activity import DOCUMENT_URL_KEY, Activity  # noqa: E402
from .values import URL  # noqa: E402

if TYPE_CHECKING:
    from .continuation import Continuation

__all__ = ["Application", "Document", "Responder", "Window"]

#: The library's key in a window's saved state, beside the application's own keys.
_STATE_KEY = "segue"


class Application(_application.Application):
    """The library's application of a Gtk.Application, which owns the app id. Make it in `do_startup`, before you chain
    up. It is in GTK's loop from then on, becomes `ready` when GTK has started up and has handled the command line,
    keeps GTK from ending while an activity is on its way, and is closed at GTK's shutdown.

    If a subclass defines `restore_window`, GTK saves and restores the state of windows, if this GTK can.
    """

    def __init__(self, toolkit: Gtk.Application, *, bus_address: str | None = None) -> None:
        app_id = toolkit.get_application_id()
        if app_id is None:
            raise ValueError("The Gtk.Application needs an application_id, the id of its desktop file.")
        super().__init__(app_id, bus_address=bus_address)
        self.toolkit = toolkit
        #: For each continuation that holds GTK, the time-out that ends the hold.
        self._held: list[int] = []
        self._handed: set[Any] = set()
        self._token = ""
        self._has_asked = False
        glib.attach(self)
        toolkit.connect("shutdown", lambda toolkit: self.close())
        # This signal comes at once when a window is closed; "destroy" comes when no reference is left, and Python may
        # hold one.
        toolkit.connect("window-removed", lambda toolkit, window: _closed(window))
        # This runs in the loop's first turn: by then there are the windows that the command line asked for.
        self._starting = GLib.idle_add(self._started, priority=GLib.PRIORITY_DEFAULT)
        # Since GTK 4.22, https://docs.gtk.org/gtk4/signal.Application.restore-window.html; GTK reads the property while
        # it starts up.
        if type(self).restore_window is not Application.restore_window and saves_state():
            toolkit.set_property("support-save", True)
            toolkit.connect("restore-window", lambda toolkit, reason, state: self.restore(state))

    def _started(self) -> bool:
        self._starting = 0
        self.ready()
        return False

    def will_continue(self, continuation: Continuation) -> bool:
        """As of segue.Application; returns False: the desktop shows the continuation."""
        # The method is defined so that the library calls it, and GTK is held.
        return False

    def continue_activity(self, activity: Activity, restoration: Any) -> Any:
        """As of segue.Application; returns False: a document that the activity names is opened."""
        return False

    def open_file(self, file: Gio.File) -> Window | None:
        """Makes a window that shows a file, with a Document of it; returns None if that is not possible. The library
        calls it for a document that comes from another device, and then restores that; call it also for the files of
        the command line."""
        return None

    def open_document(self, url: str, activity: Activity, restoration: Any) -> Any:
        """As of segue.Application: opens the file in the window that has it open, or in one that `open_file` makes."""
        file = Gio.File.new_for_uri(url)
        window = self.window_of(file) or self.open_file(file)
        if window is None or window.document is None:
            return False
        restoration(window.document)
        window.present()
        return True

    def window_of(self, file: Gio.File) -> Window | None:
        """The window that has a Document of this file."""
        for window in self.toolkit.get_windows():
            if isinstance(window, Window) and isinstance(window.document, Document):
                if window.document.file.equal(file):
                    return window
        return None

    def restore_window(self, activity: Activity) -> Window | None:
        """Makes a window from a state that `Window.save_state` gave, which is in activity.user_info; keys may be
        missing. After that the window's responders restore, and it is presented."""
        return None

    def restore(self, state: GLib.Variant | None) -> None:
        """Restores a window from the state that GTK, or you, have kept; without one, from an empty activity."""
        with caught(self):
            activity = Activity(self, f"{self.app_id}.state")
            try:
                kept = state.lookup_value(_STATE_KEY, None) if state is not None else None
                if kept is not None:
                    activity.user_info = _variant.decode(kept)
            except (TypeError, ValueError) as error:
                # A window without its state is better than none.
                self._caught(error)
            self._restore(activity)

    def restore_windows(self, otherwise: Callable[[], object]) -> None:
        """Restores the windows of the last run, if that has crashed, or the session ended: those whose activities are
        eligible for restoration and were not invalidated. Call it in `do_activate`; `otherwise` opens a window where
        there is none to restore, as it is called every time but the first, and where GTK itself keeps the state of
        windows."""
        if self._has_asked or saves_state():
            otherwise()
            return
        self._has_asked = True
        self.toolkit.hold()

        def came(outcome: Any) -> None:
            try:
                restored = [self._restore(activity) for activity in reversed(outcome.activities)]
                if all(window is None for window in restored):
                    otherwise()
            finally:
                self.toolkit.release()

        self.last_states().when_done(came)

    def _restore(self, activity: Activity) -> Window | None:
        with caught(self):
            window = self.restore_window(activity)
            if window is not None:
                window._restored = activity
                for responder in window.responders():
                    with caught(self):
                        responder.restore(activity)
                window.present()
            return window
        return None

    def close(self) -> None:
        if self._starting:
            GLib.source_remove(self._starting)
            self._starting = 0
        super().close()
        while self._held:
            self._release()

    # Holding GTK while an activity is on its way.

    def _coming(self, continuation: Continuation) -> None:
        """Keeps the token with which the activity's window may take the focus, and holds GTK, which may have no window,
        until the activity is handed over or fails, at the latest when its time has passed."""
        self._token = continuation.activation_token
        self.toolkit.hold()
        late: list[int] = []

        def end() -> bool:
            self._held.remove(late[0])
            self.toolkit.release()
            return False

        late.append(GLib.timeout_add(int(continuation.time_left * 1000) + 1000, end))
        self._held.append(late[0])

    def _failed(self, continuation: Continuation) -> None:
        self._token = ""
        self._release()

    def _hand(self, method: Callable[..., Any], activity: Any, restoration: Any, *before: str) -> int:
        taken = super()._hand(method, activity, restoration, *before)
        # continue_activity and open_document may come for the same activity, one after the other.
        if activity not in self._handed:
            self._handed.add(activity)
            GLib.idle_add(self._handed.discard, activity)
            self._release()
        return taken

    def _release(self) -> None:
        if self._held:
            GLib.source_remove(self._held.pop(0))
            self.toolkit.release()

    def _take_token(self) -> str:
        """The token that came with the last continuation, for the first window that is presented after it."""
        token, self._token = self._token, ""
        return token


class Responder(_responder.Responder):
    """A base for a widget's class, listed before GTK's class; its next responder is the nearest above it in the widget
    hierarchy."""

    def __init__(self, application: _application.Application, **properties: Any) -> None:
        # The toolkit's class comes after this package's in the order of bases.
        toolkit: Any = super(Handle, self)
        toolkit.__init__(**properties)
        super().__init__(application)
        widget: Any = self
        # The root changes if the widget, or any widget above it, is taken out of a window or put into one.
        widget.connect("notify::root", _follow)
        _follow(widget, None)

    def mark_needs_save(self) -> None:
        """Says that the widget's content has changed: marks its activity, or that of the nearest responder above that
        has one, as in need of saving."""
        responder: _responder.Responder | None = self
        while responder is not None:
            activity = responder.user_activity
            if activity is not None:
                activity.needs_save = True
                return
            responder = responder.next_responder

    def needs_save_at(self, source: Any, *signals: str) -> None:
        """Calls `mark_needs_save` at each of these signals of another object, such as its buffer, which does not keep
        this."""
        for signal in signals:
            source.connect(signal, _mark, ref(self))


class Document(_document.Document):
    """A file that a window shows. In a folder that the devices share, the library makes its activity, which is current
    while the window is in front; the document follows the file when somebody renames or moves it, and is closed with
    the window. A subclass saves the place in the file, and goes there. The application's `open_file` opens files that
    come.
    """

    def __init__(self, window: Window, file: Gio.File, mime_type: str | None = None) -> None:
        """Makes the window's document of a file; without `mime_type`, of the type that the desktop takes the file
        for."""
        super().__init__(window.segue_window._segue_application, file.get_uri(), mime_type or _mime_type(file))
        window.document = self

    @property
    def file(self) -> Gio.File:
        """The file, where it is now. Set it when the document is saved under another name."""
        return Gio.File.new_for_uri(self.url or "")

    @file.setter
    def file(self, file: Gio.File) -> None:
        self.url = file.get_uri()

    def moved(self) -> None:
        """Somebody has renamed or moved the file: `file` says where it is now."""

    def url_changed(self, url: str) -> None:
        self.moved()

    def mark_needs_save(self) -> None:
        """Says that the place in the document has changed."""
        activity = self.user_activity
        if activity is not None:
            activity.needs_save = True

    def needs_save_at(self, source: Any, *signals: str) -> None:
        """Calls `mark_needs_save` at each of these signals of another object, such as its buffer, which does not keep
        this."""
        for signal in signals:
            source.connect(signal, _mark, ref(self))


class Window(GObject.GObject if TYPE_CHECKING else object):  # type: ignore[misc]
    """A base for a window's class, listed before Gtk.ApplicationWindow or Gtk.Window. The window is the library's main
    window while it is active; the responder in focus is the widget with the keyboard focus, or the nearest above it
    that is a responder.

    A subclass may define `prefers_content`, `can_show_content` and `continue_activity`, as one of segue.Window may.
    """

    def __init__(self, application: Application, **properties: Any) -> None:
        super().__init__(application=application.toolkit, **properties)
        #: The library's side of the window, closed with it.
        self.segue_window = _Window(application, self)
        self._document: _document.Document | None = None
        #: The activity that the window was restored from, whose state is stored until the window has another one.
        self._restored: Activity | None = None
        self.connect("notify::is-active", _activated)
        self.connect("notify::focus-widget", _focused)
        # Since GTK 4.22, https://docs.gtk.org/gtk4/signal.ApplicationWindow.save-state.html.
        if saves_state() and isinstance(self, Gtk.ApplicationWindow):
            self.connect("save-state", _save)

    @property
    def document(self) -> _document.Document | None:
        """The document that the window shows and keeps; its activity is current if no responder in focus has one."""
        return self._document

    @document.setter
    def document(self, document: _document.Document | None) -> None:
        self.segue_window.show(document)
        if self._document is not document:
            _end(self._document)
        self._document = document

    def present(self) -> None:
        """Presents the window as GTK does, with the activation token of the continuation that has just come, so that it
        may take the focus."""
        application: Any = self.segue_window._segue_application
        token = application._take_token()
        if token:
            self.set_startup_id(token)
        super().present()

    def closed(self) -> None:
        """The window has been closed, or destroyed."""

    def responder_in_focus(self) -> _responder.Responder | None:
        """The widget with the keyboard focus, or the nearest above it that is a responder. Override it if something
        else, such as the tab that is shown, says where the user works, and call `focus_moved` when that changes."""
        return _nearest(self.get_focus())

    def focus_moved(self) -> None:
        """Says that another responder may be in focus; GTK's signal calls it when the keyboard focus moves."""
        if self.segue_window._segue is not None and not self.segue_window._segue_application.is_closed:
            self.segue_window.focused_responder = self.responder_in_focus()

    def responders(self) -> Iterator[_responder.Responder]:
        """The window's document, and the widgets in the window that are responders, from the top down."""
        if self._document is not None:
            yield self._document
        yield from _responders_in(self)

    def save_state(self) -> GLib.Variant:
        """The state that the window's responders would give to another device, in one user_info, for
        `Application.restore`."""
        application = self.segue_window._segue_application
        activity = Activity(application, f"{application.app_id}.state")
        if self._document is not None and self._document.url is not None:
            activity.user_info[DOCUMENT_URL_KEY] = URL(self._document.url)
        for responder in self.responders():
            with caught(application):
                responder.update(activity)
        return GLib.Variant("a{sv}", {_STATE_KEY: _variant.encode(dict(activity.user_info))})


class _Window(_window.Window):
    """The library's side of a toolkit's window, whose methods it calls. That window holds this object, which must not
    hold the window."""

    def __init__(self, application: _application.Application, toolkit: Window) -> None:
        window = ref(toolkit)
        for member in self._MEMBERS:
            if hasattr(toolkit, member):
                setattr(self, member, lambda *arguments, member=member: getattr(window(), member)(*arguments))
        super().__init__(application)


def saves_state() -> bool:
    """Whether this GTK keeps the state of windows."""
    return bool(GObject.signal_lookup("save-state", Gtk.ApplicationWindow))


# GTK calls these functions. They are no methods, since a method would keep the widget.


def _nearest(widget: Any) -> Responder | None:
    while widget is not None and not isinstance(widget, Responder):
        widget = widget.get_parent()
    return widget


def _responders_in(widget: Any) -> Iterator[Responder]:
    if isinstance(widget, Responder):
        yield widget
    child = widget.get_first_child()
    while child is not None:
        yield from _responders_in(child)
        child = child.get_next_sibling()


def _mark(*arguments: Any) -> None:
    responder = arguments[-1]()
    if responder is not None and not responder._segue_application.is_closed:
        responder.mark_needs_save()


def _mime_type(file: Any) -> str:
    """The type that the desktop takes a file for: by its content, or by its name if the file is not there yet."""
    try:
        attribute = Gio.FILE_ATTRIBUTE_STANDARD_CONTENT_TYPE
        kind = file.query_info(attribute, Gio.FileQueryInfoFlags.NONE, None).get_content_type()
    except GLib.Error:
        kind, _ = Gio.content_type_guess(file.get_basename(), None)
    return Gio.content_type_get_mime_type(kind) or "application/octet-stream"


def _end(document: Any) -> None:
    """Closes the document of a window, if it is one of this module's, which its window owns."""
    if isinstance(document, Document) and not document._segue_application.is_closed:
        document.close()


def _follow(widget: Any, property: Any) -> None:
    """Sets the next responder; there is none above a widget that was taken out, and then the program's own one
    stays."""
    above = _nearest(widget.get_parent())
    if above is not None and not widget._segue_application.is_closed:
        widget.next_responder = above


def _activated(window: Any, property: Any) -> None:
    application = window.segue_window._segue_application
    if application.is_closed:
        return
    if window.is_active():
        application.main_window = window.segue_window
    elif application.main_window is window.segue_window:
        application.main_window = None


def _focused(window: Any, property: Any) -> None:
    window.focus_moved()


def _closed(window: Any) -> None:
    if isinstance(window, Window):
        window.closed()
        _end(window._document)
        window._document = None
        restored, window._restored = window._restored, None
        if restored is not None and not restored.application.is_closed:
            # The user has closed it: it does not come back.
            restored.invalidate()
        window.segue_window.close()


def _save(window: Any, state: Any) -> bool:
    saved = window.save_state()
    state.insert_value(_STATE_KEY, saved.lookup_value(_STATE_KEY, None))
    return False
