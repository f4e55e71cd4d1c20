"""An application in asyncio's loop.

    async def main():
        with segue.Application("org.example.Notes") as app, segue.aio.attach(app):
            @app.on_continue
            async def resume(activity, restoration):
                view = await open_page(activity.user_info["page"])
                await restoration(view)

            app.ready()
            ...

Exceptions of callbacks go to the loop's exception handler. `open_streams` makes asyncio streams of continuation
streams.
"""

from __future__ import annotations

import asyncio
import os
import socket
import stat
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ._attachment import Attachment, descriptor
from .stream import lost

if TYPE_CHECKING:
    from .application import Application
    from .stream import Streams

__all__ = ["Attachment", "StreamReader", "attach", "open_streams"]


def attach(application: Application, loop: asyncio.AbstractEventLoop | None = None) -> Attachment:
    """Lets a loop, by default the running one, dispatch the application. Callbacks may then be coroutines."""
    watching = loop or asyncio.get_running_loop()
    number = descriptor(application)
    # This set keeps the tasks: a loop keeps only weak references to them.
    tasks: set[asyncio.Future[Any]] = set()

    def report(error: BaseException) -> None:
        watching.call_exception_handler({
            "message": f"A callback of the application {application.app_id} raised", "exception": error})

    def spawn(coroutine: Awaitable[Any], ended: Callable[[BaseException | None], None] | None) -> None:
        task = asyncio.ensure_future(coroutine, loop=watching)
        tasks.add(task)

        def done(task: asyncio.Future[Any]) -> None:
            tasks.discard(task)
            error = asyncio.CancelledError() if task.cancelled() else task.exception()
            if ended is not None:
                ended(error)
            if error is not None and not task.cancelled():
                report(error)

        task.add_done_callback(done)

    def leave() -> None:
        # A forked child shares the epoll of its parent, which goes on: removing the reader here would remove it there.
        if os.getpid() == application._process:
            watching.remove_reader(number)

    watching.add_reader(number, application.dispatch)
    attachment = Attachment(application, report, leave)
    application._spawn = spawn
    return attachment


class StreamReader(asyncio.StreamReader):
    """An input. If its stream was lost, it gives the bytes that have arrived, and then raises UnavailableError."""

    _lost: BaseException | None = None
    _input: asyncio.BaseTransport | None = None

    def close(self) -> None:
        """Stops reading: writes of the other side raise BrokenPipeError there from now on."""
        if self._input is not None:
            self._input.close()

    # asyncio's own method would make reads raise before they give the bytes that have arrived.
    def set_exception(self, exc: BaseException) -> None:
        if isinstance(exc, ConnectionResetError) and self._input is not None:
            exc = lost(self._input.get_extra_info("socket").fileno())
        self._lost = exc
        self.feed_eof()

    async def read(self, n: int = -1) -> bytes:
        data = await super().read(n)
        if not data and n != 0 and self._lost is not None:
            raise self._lost
        return data

    async def readexactly(self, n: int) -> bytes:
        try:
            return await super().readexactly(n)
        except asyncio.IncompleteReadError as error:
            raise self._lost or error from error

    async def readuntil(self, separator: Any = b"\n") -> bytes:
        try:
            return await super().readuntil(separator)
        except asyncio.IncompleteReadError as error:
            raise self._lost or error from error


class _Protocol(asyncio.StreamReaderProtocol):
    def eof_received(self) -> bool:
        super().eof_received()
        # The transport may close: nothing is ever written to such a socket.
        return False


async def open_streams(streams: Streams) -> tuple[StreamReader, asyncio.StreamWriter]:
    """Makes asyncio streams of an application's ends of a stream, from which nothing has been read yet."""
    loop = asyncio.get_running_loop()
    input, output = streams.detach()
    reader = StreamReader(loop=loop)
    protocol = _Protocol(reader, loop=loop)
    transport: asyncio.BaseTransport
    if stat.S_ISSOCK(os.fstat(input).st_mode):
        transport, _ = await loop.create_unix_connection(lambda: protocol, sock=socket.socket(fileno=input))
    else:
        transport, _ = await loop.connect_read_pipe(lambda: protocol, os.fdopen(input, "rb", 0))
    reader._input = transport
    ending = asyncio.StreamReaderProtocol(asyncio.StreamReader(loop=loop), loop=loop)
    writing, _ = await loop.connect_write_pipe(lambda: ending, os.fdopen(output, "wb", 0))
    return reader, asyncio.StreamWriter(writing, ending, None, loop)
