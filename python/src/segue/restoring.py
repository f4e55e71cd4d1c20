"""The states that an earlier run of the application has stored, for windows that come back."""

from __future__ import annotations

from . import errors
from ._handles import extern
from ._native import ffi
from .activity import Activity
from .outcome import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from .application import Application

#: The most states that the library gives.
MOST = 64


class StatesOutcome(Outcome):
    """The outcome of `Application.last_states`. Awaiting it gives the list."""

    def __init__(self, application: Application) -> None:
        super().__init__(application)
        #: The activities, that of the latest state first; filled once the outcome is done.
        self.activities: list[Activity] = []

    def __await__(self) -> Generator[Any, None, Any]:
        yield from super().__await__()
        return self.activities


class StateOutcome(StatesOutcome):
    """The outcome of `Application.last_state`. Awaiting it gives the activity, or None."""

    @property
    def activity(self) -> Activity | None:
        """The activity, once the outcome is done; None where nothing is stored."""
        return self.activities[0] if self.activities else None

    def __await__(self) -> Generator[Any, None, Any]:
        yield from super().__await__()
        return self.activity


@extern("segue_states")
def _came(pointer: Any, activities: Any, count: int, error: Any, userdata: Any) -> None:
    application, outcome = ffi.from_handle(userdata)
    outcome.activities = [Activity._of(activities[index], application) for index in range(count)]
    outcome.end(errors.exception(error) if error else None)
