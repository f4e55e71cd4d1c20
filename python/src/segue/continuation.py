"""An activity of another device that this application is taking over."""

from __future__ import annotations

import errno
from collections.abc import Callable

from . import errors
from ._handles import Handle
from ._native import ffi, lib
from .outcome import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    import uuid
    from typing import Any

    from .activity import Activity
    from .application import Application
    from .responder import Responder
    from .window import Window


class Continuation(Handle):
    """The description of an activity that is on its way."""

    def __init__(self, pointer: Any, application: Application) -> None:
        self._segue_application = application
        self._segue_own(pointer, lib.segue_continuation_unref)

    @property
    def id(self) -> uuid.UUID:
        """The continuation's id, as `segue watch` shows it."""
        from uuid import UUID

        out = ffi.new("uint8_t[16]")
        errors.check(lib.segue_continuation_get_id(self._segue_pointer, out), "id")
        return UUID(bytes=bytes(out))

    @property
    def activity_type(self) -> str:
        return errors.text(lib.segue_continuation_get_activity_type(self._segue_pointer))

    @property
    def title(self) -> str:
        return errors.text(lib.segue_continuation_get_title(self._segue_pointer))

    @property
    def device_name(self) -> str:
        """The name of the device that the activity comes from."""
        return errors.text(lib.segue_continuation_get_device_name(self._segue_pointer))

    @property
    def activation_token(self) -> str:
        """The token with which a window may take the focus (xdg-activation)."""
        return errors.text(lib.segue_continuation_get_activation_token(self._segue_pointer))

    @property
    def is_stored(self) -> bool:
        """Whether the state was saved earlier, since its application or its device has gone: in `will_continue` as the
        offer said, from `continue_activity` on as the state that came."""
        return bool(lib.segue_continuation_is_stored(self._segue_pointer))

    @property
    def age(self) -> float | None:
        """Seconds since the state was saved; None while that is not known."""
        out = ffi.new("uint64_t *")
        result = lib.segue_continuation_get_age(self._segue_pointer, out)
        if result == -errno.ENODATA:
            return None
        errors.check(result, "age")
        milliseconds: int = out[0]
        return milliseconds / 1000

    @property
    def time_left(self) -> float:
        """Seconds until did_fail comes at the latest."""
        out = ffi.new("uint64_t *")
        errors.check(lib.segue_continuation_get_time_left(self._segue_pointer, out), "time_left")
        milliseconds: int = out[0]
        return milliseconds / 1000

    def __repr__(self) -> str:
        return f"<segue.Continuation of {self.activity_type} from {self.device_name}>"


class Restoration(Handle):
    """The restoration handler: call it once with the objects that restore, in `continue_activity` or later.

    Dropping it without a call means that no object restores.
    """

    def __init__(self, pointer: Any, application: Application, activity: Activity) -> None:
        self._segue_application = application
        self._activity = activity
        self._segue_own(pointer, lib.segue_restoration_unref)

    def __call__(self, *responders: Responder) -> Outcome:
        """Lets each responder restore, in order; if it is called inside `continue_activity`, after that has returned.
        The outcome is done when all of them have restored."""
        handles = [responder._segue_responder for responder in responders]
        application = self._segue_application
        restoring = Restoring(self._activity, responders)
        # If this is another thread, the responders may restore before this call returns.
        application._restoring.append(restoring)
        try:
            result = lib.segue_restoration_restore(self._segue_pointer, handles or ffi.NULL, len(handles))
            errors.check(result, "restore")
        except BaseException:
            restoring.end()
            # A kept error keeps this frame, which must not keep the handler.
            del self
            raise
        if not responders:
            restoring.end()
        return restoring

    def _when_ended(self, coroutine: Any) -> Callable[[BaseException | None], None]:
        """The function to call when the coroutine that has this handler ends. An exception that somebody keeps, even
        one that the coroutine has caught, keeps the coroutine's frames and so the handler, which would keep the other
        side waiting."""
        frame = getattr(coroutine, "cr_frame", None)

        def ended(error: BaseException | None) -> None:
            if error is not None:
                self._segue_disown()
            elif frame is not None:
                # If the program has kept the handler elsewhere, it can still call it later.
                frame.clear()

        return ended

    @property
    def continuation(self) -> Continuation:
        """The continuation that the restoration belongs to."""
        out = ffi.new("segue_continuation **")
        errors.check(lib.segue_restoration_copy_continuation(self._segue_pointer, out), "continuation")
        return Continuation(out[0], self._segue_application)

    @property
    def window(self) -> Window | None:
        """The window that the activity goes to, if it goes to one in particular."""
        from .window import Window

        out = ffi.new("segue_window **")
        errors.check(lib.segue_restoration_copy_window(self._segue_pointer, out), "window")
        return Window._taking(out[0], self._segue_application) if out[0] else None


class Restoring(Outcome):
    """The outcome of a restoration: knows which objects have not had their turn, and how many have not restored."""

    def __init__(self, activity: Activity, responders: tuple[Responder, ...]) -> None:
        super().__init__(activity._segue_application)
        self.activity = activity
        self._left = list(responders)
        self._unfinished = len(responders)

    def takes(self, responder: Responder) -> bool:
        """Gives the responder its turn; false if it is none of the restoration's objects that wait for theirs."""
        for index, other in enumerate(self._left):
            if other is responder:
                del self._left[index]
                return True
        return False

    def finished(self, error: BaseException | None = None) -> None:
        """Counts an object that has restored, in its turn or as a coroutine; its exception is reported elsewhere."""
        self._unfinished -= 1
        if not self._unfinished:
            self.end()

    def end(self, error: BaseException | None = None) -> None:
        try:
            self.activity._segue_application._restoring.remove(self)
        except ValueError:
            return  # The restoration has ended before.
        super().end(error)
