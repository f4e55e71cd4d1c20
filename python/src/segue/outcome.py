"""What is known later: that something was done, or that it failed."""

from __future__ import annotations

from collections.abc import Callable, Generator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Outcome:
    """Of something that goes on by itself. Ask it, give it a function to call, or await it in asyncio."""

    def __init__(self) -> None:
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
        """Has the function called with this, in the application's dispatch; at once where it is done already."""
        if self._is_done:
            function(self)
        else:
            self._waiting.append(function)

    def end(self, error: BaseException | None = None) -> None:
        """For who makes it: it is done, or has failed."""
        if self._is_done:
            return
        self._is_done = True
        self._error = error
        waiting, self._waiting = self._waiting, []
        for function in waiting:
            function(self)

    def __await__(self) -> Generator[Any, None, None]:
        # Whoever awaits has imported it.
        import asyncio

        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def end(_: Outcome) -> None:
            if future.done():
                return
            if self._error is None:
                future.set_result(None)
            else:
                future.set_exception(self._error)

        self.when_done(end)
        yield from future
