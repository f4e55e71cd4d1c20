"""Code that the adapters of main loops share."""

from __future__ import annotations

import sys
from collections.abc import Callable

from . import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import Self

    from .application import Application


def show(error: BaseException) -> None:
    """Shows an exception of a callback, if the loop has no exception handler of its own."""
    sys.excepthook(type(error), error, error.__traceback__)


class Attachment:
    """An application in a main loop, until `close`, the end of a `with` statement, or the application's own end."""

    def __init__(
        self, application: Application, exception_handler: Callable[[Exception], object], leave: Callable[[], object]
    ) -> None:
        self._application = application
        self._leave: Callable[[], object] | None = leave
        #: Whether the attachment, and not the program, has set the application's exception handler.
        self._handles_exceptions = application.exception_handler is None
        if self._handles_exceptions:
            application.exception_handler = exception_handler
        application._attachment = self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Takes the application out of the loop. Closing twice is fine."""
        leave, self._leave = self._leave, None
        if leave is None:
            return
        leave()
        self._application._attachment = None
        self._application._spawn = None
        if self._handles_exceptions:
            self._application.exception_handler = None


def descriptor(application: Application) -> int:
    """The descriptor for a loop to watch; raises MisuseError if the application is in a main loop already."""
    if application._attachment is not None:
        raise errors.MisuseError("The application is in a main loop already.")
    return application.fileno()
