"""The hand-made peer does what another device does: both ways of each message, and both sides of the welcome."""

import pytest
from harness.encoding import encode
from harness.peer import frames, messages
from harness.peer.channel import Reset
from harness.peer.connection import Refused
from harness.storing import until_stored


@pytest.fixture
def mallory(new_peer, lap):
    peer = new_peer("mallory", lap)
    yield peer
    peer.unpair(lap)


@pytest.mark.parametrize("is_chooser", [True, False])
@pytest.mark.parametrize("dials", [True, False])
def test_aLinkComesUpWhoeverDialsAndWhoeverChooses(lap, new_peer, is_chooser, dials):
    peer = new_peer("mallory", beside=lap, is_chooser=is_chooser)
    if dials:
        peer.pair(lap)
        link = peer.login(lap)
    else:
        peer.pair(lap, peer.listen())
        link = peer.accept(lap).until_up()
    assert link.other == "lap"
    lap.online(peer)
    assert link.next_message("offers")["sequence"] >= 0
    link.goodbye()
    lap.online(peer, is_online=False)
    peer.unpair(lap)


def test_itsOfferIsContinued(lap, mallory, application, install):
    target = install(lap, application).start()
    link = mallory.login(lap)
    activity = messages.identifier()
    link.offer(messages.offer(application, activity, title="Page"))
    shown = lap.offer(application, title="Page")
    assert shown["id"] == messages.digits(activity)
    command = lap.take(shown)
    channel = link.next_request()
    assert channel.request["kind"] == "fetch" and channel.request["activity"] == activity
    channel.answer(messages.snapshot(activity, application.type, {"page": 7}, title="Page"))
    assert target.expect("continue")[1] == encode({"page": 7}).hex()
    command.succeeded()
    told = link.next_message("continued")
    assert told["activity"] == activity and told["continuation"] == channel.request["continuation"]
    link.tell(messages.acknowledged(told["continuation"]))
    link.round_trip()
    # Said again on a new link, unless it was acknowledged.
    link.goodbye()
    with mallory.login(lap) as again:
        again.next_message("offers")
        again.round_trip()
        assert not [message for message in again.messages if message["kind"] == "continued"]


def test_itsFailureIsTheContinuations(lap, mallory, application, install):
    target = install(lap, application).start()
    mallory.answers = lambda channel: channel.answer(messages.failure(4610))
    mallory.login(lap).offer(messages.offer(application))
    command = lap.take(lap.offer(application))
    assert target.expect("fail")[1] == "4610"
    command.failed()


def test_itContinuesAnOffer(lap, mallory, application, install):
    origin = install(lap, application).start()
    origin.do(f"activity a {application.type}", "title a Page", "delegate a", "put a page int 7", "current a")
    link = mallory.login(lap)
    offer = link.wait(
        lambda: next((offer for message in link.messages for offer in message.get("offers", [])
                      if offer["app"] == application.id), None), "the offer")
    assert offer["type"] == application.type and offer["title"] == "Page"
    continuation = messages.identifier()
    head, info = link.fetch(offer["id"], application.id, continuation=continuation)
    assert head["kind"] == "snapshot" and info == {"page": 7}
    link.tell(messages.continued(offer["id"], application, continuation))
    assert link.next_message("acknowledged")["continuation"] == continuation
    origin.expect("was-continued")
    head, _ = link.fetch(messages.identifier(), application.id)
    assert head["kind"] == "failure"
    with pytest.raises(Reset):
        link.open({"kind": "dance"}).whole()


def test_itKeepsWhatItIsOffered(new_device, new_peer, new_application, install):
    desk = new_device("desk", snapshots=["Share"], SnapshotInterval=1)
    application = new_application()
    peer = new_peer("mallory", desk)
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "snapshot a 1", "put a page int 7", "current a")
    until_stored(desk)
    link = peer.login(desk)
    offer = link.wait(
        lambda: next((offer for message in link.messages for offer in message.get("offers", [])
                      if offer.get("keep")), None), "an offer that may be kept")
    head, info = link.fetch(offer["id"], application.id, keep=True)
    assert head["stored"] and info == {"page": 7}


def test_aFrameThatBreaksARuleEndsItsLink(lap, mallory):
    link = mallory.login(lap)
    link.send(42)
    assert link.until_closed() == frames.VIOLATION
    with pytest.raises(Refused):
        link.next_message("never")
    with mallory.login(lap) as again:
        again.round_trip()


def test_itTakesItsTime(lap, mallory):
    """Byte after byte, from the first of TLS to the last of a message."""
    link = mallory.login(lap, slow=0.0005)
    link.offer()
    link.round_trip()
