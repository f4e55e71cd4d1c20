"""Activities that were on offer a moment ago (V14), and ones that were continued (V15)."""

import pytest
from harness.device import pair
from harness.encoding import decode
from harness.waiting import wait_for


@pytest.mark.parametrize("end", ["resign", "another"])
def V14_whatWasOnOfferAMomentAgoCanBeTakenById(page, lap, application, end):
    origin, place = page
    offer = lap.offer(application)
    if end == "resign":
        origin.do("resign a")
        lap.no_offer(application)
    else:
        origin.do(f"activity b {application.type}", "title b B", "current b")
        lap.offer(application, title="B")
    command = lap.take(offer)
    assert decode(place.launched().expect("continue")[1]) == {"page": 7}
    command.succeeded()
    origin.expect("was-continued a")


def V14_theLastSnapshotOfAnApplicationThatHasEnded(page, lap, application):
    origin, place = page
    target = place.start()
    offer = lap.offer(application)
    lap.take(offer).succeeded()
    target.expect("continue")
    origin.quit()
    lap.no_offer(application)
    command = lap.take(offer)
    assert decode(target.expect("continue")[1]) == {"page": 7}
    command.succeeded()


def V14_whatWasTakenAMomentAfterItsApplicationHadGoneSaysSo(age_at_most, page, lap, application):
    origin, place = page
    target = place.start()
    offer = lap.offer(application)
    lap.take(offer).succeeded()
    origin.quit()
    lap.no_offer(application)
    lap.take(offer).succeeded()
    coming, came = target.source()
    # The age was not known before the state arrived.
    assert (coming["state"], coming["age"]) == ("live", None)
    assert came["state"] == "stored"
    assert 0 <= came["age"] <= age_at_most()


@pytest.mark.parametrize("end", ["invalidate", "quit without a snapshot", "grace"])
def V14_whatHasEndedForGoodCannot(new_device, application, install, end):
    desk, lap = new_device("desk", GraceTime=1 if end == "grace" else 5000), new_device("lap")
    pair(desk, lap)
    origin = install(desk, application).start()
    install(lap, application).start()
    origin.do(f"activity a {application.type}", "current a")
    offer = lap.offer(application)
    if end.startswith("quit"):
        origin.quit()
    else:
        origin.do("invalidate a" if end == "invalidate" else "resign a")
    lap.no_offer(application)
    assert "not on offer any more" in lap.take(offer).failed()


def V15_aContinuedActivitySaysWhatItWasMadeFromUntilItChanges(page, lap, application):
    origin, place = page
    target = place.start()
    target.do("responder view")
    offer = lap.offer(application)
    lap.take(offer).succeeded()
    target.expect("continue")
    _, id, revision = target.do("from continued").split()
    snapshot = origin.do("show a").split()
    assert (id, revision) == (offer["id"], snapshot[-1])
    # An activity that was made here came from none, and one that has changed is the application's own.
    target.do(f"activity other {application.type}")
    assert target.refused("from other") == "ENOENT"
    target.do("title continued Changed")
    assert target.refused("from continued") == "ENOENT"


def V15_whatArrivesBelongsToTheContinuingApplication(page, desk, lap, application):
    origin, place = page
    target = place.start()
    offer = lap.offer(application)
    # The probe puts it on its first responder, where it becomes this device's current activity.
    target.do("responder view")
    lap.take(offer).succeeded()
    target.expect("continue")
    assert target.current() == "continued"
    own = lap.activity(application, title="Page")
    assert own["id"] != offer["id"] and own["type"] == offer["type"]
    # The origin's own activity is as it was.
    assert origin.current() == "a"
    assert desk.activity(application)["id"] == offer["id"]


def V15_theContinuedActivityNeedsNoSaveAndHasNoDelegate(page, desk, lap, application):
    origin, place = page
    target = place.start()
    target.do("on continue drop")
    lap.take(lap.offer(application)).succeeded()
    target.do("current continued")
    # The origin takes it back, by its id since it is not shown unchanged: an ordinary continuation of the state as it
    # arrived, without a save.
    origin.do("responder view", "on continue drop")
    copy = lap.activity(application)
    with desk.bus() as bus:
        wait_for(lambda: bus.control("Explain", "s", [copy["id"]])[0], "the copy that came back")
    command = desk.take(copy)
    assert decode(origin.expect("continue")[1]) == {"page": 7}
    command.succeeded()
    assert target.count("update") == target.count("did-update") == target.count("will-save") == 0
