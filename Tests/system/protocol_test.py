"""docs/link-protocol.md, row by row: what ends a link, what is refused, and what is tolerated."""

import struct
import uuid

import cbor2
import pytest
from harness.encoding import encode
from harness.peer import frames, messages
from harness.peer.channel import Reset

NUMBER = frames.number(1)


@pytest.fixture
def mallory(new_peer, lap):
    peer = new_peer("mallory", lap)
    yield peer
    peer.unpair(lap)


@pytest.fixture
def chosen(new_peer, lap):
    """A peer to which lap, which has the smaller id, chooses the link."""
    peer = new_peer("mallory", lap, beside=lap, is_chooser=False)
    yield peer
    peer.unpair(lap)


def is_served(lap, peer):
    """The daemon goes on, and the peer may come again."""
    with peer.login(lap) as link:
        link.next_message("offers")


# The first frame


@pytest.mark.parametrize("frame", [
    frames.packed(frames.CONTROL, 0, b"\xa0"), frames.packed(frames.OPEN, 1), frames.packed(frames.DATA, 1, b"x"),
    frames.packed(frames.WINDOW, 0, NUMBER), frames.packed(frames.PING), frames.packed(frames.PONG),
    frames.packed(0x80), frames.packed(frames.WELCOME, 1, frames.welcome("x")),
    frames.packed(frames.WELCOME, 0, b"", length=frames.LENGTH_BEFORE_WELCOME + 1),
    frames.packed(frames.WELCOME, 0, frames.welcome("x", low=2, high=1)),
    frames.packed(frames.WELCOME, 0, frames.welcome("x", window=frames.LEAST_WINDOW - 1)),
    frames.packed(frames.WELCOME, 0, frames.welcome("x" * 513)),
    frames.packed(frames.WELCOME, 0, frames.welcome(b"\xff\xfe")),
    frames.packed(frames.WELCOME, 0, frames.welcome("mallory")[:-1]), frames.packed(frames.WELCOME)],
    ids=["control", "open", "data", "window", "ping", "pong", "optional", "channel", "length", "versions", "smallWindow",
         "longName", "noName", "cutName", "empty"])
@pytest.mark.parametrize("is_chooser", [True, False])
def test_nothingButAWelcomeComesFirst(lap, new_peer, is_chooser, frame):
    peer = new_peer("mallory", lap, beside=lap, is_chooser=is_chooser)
    link = peer.dial(lap, greets=False)
    link.write(frame)
    assert link.until_closed() == frames.VIOLATION
    assert (link.other is not None) == is_chooser
    is_served(lap, peer)
    peer.unpair(lap)


def test_nothingFollowsTheWelcomeBeforeTheOther(lap, chosen):
    """Two links are up for choice: the second waits while the first is asked for a sign of life."""
    chosen.login(lap, pongs=False)
    second = chosen.dial(lap)
    second.send(frames.CONTROL, payload=messages.control(messages.offers(1, [])))
    assert second.until_closed() == frames.VIOLATION
    assert second.other is None


def test_goodbyeMayComeFirst(lap, mallory):
    link = mallory.dial(lap, greets=False)
    link.send(frames.GOODBYE, payload=b"\0")
    assert link.until_closed() is None
    is_served(lap, mallory)


@pytest.mark.parametrize("is_chooser", [True, False])
def test_noCommonVersionIsSaidAfterTheWelcomes(lap, new_peer, is_chooser):
    peer = new_peer("mallory", lap, beside=lap, is_chooser=is_chooser)
    link = peer.dial(lap, low=2, high=3)
    assert link.until_closed() == frames.VERSION
    assert link.other == "lap"
    peer.unpair(lap)


def test_aWelcomeMaySayMore(lap, mallory):
    with mallory.login(lap, low=1, high=7, window=1 << 31, name="x" * 512, rest=b"more") as link:
        link.round_trip()


# Violations on a link that is up


def opened(*after):
    """An open channel 1 and frames behind it, in one go: the other side answers when it has read them."""
    return b"".join([frames.packed(frames.OPEN, 1, encode({"kind": "fetch"})), *after])


VIOLATIONS = {
    "length": frames.packed(frames.CONTROL, 0, b"", length=frames.LENGTH + 1),
    "lengthOfAnOptionalOne": frames.packed(0x80, 0, b"", length=0xFFFFFFFF),
    "emptyControl": frames.packed(frames.CONTROL),
    "controlOnAChannel": frames.packed(frames.CONTROL, 1, b"\xa0"),
    "openZero": frames.packed(frames.OPEN, 0),
    "openOfTheOthers": frames.packed(frames.OPEN, 2),
    "openTwice": opened(frames.packed(frames.OPEN, 1)),
    "openLower": frames.packed(frames.OPEN, 5) + frames.packed(frames.OPEN, 3),
    "emptyData": opened(frames.packed(frames.DATA, 1)),
    "dataWithoutAnOpen": frames.packed(frames.DATA, 1, b"x"),
    "dataOnTheControlChannel": frames.packed(frames.DATA, 0, b"x"),
    "dataOnOneOfTheOthersThatNeverWas": frames.packed(frames.DATA, 1000, b"x"),
    "dataAfterFinish": opened(frames.packed(frames.FINISH, 1), frames.packed(frames.DATA, 1, b"x")),
    "finishTwice": opened(frames.packed(frames.FINISH, 1), frames.packed(frames.FINISH, 1)),
    "finishWithAPayload": opened(frames.packed(frames.FINISH, 1, b"x")),
    "finishWithoutAnOpen": frames.packed(frames.FINISH, 1),
    "shortWindow": frames.packed(frames.WINDOW, 0, b"abc"),
    "noWindow": frames.packed(frames.WINDOW, 0, frames.number(0)),
    "windowBeyondAllCredit": frames.packed(frames.WINDOW, 0, frames.number(1 << 30)),
    "windowOfNoChannel": frames.packed(frames.WINDOW, 9, NUMBER),
    "shortReset": opened(frames.packed(frames.RESET, 1, b"abc")),
    "resetWithoutAnOpen": frames.packed(frames.RESET, 9, NUMBER),
    "longPing": frames.packed(frames.PING, 0, b"x" * 9),
    "pingOnAChannel": frames.packed(frames.PING, 1),
    "longPong": frames.packed(frames.PONG, 0, b"x" * 9),
    "pongOnAChannel": frames.packed(frames.PONG, 1),
    "pingsWithoutEnd": frames.packed(frames.PING) * 300,
    "welcomeAgain": frames.packed(frames.WELCOME, 0, frames.welcome("x")),
    "typeZero": frames.packed(0), "typeEleven": frames.packed(11), "typeUnknown": frames.packed(0x7F),
}


@pytest.mark.parametrize("case", VIOLATIONS)
def test_aFrameThatBreaksARuleEndsTheLink(lap, mallory, case):
    link = mallory.login(lap)
    link.write(VIOLATIONS[case])
    assert link.until_closed() == frames.VIOLATION
    is_served(lap, mallory)


@pytest.mark.parametrize("payload", [b"", b"\0", b"\5", b"\xff", b"\0more"])
def test_aGoodbyeEndsTheLinkWhateverItSays(lap, mallory, payload):
    link = mallory.login(lap)
    link.send(frames.GOODBYE, payload=payload)
    assert link.until_closed() is None
    is_served(lap, mallory)


# Tolerated frames


@pytest.mark.parametrize("kind, channel, payload", [
    (0x80, 0, b""), (0xFF, 77, b"x" * frames.LENGTH), (frames.PONG, 0, b"unasked")])
def test_theseFramesAreSkipped(lap, mallory, kind, channel, payload):
    with mallory.login(lap) as link:
        link.send(kind, channel, payload)
        link.round_trip()


def test_framesForAChannelThatHasEndedAreSkipped(lap, mallory):
    with mallory.login(lap) as link:
        channel = link.open(messages.fetch(messages.identifier(), "a.b.c"))
        channel.whole()
        link.send(frames.DATA, channel.number, b"x")
        link.send(frames.FINISH, channel.number)
        link.send(frames.WINDOW, channel.number, NUMBER)
        link.send(frames.RESET, channel.number, NUMBER)
        link.round_trip()


def test_channelNumbersMaySkipSome(lap, mallory):
    with mallory.login(lap) as link:
        link.next_number = 101
        assert link.fetch(messages.identifier(), "a.b.c")[0]["kind"] == "failure"


# Channels


@pytest.mark.parametrize("first", [
    b"", b"\xff", b"\xa0", encode({"kind": "dance"}), encode({"kind": 1}), encode([]), b"\xa1\x64kind\x78\x05fetch"],
    ids=["empty", "noCBOR", "withoutKind", "unknownKind", "numericKind", "noDictionary", "notDeterministic"])
def test_aChannelOfAnUnknownKindIsReset(lap, mallory, first):
    with mallory.login(lap) as link:
        with pytest.raises(Reset) as reset:
            link.open(first).whole()
        assert reset.value.code == 9012
        link.round_trip()


def test_theThirtyThirdChannelIsReset(lap, mallory):
    with mallory.login(lap) as link:
        held = [link.open(messages.fetch(messages.identifier(), "a.b.c"), finish=False) for _ in range(32)]
        with pytest.raises(Reset) as reset:
            link.open(messages.fetch(messages.identifier(), "a.b.c")).whole()
        assert reset.value.code == 9005
        for channel in held:
            assert messages.answered(channel.whole())[0]["kind"] == "failure"
            channel.finish()
        assert link.fetch(messages.identifier(), "a.b.c")[0]["kind"] == "failure"


# Fetch requests


@pytest.fixture
def asked(lap, mallory, application, install):
    """A link to lap, where the application has the activity whose offer is the second value."""
    origin = install(lap, application).start()
    origin.do(f"activity a {application.type}", "title a Page", "put a page int 7", "current a")
    with mallory.login(lap) as link:
        yield link, link.wait(
            lambda: next((offer for message in link.messages for offer in message.get("offers", [])
                          if offer["app"] == application.id), None), "the offer")


@pytest.mark.parametrize("change", [
    {"continuation": None}, {"activity": None}, {"app": None}, {"app": "no id"}, {"app": 1}, {"activity": "text"},
    {"continuation": b"bytes"}], ids=str)
def test_aFetchThatLacksAKeyFails(asked, application, change):
    link, offer = asked
    request = {**messages.fetch(offer["id"], application.id), **change}
    head, _ = messages.answered(
        link.open({key: value for key, value in request.items() if value is not None}).whole())
    assert (head["kind"], head["code"]) == ("failure", 9012)
    link.round_trip()


@pytest.mark.parametrize("change", [
    {"version": None}, {"version": -1}, {"version": "two"}, {"keep": None}, {"keep": False}, {"keep": 1},
    {"unknown": [1, {"a": 2}]}], ids=str)
def test_whatAFetchMayLackCountsAsAbsentWhereItIsWrong(asked, application, change):
    link, offer = asked
    request = {**messages.fetch(offer["id"], application.id), **change}
    head, info = messages.answered(
        link.open({key: value for key, value in request.items() if value is not None}).whole())
    assert (head["kind"], info) == ("snapshot", {"page": 7})


def test_whatFollowsAFetchIsSkipped(asked, application):
    link, offer = asked
    channel = link.open(messages.fetch(offer["id"], application.id), finish=False)
    channel.send(b"x" * 100_000)
    channel.finish()
    assert messages.answered(channel.whole())[0]["kind"] == "snapshot"


@pytest.mark.parametrize("app, activity, code", [("own", None, 4608), ("other.app.id", "own", 9004)])
def test_failureCodes(asked, application, app, activity, code):
    link, offer = asked
    head, _ = link.fetch(
        offer["id"] if activity else messages.identifier(), application.id if app == "own" else app)
    assert head["code"] == code and set(head) == {"kind", "code", "message"}


# Offers


@pytest.fixture
def shown(lap, mallory, application, install):
    """A link to lap, which shows "First" of a message with the sequence 5."""
    install(lap, application)
    with mallory.login(lap) as link:
        link.tell(messages.offers(5, [messages.offer(application, title="First")]))
        lap.offer(application, title="First")
        yield link


MESSAGES = {
    "noKind": {"sequence": 9, "offers": []}, "unknownKind": {"kind": "dance", "sequence": 9, "offers": []},
    "numericKind": {"kind": 1}, "noSequence": {"kind": "offers", "offers": []},
    "negativeSequence": messages.offers(-1, []), "textSequence": messages.offers("9", []),
    "noOffers": {"kind": "offers", "sequence": 9}, "offersThatAreNone": messages.offers(9, {}),
    "olderSequence": messages.offers(5, []), "tooMany": messages.offers(9, [{}] * 33),
    "noContinuation": {"kind": "acknowledged"}, "noDictionary": encode([1]), "noCBOR": b"\xff",
    "notDeterministic": b"\xa3\x64kind\x66offers\x68sequence\x18\x09\x66offers\x80", "twice": b"\xa2\x61a\x01\x61a\x01",
    "behind": encode(messages.offers(9, [])) + b"\0",
}


@pytest.mark.parametrize("case", MESSAGES)
def test_aMessageThatIsRefusedChangesNothing(lap, shown, application, case):
    shown.tell(MESSAGES[case])
    # The last one is taken: what was refused has been read before it.
    shown.tell(messages.offers(6, [messages.offer(application, title="Second")]))
    lap.until(lambda watch: [offer["title"] for offer in lap.offers_of(application)] == ["Second"], "the second alone")


@pytest.mark.parametrize("change", [
    {"id": None}, {"id": "text"}, {"revision": None}, {"revision": -1}, {"version": None}, {"version": -1},
    {"type": None}, {"type": "no type"}, {"type": "a"}, {"app": None}, {"app": "no id"}, {"app": "a." + "b" * 250}],
    ids=str)
def test_anOfferThatLacksAKeyIsLeftOut(lap, shown, application, change):
    shown.tell(messages.offers(6, [
        messages.offer(application, **{"title": "Left out", **change}),
        messages.offer(application, title="Second")]))
    lap.until(lambda watch: [offer["title"] for offer in lap.offers_of(application)] == ["Second"], "the second alone")


@pytest.mark.parametrize("change", [
    {"title": 1}, {"host": 1}, {"tier": 9}, {"tier": "x"}, {"tier": None}, {"team": 1}, {"changed": 1}, {"from": "x"},
    {"fromrevision": 3}, {"life": -1}, {"life": "x"}, {"stored": 0}, {"keep": "x"}, {"unknown": [1]}], ids=str)
def test_whatAnOfferMayLackCountsAsAbsentWhereItIsWrong(lap, shown, application, change):
    shown.tell(messages.offers(6, [messages.offer(application, **{"title": "Second", **change})]))
    lap.until(lambda watch: [offer.get("title") for offer in lap.offers_of(application)]
              == [None if "title" in change else "Second"], "the offer")


@pytest.mark.parametrize("padding", [None, b"", b"x" * 300, "text"], ids=["none", "empty", "odd", "text"])
def test_paddingIsNotLookedAt(lap, shown, application, padding):
    message = messages.offers(6, [messages.offer(application, title="Second")])
    shown.tell(encode(message if padding is None else {**message, "padding": padding}))
    lap.offer(application, title="Second")


def test_theLargestSequenceIsOfOneLinkOnly(lap, mallory, shown, application):
    shown.tell(messages.offers((1 << 63) - 1, [messages.offer(application, title="Last")]))
    lap.offer(application, title="Last")
    shown.tell(messages.offers(6, [messages.offer(application, title="Later")]))
    shown.round_trip()
    shown.goodbye()
    with mallory.login(lap) as again:
        again.tell(messages.offers(0, [messages.offer(application, title="Anew")]))
        lap.offer(application, title="Anew")


# Answers


@pytest.fixture
def answered(lap, mallory, application, install):
    """Chooses an activity of the peer's, and answers the fetch; (the error of the command, the target's events)."""
    target = install(lap, application).start()
    link = mallory.login(lap)
    activity = messages.identifier()
    link.offer(messages.offer(application, activity))

    def answer(change):
        command = lap.take(lap.offer(application))
        channel = link.next_request()
        change(channel, activity)
        _, code, message = target.expect("fail")
        assert message in command.failed()
        assert target.count("continue") == 0
        link.round_trip()
        return int(code)

    return answer


def altered(application, activity, change, info=None):
    head = {"kind": "snapshot", "activity": activity, "type": application.type, "revision": 1, **change}
    return messages.answer({key: value for key, value in head.items() if value is not None}, info or encode({}))


@pytest.mark.parametrize("change", [
    {"kind": None}, {"kind": "dance"}, {"activity": None}, {"activity": "x"}, {"type": None}, {"type": "a"},
    {"revision": None}, {"revision": -1}, {"activity": uuid.UUID(int=1)}, {"type": "org.other.type"},
    {"url": "javascript:x"}, {"target": "x" * 513}, {"files": [{}]}, {"files": [1]},
    {"files": [{"url": cbor2.CBORTag(32, "file:///a"), "container": "c"}]},
    {"files": [{"url": cbor2.CBORTag(32, "file:///a"), "container": "c", "path": "p"}] * 65}],
    ids=lambda change: str(change)[:40])
def test_anAnswerThatLacksAKeyFails(answered, application, change):
    assert answered(lambda channel, activity: channel.answer(altered(application, activity, change))) == 9012


@pytest.mark.parametrize("info", [
    b"\xff", encode([1]), encode({})[:-1] + b"\xa1\x01", b"\xbf\xff", encode({}) + b"\0",
    b"\xa1\x61a" + b"\x81" * 20 + b"\x01"], ids=["noCBOR", "noDictionary", "cut", "indefinite", "behind", "deep"])
def test_aStateThatIsNoDictionaryFails(answered, application, info):
    assert answered(lambda channel, activity: channel.answer(altered(application, activity, {}, info))) == 9012


@pytest.mark.parametrize("data", [
    b"", b"\0\0\0", struct.pack(">I", 99) + b"\xa0", struct.pack(">I", 0), struct.pack(">I", 0xFFFFFFFF) + b"x" * 9,
    messages.answer({"kind": "failure"}), messages.answer({"kind": "failure", "code": "x"}),
    messages.answer({"kind": "failure", "code": 1 << 40})], ids=lambda data: data[:8].hex() or "empty")
def test_anAnswerThatIsNoneFails(answered, data):
    assert answered(lambda channel, _: channel.answer(data) if data else channel.finish()) == 9012


@pytest.mark.parametrize("code", [0, 3072, 4608, 4609, 9005, 9012, 123456])
def test_aResetIsAFailureAtOnceWhateverItsCode(new_device, mallory, application, install, code):
    # The device does not wait for another link, though 4609 would mean that here.
    lap = new_device("patient", FetchTime=3_600_000)
    mallory.pair(lap)
    target = install(lap, application).start()
    link = mallory.login(lap)
    link.offer(messages.offer(application))
    command = lap.take(lap.offer(application))
    link.next_request().reset(code)
    assert target.expect("fail")[1] == "4608"
    command.failed()
    link.round_trip()
