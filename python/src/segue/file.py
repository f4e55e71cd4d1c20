"""Files that an activity's userInfo names, brought from the device that the activity comes from."""

from __future__ import annotations

from collections.abc import Callable

from . import errors
from ._handles import caught, extern
from ._native import ffi
from .outcome import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path
    from typing import Any

    from .activity import Activity


class BroughtFile:
    """A file that has been brought to this device."""

    def __init__(self, path: Path, size: int, sha256: bytes | None) -> None:
        #: The path, in a directory of its own, with the file's name. The cache removes old copies: open, link or move
        #: the file at once.
        self.path = path
        self.size = size
        #: The SHA-256 of a copy, or None for the file itself, in a folder that both devices share or on the same
        #: device.
        self.sha256 = sha256

    def __repr__(self) -> str:
        return f"<segue.BroughtFile {str(self.path)!r} {self.size}>"


class FileOutcome(Outcome):
    """The outcome of bringing a file. Awaiting it gives the file; cancelling the task that awaits it ends the
    transfer."""

    #: The file, once the outcome is done and has not failed.
    file: BroughtFile | None = None

    def __init__(self, activity: Activity, url: str, progress: Callable[[int, int], object] | None) -> None:
        super().__init__(activity.application)
        self._activity = activity
        self._url = url
        self._progress = progress

    def cancel(self) -> None:
        """Ends the transfer, on the application's thread; the outcome has CancelledError's code. Does nothing if the
        outcome is done."""
        if not self.is_done:
            self._activity.cancel_file(self._url)

    def __await__(self) -> Generator[Any, None, BroughtFile]:
        try:
            yield from super().__await__()
        except BaseException:
            self.cancel()
            raise
        assert self.file is not None
        return self.file


@extern("segue_file_progress")
def _progressed(activity: Any, done: int, size: int, userdata: Any) -> None:
    application, outcome = ffi.from_handle(userdata)
    if outcome._progress is not None:
        with caught(application):
            outcome._progress(done, size)


@extern("segue_file")
def _ended(activity: Any, path: Any, size: int, sha256: Any, error: Any, userdata: Any) -> None:
    _, outcome = ffi.from_handle(userdata)
    if not error:
        from pathlib import Path

        digest = bytes(ffi.buffer(sha256, 32)) if sha256 else None
        outcome.file = BroughtFile(Path(errors.text(path)), size, digest)
    outcome.end(errors.exception(error) if error else None)
