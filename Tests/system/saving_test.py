"""Saving (semantics, section S): when an application is asked, what it is asked, and what is sent."""

import pytest
from harness.encoding import decode


@pytest.fixture
def origin(both, application):
    """A probe with a responder `r` on the activity `a`, whose first save is over."""
    probe = both[0].start()
    probe.do("responder r", f"activity a {application.type}", "delegate a", "attach r a")
    probe.expect("will-save a")
    return probe


@pytest.fixture
def target(both):
    probe = both[1].start()
    return probe


def fetched(origin, target, device, application):
    """Continues the activity; the userInfo that came, and the save callbacks that ran for it, in order."""
    origin.do("who")
    before = len(origin.seen)
    command = device.take(device.offer(application))
    info = decode(target.expect("continue")[1])
    command.succeeded()
    origin.expect("was-continued a")
    return info, [event for event in origin.seen[before:] if not event.startswith("was-continued")]


ROUND = ["update r a", "did-update a", "will-save a"]


def S1_anyNumberOfChangesIsOneSave(origin, target, lap, application):
    origin.do("flood a 10000")
    assert fetched(origin, target, lap, application)[1] == ROUND


def S2_aRoundClearsNeedsSave(origin, target, lap, application):
    origin.do("needs-save a 1")
    assert fetched(origin, target, lap, application)[1] == ROUND
    assert fetched(origin, target, lap, application)[1] == []


def S3_needsSaveSetInACallbackSurvives(origin, target, lap, application):
    origin.do("needs-save a 1", "on update set-needs-save")
    assert fetched(origin, target, lap, application)[1] == ROUND
    origin.do("on update normal")
    assert fetched(origin, target, lap, application)[1] == ROUND
    assert fetched(origin, target, lap, application)[1] == []


def S4_whatUserInfoHoldsAtTheEndOfTheRoundIsSent(origin, target, lap, application):
    origin.do("put a stale int 1", "state r line int 42", "needs-save a 1")
    assert fetched(origin, target, lap, application)[0] == {"line": 42}


def S5_callbacksRunInsideDispatch(origin, target, lap, application):
    offer = lap.offer(application)
    origin.do("needs-save a 1", "stop-dispatch")
    saves = origin.count("update")
    command = lap.take(offer)
    # The other application is already told; this one is asked, and stands.
    target.expect("will-continue")
    assert origin.count("update") == saves
    origin.do("resume-dispatch")
    target.expect("continue")
    command.succeeded()
    assert origin.count("update") == saves + 1


def S6_anApplicationThatDoesNotAnswerIsNotWaitedForEver(new_device, application, install):
    from harness.device import pair

    desk, lap = new_device("desk", SaveTime=300), new_device("lap")
    pair(desk, lap)
    origin, target = install(desk, application).start(), install(lap, application).start()
    origin.do("responder r", f"activity a {application.type}", "attach r a")
    offer = lap.offer(application)
    origin.do("on update hang", "needs-save a 1")
    command = lap.take(offer)
    target.expect("will-continue")
    kind, code, message = target.expect("fail")
    assert (kind, code) == (application.type, "4610")
    assert message in command.failed()
    assert target.count("continue") == 0
    # The offer is where it was.
    assert lap.offer(application)["id"] == offer["id"]


def S7_settersOnAnotherThreadLandWhollyBeforeOrAfterASnapshot(both, target, lap, application):
    origin = both[0].start()
    origin.do(f"activity a {application.type}", "delegate a", "put a left int -1", "put a right int -1", "current a")
    origin.do("start-pairs a")
    seen = set()
    for _ in range(12):
        info, _ = fetched(origin, target, lap, application)
        assert info["left"] == info["right"], info
        seen.add(info["left"])
    # It was going on all the time, and each fetch had what was there then.
    assert len(seen) == 12 and sorted(seen)[0] > -1, seen
    origin.do("stop-pairs")


def S7_settersOnAnotherThreadWhileRoundsRun(origin, target, lap, application):
    # The round empties userInfo and the responder adds its part; the other thread's pair comes and goes as one. In
    # every other round it has come again before the round ends.
    origin.do("state r line int 1", "start-pairs a")
    for how in ["await-pair", "normal"] * 3:
        origin.do(f"on update {how}", "needs-save a 1")
        info, round_ = fetched(origin, target, lap, application)
        assert round_ == ROUND
        assert info["line"] == 1 and info.get("left") == info.get("right"), info
        assert how == "normal" or "left" in info
    origin.do("stop-pairs")


def S8_aRoundRunsBeforeTheFirstOffer(both, lap, application):
    origin = both[0].start()
    origin.do(f"activity a {application.type}", "delegate a", "needs-save a 1", "current a")
    origin.expect("will-save a")
    lap.offer(application)
    # Set later it waits for somebody to ask.
    origin.do("needs-save a 1", "title a Later")
    lap.offer(application, title="Later")
    assert origin.count("will-save") == 1


def S8_noRoundRunsForWhatIsNotOffered(both, lap, application):
    origin = both[0].start()
    origin.do(f"activity a {application.type}", "delegate a", "eligible a 0", "needs-save a 1", "current a")
    assert origin.count("will-save") == 0
    origin.do("eligible a 1")
    lap.offer(application)
    assert origin.count("will-save") == 1


def S8_aRoundRunsOnceBeforeTheFirstOfferWhateverIsOfferedInBetween(both, lap, application):
    origin = both[0].start()
    for name in "ab":
        origin.do(f"activity {name} {application.type}", f"title {name} {name}", f"delegate {name}")
    origin.do("needs-save a 1", "current a")
    lap.offer(application, title="a")
    origin.do("needs-save a 1", "current b")
    lap.offer(application, title="b")
    origin.do("current a")
    lap.offer(application, title="a")
    assert origin.count("will-save a") == 1


def S8_theOfferHasTheTitleThatARoundSets(origin, target, lap, application):
    # An activity that was continued here would be hidden (V15).
    target.do("on continue refuse")
    lap.offer(application)
    origin.do("on update set-title", "needs-save a 1")
    command = lap.take(lap.offer(application, title=None))
    assert lap.offer(application, title="Updated")
    command.process.kill()


def S8_theCallbacksCanAskWhyTheyRun(both, target, lap, application):
    origin = both[0].start()
    origin.do(f"activity a {application.type}", "delegate a", "reasons 1", "needs-save a 1", "current a")
    assert origin.expect("reason a") == ["1"]
    origin.do("needs-save a 1")
    fetched(origin, target, lap, application)
    assert [event for event in origin.seen if event.startswith("reason")] == ["reason a 1", "reason a 2"]


def S9_twoFetchesAtOnceShareOneRound(new_device, application, install):
    from harness.device import pair

    desk, lap, pad = [new_device(name) for name in ["desk", "lap", "pad"]]
    pair(desk, lap)
    pair(desk, pad)
    origin = install(desk, application).start()
    targets = [install(device, application).start() for device in [lap, pad]]
    origin.do("responder r", f"activity a {application.type}", "delegate a", "attach r a", "state r line int 1")
    offers = [device.offer(application) for device in [lap, pad]]
    saves = origin.count("update")
    # Each round leaves something to save, so that a second one would run if anybody asked for it.
    origin.do("needs-save a 1", "on update set-needs-save", "stop-dispatch")
    commands = [device.take(offer) for device, offer in zip([lap, pad], offers)]
    for number, target in enumerate(targets):
        target.expect("will-continue")
        # Both fetches left before the messages that the targets have answered, and so before these offers.
        target.do(f"activity mark {application.type}", f"title mark {number}", "current mark")
    for number, _ in enumerate(targets):
        desk.offer(application, title=str(number))
    origin.do("resume-dispatch")
    for target, command in zip(targets, commands):
        target.expect("continue")
        command.succeeded()
    for _ in targets:
        origin.expect("was-continued a")
    assert origin.count("update") == saves + 1


def S10_theOrderOfARound(both, lap, application, target):
    origin = both[0].start()
    origin.do("responder one", "responder two", f"activity a {application.type}", "delegate a")
    origin.do("attach two a", "attach one a")
    origin.expect("will-save a")
    origin.do("needs-save a 1")
    assert fetched(origin, target, lap, application)[1] == [
        "update two a", "update one a", "did-update a", "will-save a"]


def S11_withoutNeedsSaveUserInfoIsSentAsItIs(both, target, lap, application):
    origin = both[0].start()
    origin.do(f"activity a {application.type}", "delegate a", "put a line int 1", "current a")
    lap.offer(application)
    origin.do("put a line int 2")
    assert fetched(origin, target, lap, application) == ({"line": 2}, [])
