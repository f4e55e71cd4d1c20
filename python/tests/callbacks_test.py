"""Exceptions in callbacks: they surface here, and the other side gets what fits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
import segue
from support import Loop, View


class Oops(Exception):
    pass


def _fail(*arguments: object) -> None:
    raise Oops


#: A function that fails in the place of any method.
fail: Any = _fail


def offered(origin: segue.Application, declared: Any) -> segue.Activity:
    activity = segue.Activity(origin, declared.type, title="Page", user_info={"line": 3})
    activity.become_current()
    return activity


def taking(came: list[Any]) -> Callable[[segue.Activity, segue.Restoration], bool]:
    def resume(arrived: segue.Activity, restoration: segue.Restoration) -> bool:
        came.append(arrived)
        return True

    return resume


def handled(application: segue.Application) -> list[Exception]:
    errors: list[Exception] = []
    application.exception_handler = errors.append
    return errors


def test_inWillContinue(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    activity = offered(origin, declared)
    errors = handled(target)
    target.on_will_continue(fail)
    came: list[Any] = []
    target.on_continue(taking(came))
    assert loop.take(lap, declared) == (0, "")
    assert [type(error) for error in errors] == [Oops] and len(came) == 1
    assert not activity.is_invalid


def test_inContinueTheOtherSideHearsThatItWasNotTaken(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    activity = offered(origin, declared)
    continued: list[bool] = []
    activity.on_was_continued(lambda: continued.append(True))
    errors = handled(target)
    outcomes: list[segue.Outcome] = []

    @target.on_continue
    def resume(arrived: segue.Activity, restoration: segue.Restoration) -> bool:
        outcomes.append(restoration(View(target)))
        raise Oops

    status, message = loop.take(lap, declared)
    assert status == 1 and "could not restore" in message
    assert [type(error) for error in errors] == [Oops]
    assert isinstance(outcomes[0].error, segue.ApplicationError)
    # The second continuation is taken; a notice of the first one would have reached the origin before.
    target.on_continue(lambda arrived, restoration: True)
    assert loop.take(lap, declared) == (0, "")
    loop.until(lambda: continued)
    assert continued == [True]


def test_continueThatGivesNothing(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    activity = offered(origin, declared)
    errors = handled(target)
    target.on_continue(lambda arrived, restoration: None)
    assert loop.take(lap, declared)[0] == 1
    assert "True or False" in str(errors[0])
    assert activity.is_current


def test_inDidFail(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    activity = offered(origin, declared)
    errors = handled(target)
    told: list[segue.Error] = []
    target.on_continue(lambda arrived, restoration: True)

    @target.on_fail
    def failed(continuation: segue.Continuation, error: segue.Error) -> None:
        told.append(error)
        raise Oops

    offer = loop.offer(lap, declared)
    # The activity ends in the save that somebody waits for.
    activity.on_will_save(activity.invalidate)
    activity.needs_save = True
    status, message = loop.result(lap.take(offer))
    assert status == 1 and [type(error) for error in errors] == [Oops]
    [error] = told
    assert error.code in (segue.ErrorCode.INVALIDATED, segue.ErrorCode.HANDOFF_FAILED)
    assert error.message in message and error.name.startswith("org.segue.Error.")


def test_inUpdateItsOwnPartIsLeftOut(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    class Half(segue.Responder):
        def update_user_activity_state(self, activity: segue.Activity) -> None:
            activity.user_info.update(half=1, line=-1)
            raise Oops

    errors = handled(origin)
    lines: list[list[str]] = [[], []]
    for application, said in zip((origin, target), lines):
        application.on_log(said.append)
    activity = segue.Activity(origin, declared.type)
    first, second, third = View(origin, 5), Half(origin), Half(origin)
    for responder in (first, second, third):
        responder.user_activity = activity
    activity.needs_save = True
    there = View(target)

    @target.on_continue
    def resume(arrived: segue.Activity, restoration: segue.Restoration) -> bool:
        restoration(there)
        return True

    assert loop.take(lap, declared) == (0, "")
    # The application that continues it learns which part is missing, so that it need not start from the beginning.
    assert there.restored[0].user_info == {"line": 5, segue.UNSAVED_KEY: ["Half"]}
    assert there.restored[0].unsaved == ["Half"]
    assert {type(error) for error in errors} == {Oops} and len(errors) >= 2
    assert f"{declared.type} is saved without the part of Half, which raised Oops: " in lines[0]
    assert [line.partition(":")[0] for line in lines[1]] == [f"{declared.type} has come without the parts of Half"]


@pytest.mark.parametrize("member", ["will_save", "did_update"])
def test_inTheRestOfARound(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop, member: str,
) -> None:
    errors = handled(origin)
    activity = offered(origin, declared)
    if member == "will_save":
        activity.on_will_save(fail)
    else:
        origin.on_update(fail)
    activity.needs_save = True
    came: list[Any] = []
    target.on_continue(taking(came))
    assert loop.take(lap, declared) == (0, "")
    assert came[0].user_info == {"line": 3, segue.UNSAVED_KEY: [member]} and came[0].unsaved == [member]
    assert {type(error) for error in errors} == {Oops}
    # The state is whole when it is saved another time.
    (activity.on_will_save if member == "will_save" else origin.on_update)(lambda *arguments: None)
    activity.needs_save = True
    assert loop.take(lap, declared) == (0, "")
    assert came[1].user_info == {"line": 3} and came[1].unsaved == []


def test_whatAnotherDeviceSaysIsUnsavedIsNamesOnly(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    came: list[Any] = []
    lines: list[str] = []
    target.on_log(lines.append)
    target.on_continue(taking(came))
    for number, said in enumerate(["Place", 7, {"a": 1}, ["\x1b[2J", "a b", "x" * 101, 7, "Place"]]):
        activity = segue.Activity(
            origin, declared.type, title=f"Page {number}", user_info={segue.UNSAVED_KEY: said})
        activity.become_current()
        assert loop.take(lap, declared, title=f"Page {number}") == (0, "")
    assert [activity.unsaved for activity in came] == [[], [], [], ["Place"]]
    assert len(lines) == 1 and "\x1b" not in lines[0]


@pytest.mark.parametrize(("answer", "code"), [
    (fail, segue.ErrorCode.ACCESS_DENIED), (lambda version: None, segue.ErrorCode.ACCESS_DENIED),
    (lambda version: False, segue.ErrorCode.ACCESS_DENIED),
    (lambda version: segue.VersionVerdict.MISMATCH, segue.ErrorCode.VERSION_MISMATCH)])
def test_inCheckVersionItIsRefused(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
    answer: Callable[[int], Any], code: segue.ErrorCode,
) -> None:
    errors = handled(origin)
    activity = offered(origin, declared)
    activity.on_check_version(answer)
    told: list[segue.Error] = []
    target.on_continue(lambda arrived, restoration: True)
    target.on_fail(lambda continuation, error: told.append(error))
    assert loop.take(lap, declared)[0] == 1
    [error] = told
    assert error.code == code and error.advice and error.message in str(error)
    expected = segue.AccessDeniedError if code == segue.ErrorCode.ACCESS_DENIED else segue.VersionError
    assert type(error) is expected
    assert len(errors) == (1 if answer is fail or answer(0) is None else 0)


def test_inRestoreTheOthersRestore(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    class Broken(segue.Responder):
        restore_user_activity_state = fail

    errors = handled(target)
    offered(origin, declared)
    broken, whole = Broken(target), View(target)
    outcomes: list[segue.Outcome] = []

    @target.on_continue
    def resume(arrived: segue.Activity, restoration: segue.Restoration) -> bool:
        outcomes.append(restoration(broken, whole))
        return True

    assert loop.take(lap, declared) == (0, "")
    assert whole.line == 3 and [type(error) for error in errors] == [Oops]
    assert outcomes[0].is_done and outcomes[0].error is None


def test_inOpenDocumentAndMakeWindowAndAWindow(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    class Window(segue.Window):
        prefers_content = can_show_content = continue_activity = fail

    activity = offered(origin, declared)
    activity.target_content_identifier = "message-1"
    errors = handled(target)
    window = Window(target)
    target.main_window = window
    target.on_make_window(fail)
    assert loop.take(lap, declared)[0] == 1
    # Neither window took it, and none was made: it goes to the application's continue_activity, which it does not have.
    assert len(errors) == 3
    made: list[Window] = []

    @target.on_make_window
    def make(arrived: segue.Activity) -> segue.Window:
        made.append(Window(target))
        return made[0]

    assert loop.take(lap, declared)[0] == 1
    assert len(errors) == 6 and {type(error) for error in errors} == {Oops}


def test_inStateChangedAndLog(
    open_application: Callable[..., segue.Application], target: segue.Application, desk: Any, lap: Any, declared: Any,
    loop: Loop,
) -> None:
    class Strange(segue.Application):
        state_changed = log = fail
        raised: list[Exception] = []

        def exception_handler(self, error: Exception) -> None:  # type: ignore[override]
            self.raised.append(error)

    application = open_application(desk, Strange)
    assert isinstance(application, Strange) and application.raised
    count = len(application.raised)
    # The library logs that it is larger than advised.
    segue.Activity(application, declared.type, user_info={"much": "x" * 5000}).become_current()
    target.on_continue(lambda arrived, restoration: True)
    assert loop.take(lap, declared) == (0, "")
    assert len(application.raised) == count + 1


def test_itIsRaisedAgainByDispatchAndRun(
    origin: segue.Application, declared: Any, loop: Loop, monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: shown.append(error))
    responder = View(origin)
    responder.user_activity = segue.Activity(origin, declared.type)
    first, second = View(origin), View(origin)
    monkeypatch.setattr(View, "update_user_activity_state", fail)
    activity = responder.user_activity
    first.user_activity = second.user_activity = activity
    assert activity is not None
    activity.needs_save = True
    with pytest.raises(Oops):
        origin.run()
    # One exception is raised, the others are shown.
    assert [type(error) for error in shown] == [Oops, Oops]
    # The application goes on.
    assert origin.state == segue.ApplicationState.REGISTERED


def test_restoreRaisesWhatIsItsOwn(origin: segue.Application, declared: Any) -> None:
    class Broken(segue.Responder):
        def restore_user_activity_state(self, activity: segue.Activity) -> None:
            raise Oops

    with pytest.raises(Oops):
        Broken(origin).restore(segue.Activity(origin, declared.type))
    assert origin.dispatch() >= 0


def test_whatMustBeDoneAtOnceCannotBeAsync(origin: segue.Application, declared: Any, loop: Loop) -> None:
    class Late(segue.Responder):
        async def update_user_activity_state(self, activity: segue.Activity) -> None:  # type: ignore[override]
            raise AssertionError("was run")

    errors = handled(origin)
    late = Late(origin)
    late.user_activity = segue.Activity(origin, declared.type)
    late.user_activity.needs_save = True
    loop.until(lambda: errors)
    assert "update_user_activity_state cannot be async" in str(errors[0])


def test_aCoroutineWithoutALoop(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    async def resume(arrived: segue.Activity, restoration: segue.Restoration) -> None:
        raise AssertionError("was run")

    offered(origin, declared)
    errors = handled(target)
    target.on_continue(resume)
    assert loop.take(lap, declared)[0] == 1
    assert isinstance(errors[0], segue.MisuseError) and "segue.aio" in str(errors[0])


def test_aHandlerThatRaisesItself(origin: segue.Application, declared: Any, loop: Loop) -> None:
    def handler(error: Exception) -> None:
        raise KeyError from error

    origin.exception_handler = handler
    view = View(origin)
    activity = segue.Activity(origin, declared.type)
    activity.on_will_save(fail)
    view.user_activity = activity
    activity.needs_save = True
    with pytest.raises(KeyError):
        origin.run()


def test_closingInACallback(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    activity = offered(origin, declared)
    outcomes: list[segue.Outcome] = []

    @target.on_continue
    def resume(arrived: segue.Activity, restoration: segue.Restoration) -> bool:
        outcomes.append(restoration(View(target)))
        target.close()
        return True

    assert loop.take(lap, declared)[0] == 1
    assert isinstance(outcomes[0].error, segue.ClosedError)
    with pytest.raises(segue.ClosedError):
        target.dispatch()
    assert not activity.is_invalid
