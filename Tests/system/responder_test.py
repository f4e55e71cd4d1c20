"""Responders (semantics, section R)."""

import pytest
from harness.encoding import decode


@pytest.fixture
def origin(both):
    return both[0].start()


def continued(device, application, place):
    """The userInfo that another device gets."""
    command = device.take(device.offer(application))
    info = place.launched().expect("continue")[1]
    command.succeeded()
    return decode(info)


def R1_aRespondersActivityIsTheLibrarys(origin, both, lap, application):
    origin.do("responder r", "state r line int 3", f"activity a {application.type}", "attach r a")
    assert origin.current() == "a"
    assert continued(lap, application, both[1]) == {"line": 3}
    origin.do("attach r -")
    lap.no_offer(application)
    assert origin.do("current a") == 1


def R2_everyResponderAddsToAnEmptyUserInfo(origin, both, lap, application):
    origin.do(f"activity a {application.type}", "put a old int 0")
    for name in ["one", "two"]:
        origin.do(f"responder {name}", f"state {name} {name} string {name}", f"attach {name} a")
    assert continued(lap, application, both[1]) == {"one": "one", "two": "two"}


def R3_theApplicationsDelegateComesAfterTheResponders(origin, application):
    origin.do("responder r", f"activity a {application.type}", "delegate a", "attach r a")
    origin.expect("will-save a")
    assert [event.split()[0] for event in origin.seen if "state" not in event] == ["update", "did-update", "will-save"]


def R4_manyRespondersShareOneActivity(origin, lap, application):
    origin.do(f"activity a {application.type}", *[f"responder r{n}" for n in range(8)])
    origin.do(*[f"attach r{n} a" for n in range(8)])
    lap.offer(application)
    # It lasts as long as one of them has it.
    origin.do(*[f"drop-responder r{n}" for n in range(7)], "title a Still")
    lap.offer(application, title="Still")


@pytest.mark.parametrize("leave", ["attach r -", "drop-responder r", "attach r b"])
def R5_theLastResponderToLeaveInvalidates(origin, lap, application, leave):
    origin.do("responder r", f"activity a {application.type}", f"activity b {application.type}", "title b B")
    origin.do("attach r a")
    first = lap.offer(application)
    origin.do(leave)
    lap.until(lambda _: all(o["id"] != first["id"] for o in lap.offers_of(application)), "the end of the first offer")
    assert origin.do("current a") == 1
    if leave.endswith("b"):
        lap.offer(application, title="B")


def R5_aResponderThatDropsItselfInItsUpdate(origin, both, lap, application):
    origin.do("responder r", "responder s", "state s s int 1", f"activity a {application.type}")
    origin.do("attach r a", "attach s a")
    lap.offer(application)
    origin.do("on update drop-self", "needs-save a 1")
    before, updated = origin.count("update"), origin.count("did-update")
    command = lap.take(lap.offer(application))
    target = both[1].launched()
    # Both are asked, both leave in the middle of it, and with the last the activity ends, and the round with it.
    assert target.expect("fail")[1] == "4608"
    assert "has ended this activity while it saved it" in command.failed()
    assert origin.count("update") == before + 2 and origin.count("did-update") == updated
    assert origin.do("current a") == 1


def R9_theCallsAreRefusedOnTheWrongThreadAndInAChild(origin, application):
    origin.do("responder r", f"activity a {application.type}", "attach r a")
    assert origin.do("wrong-thread") == "wrong-thread -1 EPERM"
    assert origin.do("fork-check") == "fork-check 0"
    assert origin.current() == "a"


def R9_theActivityIsSetAndReadFromManyThreads(origin, both, lap, application):
    origin.do("responder r", "responder anchor", "responder other", "state r line int 3", "on changed tell")
    for name in "ab":
        origin.do(f"activity {name} {application.type}", f"title {name} {name.upper()}")
    origin.do("attach anchor a", "attach other b", "hammer r a b 3000")
    # The bus lives, and other devices ask, in the middle of it.
    command = lap.take(lap.offer(application))
    target = both[1].launched()
    target.expect("continue" if command.result()[0] == 0 else "fail")
    assert origin.do("hammer-join") == "hammer well"
    origin.do("attach r -", "attach r a")
    lap.offer(application, title="A")
    origin.expect("changed r a")
    assert continued_by(lap, target, application) == {"line": 3}


def continued_by(lap, target, application):
    command = lap.take(lap.offer(application, title="A"))
    info = target.expect("continue")[1]
    command.succeeded()
    return decode(info)


def R9_observersAreTold(origin, application):
    origin.do("responder r", f"activity a {application.type}", f"activity b {application.type}", "on changed tell")
    origin.do("attach r a")
    assert origin.expect("changed r") == ["a"]
    # By the library too.
    origin.do("invalidate a")
    assert origin.expect("changed r") == [""]
    # Calls that amount to one change, or to none, are reported as such.
    origin.do("stop-dispatch", "attach r b", "attach r -", "resume-dispatch")
    assert origin.count("changed") == 2


def R10_restoreIsCalledOnEachInOrderOnce(origin, both, lap, application):
    origin.do(f"activity a {application.type}", "put a page int 7", "current a")
    target = both[1].start()
    target.do("responder zoom", "responder page", "responder caret")
    command = lap.take(lap.offer(application))
    target.expect("continue")
    command.succeeded()
    assert target.count("restored") == 3
    assert [event.split()[1] for event in target.seen if event.startswith("restored")] == ["zoom", "page", "caret"]
