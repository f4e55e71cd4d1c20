"""Objects of plugins on two devices: hosted, saved, restored (include/segue/hosting.h)."""

import urllib.parse

import cbor2
import pytest
from harness import plugins
from harness.device import Device, pair
from harness.encoding import decode, hexadecimal
from harness.plugins import ID
from harness.storing import until_stored
from harness.tree import PREFIX
from harness.wire import BusError

plugin, plugin_prefix = plugins.plugin, plugins.plugin_prefix

OBJECTS = {
    "place": ("org.segue.text-position", "position"),
    "player": ("org.segue.media-position", "playback"),
    "form": ("org.segue.form-state", "form"),
    "page": ("org.segue.web-page", "page"),
}
LIST = "file:///home/a/Notes/list.txt"
TALK = "https://example.org/talk.ogg"


def link(url):
    """A URL as userInfo has it."""
    return cbor2.CBORTag(32, url)


def make(probe, *names, prefix="-"):
    """Objects of the plugins in the installed tree, called by these names."""
    for name in names:
        plugin, kind = OBJECTS[name]
        probe.do(f"object {name} {plugin} {kind} {prefix} {PREFIX}")


def put(probe, name, **properties):
    for key, value in properties.items():
        probe.do(f"set-property {name} {key.replace('_', '.')} {hexadecimal(value)}")


def get(probe, name, key):
    return decode(probe.do(f"get-property {name} {key}").split()[2])


def restored(probe):
    """The objects that have restored, in order."""
    probe.do("who")
    return [event.split()[1] for event in probe.seen if event.startswith("restored ")]


@pytest.fixture
def origin(desk, application, install):
    """On desk, an activity that a text's place, a player and a responder of the application's own serve together."""
    origin = install(desk, application).start()
    make(origin, "place", "player")
    origin.do("responder own", "state own zoom int 3", f"activity a {application.type}", "delegate a")
    put(origin, "place", text_line=42, text_file=link(LIST))
    put(origin, "player", media_volume=0.25)
    origin.do(f"play player {TALK} 62.5 2", "attach place a", "attach own a", "attach player a")
    return origin


SAVED = {
    "text.line": 42, "text.column": 1, "text.file": link(LIST), "zoom": 3,
    "media.url": link(TALK), "media.time": 62.5, "media.rate": 2.0,
}


def check_restored(target):
    assert get(target, "place", "text.line") == 42
    assert get(target, "place", "text.file") == link(LIST)
    assert get(target, "player", "media.url") == link(TALK)
    assert get(target, "player", "media.time") == 62.5
    assert get(target, "player", "media.rate") == 2


@pytest.fixture
def there(lap, application, install):
    """The application's place on lap."""
    return install(lap, application)


def R10_objectsOfPluginsRestoreBesideTheApplicationsOwnInOrder(origin, there, lap, application):
    target = there.start()
    make(target, "player")
    target.do("responder own")
    make(target, "place")
    command = lap.take(lap.offer(application))
    info = decode(target.expect("continue")[1])
    command.succeeded()
    origin.expect("was-continued a")
    assert info == SAVED
    assert restored(target) == ["player", "own", "place"]
    assert target.count("object-failed") == 0
    check_restored(target)


def R10_objectsOfPluginsRestoreInAnApplicationThatTheBusLaunches(origin, lap, application, install):
    place = install(lap, application, "--not-ready")
    command = lap.take(lap.offer(application))
    target = place.launched()
    # It makes its objects, as at every start, and is ready then.
    make(target, "place", "player")
    target.do("ready")
    target.expect("continue")
    command.succeeded()
    assert restored(target) == ["place", "player"]
    check_restored(target)


def test_whatIsOfThisDeviceDoesNotLeaveIt(origin, there, lap, application):
    target = there.start()
    make(target, "player")
    put(target, "player", media_volume=0.75)
    command = lap.take(lap.offer(application))
    info = decode(target.expect("continue")[1])
    command.succeeded()
    target.expect("restored player")
    assert "media.volume" not in info
    assert get(target, "player", "media.volume") == 0.75
    assert get(origin, "player", "media.volume") == 0.25


def test_whatIsOfThisDeviceIsInTheCopiesThatStayOnIt(origin, desk, application):
    origin.do("search a 1", "needs-save a 1")
    copy = until_stored(desk, "search", app_id=application.id)
    put(origin, "player", media_volume=1.0)
    # It is not stored anew.
    origin.do("needs-save a 0")
    command = desk.take(copy)
    assert decode(origin.expect("continue")[1]) == {**SAVED, "media.volume": 0.25}
    command.succeeded()
    assert get(origin, "player", "media.volume") == 0.25


def test_whatIsOfThisDeviceDoesNotLeaveItByWayOfACopy(origin, there, desk, lap, application):
    origin.do("search a 1", "needs-save a 1")
    copy = until_stored(desk, "search", app_id=application.id)
    # The activity that comes of the copy goes on without anybody who would save it anew.
    origin.do("on continue drop")
    command = desk.take(copy)
    assert "media.volume" in decode(origin.expect("continue")[1])
    command.succeeded()
    origin.do("current continued")
    target = there.start()
    command = lap.take(lap.offer(application))
    info = decode(target.expect("continue")[1])
    command.succeeded()
    assert "media.volume" not in info


def V1_aPluginThatCrashesInRestoringIsNamed(both, lap, application, plugin_prefix):
    origin = both[0].start()
    info = {"file": "b.txt", "line": 3}
    origin.do(f"activity a {application.type}", "delegate a", f"info a {hexadecimal(info)}", "current a")
    target = both[1].start()
    target.do(f"object place {ID} position - {plugin_prefix(SET_LINE='CRASH')}")
    command = lap.take(lap.offer(application))
    target.expect("continue")
    told = command.failed()
    assert f"The application ended before it had restored the activity, in its plugin {ID}." in told
    assert f"segue plugin check {ID}" in told
    # The origin has heard nothing of it, and it can be continued elsewhere.
    again = both[1].start()
    lap.take(lap.offer(application)).succeeded()
    again.expect("continue")
    origin.expect("was-continued a")
    assert origin.count("was-continued") == 1


def V1_aPluginThatHangsInRestoringIsNamed(new_device, new_application, install, plugin_prefix):
    desk, lap = new_device("desk"), new_device("lap", FinishTime=500)
    pair(desk, lap)
    application = new_application()
    origin = install(desk, application).start()
    info = {"file": "b.txt", "line": 3}
    origin.do(f"activity a {application.type}", f"info a {hexadecimal(info)}", "current a")
    target = install(lap, application).start()
    target.do(f"object place {ID} position - {plugin_prefix(SET_LINE='HANG')}")
    command = lap.take(lap.offer(application))
    target.expect("continue")
    told = command.failed()
    assert f"its plugin {ID} does not return" in told and f"segue plugin check {ID}" in told
    target.kill()


def V1_anApplicationThatEndsAfterItsPluginIsNotThePluginsFault(both, lap, application, plugin_prefix):
    origin = both[0].start()
    info = {"file": "b.txt", "line": 3}
    origin.do(f"activity a {application.type}", f"info a {hexadecimal(info)}", "current a")
    target = both[1].start()
    target.do(f"object place {ID} position - {plugin_prefix()}", "responder own", "mischief restored exit")
    command = lap.take(lap.offer(application))
    target.expect("restored place")
    told = command.failed()
    assert "The application ended before it had restored the activity." in told and ID not in told


def V1_aPluginThatCrashesInSavingIsNamed(both, lap, application, plugin_prefix):
    origin = both[0].start()
    # Once for the offer.
    prefix = plugin_prefix(UPDATE="static int rounds; if (rounds++ > 0) CRASH")
    origin.do(f"object place {ID} position - {prefix}", f"activity a {application.type}", "attach place a")
    offer = lap.offer(application)
    origin.do("needs-save a 1")
    target = both[1].start()
    command = lap.take(offer)
    _, code, message = target.expect("fail")
    assert code == "4608" and f"in its plugin {ID}" in message
    assert message in command.failed()


def test_noOtherTextIsTakenForAPluginsId(desk, application, install):
    install(desk, application)
    with desk.door(application.id) as door:
        for text in ["nonsense", "a.b\n", "org.example." + "x" * 256]:
            with pytest.raises(BusError, match="reversed domain name"):
                door.tell("RunsPlugin", "s", [text])
        door.tell("RunsPlugin", "s", [ID])
        door.tell("RunsPlugin", "s", [""])


def test_whatChangesIsOnOfferAnew(origin, there, lap, application):
    lap.offer(application)
    put(origin, "place", text_line=50)
    command = lap.take(lap.offer(application))
    target = there.launched()
    assert decode(target.expect("continue")[1])["text.line"] == 50
    command.succeeded()


def test_anObjectThatCannotRestoreFailsAlone(both, lap, application):
    origin = both[0].start()
    # As another version of the application may have written it: a line that is none, a player without its URL.
    info = {"text.line": 0, "media.time": 5.0, "form.fields": {"name": "Ada"}}
    origin.do(f"activity a {application.type}", f"info a {hexadecimal(info)}", "current a")
    target = both[1].start()
    make(target, "place", "player", "form")
    put(target, "place", text_line=7)
    command = lap.take(lap.offer(application))
    target.expect("continue")
    command.succeeded()
    assert restored(target) == ["form"]
    failures = dict(target.expect("object-failed") for _ in range(2))
    for words in ["org.segue.text-position", "position", "text.line"]:
        assert words in failures["place"]
    for words in ["org.segue.media-position", "playback", "media.url"]:
        assert words in failures["player"]
    assert get(target, "place", "text.line") == 7
    assert get(target, "player", "media.time") == 0
    assert get(target, "form", "form.fields") == {"name": "Ada"}


def test_pluginsInCAndCPlusPlusAndSwiftServeOneActivity(both, lap, application):
    origin, target = both[0].start(), both[1].start()
    make(origin, "place", "form", "page")
    make(target, "page", "form", "place")
    put(origin, "place", text_line=42)
    put(origin, "form", form_fields={"name": "Ada"})
    put(origin, "page", page_url=link("https://example.org/ferry"), page_title="The ferry", **{"page.scroll-y": 0.5})
    put(origin, "page", page_fields={"from": "harbour"}, page_zoom=2.0)
    origin.do(f"activity a {application.type}", "attach page a", "attach place a", "attach form a")
    # The one in Swift gives the activity its title and its web page besides, before it is first offered.
    command = lap.take(lap.offer(application, title="The ferry", web_host="example.org"))
    info = decode(target.expect("continue")[1])
    command.succeeded()
    assert restored(target) == ["page", "form", "place"]
    assert "page.zoom" not in info
    assert get(target, "page", "page.url") == link("https://example.org/ferry")
    assert get(target, "page", "page.scroll-y") == 0.5
    assert get(target, "page", "page.fields") == {"from": "harbour"}
    assert get(target, "form", "form.fields") == {"name": "Ada"}
    assert get(target, "place", "text.line") == 42


def test_twoObjectsOfAKindShareAnActivity(both, lap, application):
    origin = both[0].start()
    for side, line in [("left", 1), ("right", 2)]:
        origin.do(f"object {side} org.segue.text-position position {side}. {PREFIX}")
        put(origin, side, text_line=line)
    origin.do(f"activity a {application.type}", "attach left a", "attach right a")
    target = both[1].start()
    for side in ["left", "right"]:
        target.do(f"object {side} org.segue.text-position position {side}. {PREFIX}")
    command = lap.take(lap.offer(application))
    assert decode(target.expect("continue")[1])["right.text.line"] == 2
    command.succeeded()
    assert restored(target) == ["left", "right"]
    assert [get(target, side, "text.line") for side in ["left", "right"]] == [1, 2]


def test_anObjectThatIsDroppedLeavesItsActivity(both, lap, application):
    origin = both[0].start()
    make(origin, "place")
    origin.do(f"activity a {application.type}", "attach place a")
    lap.offer(application)
    origin.do("drop-responder place")
    lap.no_offer(application)
    assert origin.do("current a") == 1, "invalidated"


# Files in a folder that both devices share


@pytest.fixture(scope="module")
def sharing():
    made = [Device(name, containers=["notes"]) for name in ["desk", "lap"]]
    try:
        pair(*made)
        yield made
    finally:
        for device in made:
            device.close()


@pytest.fixture
def files(sharing):
    """A file that has arrived on both: its URL on each."""
    paths = [device.containers["notes"] / "list.txt" for device in sharing]
    for path in paths:
        path.write_text("milk\n")
    return [f"file://{urllib.parse.quote(str(path))}" for path in paths]


def test_thePlacesFileIsThatOfTheOtherDevice(sharing, files, new_application, install):
    desk, lap = sharing
    application = new_application()
    origin, target = [install(device, application).start() for device in sharing]
    make(origin, "place")
    make(target, "place")
    put(origin, "place", text_line=1, text_file=link(files[0]))
    origin.do(f"activity a {application.type}", "attach place a")
    command = lap.take(lap.offer(application))
    target.expect("restored place")
    command.succeeded()
    assert get(target, "place", "text.file") == link(files[1])


def continue_with_document(sharing, files, new_application, install, how):
    """A document that an object goes with is continued, and the other side hands over `how`; its probe."""
    desk, lap = sharing
    application = new_application(types=[])
    application.lines.append(f"X-Segue-DocumentActivityTypes=text/plain={application.id}.text;")
    origin, target = [install(device, application).start() for device in sharing]
    make(origin, "place")
    put(origin, "place", text_line=3)
    # The document's activity comes later, and the object is in it.
    origin.do(f"document d {files[0]} text/plain", "state d zoom int 2", "add-responder d place")
    make(target, "place")
    target.do("without continue", f"on open-document {how}", f"document d {files[1]} text/plain")
    target.do("add-responder d place")
    lap.offer(application, title="list.txt")
    origin.do("activity-of d a", "needs-save a 1")
    command = lap.take(lap.offer(application))
    info = decode(target.expect("open-document")[1])
    command.succeeded()
    assert info == {"SegueDocumentURL": link(files[1]), "text.line": 3, "text.column": 1, "zoom": 2}
    return target


def test_anObjectGoesWithADocument(sharing, files, new_application, install):
    target = continue_with_document(sharing, files, new_application, install, "documents")
    # After the document, and without being handed over by itself.
    assert restored(target) == ["d", "place"]
    assert get(target, "place", "text.line") == 3


def test_anObjectThatIsHandedOverBesideItsDocumentRestoresOnce(sharing, files, new_application, install):
    target = continue_with_document(sharing, files, new_application, install, "reuse")
    assert sorted(restored(target)) == ["d", "place"]
    assert get(target, "place", "text.line") == 3
