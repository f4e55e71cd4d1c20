"""An object that owns a part of an activity's state: a view, a window, a document."""

from __future__ import annotations


from . import _handles, errors
from ._handles import Handle, at_once, callback, caught
from ._native import ffi, lib
from .activity import Activity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .application import Application


class Responder(Handle):
    """A base to derive from, also beside a class of your toolkit; define those of the methods that you need.

    The library empties user_info before each save, and every responder of the activity adds its part; so update only
    adds.
    """

    _MEMBERS: tuple[str, ...] = ("update_user_activity_state", "restore_user_activity_state", "user_activity_changed")

    #: The activity, kept as long as it is set here, so that its own methods can be called.
    _segue_activity: Activity | None = None

    def __init__(self, application: Application) -> None:
        methods = _handles.methods("segue_responder_methods", self, Responder, self._MEMBERS)
        # The callback is set even if there is nothing to restore: it notes that the responder has had its turn.
        methods.restore_user_activity_state = lib.python_segue_responder_methods_restore_user_activity_state
        out = ffi.new("segue_responder **")
        result = lib.segue_responder_new(application._segue_pointer, methods, ffi.NULL, ffi.NULL, out)
        errors.check(result, "a responder")
        self._segue_application = application
        self._segue_own(out[0], lib.segue_responder_unref)

    # The callbacks, which a subclass may replace.

    def update_user_activity_state(self, activity: Activity) -> None:
        """Add your part of the state to activity.user_info."""

    def restore_user_activity_state(self, activity: Activity) -> Any:
        """Restore your part from activity.user_info; keys may be missing. With segue.aio this may be a coroutine."""

    def user_activity_changed(self, activity: Activity | None) -> Any:
        """The responder has another activity, or none any more."""

    # The responder's properties.

    @property
    def application(self) -> Application:
        """The application that the responder was made with, or that has loaded its plugin."""
        return self._segue_application

    @property
    def _segue_responder(self) -> Any:
        """The pointer for a call that takes a responder."""
        return self._segue_pointer

    @property
    def user_activity(self) -> Activity | None:
        """The activity that the responder has a part in. Setting it makes the activity current, unless the focus says
        otherwise, and invalidates the former activity if this was its last responder."""
        return self._segue_copied(lib.segue_responder_copy_user_activity, self._segue_responder)

    @user_activity.setter
    def user_activity(self, activity: Activity | None) -> None:
        self._segue_set_activity(lib.segue_responder_set_user_activity, self._segue_responder, activity)

    @property
    def next_responder(self) -> Responder | None:
        """The responder that is asked next if this one has no activity; this one does not keep it."""
        out = ffi.new("segue_responder **")
        errors.check(lib.segue_responder_copy_next_responder(self._segue_responder, out), "next_responder")
        return taken(out[0])

    @next_responder.setter
    def next_responder(self, responder: Responder | None) -> None:
        pointer = ffi.NULL if responder is None else responder._segue_responder
        errors.check(lib.segue_responder_set_next_responder(self._segue_responder, pointer), "next_responder")

    def restore(self, activity: Activity) -> None:
        """Restores from the activity now, in this call. Raises if a plugin's object could not."""
        self._segue_call(lib.segue_responder_restore, activity, "restore")

    def update(self, activity: Activity) -> None:
        """Adds the responder's part to the activity now, in this call. The library does so itself when the state is
        asked for. Raises if a plugin's object could not save all properties."""
        self._segue_call(lib.segue_responder_update, activity, "update")

    def _segue_call(self, call: Any, activity: Activity, what: str) -> None:
        """Makes the call, and raises the exception of its callback."""
        application = self._segue_application
        before = len(application._raised)
        application._by_hand += 1
        try:
            result = call(self._segue_responder, activity._segue_pointer)
        finally:
            application._by_hand -= 1
        application._raise(before)
        errors.check(result, what)

    def _segue_copied(self, copy: Any, handle: Any) -> Activity | None:
        out = ffi.new("segue_activity **")
        errors.check(copy(handle, out), "user_activity")
        return Activity._taking(out[0], self._segue_application) if out[0] else None

    def _segue_set_activity(self, change: Any, handle: Any, activity: Activity | None) -> None:
        pointer = ffi.NULL if activity is None else activity._segue_pointer
        errors.check(change(handle, pointer), "user_activity")
        self._segue_activity = activity


def taken(pointer: Any) -> Responder | None:
    """The object for a reference that is handed over; None if it was collected. The responders of documents and of
    plugins' objects are found, too, as they are the same object."""
    if not pointer:
        return None
    found: Responder | None = _handles.find(pointer)
    lib.segue_responder_unref(pointer)
    return found


def update(responder: Responder, pointer: Any) -> None:
    """Lets a responder add its part: all of it, or none if it raises."""
    application = responder._segue_application
    activity = Activity._of(pointer, application)
    out = ffi.new("segue_value **")
    before = lib.segue_activity_copy_user_info(pointer, out)
    try:
        update: Any = responder.update_user_activity_state
        at_once(update(activity), "update_user_activity_state")
    except BaseException as error:
        if before == 0:
            lib.segue_activity_set_user_info(pointer, out[0])
        with caught(application):
            if not application._by_hand:
                activity._was_not_saved(type(responder).__name__, error)
        application._caught(error)
    finally:
        if before == 0:
            lib.segue_value_unref(out[0])


def changed(responder: Responder, pointer: Any) -> None:
    """Notifies a responder of its new activity, or that it has none."""
    with caught(responder._segue_application) as application:
        application._go_on(responder.user_activity_changed(Activity._of(pointer, application) if pointer else None))


@callback("segue_responder_methods", "update_user_activity_state")
def _update(pointer: Any, activity: Any, userdata: Any) -> None:
    if (responder := _handles.find(pointer)) is not None:
        update(responder, activity)


@callback("segue_responder_methods", "restore_user_activity_state")
def _restore(pointer: Any, activity: Any, userdata: Any) -> None:
    if (responder := _handles.find(pointer)) is not None:
        responder._segue_application._turn(responder, activity, responder.restore_user_activity_state)


@callback("segue_responder_methods", "user_activity_changed")
def _changed(pointer: Any, activity: Any, userdata: Any) -> None:
    if (responder := _handles.find(pointer)) is not None:
        changed(responder, activity)
