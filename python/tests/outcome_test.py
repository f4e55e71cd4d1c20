"""Outcomes: when they are done, and who is notified."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

import pytest
import segue
import segue.aio
import segue.continuation
from support import Loop, View

from harness.bounds import SECONDS


class Oops(Exception):
    pass


def offered(origin: segue.Application, declared: Any) -> None:
    segue.Activity(origin, declared.type, title="Page", user_info={"line": 42}).become_current()


def test_aFunctionThatRaisesLosesNoOther(origin: segue.Application, declared: Any, loop: Loop) -> None:
    told: list[str] = []

    def fail(outcome: segue.Outcome) -> None:
        told.append("first")
        raise Oops

    outcome = origin.delete_all_saved()
    outcome.when_done(fail)
    outcome.when_done(lambda outcome: told.append("second"))
    with pytest.raises(Oops):
        loop.until(lambda: outcome.is_done)
    assert told == ["first", "second"] and outcome.error is None


def test_aFunctionThatRaisesLeavesNobodyWaiting(origin: segue.Application, declared: Any) -> None:
    errors: list[Exception] = []
    origin.exception_handler = errors.append

    def fail(outcome: segue.Outcome) -> None:
        raise Oops

    async def main() -> None:
        with segue.aio.attach(origin):
            outcome = origin.delete_all_saved()
            outcome.when_done(fail)
            await asyncio.wait_for(outcome, SECONDS)

    asyncio.run(main())
    assert [type(error) for error in errors] == [Oops]


def test_aFunctionThatRaisesWhenAllIsClosed(origin: segue.Application) -> None:
    told: list[segue.Outcome] = []

    def fail(outcome: segue.Outcome) -> None:
        raise Oops

    outcome = origin.delete_all_saved()
    outcome.when_done(fail)
    outcome.when_done(told.append)
    with pytest.raises(Oops):
        origin.close()
    assert told == [outcome] and isinstance(outcome.error, segue.Error)


def test_itCanBeAwaitedInAnotherThread(origin: segue.Application, loop: Loop) -> None:
    outcome = origin.delete_all_saved()
    waiting = threading.Event()
    ends: list[segue.Outcome] = []

    async def main() -> None:
        asyncio.get_running_loop().call_soon(waiting.set)
        await outcome
        ends.append(outcome)

    thread = threading.Thread(target=asyncio.run, args=[main()], daemon=True)
    thread.start()
    assert waiting.wait(SECONDS)
    loop.until(lambda: outcome.is_done)
    thread.join(SECONDS)
    assert ends == [outcome]


def test_whoAwaitedItHasGone(origin: segue.Application, loop: Loop) -> None:
    outcome = origin.delete_all_saved()

    async def wait() -> None:
        await outcome

    elsewhere = asyncio.new_event_loop()
    task = elsewhere.create_task(wait())
    elsewhere.run_until_complete(asyncio.sleep(0))
    elsewhere.close()
    loop.until(lambda: outcome.is_done)
    assert not task.done()


@pytest.mark.parametrize("moment", range(6))
def test_whoAsksInTheMomentThatItIsDone(origin: segue.Application, moment: int) -> None:
    """The outcome ends at any line of when_done, as another thread may end it unless the lock prevents that."""
    outcome = segue.outcome.Outcome(origin)
    told: list[segue.Outcome] = []
    moments = iter(range(moment + 1))

    def at_line(frame: Any, event: str, argument: Any) -> Any:
        if event == "line" and next(moments, None) == moment and not outcome._lock.locked():
            outcome.end()
        return at_line

    former = sys.gettrace()
    sys.settrace(at_line)
    try:
        outcome.when_done(told.append)
    finally:
        sys.settrace(former)
    outcome.end()
    assert told == [outcome]


# The outcome of a restoration.


def test_itIsNotDoneWhileTheRestoreRuns(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another thread calls the restoration handler, and the object restores before that call is back."""
    restoring, called = threading.Event(), threading.Event()
    outcomes: list[segue.Outcome] = []
    was_done: list[bool] = []

    class Slow(View):
        def restore_user_activity_state(self, activity: segue.Activity) -> None:
            restoring.set()
            assert called.wait(SECONDS)
            was_done.append(outcomes[0].is_done)

    class Library:
        def __getattr__(self, name: str) -> Any:
            return getattr(segue._native.lib, name)

        def segue_restoration_restore(self, *arguments: Any) -> int:
            result: int = segue._native.lib.segue_restoration_restore(*arguments)
            assert restoring.wait(SECONDS)
            return result

    kept: list[segue.Restoration] = []

    @target.on_continue
    def resume(arrived: segue.Activity, restoration: segue.Restoration) -> bool:
        kept.append(restoration)
        return True

    offered(origin, declared)
    command = lap.take(loop.offer(lap, declared))
    loop.until(lambda: kept)
    monkeypatch.setattr(segue.continuation, "lib", Library())
    slow = Slow(target)

    def restore() -> None:
        outcomes.append(kept[0](slow))
        called.set()

    thread = threading.Thread(target=restore)
    thread.start()
    loop.until(lambda: was_done)
    thread.join()
    assert was_done == [False] and outcomes[0].is_done
    assert loop.result(command) == (0, "")


def test_restoringByHandIsNotTheTurnOfTheRestoration(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    outcomes: list[segue.Outcome] = []
    was_done: list[bool] = []

    class Watching(View):
        def restore_user_activity_state(self, activity: segue.Activity) -> None:
            super().restore_user_activity_state(activity)
            was_done.append(outcomes[0].is_done)

    view = Watching(target)

    @target.on_continue
    def resume(arrived: segue.Activity, restoration: segue.Restoration) -> bool:
        outcomes.append(restoration(view))
        view.restore(arrived)
        return True

    offered(origin, declared)
    assert loop.take(lap, declared) == (0, "")
    assert was_done == [False, False] and outcomes[0].is_done


def test_aRestorationWithoutObjectsIsDoneAtOnce(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    was_done: list[bool] = []

    @target.on_continue
    def resume(arrived: segue.Activity, restoration: segue.Restoration) -> bool:
        was_done.append(restoration().is_done)
        return True

    offered(origin, declared)
    assert loop.take(lap, declared) == (0, "")
    assert was_done == [True]
