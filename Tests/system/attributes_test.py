"""The attributes of an activity other than title, URL and userInfo (semantics, section C), and which devices get them
(X8)."""

import cbor2
import pytest
from harness.puppet import Puppet


@pytest.fixture
def origin(both):
    return both[0].start()


def shown(probe, name):
    """Title, URL, target content identifier and revision of a probe's activity."""
    return probe.do(f"show {name}").split()[1:]


def C2_theTargetArrivesAndTheIdentifiersOfStoredCopiesDoNot(origin, both, lap, application):
    origin.do(
        f"activity a {application.type}", "target a chapter/7", "persistent a secret-id", "keywords a secret-word",
        "referrer a https://secret.example/", "put a known string here", "current a")
    offer = lap.offer(application)
    # All that the other device's daemon has of it, as it crosses the door there.
    puppet = Puppet(lap, application)
    command = lap.take(offer)
    call = puppet.launch_message()
    puppet.begin(call.body[0])
    puppet.answer_launch(call)
    payload = puppet.claim(call.body[0])
    puppet.finish(call.body[0])
    command.succeeded()
    puppet.close()
    assert payload["target"] == "chapter/7" and cbor2.loads(payload["user-info"]) == {"known": "here"}
    assert "secret" not in str(offer) + str(payload)
    target = both[1].start()
    origin.do("put a known string again")
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")
    assert shown(target, "continued")[:3] == ["-", "-", "chapter/7"]


def C7_theOfferEndsAtTheExpirationDate(origin, lap, application):
    origin.do(f"activity a {application.type}", "expire a 600000", "current a")
    offer = lap.offer(application)
    # Another date is told too; this one comes while nothing else happens.
    origin.do("expire a 50")
    lap.no_offer(application)
    assert lap.take(offer).failed()
    # It stayed current, and with time ahead of it it is on offer again.
    assert origin.current() == "a"
    origin.do("expire a never")
    assert lap.offer(application)["id"] == offer["id"]


def C7_aLaterDateKeepsTheOffer(origin, desk, lap, application, new_application, install):
    origin.do(f"activity a {application.type}", "expire a 300", "current a", "expire a 600000")
    offer = lap.offer(application)
    # Another activity's end comes after the first date of this one would have.
    other = new_application()
    install(lap, other)
    later = install(desk, other).start()
    later.do(f"activity b {other.type}", "expire b 600000", "current b")
    lap.offer(other)
    later.do("expire b 400")
    lap.no_offer(other)
    assert lap.offer(application)["id"] == offer["id"]


def C7_aDateThatHasPassedIsNeverOffered(origin, desk, lap, application, new_application, install):
    other = new_application()
    install(lap, other)
    origin.do(f"activity a {application.type}", "expire a -1", "current a")
    # Announcements keep their order: once what came later is there, what came before would be.
    later = install(desk, other).start()
    later.do(f"activity b {other.type}", "current b")
    lap.offer(other)
    assert lap.offers_of(application) == []
    assert origin.current() == "a"


def C7_anActivityThatExpiresInTheMiddleOfAFetchIsNotSent(origin, both, lap, application):
    target = both[1].start()
    origin.do(f"activity a {application.type}", "put a n int 1", "current a")
    offer = lap.offer(application)
    origin.do("stop-dispatch")
    command = lap.take(offer)
    target.expect("will-continue")
    origin.do("expire a -1", "resume-dispatch")
    assert target.expect("fail")[1] == "4608"
    command.failed()
    assert target.count("continue") == 0
    lap.no_offer(application)


def C7_anExpiredActivityCannotBeTakenInItsGraceTime(origin, lap, application):
    origin.do(f"activity a {application.type}", "current a")
    offer = lap.offer(application)
    origin.do("resign a", "expire a -1")
    lap.no_offer(application)
    assert "not on offer any more" in lap.take(offer).failed()


def C14_theTargetIsNoChange(origin, both, lap, application):
    origin.do(f"activity a {application.type}", "delegate a", "current a")
    target = both[1].start()
    revisions = []
    for command in ["target a one", "target a two", "put a n int 1", "put a n int 1", "title a T", "needs-save a 1"]:
        origin.do(command)
        lap.take(lap.offer(application)).succeeded()
        target.expect("continue")
        revisions.append(shown(origin, "a")[3])
    # Nor is what was there already.
    assert revisions == ["1", "1", "2", "2", "3", "4"]
    assert shown(target, "continued")[2] == "two"
    assert origin.count("will-save") == 1


def C13_whoAsksForADeletionHearsOfItAlsoWhenItCloses(new_device, application, install):
    device = new_device("desk", daemon=False)
    probe = install(device, application).start(ready=False)
    probe.expect("state 3")
    probe.do("delete-saved some one,two", "delete-all all")
    assert probe.count("deleted") == 0
    probe.quit()
    assert [event for event in probe.seen if event.startswith("deleted")] == [
        "deleted some 4609 closing", "deleted all 4609 closing"]


def X8_theOriginIsAskedForEveryLiveRequest(origin, both, lap, application):
    target = both[1].start()
    origin.do("on version agree", f"activity a {application.type}", "delegate a", "needs-save a 1", "current a")
    lap.offer(application)
    # No device has asked for the activity yet: the first offer is no request.
    assert origin.count("version") == 0
    for _ in range(2):
        lap.take(lap.offer(application)).succeeded()
        target.expect("continue")
    assert origin.count("version") == 2


@pytest.mark.parametrize(
    "verdict, expected", [("refuse", "9004"), ("mismatch", "9011")], ids=["refused", "mismatch"])
def X8_theOriginsVerdictReachesTheUserAsASentence(origin, both, lap, application, verdict, expected):
    target = both[1].start()
    origin.do(f"on version {verdict}", f"activity a {application.type}", "delegate a", "current a")
    offer = lap.offer(application)
    origin.do("needs-save a 1")
    command = lap.take(offer)
    _, code, message = target.expect("fail")
    assert code == expected
    assert application.type in message and "version" in message and message.endswith(".")
    error = command.failed()
    assert message in error and len(error.splitlines()) > 1, error
    # It was asked before the save, which did not run, and the offer stays.
    assert origin.count("version") == 1 and origin.count("will-save") == 0
    assert lap.offer(application)["id"] == offer["id"]
