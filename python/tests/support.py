"""Helpers that the tests share."""

from __future__ import annotations

import os
import pathlib
import select
import sys
from collections.abc import Callable
from typing import Any

import segue

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# The path comes after this directory, which has files of the same names.
sys.path.append(str(ROOT / "Tests" / "system"))
# The window is no part of the package.
sys.path.append(str(ROOT / "desktop"))

# Programs that a bus launches shall find the Python that runs the tests, and the package with it.
os.environ["PATH"] = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

from harness.device import matches  # noqa: E402
from harness.waiting import wait_for  # noqa: E402


class Loop:
    """Dispatches the applications of a test until something has come."""

    def __init__(self) -> None:
        self.applications: list[segue.Application] = []

    def until(self, condition: Callable[[], object], others: dict[int, Callable[[], object]] | None = None) -> None:
        """Dispatches until the condition holds. `others`: further descriptors, each with a function for readability."""
        watched = others or {}

        def dispatch(seconds: float) -> None:
            live = [application for application in self.applications if not application.is_closed]
            for ready in select.select([*live, *watched], [], [], seconds)[0]:
                if not isinstance(ready, segue.Application):
                    watched[ready]()
                elif not ready.is_closed:
                    ready.dispatch()

        wait_for(condition, "what the test waits for", dispatch)

    def offer(self, device: Any, declared: Any, **wanted: object) -> Any:
        """Waits for an offer of the application on a device."""
        watch = device.watch
        found: list[Any] = []

        def is_there() -> bool:
            found[:] = [
                offer for offer in device.offers_of(declared) if offer["local-app"] and matches(offer, wanted)]
            return bool(found)

        def read() -> None:
            watch.take(watch.lines.next())
            while b"\n" in watch.lines.buffer:
                watch.take(watch.lines.next())

        self.until(is_there, {watch.lines.descriptor: read})
        return found[0]

    def take(self, device: Any, declared: Any, **wanted: object) -> tuple[int, str]:
        """Lets the user take an offer; returns the command's status, and its message if it failed."""
        return self.result(device.take(self.offer(device, declared, **wanted)))

    def result(self, command: Any) -> tuple[int, str]:
        handle = os.pidfd_open(command.process.pid)
        ended: list[bool] = []
        try:
            self.until(lambda: ended, {handle: lambda: ended.append(True)})
        finally:
            os.close(handle)
        status, _, error = command.result()
        return status, error


def rests(pid: int) -> None:
    """Waits until a program does nothing: one that draws an animation wakes sixty times a second."""
    def wakings() -> str:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        return next(line for line in status.splitlines() if line.startswith("voluntary_ctxt_switches"))

    def is_asleep() -> bool:
        before = wakings()
        select.select([], [], [], 0.2)
        return wakings() == before

    wait_for(is_asleep, "the program's rest")


def address(device: Any) -> str:
    return str(device.environment["DBUS_SESSION_BUS_ADDRESS"])


class View(segue.Responder):
    """A responder that holds a line number."""

    def __init__(self, application: segue.Application, line: int = 0) -> None:
        super().__init__(application)
        self.line = line
        self.restored: list[segue.Activity] = []

    def update_user_activity_state(self, activity: segue.Activity) -> None:
        activity.user_info["line"] = self.line

    def restore_user_activity_state(self, activity: segue.Activity) -> None:
        self.line = activity.user_info["line"]
        self.restored.append(activity)
