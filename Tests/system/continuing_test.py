"""Continuing (semantics, section V): from the user's choice to exactly one outcome."""

import pytest
from harness.bounds import rule
from harness.continuing import told_of_the_next_alone
from harness.device import pair
from harness.encoding import decode


def V1_theOriginEndsInItsSave(page, lap, application):
    origin, place = page
    origin.do("responder r", "attach r a")
    offer = lap.offer(application)
    target = place.start()
    origin.do("on update exit", "needs-save a 1")
    command = lap.take(offer)
    target.expect("will-continue")
    _, code, message = target.expect("fail")
    assert code == "4608"
    assert message in command.failed()
    assert target.count("continue") == 0 and target.count("fail") == 1
    lap.no_offer(application)


def V1_afterARefusalThereIsNoDidFail(page, lap, application):
    origin, place = page
    target = place.start()
    target.do("on continue refuse")
    command = lap.take(lap.offer(application))
    target.expect("continue")
    assert "could not restore" in command.failed()
    # Another one that succeeds: had the first been told of anything, it would have come before.
    target.do("on continue accept")
    lap.take(lap.offer(application)).succeeded()
    origin.expect("was-continued a")
    assert target.count("fail") == 0
    assert origin.count("was-continued") == 1


@pytest.fixture
def own_page(new_device, application, install):
    """Like `page`, on devices that may be broken: (desk, lap, the origin, the target); the target has begun."""
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    origin, target = install(desk, application).start(), install(lap, application).start()
    origin.do(f"activity a {application.type}", "delegate a", "put a page int 7", "current a")
    offer = lap.offer(application)
    origin.do("stop-dispatch")
    command = lap.take(offer)
    target.expect("will-continue")
    return desk, lap, origin, target, command


def V1_theOriginsDaemonEnds(own_page, application):
    desk, lap, origin, target, command = own_page
    desk.stop_daemon(9)
    _, code, message = target.expect("fail")
    assert code == "4609"
    assert message in command.failed()
    assert target.count("continue") == 0 and target.count("fail") == 1
    # And the daemon of the origin is back, with its application, for another try.
    origin.do("resume-dispatch")
    desk.segue("status")
    command = lap.take(lap.offer(application))
    target.expect("continue")
    command.succeeded()


def V1_theContinuingDaemonEnds(own_page, application):
    desk, lap, origin, target, command = own_page
    lap.stop_daemon(9)
    status, _, error = command.result()
    assert status == 2, error
    # The next daemon goes on with it (X9), and it fails there: once.
    origin.kill()
    lap.online(desk)
    assert target.expect("fail")[1] == "4608"
    assert target.count("continue") == 0 and target.count("fail") == 1 and target.count("will-continue") == 1


def V1_theContinuingDevicesBusEnds(own_page):
    desk, lap, origin, target, command = own_page
    lap.kill_bus()
    origin.do("resume-dispatch")
    # The door's messages need no bus.
    assert decode(target.expect("continue")[1]) == {"page": 7}
    command.succeeded()
    assert target.count("fail") == 0


def V2_willContinueComesBeforeThePayload(page, lap, application):
    origin, place = page
    target = place.start()
    offer = lap.offer(application)
    origin.do("stop-dispatch")
    command = lap.take(offer)
    target.expect("will-continue")
    assert target.count("continue") == 0
    origin.do("resume-dispatch")
    target.expect("continue")
    command.succeeded()


def V3_anotherChoiceCancelsTheFirst(page, desk, lap, application, new_application, install):
    origin, place = page
    other = new_application()
    install(lap, other)
    second = install(desk, other).start()
    second.do(f"activity b {other.type}", "current b")
    target = place.start()
    offers = [lap.offer(application), lap.offer(other)]
    origin.do("stop-dispatch")
    first = lap.take(offers[0])
    target.expect("will-continue")
    lap.take(offers[1]).succeeded()
    assert target.expect("fail")[1] == "3072"
    first.failed()
    origin.do("resume-dispatch")
    assert target.count("continue") == 0
    told_of_the_next_alone(origin, lap, application)


def V3_theSameChoiceJoins(page, lap, application):
    origin, place = page
    target = place.start()
    offer = lap.offer(application)
    origin.do("stop-dispatch")
    first = lap.take(offer)
    target.expect("will-continue")
    with lap.door() as door:
        serial = door.call_later(
            None, "/org/segue/Control1", "org.segue.Control1", "Continue", "sa{sv}", [offer["id"], {}])
        door.control("GetStatus")
        origin.do("resume-dispatch")
        door.body(door.reply(serial))
    first.succeeded()
    origin.expect("was-continued a")
    assert target.count("will-continue") == target.count("continue") == 1
    assert origin.count("was-continued") == 1


def X9_aContinuationHasOneIdAndOneOutcome(page, lap, application):
    origin, place = page
    target = place.start()
    offer = lap.offer(application)
    lap.watch.continuations.clear()

    def states():
        return [state for _, state in lap.watch.continuations]

    # Each state that lasts is told.
    target.do("stop-dispatch")
    origin.do("stop-dispatch")
    with lap.door() as door:
        serial = door.call_later(
            None, "/org/segue/Control1", "org.segue.Control1", "Continue", "sa{sv}", [offer["id"], {}])
        lap.until(lambda _: states() == ["launching"], "the launch that takes long")
        target.do("resume-dispatch")
        lap.until(lambda _: states() == ["launching", "begun"], "the state that is waited for")
        origin.do("resume-dispatch")
        lap.until(lambda _: states() == ["launching", "begun", "continued"], "the continuation's outcome")
        identity, = door.body(door.reply(serial))
    assert {id_ for id_, _ in lap.watch.continuations} == {identity}
    # The application knows it by the same id.
    coming, came = target.source()
    assert coming == {"id": identity, "state": "live", "age": None}
    assert (came["id"], came["state"]) == (identity, "live") and came["age"] >= 0
    origin.expect("was-continued a")
    assert origin.count("was-continued") == 1


def V6_theHandlerMayBeKeptAndCalledFromAnotherThread(page, desk, lap, application, new_application, install):
    origin, place = page
    target = place.start()
    target.do("responder view", "on continue defer")
    command = lap.take(lap.offer(application))
    target.expect("continue")
    # Another continuation, by the same way: whatever was said of the first has come before its end.
    other = new_application()
    install(lap, other).start()
    second = install(desk, other).start()
    second.do(f"activity b {other.type}", "delegate b", "current b")
    lap.take(lap.offer(other)).succeeded()
    second.expect("was-continued b")
    assert target.count("restored") == 0
    # The daemon has written to this one before, and what is in its socket is read before the question is answered.
    assert origin.count("was-continued") == 0
    target.do("restore-now")
    target.expect("restored view")
    command.succeeded()
    origin.expect("was-continued a")
    assert target.count("restored") == 1


def V6_theHandlerIsCalledOnce(page, lap, application):
    origin, place = page
    target = place.start()
    target.do("responder view", "on continue defer")
    command = lap.take(lap.offer(application))
    target.expect("continue")
    assert target.refused("restore-twice") == "EALREADY"
    command.succeeded()
    origin.expect("was-continued a")
    # Also after everything has been restored.
    assert target.refused("restore-now") == "EALREADY"
    assert target.count("restored") == 1


def V6_releasedUncalledMeansNoObjects(page, lap, application):
    origin, place = page
    target = place.start()
    target.do("responder view", "on continue drop")
    lap.take(lap.offer(application)).succeeded()
    origin.expect("was-continued a")
    assert target.count("restored") == 0


def V8_coldStartKeepsTheOrder(page, lap, application):
    origin, place = page
    command = lap.take(lap.offer(application))
    target = place.launched()
    target.expect("continue")
    command.succeeded()
    assert [event.split()[0] for event in target.seen if not event.startswith("state")] == ["will-continue", "continue"]
    origin.expect("was-continued a")


def V8_nothingIsDeliveredBeforeReady(desk, lap, application, install):
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "delegate a", "current a")
    place = install(lap, application, "--not-ready")
    command = lap.take(lap.offer(application))
    target = place.launched()
    target.ready()
    # The activity has long been fetched when the application is.
    origin.do("who")
    assert target.count("will-continue") == target.count("continue") == 0
    target.do("ready")
    target.expect("will-continue")
    target.expect("continue")
    command.succeeded()


def V8_anApplicationCanAskWhatItWasLaunchedFor(page, lap, application, install):
    _, place = page
    by_hand = place.start("--not-ready")
    assert by_hand.do("launch-type") == "launch-type -"
    by_hand.do("ready")
    by_hand.quit()
    place.write_service(exec=place.exec + " --not-ready")
    command = lap.take(lap.offer(application))
    target = place.launched().ready()
    assert target.do("launch-type") == f"launch-type {application.type}"
    target.do("ready")
    target.expect("continue")
    command.succeeded()
    assert target.do("launch-type") == "launch-type -"


def V10_anApplicationMayClaimWhatItNeverCreatesAndCreateWhatItDoesNotClaim(desk, lap, application, install):
    # The one that creates the type does not claim it; the one that claims it never creates one.
    origin = install(desk, application, types=["org.segue.test.other"], service=False).start()
    origin.do(f"activity a {application.type}", "current a")
    place = install(lap, application)
    command = lap.take(lap.offer(application))
    place.launched().expect("continue")
    command.succeeded()


def V10_ofSeveralThatClaimATypeTheSameAppIdIsTaken(page, lap, application, new_application, install):
    # One of them has the name that the activity is titled with: the title never decides.
    others = [
        install(lap, new_application(types=[application.type], name=name), service=True) for name in ["Wanted", "Other"]]
    page[0].do("title a Wanted")
    offer = lap.offer(application, title="Wanted")
    assert offer["local-app"] == application.id and not offer["needs-choice"]
    command = lap.take(offer)
    page[1].launched().expect("continue")
    command.succeeded()
    assert not any(other.was_launched() for other in others)


def V11_anActivityMovesToAnApplicationThatRuns(page, lap, application):
    origin, place = page
    target = place.start()
    target.do("responder view")
    command = lap.take(lap.offer(application, title="Page"))
    assert target.expect("will-continue") == [application.type, "Page", "desk"]
    kind, info = target.expect("continue")
    assert (kind, info) == (application.type, origin.info("a"))
    assert target.expect("restored view") == [info]
    assert "Continued" in command.succeeded()
    origin.expect("was-continued a")
    assert origin.count("was-continued") == 1


def V11_theOriginIsToldOnceForEachContinuation(page, lap, application):
    origin, place = page
    target = place.start()
    target.do("responder view")
    for number in [1, 2, 3]:
        lap.take(lap.offer(application)).succeeded()
        origin.expect("was-continued a")
        assert origin.count("was-continued") == target.count("restored") == number
    # All other messages about them have come before the one about another activity.
    origin.do(f"activity b {application.type}", "title b B", "delegate b", "current b")
    lap.take(lap.offer(application, title="B")).succeeded()
    origin.expect("was-continued b")
    assert origin.count("was-continued a") == 3


@pytest.mark.parametrize("case", ["anotherId", "typeNotDeclared"])
def V12_onlyTheSameApplicationThatDeclaresTheType(page, desk, lap, application, new_application, install, case):
    # attack 31: refused on the receiver, and no process starts.
    origin, place = page
    if case == "anotherId":
        place.remove()
        stranger = install(lap, new_application(types=[application.type]))
    else:
        place.write(place.desktop, application.desktop_file(types=["org.segue.test.other"]))
        stranger = place
    offer = lap.until(
        lambda _: next((o for o in lap.offers_of(application) if not o["local-app"]), None), "an offer without a place")
    assert "No application on this device" in lap.take(offer).failed()
    assert not stranger.was_launched()
    # Another continuation, by the same way: whatever was said of the first has come before its end.
    other = new_application()
    install(lap, other).start()
    second = install(desk, other).start()
    second.do(f"activity b {other.type}", "delegate b", "current b")
    lap.take(lap.offer(other)).succeeded()
    second.expect("was-continued b")
    assert origin.count("was-continued") == 0


@pytest.mark.parametrize("end", ["resign", "invalidate", "expiry", "exit", "crash", "daemon killed"])
def V13_anOfferDisappears(page, desk, lap, application, end):
    origin, _ = page
    lap.offer(application)
    if end == "expiry":
        origin.do("expire a 1")
    elif end == "exit":
        origin.quit()
    elif end == "crash":
        origin.kill()
    elif end == "daemon killed":
        # A running application would start the daemon again at once.
        origin.do("stop-dispatch")
        desk.stop_daemon(9)
        lap.no_offer(application, timeout=rule(6))
        origin.do("resume-dispatch")
        lap.offer(application)
        return
    else:
        origin.do(f"{end} a")
    lap.no_offer(application, timeout=rule(1))
