"""Windows: the library learns from them where the user works, and so which activity is current."""

from __future__ import annotations


from . import _handles, errors, responder
from ._handles import at_once, callback, caught
from ._native import ffi, lib
from .activity import Activity
from .continuation import Restoration
from .responder import Responder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .application import Application
    from .document import Document


class Window(Responder):
    """The library's side of one of the application's windows: keep it as long as the window is open. It is a responder
    too, at the end of the chain from its focus: its activity is that of the content of the whole window.

    A subclass may define `prefers_content`, `can_show_content`, `continue_activity`, and a responder's methods.
    """

    _MEMBERS = ("prefers_content", "can_show_content", "continue_activity", *Responder._MEMBERS)

    def __init__(self, application: Application) -> None:
        methods = _handles.methods("segue_window_methods", self, Window, self._MEMBERS)
        methods.restore_user_activity_state = lib.python_segue_window_methods_restore_user_activity_state
        out = ffi.new("segue_window **")
        result = lib.segue_window_new(application._segue_pointer, methods, ffi.NULL, ffi.NULL, out)
        errors.check(result, "a window")
        self._segue_application = application
        self._segue_own(out[0], lib.segue_window_unref)

    @classmethod
    def _taking(cls, pointer: Any, application: Application) -> Window:
        """The object for a reference that is handed over."""
        found = _handles.find(pointer)
        if found is not None:
            lib.segue_window_unref(pointer)
            known: Window = found
            return known
        made = Window.__new__(Window)
        made._segue_application = application
        made._segue_own(pointer, lib.segue_window_unref)
        return made

    # The callbacks, which a subclass may replace.

    def prefers_content(self, target_content_identifier: str) -> bool:
        """Whether the window shows this content already, or is the best place for it. By default: never."""
        return False

    def can_show_content(self, target_content_identifier: str) -> bool:
        """Whether the window could show this content. By default: always."""
        return True

    def continue_activity(self, activity: Activity, restoration: Restoration) -> Any:
        """As the application's `continue_activity`, and in its place, for an activity that goes to this window."""
        return False

    # The window's properties.

    @property
    def _segue_responder(self) -> Any:
        return lib.segue_window_get_responder(self._segue_pointer)

    @property
    def focused_responder(self) -> Responder | None:
        """The responder of the window that has the focus; the window does not keep it."""
        out = ffi.new("segue_responder **")
        errors.check(lib.segue_window_copy_focused_responder(self._segue_pointer, out), "focused_responder")
        return responder.taken(out[0])

    @focused_responder.setter
    def focused_responder(self, focused: Responder | None) -> None:
        pointer = ffi.NULL if focused is None else focused._segue_responder
        errors.check(lib.segue_window_set_focused_responder(self._segue_pointer, pointer), "focused_responder")

    def show(self, document: Document | None) -> None:
        """Says which document the window shows; its activity is then current if no responder in focus has one."""
        pointer = ffi.NULL if document is None else document._segue_pointer
        errors.check(lib.segue_window_set_document(self._segue_pointer, pointer), "show")

    def close(self) -> None:
        """Says that the window is closed."""
        self._segue_disown()


@callback("segue_window_methods", "update_user_activity_state")
def _update(pointer: Any, activity: Any, userdata: Any) -> None:
    if (window := _handles.find(pointer)) is not None:
        responder.update(window, activity)


@callback("segue_window_methods", "restore_user_activity_state")
def _restore(pointer: Any, activity: Any, userdata: Any) -> None:
    if (window := _handles.find(pointer)) is not None:
        window._segue_application._turn(window, activity, window.restore_user_activity_state)


@callback("segue_window_methods", "user_activity_changed")
def _changed(pointer: Any, activity: Any, userdata: Any) -> None:
    if (window := _handles.find(pointer)) is not None:
        responder.changed(window, activity)


@callback("segue_window_methods", "prefers_content", 0)
def _prefers(pointer: Any, target: Any, userdata: Any) -> int:
    answer = False
    if (window := _handles.find(pointer)) is not None:
        with caught(window._segue_application):
            answer = at_once(window.prefers_content(errors.text(target)), "prefers_content")
    return bool(answer)


@callback("segue_window_methods", "can_show_content", 0)
def _can(pointer: Any, target: Any, userdata: Any) -> int:
    answer = False
    if (window := _handles.find(pointer)) is not None:
        with caught(window._segue_application):
            answer = at_once(window.can_show_content(errors.text(target)), "can_show_content")
    return bool(answer)


@callback("segue_window_methods", "continue_activity", 0)
def _continue(pointer: Any, activity: Any, restoration: Any, userdata: Any) -> int:
    window = _handles.find(pointer)
    if window is None:
        return 0
    application: Application = window._segue_application
    return application._hand(window.continue_activity, activity, restoration)
