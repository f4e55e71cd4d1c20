"""Activities (semantics, section C), from a C program to what another device is shown."""

import datetime
import uuid

import cbor2
import pytest
from harness.encoding import decode, hexadecimal
from harness.probe import encode
from harness.puppet import Puppet


@pytest.fixture
def origin(both):
    return both[0].start()


@pytest.mark.parametrize(
    "type_",
    ["single", "a..b", ".a.b", "a.b.", "a.b c", "a.b/c", "a.ü", "-", "a." + "b" * 254],
    ids=["oneElement", "empty", "emptyFirst", "emptyLast", "space", "slash", "letter", "none", "length"])
def C1_malformedTypesMakeNoActivity(origin, type_):
    assert origin.refused(f"activity a {encode(type_)}") == "EINVAL"


def C1_theTypeIsWhatWasGiven(origin, lap, application):
    origin.do("activity digits 9.1-_z", f"activity longest a.{'b' * 253}")
    origin.do(f"activity a {application.type}", "current a")
    assert lap.offer(application)["type"] == application.type


def C2_nothingIsSetAtFirst(origin, lap, application):
    origin.do(f"activity a {application.type}", "current a")
    assert origin.info("a") == "a0"
    offer = lap.offer(application)
    assert "title" not in offer and "web-host" not in offer
    # Without a title it is shown by the application's name.
    assert offer["app-name"] == application.name


EVERY_KIND = {
    "null": None,
    "bool": True,
    "integer": -(2**63),
    "double": 1.5,
    "string": "Zürich\n\t🚲",
    "data": bytes(range(256)),
    "date": cbor2.CBORTag(1, 1700000000),
    "url": cbor2.CBORTag(32, "https://example.com/a?b#c"),
    "uuid": cbor2.CBORTag(37, uuid.UUID(int=7).bytes),
    "array": [1, [2, {"deep": None}]],
    "set": cbor2.CBORTag(258, [1, 2]),
    7: "a key that is an integer",
    False: "a key that is a bool",
    b"key": "a key that is data",
}


def C3_everyKindOfValueArrives(origin, both, lap, application):
    info = hexadecimal(EVERY_KIND)
    origin.do(f"activity a {application.type}", f"info a {info}", "current a")
    command = lap.take(lap.offer(application))
    target = both[1].launched()
    assert target.expect("continue") == [application.type, info]
    command.succeeded()


def C3_containersInContainersArriveAsDeepAsTheyMayBe(origin, both, lap, application):
    def nested(depth):
        """So many containers, the innermost with a value in it."""
        value = "in"
        for level in range(depth - 1, 0, -1):
            value = [value] if level % 2 else {"in": value}
        return {"page": value}

    info = hexadecimal(nested(16))
    origin.do(f"activity a {application.type}", f"info a {info}", "current a")
    assert origin.refused(f"info a {hexadecimal(nested(17))}") == "EBADMSG"
    command = lap.take(lap.offer(application))
    assert both[1].launched().expect("continue") == [application.type, info]
    command.succeeded()


def C3_settingReplacesAll(origin, application):
    origin.do(f"activity a {application.type}", "put a old int 1", f"info a {hexadecimal({'new': 2})}")
    assert decode(origin.info("a")) == {"new": 2}


@pytest.mark.parametrize("value", [{"t": cbor2.CBORTag(0, "2024-01-01T00:00:00Z")}, {"u": cbor2.undefined}, [1], 7])
def C3_otherValuesAreRefused(origin, application, value):
    origin.do(f"activity a {application.type}", "put a kept int 1")
    assert origin.refused(f"info a {hexadecimal(value)}") in ["EBADMSG", "ENXIO"]
    assert decode(origin.info("a")) == {"kept": 1}


def C4_addingMergesAndTheArgumentWins(origin, application):
    origin.do(f"activity a {application.type}", "put a kept int 1", "put a clash int 1")
    origin.do(f"add a {hexadecimal({'clash': 2, 'new': 3})}")
    assert decode(origin.info("a")) == {"kept": 1, "clash": 2, "new": 3}


def C6_notEligibleIsNeverOffered(origin, desk, lap, application, new_application, install):
    other = new_application()
    install(lap, other)
    origin.do(f"activity a {application.type}", "eligible a 0", "current a")
    # Announcements keep their order: once what came later is there, what came before would be.
    later = install(desk, other).start()
    later.do(f"activity a {other.type}", "current a")
    lap.offer(other)
    assert lap.offers_of(application) == []
    origin.do("eligible a 1")
    offer = lap.offer(application)
    origin.do("eligible a 0")
    lap.no_offer(application)
    # It cannot be taken by id either.
    assert lap.take(offer).failed()


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)", "example.com", "", "https://user@example.com/",
        "https://user:word@example.com/",
    ],
)
def C8_otherSchemesAreRefusedAndChangeNothing(origin, lap, application, url):
    origin.do(f"activity a {application.type}", "url a https://example.com/", "current a")
    lap.offer(application, web_host="example.com")
    assert origin.refused(f"url a {encode(url) or '%'}") == "EINVAL"
    origin.do("title a After")
    assert lap.offer(application, title="After")["web-host"] == "example.com"


def C8_theURLArrivesAsItIs(origin, lap, application):
    url = "HTTPS://Example.com:8080/a%20b/../?q=1&q=2&%C3%BC#frag/ment?"
    origin.do(f"activity a {application.type}", f"url a {url.replace('%', '%25')}", "current a")
    puppet = Puppet(lap, application)
    command = lap.take(lap.offer(application))
    call = puppet.launch_message()
    ticket = call.body[0]
    puppet.begin(ticket)
    puppet.answer_launch(call)
    assert puppet.claim(ticket)["webpage-url"] == url
    puppet.finish(ticket)
    command.succeeded()
    puppet.close()


def C9_oneCurrentActivityPerApplication(origin, lap, application):
    origin.do(f"activity a {application.type}", f"activity b {application.type}", "title a A", "title b B", "current a")
    first = lap.offer(application, title="A")
    origin.do("current b")
    second = lap.offer(application, title="B")
    assert lap.offers_of(application) == [second]
    assert origin.current() == "b"
    # The former one became inactive, not invalid.
    origin.do("current a")
    assert lap.offer(application, title="A")["id"] == first["id"]


def C9_onOfferOnlyFromTheFirstBecomeCurrent(origin, lap, application):
    origin.do(f"activity a {application.type}", "title a A", f"activity b {application.type}", "title b B", "current b")
    lap.offer(application, title="B")
    assert not any(item.get("title") == "A" for _, _, item in lap.watch.history if item.get("app-id") == application.id)


def C10_resignWithdrawsAndTheActivityStaysValid(origin, lap, application):
    origin.do(f"activity a {application.type}", "current a")
    offer = lap.offer(application)
    origin.do("resign a")
    assert origin.current() is None
    lap.no_offer(application)
    origin.do("title a Again", "current a")
    assert lap.offer(application, title="Again")["id"] == offer["id"]


def C10_invalidateIsFinal(origin, lap, application):
    origin.do(f"activity a {application.type}", "current a")
    offer = lap.offer(application)
    origin.do("invalidate a")
    assert origin.current() is None
    lap.no_offer(application)
    assert lap.take(offer).failed()
    origin.do("invalidate a")


def C11_afterInvalidate(origin, lap, application):
    origin.do(f"activity a {application.type}", "invalidate a")
    assert origin.do("current a") == 1
    assert origin.current() is None
    for setter in ["title a T", "url a http://e.com", "put a k int 1", "info a a0", "needs-save a 1", "eligible a 0"]:
        assert origin.refused(setter) == "ESTALE", setter


def C12_droppingTheLastReferenceWithdraws(both, desk, lap, application):
    origin = both[0].start(environment={"SEGUE_LOG": "1"})
    warning = f"the last reference to the current activity of type {application.type} was dropped"
    # The library does not warn about an activity that is not current.
    origin.do(f"activity a {application.type}", "current a")
    lap.offer(application)
    origin.do("resign a", "drop a")
    lap.no_offer(application)
    assert warning not in desk.report()
    origin.do(f"activity b {application.type}", "current b")
    lap.offer(application)
    origin.do("drop b")
    lap.no_offer(application)
    assert origin.current() is None
    assert warning in desk.report()


def C14_settersSendTheOfferAgainWithoutASave(origin, lap, application):
    origin.do("responder r", f"activity a {application.type}", "delegate a", "attach r a")
    lap.offer(application)
    saves = origin.count("will-save")
    origin.do("title a New")
    lap.offer(application, title="New")
    origin.do("url a https://example.com/x")
    lap.offer(application, web_host="example.com")
    origin.do("title a -", "url a -")
    offer = lap.offer(application, title=None, web_host=None)
    assert "title" not in offer
    assert origin.count("will-save") == saves and origin.count("update") == saves


def C15_constantsHaveFunctions():
    import ctypes

    from harness.tree import LIBRARY

    library = ctypes.CDLL(str(LIBRARY))
    library.segue_activity_type_browsing_web.restype = ctypes.c_char_p
    library.segue_document_url_key.restype = ctypes.c_char_p
    assert library.segue_activity_type_browsing_web() == b"org.segue.BrowsingWeb"
    assert library.segue_document_url_key() == b"SegueDocumentURL"


def C16_everyActivityHasItsOwnIdAndARevisionThatGrows(origin, both, lap, application):
    origin.do(f"activity a {application.type}", "title a Same", f"activity b {application.type}", "title b Same")
    origin.do("current a")
    first = lap.offer(application)
    origin.do("current b")
    second = lap.until(
        lambda watch: next((o for o in lap.offers_of(application) if o["id"] != first["id"]), None), "another id")
    target = both[1].start()
    revisions = []
    for _ in range(2):
        lap.take(second).succeeded()
        origin.do("title b Same", f"put b n int {len(revisions)}")
        target.expect("continue")
        origin.do(f"title b Same{len(revisions)}")
        revisions.append(lap.offer(application, title=f"Same{len(revisions)}")["revision"])
    assert second["revision"] < revisions[0] < revisions[1]


def C3_aDateIsKeptToTheFraction(origin, both, lap, application):
    when = datetime.datetime(2024, 2, 29, 12, 30, 0, 250000, tzinfo=datetime.timezone.utc).timestamp()
    info = hexadecimal({"when": cbor2.CBORTag(1, when)})
    origin.do(f"activity a {application.type}", f"info a {info}", "current a")
    command = lap.take(lap.offer(application))
    assert both[1].launched().expect("continue")[1] == info
    command.succeeded()
