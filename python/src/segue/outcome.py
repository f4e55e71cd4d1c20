"""Results that are known later: that an operation has succeeded, or that it has failed."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Generator

from . import errors
from ._handles import caught

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from typing import Any

    from .application import Application


class Outcome:
    """The outcome of an operation that goes on in the background. Every thread may read it, give it a function to call,
    or await it in asyncio."""

    def __init__(self, application: Application) -> None:
        #: The application, which gets the exceptions of the functions.
        self._application = application
        self._lock = allocate_lock()
        self._is_done = False
        self._error: BaseException | None = None
        self._waiting: list[Callable[[Outcome], None]] = []

    @property
    def is_done(self) -> bool:
        return self._is_done

    @property
    def error(self) -> BaseException | None:
        """The error with which the operation failed; None before it is done, and if it has succeeded."""
        return self._error

    def when_done(self, function: Callable[[Outcome], None]) -> None:
        """Calls the function with this outcome, in the application's dispatch, or at once if it is done already. An
        exception in dispatch is treated as that of a callback, and the other functions are called all the same."""
        with self._lock:
            if not self._is_done:
                self._waiting.append(function)
                return
        function(self)

    def end(self, error: BaseException | None = None) -> None:
        """Says that the operation has succeeded or failed; for the code that makes the outcome."""
        with self._lock:
            if self._is_done:
                return
            self._error = error
            self._is_done = True
            waiting, self._waiting = self._waiting, []
        for function in waiting:
            with caught(self._application):
                function(self)

    def __await__(self) -> Generator[Any, None, Any]:
        # The import costs nothing here: code that awaits has imported asyncio.
        import asyncio

        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        self.when_done(lambda outcome, loop=loop, future=future: _settle(loop, future, outcome))  # type: ignore[misc]
        try:
            yield from future
        finally:
            # An exception that is raised here keeps this frame, and both of these objects keep the exception.
            del self, future


def _settle(loop: asyncio.AbstractEventLoop, future: asyncio.Future[None], outcome: Outcome) -> None:
    """Settles the future by the outcome, in the loop's thread, which may be another one than the application's."""
    def settle() -> None:
        if future.done():
            return
        if outcome.error is None:
            future.set_result(None)
        else:
            future.set_exception(_raisable(outcome.error))

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        pass  # The loop is closed: no task waits any more.


def _raisable(error: BaseException) -> BaseException:
    """A copy of an error, to be raised: the frames that it passes often hold the outcome, which keeps the error
    itself."""
    if not isinstance(error, errors.Error):
        return error
    import copy

    return copy.copy(error)
