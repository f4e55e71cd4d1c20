"""The offers that an application may continue itself: how it learns of them, and how it chooses one."""

from harness.device import pair
from harness.probe import decode

KEYS = ["id", "type", "title", "host", "app-id", "app-name", "device-id", "device-name", "where", "state", "age"]


def listed(probe):
    """The application's own list."""
    printed, last = probe.run("offers")
    assert last == "ok", last
    return [dict(zip(KEYS, map(decode, line.split()[1:]))) for line in printed]


def titles(probe):
    return [offer["title"] for offer in listed(probe)]


def until(probe, *wanted):
    """Waits until the application's list has these titles; the list."""
    while sorted(titles(probe)) != sorted(wanted):
        probe.expect("offers-changed")
    return listed(probe)


def follower(place):
    """The application on this device, which follows what it may continue."""
    probe = place.start()
    probe.do("follow-offers")
    return probe


def V12_anApplicationSeesWhatItMayContinueAndNothingElse(page, desk, lap, application, new_application, install):
    origin, place = page
    origin.do("url a https://example.org/page")
    other = new_application()
    install(lap, other)
    second = install(desk, other).start()
    second.do(f"activity b {other.type}", "title b Other", "current b")
    target = follower(place)
    offer, = until(target, "Page")
    # The daemon has both.
    lap.offer(other)
    assert titles(target) == ["Page"]
    assert offer == {
        "id": offer["id"], "type": application.type, "title": "Page", "host": "example.org", "app-id": application.id,
        "app-name": application.name, "device-id": offer["device-id"], "device-name": "desk", "where": "away",
        "state": "live", "age": "young"}
    # The device's own id is not for applications, which could compare it.
    with lap.door() as door:
        told = next(item for item in door.control("ListOffers")[0] if item["id"] in offer["id"])
    assert told["device-id"] not in [offer["device-id"], offer["id"]] and len(offer["device-id"]) == 32


def V12_ofAnotherApplicationAnOfferHasAnotherDevice(page, desk, lap, new_application, install):
    origin, place = page
    target = follower(place)
    offer, = until(target, "Page")
    other = new_application()
    second = install(desk, other).start()
    second.do(f"activity b {other.type}", "title b Other", "current b")
    another, = until(follower(install(lap, other)), "Other")
    assert offer["device-name"] == another["device-name"] and offer["device-id"] != another["device-id"]


def V13_theListFollowsTheOrigin(page, application):
    origin, place = page
    target = follower(place)
    first, = until(target, "Page")
    origin.do("title a Second")
    second, = until(target, "Second")
    # Another title is the same offer, another activity is another.
    assert second["id"] == first["id"]
    origin.do(f"activity b {application.type}", "title b Third", "current b")
    third, = until(target, "Third")
    assert third["id"] != first["id"] and third["device-id"] == first["device-id"]
    origin.do("resign b")
    until(target)
    origin.do("current b")
    assert until(target, "Third")[0]["id"] == third["id"]
    origin.kill()
    until(target)


def test_theFirstCallBeginsToo(page):
    origin, place = page
    target = place.start()
    assert listed(target) == []
    # Without the delegate's member nothing tells; but it is there soon.
    target.do("follow-offers")
    until(target, "Page")


def test_whoDoesNotFollowIsToldNothing(page, lap, application):
    origin, place = page
    with lap.door(application.id) as door:
        lap.offer(application)
        origin.do("title a Second")
        lap.offer(application, title="Second")
        # An earlier call of the daemon would arrive before the answer.
        door.call(None, "/org/segue/Door1", "org.freedesktop.DBus.Peer", "Ping")
        assert not door.calls


def V1_theApplicationContinuesWhatItHasChosen(page):
    origin, place = page
    target = follower(place)
    until(target, "Page")
    target.do("continue-offer tag Page token-of-the-window")
    assert target.expect("will-continue")[1:] == ["Page", "desk"]
    assert target.expect("token") == ["token-of-the-window"]
    assert target.expect("chosen")[:2] == ["tag", "0"]
    target.expect("continue")
    origin.expect("was-continued a")
    # A continued activity is left out until it changes (V15).
    until(target)
    assert target.count("chosen") == target.count("will-continue") == target.count("continue") == 1


def V8_whatIsChosenBeforeReadyComesThen(page):
    origin, place = page
    target = place.start("--not-ready")
    target.do("follow-offers")
    until(target, "Page")
    target.do("continue-offer tag Page -")
    origin.do("who")
    assert target.count("will-continue") == target.count("chosen") == 0
    target.do("ready")
    target.expect("will-continue")
    assert target.expect("chosen")[1] == "0"
    target.expect("continue")


def V14_whatHasJustGoneCanStillBeChosen(page):
    origin, place = page
    target = follower(place)
    until(target, "Page")
    target.do("hold-offer Page")
    origin.do("resign a")
    until(target)
    target.do("continue-offer tag Page -")
    assert target.expect("chosen")[1] == "0"
    target.expect("continue")


def test_whatIsGoneForGoodSaysSoWithAdvice(new_device, application, install):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    origin, target = install(desk, application).start(), follower(install(lap, application))
    origin.do(f"activity a {application.type}", "title a Page", "current a")
    until(target, "Page")
    target.do("hold-offer Page")
    origin.do("invalidate a")
    until(target)
    # A daemon that has never heard of it, so that nothing of it is there for a moment (V14).
    lap.stop_daemon(9)
    target.expect("state 3")
    target.ready()
    target.do("continue-offer tag Page -")
    tag, code, message, advice = target.expect("chosen")
    assert (tag, code) == ("tag", "9002") and "no such offer" in message and "other device" in advice, (code, message)
    assert target.count("will-continue") == target.count("fail") == 0


def V3_aSecondChoiceOfTheSameJoins(page, lap, application):
    origin, place = page
    target = follower(place)
    until(target, "Page")
    origin.do("stop-dispatch")
    target.do("continue-offer one Page -", "continue-offer two Page -")
    assert {target.expect("chosen")[0] for _ in range(2)} == {"one", "two"}
    # Also one that comes when it has begun, and one of the command line, which hears the end.
    target.do("continue-offer three Page -")
    assert target.expect("chosen")[:2] == ["three", "0"]
    with lap.door() as door:
        serial = door.call_later(
            None, "/org/segue/Control1", "org.segue.Control1", "Continue", "sa{sv}",
            [lap.offer(application)["id"], {}])
        door.control("GetStatus")
        origin.do("resume-dispatch")
        door.body(door.reply(serial))
    target.expect("continue")
    origin.expect("was-continued a")
    assert target.count("will-continue") == target.count("continue") == 1
    assert target.count("chosen") == 3


def V3_aChoiceOfAnotherCancels(page, desk, lap, application, new_device, install):
    origin, place = page
    third = new_device("third")
    pair(third, lap)
    other = install(third, application).start()
    other.do(f"activity b {application.type}", "title b Third", "current b")
    target = follower(place)
    until(target, "Third", "Page")
    origin.do("stop-dispatch")
    target.do("continue-offer one Page -")
    assert target.expect("chosen")[:2] == ["one", "0"]
    target.do("continue-offer two Third -")
    assert target.expect("fail")[1] == "3072"
    assert target.expect("chosen")[:2] == ["two", "0"]
    target.expect("continue")
    assert [target.count(event) for event in ["will-continue", "continue", "fail"]] == [2, 1, 1]
    origin.do("resume-dispatch")


def V3_whatIsCancelledBeforeItBeginsSaysSo(page, desk, lap, application, new_application, install):
    origin, place = page
    other = new_application()
    install(lap, other)
    second = install(desk, other).start()
    second.do(f"activity b {other.type}", "title b Other", "current b")
    target = place.start("--not-ready")
    target.do("follow-offers")
    until(target, "Page")
    target.do("continue-offer tag Page -")
    # The launch message is with the application before another choice takes its place.
    target.do("who")
    lap.take(lap.offer(other)).succeeded()
    assert target.expect("chosen")[1] == "3072"
    target.do("ready")
    assert target.count("will-continue") == target.count("fail") == 0


def X9_theListComesAnewFromTheNextDaemon(new_device, application, install):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    origin, target = install(desk, application).start(), follower(install(lap, application))
    origin.do(f"activity a {application.type}", "title a Page", "current a")
    before, = until(target, "Page")
    target.do("hold-offer Page")
    lap.stop_daemon(9)
    until(target)
    after, = until(target, "Page")
    assert after["id"] == before["id"] and after["device-id"] == before["device-id"]
    target.do("continue-offer tag Page -")
    assert target.expect("chosen")[1] == "0"
    target.expect("continue")


def test_withoutADaemonNothingCanBeChosen(new_device, application, install):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    origin, target = install(desk, application).start(), follower(install(lap, application))
    origin.do(f"activity a {application.type}", "title a Page", "current a")
    until(target, "Page")
    target.do("hold-offer Page")
    for file in lap.data.glob("dbus-1/services/org.segue.*"):
        file.unlink()
    lap.reload()
    lap.stop_daemon(9)
    until(target)
    target.do("continue-offer tag Page -")
    tag, code, _, advice = target.expect("chosen")
    assert code == "4609" and advice


def V17_whatTheUserWithholdsIsNotListed(new_device, new_application, application, install):
    desk = new_device("desk", settings=["[Policy]", f"Withhold={application.id};"])
    lap = new_device("lap")
    pair(desk, lap)
    other = new_application()
    target, second = follower(install(lap, application)), follower(install(lap, other))
    for one, title in [(application, "Page"), (other, "Other")]:
        install(desk, one).start().do(f"activity a {one.type}", f"title a {title}", "current a")
    # The offers of one device come in one message: with the second, the first would be there.
    until(second, "Other")
    assert titles(target) == []


def test_whoIsBusyHearsTheLastOnly(page, lap, application):
    origin, place = page
    target = follower(place)
    until(target, "Page")
    before = target.count("offers-changed")
    target.do("stop-dispatch")
    for number in range(12):
        origin.do(f"title a Title{number}")
        lap.offer(application, title=f"Title{number}")
    target.do("resume-dispatch")
    until(target, "Title11")
    # One call was on its way already, and one has the present list.
    assert target.count("offers-changed") <= before + 2


def test_aCallbackMayDropTheApplication(page):
    origin, place = page
    target = place.start()
    target.do("mischief offers-changed drop-application", "follow-offers")
    target.expect("mischief offers-changed drop-application")
    target.quit()


def test_theChoiceBelongsToTheApplicationsThread(page):
    origin, place = page
    target = follower(place)
    until(target, "Page")
    assert target.refused("continue-elsewhere Page") == "EPERM"
    assert target.refused(f"continue-offer tag Page {'t' * 513}") == "E2BIG"
    assert target.count("chosen") == 0


def test_whoClosesHearsOfItsChoice(page):
    origin, place = page
    target = place.start("--not-ready")
    target.do("follow-offers")
    until(target, "Page")
    target.do("continue-offer tag Page -")
    target.quit()
    assert target.expect("chosen")[1::3] == ["4609", "closing"]
