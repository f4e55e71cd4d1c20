"""What is known later: that something was done, or that it failed."""

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
    """Of something that goes on by itself. On any thread: ask it, give it a function to call, or await it in asyncio."""

    def __init__(self, application: Application) -> None:
        #: Gets what the functions raise.
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
        """Why it failed; None while it has not, and where it has not."""
        return self._error

    def when_done(self, function: Callable[[Outcome], None]) -> None:
        """Has the function called with this, in the application's dispatch; at once where it is done already. What it
        raises there goes where that of callbacks goes, and the other functions are called all the same."""
        with self._lock:
            if not self._is_done:
                self._waiting.append(function)
                return
        function(self)

    def end(self, error: BaseException | None = None) -> None:
        """For who makes it: it is done, or has failed."""
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
        # Whoever awaits has imported it.
        import asyncio

        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        self.when_done(lambda outcome, loop=loop, future=future: _settle(loop, future, outcome))  # type: ignore[misc]
        try:
            yield from future
        finally:
            # What is raised keeps this frame, and both of these keep what is raised.
            del self, future


def _settle(loop: asyncio.AbstractEventLoop, future: asyncio.Future[None], outcome: Outcome) -> None:
    """Hands on how it ended to who awaits it; the application's thread may be another one than the loop's."""
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
        pass  # The loop is closed, and nobody waits any more.


def _raisable(error: BaseException) -> BaseException:
    """A copy to raise: the frames that it goes through often have the outcome, which keeps the error itself."""
    if not isinstance(error, errors.Error):
        return error
    import copy

    return copy.copy(error)
