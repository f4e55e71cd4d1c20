"""An application in asyncio's loop.

    async def main():
        with segue.Application("org.example.Notes") as app, segue.aio.attach(app):
            @app.on_continue
            async def resume(activity, restoration):
                view = await open_page(activity.user_info["page"])
                await restoration(view)

            app.ready()
            ...

What callbacks raise goes to the loop's exception handler.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ._attachment import Attachment, descriptor

if TYPE_CHECKING:
    from .application import Application

__all__ = ["Attachment", "attach"]


def attach(application: Application, loop: asyncio.AbstractEventLoop | None = None) -> Attachment:
    """Has the loop dispatch the application; without a loop, the running one. Callbacks may be coroutines then."""
    watching = loop or asyncio.get_running_loop()
    number = descriptor(application)
    # A loop keeps its tasks by weak references only.
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
        # What a forked child takes out of its epoll, it takes out of its parent's, which goes on.
        if os.getpid() == application._process:
            watching.remove_reader(number)

    watching.add_reader(number, application.dispatch)
    attachment = Attachment(application, report, leave)
    application._spawn = spawn
    return attachment
