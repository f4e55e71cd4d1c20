"""Copies of activities: stored copies (semantics C5, C7, C13) and snapshots (X7)."""

import os
import signal

import pytest
from harness.device import pair
from harness.encoding import decode
from harness.storing import delay_storing, needs_strace, stored, until_not_stored, until_stored
from harness.teams import DEVELOPER, TYPE, sign, team_of
from harness.waiting import wait_for


@pytest.fixture
def two(new_device):
    """Two paired devices: the first lets its snapshots be kept, the second keeps them. Copies are saved at once."""
    desk = new_device("desk", snapshots=["Share"], SnapshotInterval=1, GraceTime=300)
    lap = new_device("lap", snapshots=["Keep"], KeepInterval=1)
    pair(desk, lap)
    return desk, lap


@pytest.fixture
def places(two, application, install):
    return [install(device, application) for device in two]


@pytest.fixture
def origin(places, application):
    """A probe on the first device, whose current activity `a` may be kept."""
    probe = places[0].start()
    probe.do(f"activity a {application.type}", "title a Page", "snapshot a 1", "put a page int 7", "current a")
    return probe


def taken(device, place, offer):
    """Continues an offer; the userInfo that came."""
    target = place.start()
    command = device.take(offer)
    info = decode(target.expect("continue")[1])
    command.succeeded()
    target.quit()
    return info


# C5: what is stored for search


def C5_aCopyForSearchIsRestoredByItsApplication(desk, application, install):
    place = install(desk, application)
    probe = place.start()
    probe.do(
        f"activity a {application.type}", "title a Found", "put a page int 7", "put a draft int 8", "required a page",
        "search a 1", "current a")
    copy = until_stored(desk, "search", app_id=application.id)
    assert copy["title"] == "Found" and copy["here"]
    probe.quit()
    # Its application has ended, and it is launched for it.
    command = desk.start("continue", copy["id"][:8])
    target = place.launched()
    assert decode(target.expect("continue")[1]) == {"page": 7}
    command.succeeded()


def C5_withAWebPageAndNoRequiredKeyNothingElseIsStored(desk, application, install):
    place = install(desk, application)
    probe = place.start()
    probe.do(
        f"activity a {application.type}", "url a https://example.org/?q#f", "put a page int 7", "search a 1",
        "current a")
    copy = until_stored(desk, "search", app_id=application.id)
    command = desk.take(copy)
    assert decode(probe.expect("continue")[1]) == {}
    command.succeeded()
    # A fetch gets the whole state all the same: only the stored copy is reduced.
    assert decode(probe.info("a")) == {"page": 7}


def C5_whatIsNotForSearchIsNotStored(desk, application, new_application, install):
    place, other = install(desk, application), install(desk, new_application())
    place.start().do(f"activity a {application.type}", "current a")
    other.start().do(f"activity a {other.application.type}", "search a 1", "current a")
    # The later application's activity is stored; the earlier one's would be by now.
    until_stored(desk, "search", app_id=other.application.id)
    assert not stored(desk, "search", app_id=application.id)
    assert not stored(desk, "snapshot", app_id=application.id)


# C7: the end of an activity


def C7_anActivityEndsAtItsTimeAlsoInTheMiddle(two, origin, places, application):
    desk, lap = two
    offer = lap.offer(application)
    until_stored(desk)
    origin.do("expire a 400")
    lap.no_offer(application)
    assert "not on offer" in lap.take(offer).failed() or "no such offer" in lap.take(offer).failed()
    until_not_stored(desk)
    # The application's own object is as it was, and goes on offer again when it lives longer.
    assert decode(origin.info("a")) == {"page": 7}
    origin.do("expire a never")
    lap.offer(application)


def C7_aDeviceThatLostContactShowsNothingThatHasExpired(two, origin, application):
    desk, lap = two
    lap.offer(application)
    origin.do("expire a 1500")
    lap.offer(application)
    pid = desk.pid()
    os.kill(pid, signal.SIGSTOP)
    try:
        lap.no_offer(application)
        lap.online(desk)
    finally:
        os.kill(pid, signal.SIGCONT)


def C7_aStoredCopyIsGoneAfterItsTime(new_device, application, install):
    desk = new_device("desk", StoredCopyTime=1000)
    probe = install(desk, application).start()
    assert not stored(desk, "search")
    with desk.bus() as bus:
        bus.match("type='signal',interface='org.segue.Control1',member='StoredChanged'")
        probe.do(f"activity a {application.type}", "search a 1", "current a")
        # It is there, which a list may be too late to show; then it is gone.
        bus.next_signal("StoredChanged")
        bus.next_signal("StoredChanged")
    until_not_stored(desk, "search")


@pytest.mark.parametrize("leave", ["resign a", "current b"])
@pytest.mark.parametrize("expiry", [-1, 1500])
def C7_aDateHoldsForAnActivityThatIsNotCurrentToo(new_device, application, install, leave, expiry):
    desk = new_device("desk")
    probe = install(desk, application).start()
    probe.do(f"activity a {application.type}", f"activity b {application.type}", "search a 1", "current a")
    until_stored(desk, "search")
    probe.do(leave, f"expire a {expiry}")
    until_not_stored(desk, "search")


def C7_aLaterDateHoldsForAnActivityThatIsNotCurrentToo(new_device, application, install):
    desk = new_device("desk")
    probe = install(desk, application).start()
    probe.do(f"activity a {application.type}", "search a 1", "expire a 60000", "current a")
    assert until_stored(desk, "search")["time-left"] <= 60_000
    probe.do("resign a", "expire a 600000")
    desk.until_asked(lambda: 60_000 < stored(desk, "search")[0]["time-left"] <= 600_000, "a later end", "StoredChanged")
    probe.do("expire a never")
    desk.until_asked(lambda: stored(desk, "search")[0]["time-left"] > 600_000, "no end of its own", "StoredChanged")


def C7_aDateThatWasSetWithoutADaemonIsToldToTheNext(new_device, application, install):
    desk = new_device("desk")
    probe = install(desk, application).start()
    probe.do(f"activity a {application.type}", "search a 1", "current a")
    until_stored(desk, "search")
    probe.do("resign a")
    desk.stop_daemon()
    probe.do("expire a -1")
    until_not_stored(desk, "search")


# C13: deletion


def C13_copiesAreDeletedByTheirIdentifier(desk, application, install):
    probe = install(desk, application).start()
    for name in "ab":
        probe.do(f"activity {name} {application.type}", f"persistent {name} id-{name}", f"search {name} 1",
                 f"current {name}")
    until_stored(desk, "search", count=2, app_id=application.id)
    probe.do("delete-saved one id-a,id-unknown")
    assert probe.expect("deleted one")[0] == "0"
    # Done means done: it is asked once.
    assert len(stored(desk, "search", app_id=application.id)) == 1
    probe.do("delete-all two")
    assert probe.expect("deleted two")[0] == "0"
    assert not stored(desk, "search", app_id=application.id)


def C13_nobodyDeletesWhatIsAnothers(desk, application, new_application, install):
    probe = install(desk, application).start()
    probe.do(f"activity a {application.type}", "persistent a id", "search a 1", "current a")
    until_stored(desk, "search", app_id=application.id)
    other = install(desk, new_application()).start()
    other.do("delete-saved one id", "delete-all two")
    other.expect("deleted one")
    other.expect("deleted two")
    assert stored(desk, "search", app_id=application.id)


def C13_anOfferThatRestsOnADeletedCopyEnds(two, origin, places, application):
    desk, lap = two
    until_stored(desk)
    origin.quit()
    lap.offer(application, stored=True)
    other = places[0].start()
    other.do("delete-all one")
    other.expect("deleted one")
    lap.no_offer(application)
    assert not stored(desk, "snapshot")


# X7: snapshots


@pytest.mark.parametrize("end", ["quit", "kill"])
def X7_anActivityOutlivesItsApplication(age_at_most, two, origin, places, application, end):
    desk, lap = two
    until_stored(desk)
    lap.offer(application, stored=False)
    getattr(origin, end)()
    offer = lap.offer(application, stored=True)
    assert "as last saved" in lap.segue("activities")
    target = places[1].start()
    lap.take(offer).succeeded()
    assert decode(target.expect("continue")[1]) == {"page": 7}
    coming, came = target.source()
    # How old it is comes with the state.
    assert (coming["state"], coming["age"]) == ("stored", None)
    assert came["state"] == "stored" and 0 <= came["age"] <= age_at_most()


def X7_itOutlivesTheDaemonToo(two, origin, places, application):
    desk, lap = two
    until_stored(desk)
    origin.kill()
    lap.offer(application, stored=True)
    desk.stop_daemon(9)
    lap.online(desk, is_online=False)
    desk.segue("status")
    lap.online(desk)
    assert taken(lap, places[1], lap.offer(application, stored=True)) == {"page": 7}


def X7_withoutLeaveNothingIsKept(two, places, application):
    desk, lap = two
    probe = places[0].start()
    probe.do(f"activity a {application.type}", "put a page int 7", "current a")
    offer = lap.offer(application)
    assert taken(lap, places[1], offer) == {"page": 7}
    probe.kill()
    lap.no_offer(application)
    assert not stored(desk, "snapshot") and not stored(lap, "snapshot")


def X7_itIsSavedAgainAfterAChange(two, origin, application):
    desk, lap = two
    first = until_stored(desk)["revision"]
    origin.do("put a page int 8")
    desk.until_asked(lambda: stored(desk, "snapshot")[0]["revision"] > first, "the next revision", "StoredChanged")
    origin.kill()
    lap.offer(application, stored=True)


@pytest.mark.parametrize("end", ["invalidate a", "snapshot a 0", "eligible a 0"])
def X7_whatIsWithdrawnIsForgotten(two, origin, application, end):
    desk, lap = two
    until_stored(desk)
    until_stored(lap)
    origin.do(end)
    until_not_stored(desk)
    until_not_stored(lap)
    origin.quit()
    lap.no_offer(application)


def X7_anotherActivityTakesThePlaceOfTheLast(two, origin, places, application):
    desk, lap = two
    until_stored(desk)
    origin.quit()
    lap.offer(application, stored=True)
    probe = places[0].start()
    probe.do(f"activity b {application.type}", "title b Next", "current b")
    assert lap.offer(application, stored=False)["title"] == "Next"
    until_not_stored(desk)


def X7_aDeviceThatSleepsLeavesWhatItLetOthersKeep(age_at_most, two, origin, places, application):
    desk, lap = two
    copy = until_stored(lap)
    assert (copy["here"], copy["device-name"]) == (False, "desk")
    # It would start its daemon again.
    origin.kill()
    desk.stop_daemon(9)
    lap.online(desk, is_online=False)
    offer = lap.offer(application, stored=True)
    assert "desk (as it was" in lap.segue("activities")
    target = places[1].start()
    lap.take(offer).succeeded()
    assert decode(target.expect("continue")[1]) == {"page": 7}
    for said in target.source():
        # It lay here, and so was known before it came.
        assert said["state"] == "stored" and 0 <= said["age"] <= age_at_most()
    target.quit()
    # And after a restart of this device's daemon too, by its id: what was continued is not shown again.
    lap.stop_daemon(9)
    assert taken(lap, places[1], offer) == {"page": 7}
    lap.no_offer(application)


def X7_nothingIsKeptWithoutTheLeaveOfBoth(new_device, application, install):
    desk, lap = new_device("desk", SnapshotInterval=1), new_device("lap", snapshots=["Keep"])
    other = new_device("other", snapshots=["Share"], SnapshotInterval=1)
    pair(desk, lap)
    pair(desk, other)
    pair(lap, other)
    for device in [desk, other]:
        install(device, application).start().do(f"activity a {application.type}", "snapshot a 1", "current a")
    install(lap, application)
    assert until_stored(lap)["device-name"] == "other"
    until_stored(desk, here=True)
    assert not stored(lap, "snapshot", device_name="desk")
    assert not stored(desk, "snapshot", here=False), "desk does not keep what others let it"


def X7_unpairedNothingOfADeviceStays(two, origin, application):
    desk, lap = two
    until_stored(lap)
    name = lap.json("devices")[0]["id"]
    lap.segue("device", "remove", name)
    assert not stored(lap, "snapshot")
    lap.no_offer(application)


def X7_unpairedWhileWhatWasKeptIsRestoredNobodyIsToldLater(two, origin, places, application):
    desk, lap = two
    until_stored(lap)
    origin.kill()
    desk.stop_daemon(9)
    lap.online(desk, is_online=False)
    target = places[1].start()
    target.do("on continue defer")
    command = lap.take(lap.offer(application, stored=True))
    target.expect("continue")
    lap.segue("device", "remove", lap.json("devices")[0]["id"])
    target.do("restore-now")
    command.succeeded()
    # It would wait for a device that never comes.
    assert not lap.recorded()["untold"]


@needs_strace
def X7_whoContinuesDoesNotWaitUntilTheSnapshotIsStored(two, places, origin, application):
    desk, lap = two
    until_stored(desk)
    target = places[1].start()
    offer = lap.offer(application)
    with delay_storing(desk, seconds=5):
        # There is something new to store.
        origin.do("put a page int 8")
        command = lap.take(offer)
        assert decode(target.expect("continue")[1]) == {"page": 8}
        assert "DELAYED" not in desk.trace()
        command.succeeded()
        # The store has a thread of its own: the daemon answers meanwhile.
        desk.json("status")
        assert "DELAYED" not in desk.trace()
        wait_for(lambda: "DELAYED" in desk.trace(), "the step that took long")


@needs_strace
def X7_whoContinuesOnTheSameDeviceDoesNotWaitEither(new_device, new_application, install):
    desk = new_device("desk", settings=DEVELOPER, snapshots=["Share"], SnapshotInterval=1)
    team = team_of(desk)
    writer, reader = (new_application(types=[TYPE], lines=[f"X-Segue-Team={team}"]) for _ in range(2))
    sign(desk, desk, options=["--app", writer.id, "--app", reader.id])
    target = install(desk, reader).start()
    origin = install(desk, writer).start()
    origin.do(f"activity a {TYPE}", "snapshot a 1", "put a page int 7", "current a")
    until_stored(desk)
    with delay_storing(desk, seconds=5):
        origin.do("put a page int 8")
        command = desk.take(desk.offer(writer, local_app=reader.id))
        assert decode(target.expect("continue")[1]) == {"page": 8}
        assert "DELAYED" not in desk.trace()
        command.succeeded()
        wait_for(lambda: "DELAYED" in desk.trace(), "the step that took long")
