"""The functions that the library calls for an application: each finds the application, and calls its method."""

from __future__ import annotations

from . import _handles, errors
from ._handles import at_once, callback, caught, extern, open_enum
from ._native import ffi, lib
from .activity import Activity, saving
from .continuation import Continuation
from .states import ApplicationState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The handles that the library holds as userdata, each until the library destroys it.
asked: set[Any] = set()


@callback("segue_application_delegate", "will_continue", 0)
def _will_continue(pointer: Any, continuation: Any, userdata: Any) -> int:
    shown = False
    if (application := _handles.find(pointer)) is not None:
        with caught(application):
            coming = Continuation(lib.segue_continuation_ref(continuation), application)
            application._coming(coming)
            shown = at_once(application.will_continue(coming), "will_continue")
    return bool(shown)


@callback("segue_application_delegate", "continue_activity", 0)
def _continue(pointer: Any, activity: Any, restoration: Any, userdata: Any) -> int:
    if (application := _handles.find(pointer)) is None:
        return 0
    taken: int = application._hand(application.continue_activity, activity, restoration)
    return taken


@callback("segue_application_delegate", "open_document", 0)
def _open_document(pointer: Any, url: Any, activity: Any, restoration: Any, userdata: Any) -> int:
    if (application := _handles.find(pointer)) is None:
        return 0
    taken: int = application._hand(application.open_document, activity, restoration, errors.text(url))
    return taken


@callback("segue_application_delegate", "did_fail")
def _did_fail(pointer: Any, continuation: Any, error: Any, userdata: Any) -> None:
    if (application := _handles.find(pointer)) is not None:
        with caught(application):
            coming = Continuation(lib.segue_continuation_ref(continuation), application)
            application._failed(coming)
            application._go_on(application.did_fail(coming, errors.exception(error)))


@callback("segue_application_delegate", "did_update")
def _did_update(pointer: Any, activity: Any, userdata: Any) -> None:
    if (application := _handles.find(pointer)) is not None:
        with caught(application):
            updated = Activity._of(activity, application)
            with saving(updated, "did_update"):
                at_once(application.did_update(updated), "did_update")


@callback("segue_application_delegate", "state_changed")
def _state_changed(pointer: Any, state: int, error: Any, userdata: Any) -> None:
    if (application := _handles.find(pointer)) is not None:
        with caught(application):
            why = errors.exception(error) if error else None
            application._go_on(application.state_changed(open_enum(ApplicationState, state), why))


@callback("segue_application_delegate", "activate")
def _activate(pointer: Any, token: Any, userdata: Any) -> None:
    if (application := _handles.find(pointer)) is not None:
        with caught(application):
            application._go_on(application.activate(errors.text(token)))


@callback("segue_application_delegate", "open_urls")
def _open_urls(pointer: Any, urls: Any, count: int, token: Any, userdata: Any) -> None:
    if (application := _handles.find(pointer)) is not None:
        with caught(application):
            opened = [errors.text(urls[index]) for index in range(count)]
            application._go_on(application.open_urls(opened, errors.text(token)))


@callback("segue_application_delegate", "log")
def _log(pointer: Any, line: Any, userdata: Any) -> None:
    if (application := _handles.find(pointer)) is not None:
        with caught(application):
            at_once(application.log(errors.text(line)), "log")


@callback("segue_application_delegate", "make_window", ffi.NULL)
def _make_window(pointer: Any, activity: Any, userdata: Any) -> Any:
    if (application := _handles.find(pointer)) is not None:
        with caught(application):
            window = at_once(application.make_window(Activity._of(activity, application)), "make_window")
            if window is not None:
                handle = window._segue_pointer
                application._made_window = window
                return handle
    return ffi.NULL


@callback("segue_application_delegate", "offers_changed")
def _offers_changed(pointer: Any, userdata: Any) -> None:
    if (application := _handles.find(pointer)) is not None:
        with caught(application):
            application._go_on(application.offers_changed())


@extern("segue_completion")
def _completed(pointer: Any, error: Any, userdata: Any) -> None:
    _, outcome = ffi.from_handle(userdata)
    outcome.end(errors.exception(error) if error else None)


@extern("segue_destroy")
def _destroyed(userdata: Any) -> None:
    asked.discard(userdata)
