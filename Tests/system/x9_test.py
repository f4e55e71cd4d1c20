"""X9: a continuation outlives the link, and the daemons at both of its ends. It is restored once, and told once."""

import os
import signal

import pytest
from harness.continuing import restored_once
from harness.device import pair
from harness.waiting import wait_for
from harness.wire import BusError


@pytest.fixture
def place(new_device, application, install):
    """Makes two devices and what a test needs of them: (desk, lap, the origin with `a`, the place on lap)."""

    def make(**limits):
        desk, lap = new_device("desk", **limits), new_device("lap", **limits)
        pair(desk, lap)
        origin = install(desk, application).start()
        origin.do(f"activity a {application.type}", "title a Page", "delegate a", "put a page int 7", "current a")
        return desk, lap, origin, install(lap, application)

    return make


def cut(desk, lap, origin):
    """The origin's daemon dies, and nobody starts it again until its application may look: the link is down."""
    origin.do("stop-dispatch")
    desk.stop_daemon(signal.SIGKILL)
    lap.online(desk, is_online=False)


def settled(lap, desk, application, origin, target):
    """Continues again, through the same processes: any second report of the first has come before this one's end."""
    origin.do("needs-save a 1")
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")
    origin.expect("was-continued a")
    assert target.count("will-continue") == 2 and target.count("continue") == 2 and target.count("fail") == 0
    assert origin.count("was-continued") == 2


def X9_aChoiceDuringAnOutageIsRestoredOnceWhenItHeals(place, application):
    desk, lap, origin, there = place()
    target = there.start()
    offer = lap.offer(application)
    cut(desk, lap, origin)
    lap.no_offer(application)
    command = lap.take(offer)
    target.expect("will-continue")
    assert command.process.poll() is None
    origin.do("resume-dispatch")
    target.expect("continue")
    command.succeeded()
    origin.expect("was-continued a")
    restored_once(origin, target)
    settled(lap, desk, application, origin, target)


def V3_aSecondChoiceJoinsAlsoWhatIsNotOnOfferAnyMore(place, application):
    desk, lap, origin, there = place(GraceTime=1)
    target = there.start()
    offer = lap.offer(application)
    origin.do("stop-dispatch")
    first = lap.take(offer)
    target.expect("will-continue")
    desk.stop_daemon(signal.SIGKILL)
    lap.no_offer(application)
    # The continuation runs, and waits for the link: whoever asks for it again is not told that there is none.
    with lap.bus() as bus:
        control = ["org.segue.Control1", "/org/segue/Control1", "org.segue.Control1"]
        second = bus.call_later(*control, "Continue", "sa{sv}", [offer["id"], {}])
        bus.call(*control, "GetStatus")
        origin.do("resume-dispatch")
        target.expect("continue")
        first.succeeded()
        bus.body(bus.reply(second))
    origin.expect("was-continued a")
    restored_once(origin, target)


def X9_aChoiceDuringAnOutageThatLastsFailsOnce(place, application):
    # The grace time is for what was withdrawn: this was not.
    desk, lap, origin, there = place(FetchTime=4000, GraceTime=1)
    target = there.start()
    offer = lap.offer(application)
    cut(desk, lap, origin)
    command = lap.take(offer)
    target.expect("will-continue")
    _, code, message = target.expect("fail")
    assert code == "4609" and "desk" in message
    assert message in command.failed()
    # The next one is a new one.
    lap.no_offer(application)
    origin.do("resume-dispatch")
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")
    origin.expect("was-continued a")
    assert target.count("fail") == 1 and target.count("continue") == 1 and origin.count("was-continued") == 1


def X9_whatWasOnOfferBeforeAnOutageIsKnownAfterThat(place, application):
    desk, lap, origin, there = place(FetchTime=1, GraceTime=1)
    offer = lap.offer(application)
    cut(desk, lap, origin)
    lap.no_offer(application)
    error = lap.take(offer).failed()
    assert '"desk" had this on offer, and cannot be reached any more.' in error, error
    origin.do("resume-dispatch")
    lap.offer(application)
    origin.do("invalidate a")
    lap.no_offer(application)
    # It was withdrawn meanwhile, which is something else.
    assert "no such offer any more" in lap.take(offer).failed()


def X9_aListRightAfterTheStartHasWhatIsThere(place, application):
    desk, lap, origin, there = place()
    offer = lap.offer(application)
    for _ in range(5):
        lap.stop_daemon()
        assert [listed["id"] for listed in lap.json("activities")["offers"]] == [offer["id"]]
    for command in [["devices"], ["explain"]]:
        lap.stop_daemon()
        assert "online" in lap.segue(*command) or "can continue it here" in lap.segue(*command)


def X9_aChoiceRightAfterTheStartFindsWhatIsThere(place, application):
    desk, lap, origin, there = place()
    target = there.start()
    for arguments in [["--latest"], [lap.offer(application)["id"]]]:
        target.do("stop-dispatch")
        lap.stop_daemon()
        command = lap.start("continue", *arguments)
        with lap.bus() as bus:
            bus.wait_for_owner("org.segue.Control1")
        target.do("resume-dispatch")
        target.expect("continue")
        command.succeeded()
        origin.expect("was-continued a")


@pytest.mark.parametrize("is_back", [True, False], ids=["healed", "lasting"])
def X9_aChoiceOfWhatWasOnOfferBeforeTheStartWaitsAsInAnOutage(place, application, is_back):
    desk, lap, origin, there = place(**({} if is_back else {"FetchTime": 3000}))
    offer = lap.offer(application)
    cut(desk, lap, origin)
    lap.stop_daemon()
    # It lists what there is, and waits with a choice.
    assert lap.json("activities")["offers"] == []
    command = lap.take(offer)
    if is_back:
        origin.do("resume-dispatch")
        target = there.launched()
        target.expect("continue")
        command.succeeded()
        origin.expect("was-continued a")
        restored_once(origin, target)
    else:
        assert 'No device in reach has this on offer, and "desk" could not be reached.' in command.failed()
        assert not there.was_launched()


def test_aDeviceThatAnswersNothingHoldsTheStartUpForItsTimeOnly(place, application):
    desk, lap, origin, there = place(FirstDialsTime=300)
    lap.offer(application)
    pid = desk.pid()
    lap.stop_daemon()
    os.kill(pid, signal.SIGSTOP)
    try:
        assert lap.json("activities")["offers"] == []
        assert [device["online"] for device in lap.json("devices")] == [False]
    finally:
        os.kill(pid, signal.SIGCONT)
    lap.offer(application)


def X9_aLinkLostInTheMiddleOfAFetch(place, application):
    desk, lap, origin, there = place()
    target = there.start()
    offer = lap.offer(application)
    # The origin's application does not answer its save, so that the payload is on its way for as long as it takes.
    origin.do("stop-dispatch")
    command = lap.take(offer)
    target.expect("will-continue")
    desk.stop_daemon(signal.SIGKILL)
    lap.online(desk, is_online=False)
    origin.do("resume-dispatch")
    target.expect("continue")
    command.succeeded()
    origin.expect("was-continued a")
    restored_once(origin, target)
    settled(lap, desk, application, origin, target)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["ended", "killed"])
def X9_theContinuingDaemonEndsWhileThePayloadIsOnItsWay(place, application, number):
    desk, lap, origin, there = place()
    target = there.start()
    offer = lap.offer(application)
    origin.do("stop-dispatch")
    command = lap.take(offer)
    target.expect("will-continue")
    lap.stop_daemon(number)
    # The command that asked has lost the daemon; the application has not lost the continuation.
    assert command.result()[0] == 2
    target.expect("state 1")
    origin.do("resume-dispatch")
    target.expect("continue")
    origin.expect("was-continued a")
    restored_once(origin, target)
    settled(lap, desk, application, origin, target)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["ended", "killed"])
def X9_theContinuingDaemonEndsBeforeTheApplicationIsTold(place, application, number):
    desk, lap, origin, there = place()
    target = there.start()
    offer = lap.offer(application)
    # It does not read the launch message while that daemon lives.
    target.do("stop-dispatch")
    command = lap.take(offer)
    file = lap.folder / "state/segue/continuations"
    wait_for(lambda: file.exists() and (lap.recorded() or {}).get("running"), "a continuation that is written down")
    lap.stop_daemon(number)
    assert command.result()[0] == 2
    lap.segue("status")
    target.do("resume-dispatch")
    target.expect("continue")
    origin.expect("was-continued a")
    restored_once(origin, target)
    settled(lap, desk, application, origin, target)


def X9_theContinuingDaemonEndsDuringAnOutage(place, application):
    desk, lap, origin, there = place()
    target = there.start()
    offer = lap.offer(application)
    cut(desk, lap, origin)
    lap.take(offer)
    target.expect("will-continue")
    lap.stop_daemon(signal.SIGKILL)
    target.expect("state 1")
    origin.do("resume-dispatch")
    target.expect("continue")
    origin.expect("was-continued a")
    restored_once(origin, target)
    settled(lap, desk, application, origin, target)


def X9_theContinuingDaemonEndsWhileTheApplicationRestores(place, application):
    desk, lap, origin, there = place()
    target = there.start()
    target.do("on continue defer")
    lap.take(lap.offer(application))
    target.expect("continue")
    lap.stop_daemon(signal.SIGKILL)
    target.expect("state 1")
    # Restored only now, and told to a daemon that never gave it the activity.
    target.do("restore-now", "on continue accept")
    origin.expect("was-continued a")
    restored_once(origin, target)
    settled(lap, desk, application, origin, target)


def X9_whatIsRestoredWhileThereIsNoDaemonIsToldLater(place, application):
    desk, lap, origin, there = place()
    target = there.start()
    target.do("on continue defer", "responder r")
    lap.take(lap.offer(application))
    target.expect("continue")
    target.do("stop-dispatch")
    lap.stop_daemon(signal.SIGKILL)
    # The restoration is over before the application sees that the daemon has gone.
    target.do("restore-now", "on continue accept", "resume-dispatch")
    target.expect("state 1")
    origin.expect("was-continued a")
    restored_once(origin, target)


def X9_anApplicationThatDiedWithTheDaemonIsNotRestoredTwice(place, application):
    desk, lap, origin, there = place()
    target = there.start()
    target.do("on continue defer")
    lap.take(lap.offer(application))
    target.expect("continue")
    target.do("stop-dispatch")
    lap.stop_daemon(signal.SIGKILL)
    target.kill()
    lap.segue("status")
    # The next one, which somebody starts by hand, is not told of it either.
    second = there.start()
    lap.take(lap.offer(application)).succeeded()
    second.expect("continue")
    origin.expect("was-continued a")
    assert second.count("will-continue") == 1 and second.count("fail") == 0 and not there.was_launched()
    assert origin.count("was-continued") == 1


def X9_anApplicationThatDiedBeforeThePayloadIsLaunchedAnew(place, application):
    desk, lap, origin, there = place()
    target = there.start()
    offer = lap.offer(application)
    cut(desk, lap, origin)
    lap.take(offer)
    target.expect("will-continue")
    target.do("stop-dispatch")
    lap.stop_daemon(signal.SIGKILL)
    target.kill()
    lap.segue("status")
    second = there.launched()
    second.expect("will-continue")
    origin.do("resume-dispatch")
    second.expect("continue")
    origin.expect("was-continued a")
    restored_once(origin, second)


def X9_theOriginIsToldOnTheNextLink(place, application):
    desk, lap, origin, there = place()
    target = there.start()
    target.do("on continue defer")
    command = lap.take(lap.offer(application))
    target.expect("continue")
    cut(desk, lap, origin)
    target.do("restore-now")
    command.succeeded()
    # And the daemon that has to tell it ends as well.
    lap.stop_daemon(signal.SIGKILL)
    target.expect("state 1")
    origin.do("resume-dispatch")
    origin.expect("was-continued a")
    target.do("on continue accept")
    settled(lap, desk, application, origin, target)


def X9_theOriginsDaemonEndsBeforeItsApplicationHasHeard(place, application):
    desk, lap, origin, there = place()
    target = there.start()
    target.do("on continue defer")
    command = lap.take(lap.offer(application))
    target.expect("continue")
    origin.do("stop-dispatch")
    target.do("restore-now")
    command.succeeded()
    desk.stop_daemon(signal.SIGKILL)
    origin.do("resume-dispatch")
    origin.expect("was-continued a")
    target.do("on continue accept")
    lap.online(desk)
    settled(lap, desk, application, origin, target)


@pytest.mark.skipif(not os.path.exists("/usr/bin/strace"), reason="strace is not installed")
def X9_theContinuingDaemonDiesAtAnyStepOfWritingItDown(place, application):
    desk, lap, origin, there = place()
    target = there.start()
    step, is_hit = 0, True
    while is_hit:
        step += 1
        lap.install_traced_daemon([lap.folder / "state/segue/continuations"], "pwrite64", f"signal=KILL:when={step}")
        lap.stop_daemon(signal.SIGKILL)
        origin.do("needs-save a 1")
        before = target.count("continue")
        status, _, _ = lap.take(lap.offer(application)).result()

        def is_over():
            recorded = lap.recorded() or {"running": [], "untold": []}
            return not recorded["running"] and not recorded["untold"] and lap.has_overwritten()

        # A daemon that has died is started again, and dies at the same step.
        wait_for(lambda: "killed by" in lap.trace() or status == 0 and is_over(), "the end of the continuation")
        is_hit = "killed by" in lap.trace()
        lap.install_daemon()
        lap.reload()
        try:
            lap.stop_daemon(signal.SIGKILL)
        except BusError:
            lap.end_watch()
        # The choice is restored once, unless the daemon had not yet recorded it; and so is the next one.
        count = 0 if step == 1 else 1
        lap.json("status")
        for _ in range(count):
            origin.expect("was-continued a")
        wait_for(is_over, "the end of the continuation")
        assert target.count("continue") == before + count
        origin.do("needs-save a 1")
        lap.take(lap.offer(application)).succeeded()
        origin.expect("was-continued a")
        wait_for(is_over, "the end of the next continuation")
        assert target.count("continue") == before + count + 1 == origin.count("was-continued")
        assert target.count("fail") == 0
    assert 6 <= step <= 9, "the daemon writes down that it launches, answers, has ended and was acknowledged, and then, " \
        "within a second, overwrites what it had written before"
    assert "begins anew" not in (lap.folder / "log").read_text()
