"""The same continuation in the main loops of Python programs."""

from __future__ import annotations

import asyncio
import os
import resource
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import segue
import segue.aio
from support import HERE, Loop, View

from harness.bounds import SECONDS


def offered(origin: segue.Application, declared: Any) -> segue.Activity:
    activity = segue.Activity(origin, declared.type, title="Page", user_info={"line": 42})
    activity.become_current()
    return activity


def test_aSelector(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    """An application has a fileno, which is all that a loop wants."""
    offered(origin, declared)
    offer = loop.offer(lap, declared)
    there = View(target)
    target.on_continue(lambda arrived, restoration: restoration(there) is not None)
    command = lap.take(offer)
    with selectors.DefaultSelector() as selector:
        for application in (origin, target):
            selector.register(application, selectors.EVENT_READ, application.dispatch)
        while not there.restored:
            ready = selector.select(SECONDS)
            assert ready
            for key, _ in ready:
                key.data()
    assert there.line == 42
    assert loop.result(command) == (0, "")


def test_waitAndRun(origin: segue.Application) -> None:
    before = time.monotonic()
    while origin.wait(0):
        pass
    assert origin.wait(0.05) == 0 and time.monotonic() - before >= 0.05
    origin.wake()
    assert origin.wait() == 0
    # A signal's handler runs while it waits.
    former = signal.signal(signal.SIGALRM, lambda number, frame: origin.quit())
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        origin.run()
    finally:
        signal.signal(signal.SIGALRM, former)


def test_keyboardInterruptEndsRun(origin: segue.Application) -> None:
    # A shell that runs the tests in the background may have made them ignore the signal.
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    waiting = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    waiting.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            origin.run()
    finally:
        waiting.join()
        signal.signal(signal.SIGINT, former)
    assert origin.state == segue.ApplicationState.REGISTERED


def test_aHighDescriptor(open_application: Callable[..., segue.Application], desk: Any) -> None:
    """select, unlike poll, takes no descriptor over 1,023."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    taken = [os.open(os.devnull, os.O_RDONLY)]
    try:
        while taken[-1] <= 1023:
            taken.append(os.dup(taken[0]))
        with segue.Application("org.segue.test.High", bus_address="unix:path=/nonexistent") as application:
            assert application.fileno() > 1023
            while application.wait(0):
                pass
            application.wake()
            assert application.wait() == 0
    finally:
        for number in taken:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("timeout, error", [(-1, ValueError), (float("nan"), ValueError), ("1", TypeError)])
def test_aTimeoutThatIsNone(origin: segue.Application, timeout: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        origin.wait(timeout)


@pytest.mark.parametrize("timeout", [None, SECONDS, 1e300, float("inf")])
def test_aSignalsHandlerCloses(origin: segue.Application, timeout: float | None) -> None:
    former = signal.signal(signal.SIGALRM, lambda number, frame: origin.close())
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        while not origin.is_closed:
            origin.wait(timeout)
    finally:
        signal.signal(signal.SIGALRM, former)


def test_aSignalsHandlerClosesWhatRuns(origin: segue.Application) -> None:
    former = signal.signal(signal.SIGALRM, lambda number, frame: origin.close())
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        origin.run()
    finally:
        signal.signal(signal.SIGALRM, former)
    assert origin.is_closed


def asyncio_exceptions(loop: asyncio.AbstractEventLoop) -> list[dict[str, Any]]:
    contexts: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda loop, context: contexts.append(context))
    return contexts


async def ended(command: Any) -> tuple[int, str]:
    status, _, error = await asyncio.to_thread(command.result)
    return status, error


class LateView(View):
    """Its restoring takes time, as loading a page does."""

    async def restore_user_activity_state(self, activity: segue.Activity) -> None:  # type: ignore[override]
        await asyncio.sleep(0.01)
        super().restore_user_activity_state(activity)


def test_asyncio(origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop) -> None:
    offered(origin, declared)
    offer = loop.offer(lap, declared)

    async def main() -> None:
        done: asyncio.Future[list[int]] = asyncio.get_running_loop().create_future()
        early, late = View(target), LateView(target)

        @target.on_continue
        async def resume(arrived: segue.Activity, restoration: segue.Restoration) -> None:
            await asyncio.sleep(0.01)
            outcome = restoration(early, late)
            assert not outcome.is_done
            await outcome
            # Awaiting it once more does the same.
            await outcome
            done.set_result([early.line, late.line])

        with segue.aio.attach(origin), segue.aio.attach(target):
            assert await ended(lap.take(offer)) == (0, "")
            assert await asyncio.wait_for(done, SECONDS) == [42, 42]
            with pytest.raises(segue.MisuseError):
                segue.aio.attach(origin)
        # Once out of the loop, the applications are free for another one.
        segue.aio.attach(origin).close()

    asyncio.run(main())


def test_asyncioHearsOfExceptions(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    activity = offered(origin, declared)
    offer = loop.offer(lap, declared)

    def fail() -> None:
        raise KeyError("in will_save")

    async def main() -> None:
        contexts = asyncio_exceptions(asyncio.get_running_loop())
        failed = asyncio.Event()

        @target.on_continue
        async def resume(arrived: segue.Activity, restoration: segue.Restoration) -> None:
            failed.set()
            raise ValueError("in a coroutine")

        segue.aio.attach(origin)
        segue.aio.attach(target)
        activity.on_will_save(fail)
        activity.needs_save = True
        # The activity was taken, and no object restores.
        assert await ended(lap.take(offer)) == (0, "")
        await asyncio.wait_for(failed.wait(), SECONDS)
        await asyncio.sleep(0)
        assert {type(context["exception"]) for context in contexts} == {KeyError, ValueError}
        # Closing takes the application out of the loop, before its descriptor's number is reused.
        target.close()
        origin.close()

    asyncio.run(main())


def test_asyncioEndsWithWhatIsNoError(origin: segue.Application, declared: Any) -> None:
    activity = offered(origin, declared)

    def leave() -> None:
        raise SystemExit(3)

    async def main() -> None:
        segue.aio.attach(origin)
        activity.on_will_save(leave)
        activity.needs_save = True
        await asyncio.sleep(SECONDS)

    with pytest.raises(SystemExit):
        asyncio.run(main())


def test_asyncioDeletesStoredCopies(origin: segue.Application, declared: Any) -> None:
    async def main() -> None:
        with segue.aio.attach(origin):
            await origin.delete_saved(["page-1", "page-2"])
            await origin.delete_all_saved()
            with pytest.raises(segue.LimitExceededError):
                origin.delete_saved(["x" * 513])
            going = origin.delete_all_saved()
            told: list[segue.Outcome] = []
            going.when_done(told.append)
            origin.close()
            with pytest.raises(segue.Error):
                await going
            assert told == [going] and isinstance(going.error, segue.Error)

    asyncio.run(main())


def test_aForkedChildThatEndsLeavesTheParentInItsLoop(origin: segue.Application) -> None:
    """Parent and child share the epoll, and so its descriptors."""
    async def main() -> None:
        with segue.aio.attach(origin):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    # As at the end of the interpreter.
                    segue.application._close_all()
                    status = 0 if origin.is_closed else 2
                finally:
                    os._exit(status)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            await asyncio.wait_for(origin.delete_all_saved(), SECONDS)

    asyncio.run(main())


def test_closingEndsARestorationThatIsAwaited(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    offered(origin, declared)
    offer = loop.offer(lap, declared)

    class Endless(segue.Responder):
        async def restore_user_activity_state(self, activity: segue.Activity) -> None:
            await asyncio.get_running_loop().create_future()

    async def main() -> None:
        started: asyncio.Future[segue.Outcome] = asyncio.get_running_loop().create_future()
        endless = Endless(target)

        @target.on_continue
        async def resume(arrived: segue.Activity, restoration: segue.Restoration) -> None:
            started.set_result(restoration(endless))

        segue.aio.attach(origin)
        segue.aio.attach(target)
        assert await ended(lap.take(offer)) == (0, "")
        outcome = await asyncio.wait_for(started, SECONDS)
        target.close()
        with pytest.raises(segue.ClosedError):
            await outcome
        origin.close()

    asyncio.run(main())


def run_program(name: str, device: Any, *arguments: str) -> tuple[subprocess.Popen[str], Callable[[], str]]:
    program = subprocess.Popen(
        [sys.executable, str(HERE / "programs" / name), *arguments],
        env={**device.environment, "QT_QPA_PLATFORM": "offscreen"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True)

    def line() -> str:
        assert program.stdout
        return program.stdout.readline().rstrip("\n")

    return program, line


@pytest.mark.parametrize("name", ["glib", "PyQt5", "PyQt6", "PySide2", "PySide6"])
def test_aToolkit(
    name: str, origin: segue.Application, lap: Any, declared: Any, loop: Loop, request: pytest.FixtureRequest,
) -> None:
    module = "gi" if name == "glib" else name
    if subprocess.run([sys.executable, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode != 0:
        if name in ("glib", "PyQt5"):
            pytest.fail(f"{module} is not installed: scripts/dependencies")
        pytest.skip(f"{module} is not installed, and another binding of Qt is tested")
    offered(origin, declared)
    program, line = run_program("toolkit.py", lap, name, declared.id)
    assert line() == "ready"
    assert loop.take(lap, declared) == (0, "")
    assert line() == "line 42"
    # The exception of the restore callback was shown, and the loop went on.
    _, error = program.communicate(timeout=SECONDS)
    assert program.returncode == 0, error
    assert error.rstrip().endswith("KeyError: 'after restoring'")


@pytest.mark.parametrize("binding", ["PyQt5", "PyQt6", "PySide2", "PySide6"])
@pytest.mark.parametrize("when", ["before", "in-callback"])
def test_theParentOfQtsNotifierIsDeleted(binding: str, when: str, declared: Any, lap: Any) -> None:
    if subprocess.run([sys.executable, "-c", f"import {binding}"], stderr=subprocess.DEVNULL).returncode != 0:
        pytest.skip(f"{binding} is not installed")
    program, line = run_program("deleted_parent.py", lap, binding, declared.id, when)
    assert line() == "closed"
    _, error = program.communicate(timeout=SECONDS)
    assert (program.returncode, error) == (0, "")
