"""A paired device gone bad: what it says it has continued, whose activity it offers, what it gives and takes."""

import pytest
from harness.device import pair
from harness.peer import messages


def offered(link, application):
    """The offer of the application's that the link has been told of."""
    return link.wait(
        lambda: next((offer for message in link.messages for offer in message.get("offers", [])
                      if offer["app"] == application.id), None), "the offer")


def begin(origin, application):
    origin.do(f"activity a {application.type}", "title a Page", "delegate a", "put a page int 7", "current a")
    return origin


# Reports of continuations


def attack17_whoHasNotFetchedIsNotHeard(desk, new_peer, application, install):
    origin = begin(install(desk, application).start(), application)
    mallory = new_peer("mallory", desk)
    link = mallory.login(desk)
    activity = offered(link, application)["id"]
    before = desk.recorded()
    for _ in range(2_000):
        link.tell(messages.continued(activity, application))
    link.round_trip()
    desk.json("status")
    # The daemon has not recorded the report, and has not notified the application.
    assert desk.recorded() == before
    assert origin.count("was-continued") == 0
    mallory.unpair(desk)


def attack17_whatWasSaidOnceIsNotHeardAgain(desk, new_peer, application, install):
    origin = begin(install(desk, application).start(), application)
    mallory, other = new_peer("mallory", desk), new_peer("other", desk)
    link, second = mallory.login(desk), other.login(desk)
    activity = offered(link, application)["id"]
    first, later, last = (messages.identifier() for _ in range(3))
    link.fetch(activity, application.id, continuation=first)
    second.fetch(activity, application.id, continuation=last)
    # A device cannot report a continuation that the other one has fetched.
    second.tell(messages.continued(activity, application, first))
    link.tell(messages.continued(activity, application, first))
    origin.expect("was-continued")
    for _ in range(200):
        link.tell(messages.continued(activity, application))
    link.tell(messages.continued(activity, application, first))
    # Fetched again under the old id, it has been said all the same.
    link.fetch(activity, application.id, continuation=first)
    link.tell(messages.continued(activity, application, first))
    link.fetch(activity, application.id, continuation=later)
    link.tell(messages.continued(activity, application, later))
    origin.expect("was-continued")
    # The reports of one device do not stop those of the other.
    second.tell(messages.continued(activity, application, last))
    origin.expect("was-continued")
    assert origin.count("was-continued") == 3
    for peer in mallory, other:
        peer.unpair(desk)


# Offers of other devices' activities


@pytest.mark.parametrize("is_first", [True, False])
def C16_anIdThatAnotherDeviceRepeatsIsNotGuessed(new_device, new_peer, application, install, is_first):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    begin(install(desk, application).start(), application)
    target = install(lap, application).start()
    # Its id comes before desk's in the order of ids, or after it.
    mallory = new_peer("mallory", beside=desk, is_chooser=is_first).pair(lap)
    link = mallory.login(lap)
    true = lap.offer(application, device_name="desk")
    link.offer(messages.offer(application, messages.identifier(true["id"]), title="Page", revision=9))
    false = lap.offer(application, device_name="mallory")
    assert true["id"] == false["id"]
    for id_ in true["id"], true["id"][:8]:
        error = lap.start("continue", id_).failed()
        assert "desk" in error and "mallory" in error and "--device" in error
    lap.segue("continue", true["id"][:8], "--device", "desk")
    assert target.expect("continue")
    assert not link.requests
    # A continuation of one device's activity hides none of the other's, and is reported to that one device.
    assert [offer["device-name"] for offer in lap.listed(application)][-1:] == ["mallory"]
    assert not [message for message in link.messages if message["kind"] == "continued"]


def C16_anIdThatADeviceSaysAgainIsListedOnce(lap, new_peer, application, install):
    install(lap, application)
    mallory = new_peer("mallory", lap)
    activity = messages.identifier()
    with mallory.login(lap) as link:
        link.offer(*(messages.offer(application, activity, title=f"Page {number}") for number in range(32)))
        lap.offer(application, title="Page 0")
        listed = [offer for offer in lap.json("activities")["offers"] if offer["app-id"] == application.id]
        assert [offer["title"] for offer in listed] == ["Page 0"]
    mallory.unpair(lap)


# Fetches and answers


@pytest.mark.parametrize("what", ["activity", "type"])
def V2_aFetchThatBringsSomethingElseFails(lap, new_peer, application, install, what):
    target = install(lap, application).start()
    mallory = new_peer("mallory", lap)
    link = mallory.login(lap)
    activity = messages.identifier()
    link.offer(messages.offer(application, activity))
    command = lap.take(lap.offer(application))
    channel = link.next_request()
    given = messages.identifier() if what == "activity" else activity
    type_ = "org.example.other" if what == "type" else application.type
    channel.answer(messages.snapshot(given, type_, {"page": 7}))
    target.expect("fail")
    command.failed()
    assert target.count("continue") == 0
    mallory.unpair(lap)


def V12_anotherApplicationDoesNotGetTheState(desk, new_peer, new_application, application, install):
    origin = begin(install(desk, application).start(), application)
    other = new_application()
    install(desk, other)
    mallory = new_peer("mallory", desk)
    link = mallory.login(desk)
    activity = offered(link, application)["id"]
    head, info = link.fetch(activity, other.id)
    assert head["kind"] == "failure" and info is None
    assert link.fetch(activity, application.id)[1] == {"page": 7}
    assert origin.count("was-continued") == 0
    mallory.unpair(desk)


def X7_everNewActivitiesAreKeptAtTheRateOfADevice(new_device, new_peer, application, install):
    lap = new_device("lap", snapshots=["Keep"], KeepInterval=3_600_000)
    install(lap, application)
    mallory = new_peer("mallory", lap)
    fetched = []

    def answer(channel):
        fetched.append(channel.request["activity"])
        channel.answer(messages.snapshot(channel.request["activity"], application.type, {"page": "x" * 50_000}))

    mallory.answers = answer
    link = mallory.login(lap)
    for _ in range(8):
        ids = [messages.identifier() for _ in range(16)]
        link.offer(*(messages.offer(application, id_, keep=True) for id_ in ids))
        link.round_trip()
        lap.json("status")
        link.round_trip()
    assert 0 < len(fetched) <= 32
