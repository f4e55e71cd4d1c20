"""Continuation streams: bytes between the two applications of one continuation."""

from __future__ import annotations

import errno
import io
import os

from . import errors
from ._handles import extern
from ._native import ffi, lib
from .outcome import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

    from typing_extensions import Self


def lost(descriptor: int) -> errors.Error:
    """The error with which the stream of an input was lost, after ECONNRESET."""
    out = ffi.new("segue_error **")
    lib.segue_stream_copy_error(descriptor, out)
    if not out[0]:
        return errors.UnavailableError(
            "The stream was cut off.", errors.ErrorCode.CONNECTION_UNAVAILABLE, errno=errno.ECONNRESET)
    try:
        return errors.exception(out[0], errno.ECONNRESET)
    finally:
        lib.segue_error_unref(out[0])


class _Input(io.FileIO):
    def readinto(self, buffer: Any) -> int:
        try:
            return super().readinto(buffer) or 0
        except ConnectionResetError:
            raise lost(self.fileno()) from None

    def readall(self) -> bytes:
        try:
            return super().readall()
        except ConnectionResetError:
            raise lost(self.fileno()) from None


class _Output(io.FileIO):
    def write(self, data: Any) -> int:
        """Writes all data; on a non-blocking descriptor, as much as fits, and BlockingIOError then says how much."""
        view = memoryview(data).cast("B")
        count = len(view)
        while view:
            written = super().write(view)
            if written is None:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN), count - len(view))
            view = view[written:]
        return count


class Streams:
    """This application's ends of a stream: the other one reads from its `input` what this one writes to `output`.

    Both are files of bytes, which this application must close: in a `with` statement, by `close`, or each by itself. A
    closed output is the end of file for the other side; after a closed input the other side's writes raise
    BrokenPipeError. An input whose stream was lost raises UnavailableError once all bytes that have arrived are read.
    For asyncio: segue.aio.open_streams.
    """

    def __init__(self, input: int, output: int) -> None:
        self.input = io.BufferedReader(_Input(input, "rb"))
        #: The output is not buffered: bytes that are written are on their way.
        self.output: io.FileIO = _Output(output, "wb")

    def detach(self) -> tuple[int, int]:
        """Two descriptors, input and output, for the caller to close; this object is closed. Call it before anything is
        read: bytes in the input's buffer are lost."""
        with self:
            return os.dup(self.input.fileno()), os.dup(self.output.fileno())

    def close(self) -> None:
        self.input.close()
        self.output.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class StreamsOutcome(Outcome):
    """The outcome of a request for streams. Awaiting it gives them."""

    #: The streams, once the outcome is done and has not failed.
    streams: Streams | None = None

    def __await__(self) -> Generator[Any, None, Streams]:
        yield from super().__await__()
        assert self.streams is not None
        return self.streams


@extern("segue_streams")
def _came(activity: Any, input: int, output: int, error: Any, userdata: Any) -> None:
    _, outcome = ffi.from_handle(userdata)
    if not error:
        outcome.streams = Streams(input, output)
    outcome.end(errors.exception(error) if error else None)
