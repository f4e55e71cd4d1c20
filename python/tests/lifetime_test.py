"""Objects go in any order, belong to one thread and one process, and leave nothing behind."""

from __future__ import annotations

import asyncio
import gc
import itertools
import os
import subprocess
import sys
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import segue
import segue.aio
from rounds import APP_ID, NOWHERE, rounds
from support import HERE, Loop, View, address


def everything(application: segue.Application) -> dict[str, Any]:
    """One object of each kind, joined in all the ways that there are."""
    activity = segue.Activity(application, "org.segue.test.life")
    first, second = View(application), View(application)
    first.user_activity = activity
    first.next_responder = second
    document = segue.Document(application, "file:///home/a/list.txt", "text/plain")
    window = segue.Window(application)
    window.focused_responder = first
    window.show(document)
    application.main_window = window
    second.user_activity = segue.Activity(application, "org.segue.test.life")
    return {
        "application": application, "activity": activity, "first": first, "second": second, "document": document,
        "window": window}


def test_inAnyOrder() -> None:
    names = ["application", "activity", "first", "second", "document", "window"]
    for order in itertools.permutations(names):
        objects = everything(segue.Application(APP_ID, bus_address=NOWHERE))
        objects["application"].dispatch()
        for name in order:
            del objects[name]


def in_a_cycle(is_closed: bool) -> list[Any]:
    """Weak references to objects that all hold each other; the library must hold none of them."""
    objects = everything(segue.Application(APP_ID, bus_address=NOWHERE))
    objects["activity"].become_current()
    objects["application"].on_continue(lambda activity, restoration: objects)
    for each in objects.values():
        each.others = objects
    if is_closed:
        objects["application"].close()
    return [weakref.ref(each) for each in objects.values()]


@pytest.mark.parametrize("is_closed", [True, False], ids=["closed", "open"])
def test_nothingStays(is_closed: bool) -> None:
    references = in_a_cycle(is_closed)
    gc.collect()
    assert [reference() for reference in references] == [None] * len(references)


def test_withoutACycleTheyGoAtOnce() -> None:
    gc.disable()
    try:
        objects = everything(segue.Application(APP_ID, bus_address=NOWHERE))
        for name in ["window", "document", "second", "first", "activity", "application"]:
            reference = weakref.ref(objects.pop(name))
            assert reference() is None, name
    finally:
        gc.enable()


def test_theSameObjectComesBack() -> None:
    with segue.Application(APP_ID, bus_address=NOWHERE) as application:
        objects = everything(application)
        assert objects["first"].user_activity is objects["activity"]
        assert objects["first"].next_responder is objects["second"]
        assert objects["window"].focused_responder is objects["first"]
        assert application.current_activity is objects["activity"]
        assert application.main_window is objects["window"]
        # A responder keeps the activity that is set on it, with the activity's own methods; nothing keeps a responder.
        kept = weakref.ref(objects.pop("activity"))
        assert kept() is not None
        del objects["first"]
        assert objects["window"].focused_responder is None
        objects["document"].next_responder = objects["second"]
        assert objects["document"].next_responder is objects["second"]
        objects["window"].focused_responder = objects["document"]
        assert objects["window"].focused_responder is objects["document"]


def test_theApplicationKeepsItsCurrentActivity(
    origin: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    segue.Activity(origin, declared.type, title="Kept").become_current()
    gc.collect()
    loop.offer(lap, declared, title="Kept")
    assert origin.current_activity is not None
    assert origin.current_activity.title == "Kept"
    origin.current_activity.resign_current()
    gc.collect()
    assert origin.current_activity is None


def test_aCallbackAfterItsObjectIsGone(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    activity = segue.Activity(origin, declared.type)
    staying, going = View(origin, 1), View(origin, 2)
    staying.user_activity = going.user_activity = activity
    offer = loop.offer(lap, declared)
    activity.needs_save = True
    del going
    there = View(target)
    target.on_continue(lambda arrived, restoration: restoration(there) is not None)
    assert loop.result(lap.take(offer)) == (0, "")
    assert there.line == 1
    # The library calls for a responder that Python has no object for.
    lib, ffi = segue._native.lib, segue._native.ffi
    stranger = ffi.cast("segue_responder *", ffi.new("char[8]"))
    lib.python_segue_responder_methods_update_user_activity_state(stranger, activity._segue_pointer, ffi.NULL)


def test_aClosedApplicationThatIsAskedIsNotKept() -> None:
    application = segue.Application(APP_ID, bus_address=NOWHERE)
    application.close()
    with pytest.raises(segue.ClosedError):
        application.delete_all_saved()
    reference = weakref.ref(application)
    del application
    gc.collect()
    assert reference() is None


def test_aRestorationThatCannotBeCalledKeepsNothing(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop,
) -> None:
    kept: list[segue.Restoration] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)

        @target.on_continue
        async def resume(arrived: segue.Activity, restoration: segue.Restoration) -> None:
            kept.append(restoration)
            raise KeyError

        with segue.aio.attach(origin), segue.aio.attach(target):
            command = lap.take(offer)
            assert await asyncio.to_thread(command.succeeded) is not None

    segue.Activity(origin, declared.type).become_current()
    offer = loop.offer(lap, declared)
    asyncio.run(main())
    view = View(target)
    # The coroutine of the restoration has ended.
    with pytest.raises(segue.ClosedError):
        kept[0](view)
    reference = weakref.ref(view)
    del view
    gc.collect()
    assert reference() is None


@pytest.mark.parametrize("kept", [False, True], ids=["dropped", "kept"])
@pytest.mark.parametrize("way", ["called", "awaited", "refused"])
def test_anErrorThatACoroutineCatchesDoesNotKeepTheOtherSideWaiting(
    origin: segue.Application, target: segue.Application, lap: Any, declared: Any, loop: Loop, way: str, kept: bool,
) -> None:
    errors: list[Exception] = []

    async def main() -> None:
        @target.on_continue
        async def resume(arrived: segue.Activity, restoration: segue.Restoration) -> None:
            try:
                if way == "called":
                    restoration(*[View(target)] * 4097)
                elif way == "awaited":
                    outcome = arrived.bring_file("file:///nowhere")
                    await outcome
                else:
                    arrived.title = "x" * 100_000
            except segue.Error as error:
                errors.append(error)
                if not kept:
                    errors[:] = [segue.Error(str(error))]

        with segue.aio.attach(origin), segue.aio.attach(target):
            command = lap.take(offer)
            # Without the collector, objects in cycles stay alive.
            gc.disable()
            try:
                assert await asyncio.to_thread(command.succeeded) is not None
            finally:
                gc.enable()

    segue.Activity(origin, declared.type).become_current()
    offer = loop.offer(lap, declared)
    asyncio.run(main())
    assert len(errors) == 1


def test_aClassThatForgetsItsBase() -> None:
    class Forgetful(segue.Responder):
        def __init__(self) -> None:
            pass

    with pytest.raises(segue.ClosedError, match="__init__ was not called"):
        Forgetful().user_activity


def in_thread(function: Callable[[], object]) -> object:
    outcome: list[object] = []

    def run() -> None:
        try:
            outcome.append(function())
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return outcome[0]


def test_anotherThread() -> None:
    with segue.Application(APP_ID, bus_address=NOWHERE) as application:
        objects = everything(application)
        activity, view, window = objects["activity"], objects["first"], objects["window"]
        refused: list[Callable[[], object]] = [
            application.dispatch, application.ready, application.fileno, application.close, application.run,
            lambda: application.state, lambda: application.current_activity, lambda: application.wait(0),
            application.explain_current, application.delete_all_saved,
            lambda: application.on_continue(lambda arrived, restoration: True),
            lambda: segue.Activity(application, "a.b"), lambda: View(application), lambda: segue.Window(application),
            lambda: segue.Document(application, None, "text/plain"), activity.become_current, activity.invalidate,
            activity.resign_current, lambda: view.restore(activity), lambda: view.next_responder,
            lambda: setattr(window, "focused_responder", None), lambda: setattr(application, "main_window", None),
        ]
        for call in refused:
            error = in_thread(call)
            assert isinstance(error, segue.MisuseError) and "thread" in str(error), (call, error)
        assert not application.is_closed

        def allowed() -> object:
            activity.title = "From elsewhere"
            activity.user_info["line"] = 5
            activity.needs_save = True
            view.user_activity = None
            view.user_activity = activity
            application.wake()
            return activity.title

        assert in_thread(allowed) == "From elsewhere"
        # The last references may go on any thread too.
        doomed: list[Any] = [View(application), segue.Activity(application, "a.b"), segue.Window(application)]
        references = [weakref.ref(each) for each in doomed]
        in_thread(doomed.clear)
        assert [reference() for reference in references] == [None] * 3
        application.dispatch()


def test_quitFromAnotherThread(origin: segue.Application) -> None:
    thread = threading.Thread(target=origin.quit)
    thread.start()
    origin.run()
    thread.join()
    # A quit before run counts, too.
    origin.quit()
    origin.run()


def test_afterFork() -> None:
    with segue.Application(APP_ID, bus_address=NOWHERE) as application:
        objects = everything(application)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                status = in_child(objects)
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        # The parent goes on.
        application.dispatch()
        objects["activity"].title = "Still here"


def in_child(objects: dict[str, Any]) -> int:
    if not all_refuse(objects):
        return 2
    objects["application"].close()
    objects.clear()
    gc.collect()
    # An application that the child makes is the child's.
    with segue.Application(APP_ID, bus_address=NOWHERE) as another:
        another.dispatch()
    return 0


def all_refuse(objects: dict[str, Any]) -> bool:
    application, activity, view = objects["application"], objects["activity"], objects["first"]
    calls: list[Callable[[], object]] = [
        application.dispatch, application.ready, application.wake, activity.become_current, activity.invalidate,
        lambda: activity.title, lambda: setattr(activity, "title", "x"), lambda: activity.user_info.copy(),
        lambda: setattr(view, "user_activity", None), lambda: View(application), lambda: view.restore(activity)]
    for call in calls:
        try:
            call()
        except segue.MisuseError as error:
            if "fork" not in str(error):
                return False
        else:
            return False
    return True


ENDS = ["falls-off", "exit", "exit-in-callback", "raises-in-callback", "cycle", "thread", "fork", "asyncio", "unloaded"]


@pytest.mark.parametrize("end", ENDS)
def test_theInterpreterEndsWithLiveObjects(end: str, desk: Any, declared: Any, loop: Loop) -> None:
    program = [sys.executable, "-X", "dev", str(HERE / "programs" / "ending.py"), declared.id, declared.type, end]
    environment = {**desk.environment, "DBUS_SESSION_BUS_ADDRESS": address(desk)}
    done = subprocess.run(program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expected = {"exit-in-callback": 7, "raises-in-callback": 1}.get(end, 0)
    assert done.returncode == expected, done.stderr
    assert "Fatal" not in done.stderr and "Exception ignored" not in done.stderr
    if end == "raises-in-callback":
        assert done.stderr.rstrip().endswith("KeyError: 'raised'")
    else:
        assert done.stderr == ""
    assert done.stdout == "".join(f"{line}\n" for line in (["child"] if end == "fork" else []) + ["at the end"])


def test_roundsLeaveNothingToPython() -> None:
    rounds(300)
    gc.collect()
    tracemalloc.start()
    try:
        rounds(100)
        gc.collect()
        few, _ = tracemalloc.get_traced_memory()
        rounds(600)
        gc.collect()
        many, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # A leak of two bytes a round would be more.
    assert many - few < 1000, f"{many - few} bytes"


def test_roundsLeaveNothingToTheSystem(tmp_path: Any) -> None:
    """Valgrind sees the allocations of the library and of Python, and invalid reads."""
    in_use = []
    for count in (10, 60):
        log = tmp_path / str(count)
        command = [
            "valgrind", "--leak-check=no", f"--log-file={log}", sys.executable, str(HERE / "rounds.py"), str(count)]
        done = subprocess.run(
            command, env={**os.environ, "PYTHONMALLOC": "malloc"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)
        assert done.returncode == 0, done.stdout
        report = log.read_text()
        assert "ERROR SUMMARY: 0 errors" in report, report
        line = next(line for line in report.splitlines() if "in use at exit" in line)
        in_use.append(int(line.split("exit:")[1].split()[0].replace(",", "")))
    # A leak of one block a round would be more.
    assert in_use[1] - in_use[0] < 200, in_use
