"""Which application may continue which activity (semantics V10, V12, V17; attack 44): ids, teams, defaults and
policy."""

import json
import re

import pytest
from dbus_fast import Variant
from harness.device import pair
from harness.teams import DEVELOPER, TYPE, put, sign, team_of
from harness.waiting import wait_for
from harness.wire import BusError

@pytest.fixture
def developers(new_device):
    """Two devices of a developer, paired."""
    desk, lap = new_device("desk", settings=DEVELOPER), new_device("lap", settings=DEVELOPER)
    pair(desk, lap)
    return desk, lap


@pytest.fixture
def editors(developers, new_application, install):
    """A team's writer with a current activity on desk, and two readers on lap: (desk, lap, team, apps, origin)."""
    desk, lap = developers
    team = team_of(desk)
    apps = [new_application(name=name, types=[TYPE], lines=[f"X-Segue-Team={team}"]) for name in ["W", "R", "S"]]
    origin = install(desk, apps[0]).start()
    origin.do(f"activity a {TYPE}", "title a Page", "delegate a", "put a page int 7", "current a")
    return desk, lap, team, apps, origin


def listed(lap, application, found):
    return lap.until(
        lambda _: next((o for o in lap.offers_of(application) if found(o)), None), f"the offer of {application.id}")


def refusal(bus, offer):
    """The daemon's answer to the choice of an offer."""
    try:
        bus.control("Continue", "sa{sv}", [offer["id"], {}])
    except BusError as error:
        return error.text
    raise AssertionError("the offer was continued")


def V12_aVerifiedTeamContinues(editors, install):
    desk, lap, team, (writer, reader, _), origin = editors
    place = install(lap, reader)
    offer = listed(lap, writer, lambda o: not o["local-app"])
    assert f"segue/teams/{team}.manifest" in lap.take(offer).failed()
    assert not place.was_launched()
    sign(desk, lap, options=["--app", writer.id, "--app", reader.id])
    offer = lap.offer(writer)
    assert offer["candidates"] == [reader.id] and not offer["needs-choice"]
    target = place.start()
    command = lap.take(offer)
    target.expect("continue")
    command.succeeded()
    origin.expect("was-continued a")


def test_aCheckSaysWhetherTheTeamHasAManifestThatListsTheApplication(editors, install):
    desk, lap, team, (writer, reader, _), _ = editors
    place = install(lap, reader)

    def judged(severity, *texts):
        def found():
            said = json.loads(lap.start("app", "check", place.desktop, "--json").result()[1])
            return any(one["severity"] == severity and all(text in one["message"] for text in texts) for one in said)
        wait_for(found, f"{severity}: {texts}")

    judged("warning", f"Its team {team} has no manifest here")
    sign(desk, lap, options=["--app", writer.id])
    judged("warning", team, f"does not list {reader.id}")
    manifest = sign(desk, lap, options=["--app", writer.id, "--app", reader.id])
    judged("note", team, "lists it")
    # Not in the middle of the signature: one of sixteen parts of one can be read, and is only wrong.
    put(lap, manifest.name, manifest.read_bytes().partition(b"Signature")[0])
    judged("warning", team, "is ignored, since it cannot be read")


@pytest.fixture
def readers(editors, install):
    """Both readers run on lap and may continue: (lap, the offer, their applications, their programs, the origin)."""
    desk, lap, _, apps, origin = editors
    sign(desk, lap, options=[word for app in apps for word in ["--app", app.id]])
    programs = [install(lap, app).start() for app in apps[1:]]
    return lap, lap.offer(apps[0], needs_choice=True), apps[1:], programs, origin


def V3_theSameOfferForAnotherApplicationTakesItsPlace(readers):
    lap, offer, apps, (first, second), origin = readers
    origin.do("stop-dispatch")
    command = lap.start("continue", offer["id"], "--app", apps[0].id)
    first.expect("will-continue")
    # One that cannot continue it changes nothing.
    lap.start("continue", offer["id"], "--app", "org.segue.test.none").failed()
    assert first.count("fail") == 0
    instead = lap.start("continue", offer["id"], "--app", apps[1].id)
    second.expect("will-continue")
    assert first.expect("fail")[1] == "3072"
    assert "Something else was chosen" in command.failed()
    # A call that names the same application joins the choice, and so does a call that names none.
    control = ["org.segue.Control1", "/org/segue/Control1", "org.segue.Control1", "Continue", "sa{sv}"]
    with lap.bus() as bus:
        calls = [bus.call_later(*control, [offer["id"], options])
                 for options in [{}, {"app": Variant("s", apps[1].id)}]]
        bus.control("GetStatus")
        origin.do("resume-dispatch")
        second.expect("continue")
        instead.succeeded()
        identities = [bus.body(bus.reply(call)) for call in calls]
    assert identities[0] == identities[1]
    origin.expect("was-continued a")
    assert first.count("continue") == 0 and second.count("will-continue") == second.count("continue") == 1
    assert origin.count("was-continued") == 1


def V3_whatAnApplicationHasIsNotTakenFromIt(readers):
    lap, offer, apps, (first, second), origin = readers
    first.do("on continue defer")
    command = lap.start("continue", offer["id"], "--app", apps[0].id)
    first.expect("continue")
    instead = lap.start("continue", offer["id"], "--app", apps[1].id)
    second.expect("continue")
    instead.succeeded()
    first.do("restore-now")
    command.succeeded()
    assert first.count("fail") == second.count("fail") == 0
    for _ in range(2):
        origin.expect("was-continued a")


def attack44_aManifestThatIsNotGoodProvesNothing(editors, install):
    desk, lap, team, (writer, reader, other), origin = editors
    place = install(lap, reader)
    both = ["--app", writer.id, "--app", reader.id]
    manifest = sign(desk, options=both)
    good = manifest.read_bytes()

    def refused(why, content, name=manifest.name):
        put(lap, name, content)
        # The daemon notices in its own time. The choice is refused on this device, and nothing is launched.
        with lap.bus() as bus:
            wait_for(lambda: why in refusal(bus, offer), why)

    offer = listed(lap, writer, lambda o: not o["local-app"])
    refused("altered, or signed by another key", good.replace(reader.id.encode(), other.id.encode()))
    refused("cannot be read", b"[Team]\nKey=aaaa\n")
    # Copied under the name of another team.
    stranger = team_of(desk, "stranger.key")
    (lap.data / "segue/teams" / manifest.name).unlink()
    refused("No manifest", good, name=f"{stranger}.manifest")
    wait_for(lambda: f"should be called {manifest.name}" in lap.report(), "a line in the log")
    # Lists others: copied under another application's id.
    refused("does not list", sign(desk, options=["--app", writer.id]).read_bytes())
    # The newer one was seen, so the old one, which lists the reader, is revoked.
    refused("is revoked", good)
    assert not place.was_launched()
    assert origin.count("was-continued") == 0
    # It is remembered over a restart.
    lap.stop_daemon()
    lap.segue("status")
    lap.online(desk)
    offer = listed(lap, writer, lambda o: not o["local-app"])
    refused("is revoked", good)
    # And a new one that lists it again is good.
    sign(desk, lap, options=both)
    lap.offer(writer)


def attack44_aReplacedKey(editors, install):
    desk, lap, team, (writer, reader, _), origin = editors
    place = install(lap, reader)
    old = sign(desk, lap, options=["--app", writer.id, "--app", reader.id]).read_bytes()
    lap.offer(writer)
    team_of(desk, "new.key")
    manifest = sign(desk, lap, options=["--successor", desk.folder / "new.key"])
    assert "2, the last one signs" in desk.segue("team", "show", manifest)
    offer = lap.offer(writer)
    command = lap.take(offer)
    place.launched().expect("continue")
    command.succeeded()
    # The old key signs no more.
    origin.do("put a page int 8", "needs-save a 1")
    listed(lap, writer, lambda o: o["local-app"])
    put(lap, manifest.name, old)
    offer = listed(lap, writer, lambda o: not o["local-app"])
    assert "another one has replaced" in lap.take(offer).failed()
    assert "not the one that signs" in desk.start(
        "team", "sign", desk.folder / "team.key", manifest, "--app", writer.id).failed()


def V12_withoutTheOverrideAHomeFolderProvesNothing(desk, lap, new_application, install):
    team = team_of(desk)
    writer, reader = (new_application(types=[TYPE], lines=[f"X-Segue-Team={team}"]) for _ in range(2))
    sign(desk, lap, options=["--app", writer.id, "--app", reader.id])
    place = install(lap, reader)
    origin = install(desk, writer).start()
    origin.do(f"activity a {TYPE}", "current a")
    offer = listed(lap, writer, lambda o: not o["local-app"])
    assert "in the home folder" in lap.take(offer).failed()
    assert not place.was_launched()


def V10_severalNeedAChoice(editors, install):
    desk, lap, _, (writer, reader, other), origin = editors
    places = {app.id: install(lap, app) for app in (reader, other)}
    sign(desk, lap, options=["--app", writer.id, "--app", reader.id, "--app", other.id, "--type", TYPE])
    offer = lap.offer(writer, needs_choice=True)
    assert sorted(offer["candidates"]) == sorted([reader.id, other.id])
    error = lap.take(offer).failed()
    assert reader.id in error and other.id in error and "--app" in error
    # The title labels the choice, and never decides, whatever it is.
    for name in [reader.name, other.name]:
        origin.do(f"title a {name}")
        titled = lap.offer(writer, title=name)
        assert titled["needs-choice"] and titled["candidates"] == offer["candidates"]
        assert reader.id in lap.take(titled).failed()
    for app in (other, reader):
        target = places[app.id].start()
        command = lap.start("continue", offer["id"], "--app", app.id)
        target.expect("continue")
        command.succeeded()
        origin.expect("was-continued a")
    assert "is not installed here" in lap.start("continue", offer["id"], "--app", "org.segue.test.None").failed()
    assert "not an application id" in lap.start("continue", offer["id"], "--app", "nonsense").failed()


def V10_theDefaultIsTaken(editors, install):
    desk, lap, _, (writer, reader, other), origin = editors
    places = {app.id: install(lap, app) for app in (reader, other)}
    sign(desk, lap, options=["--app", writer.id, "--app", reader.id, "--app", other.id])
    lap.offer(writer, needs_choice=True)
    lap.segue("default", TYPE, other.id)
    assert lap.json("default") == {TYPE: other.id}
    # It outlives the daemon.
    lap.stop_daemon()
    lap.segue("status")
    lap.online(desk)
    offer = lap.offer(writer, needs_choice=False)
    assert offer["local-app"] == other.id and offer["candidates"][0] == other.id
    target = places[other.id].start()
    command = lap.take(offer)
    target.expect("continue")
    command.succeeded()
    # The application of the same id stands before it.
    install(lap, writer)
    origin.do("needs-save a 1")
    assert lap.offer(writer, local_app=writer.id)["candidates"][0] == writer.id
    lap.segue("default", TYPE, "--unset")
    assert lap.json("default") == {}


def V10_aDefaultThatCannotBe(desk, application, install):
    install(desk, application)
    assert "No installed application does" in desk.start("default", "org.none.type", application.id).failed()
    assert application.id in desk.start("default", application.type, "org.segue.test.None").failed()
    assert "not an activity type" in desk.start("default", "nonsense", application.id).failed()
    assert "not an application id" in desk.start("default", application.type, "nonsense").failed()


def V17_aWithheldApplicationIsNotOffered(new_device, new_application, application, install):
    other = new_application()
    desk = new_device("desk", settings=["[Policy]", f"Withhold={application.id};"])
    lap = new_device("lap")
    pair(desk, lap)
    install(lap, application), install(lap, other)
    origin, second = install(desk, application).start(), install(desk, other).start()
    origin.do(f"activity a {application.type}", "current a")
    second.do(f"activity b {other.type}", "current b")
    # The offers of one device come in one message: with the second, the first would be there.
    lap.offer(other)
    assert not lap.offers_of(application)
    withheld = desk.activity(application)
    assert withheld["withheld"] and not desk.activity(other)["withheld"]
    assert "no such offer" in lap.start("continue", withheld["id"]).failed()


def V17_onlyPairedDevicesThatAreLinked(page, desk, lap, new_device, application, install):
    third = new_device("third")
    install(third, application)
    lap.offer(application)
    third.segue("status")
    assert third.json("activities")["offers"] == []
    pair(desk, third)
    third.offer(application)
    third_id = next(item["id"] for item in desk.json("devices") if item["name"] == "third")
    desk.segue("device", "remove", third_id)
    third.no_offer(application)
    lap.offer(application)


def V19_anotherApplicationOfThisDevice(new_device, new_application, install):
    desk = new_device("desk", settings=DEVELOPER)
    team = team_of(desk)
    writer, reader = (new_application(types=[TYPE], lines=[f"X-Segue-Team={team}"]) for _ in range(2))
    sign(desk, desk, options=["--app", writer.id, "--app", reader.id])
    place = install(desk, reader)
    origin = install(desk, writer).start()
    origin.do(f"activity a {TYPE}", "title a Page", "delegate a", "put a page int 7", "current a")
    offer = desk.offer(writer, local_app=reader.id)
    assert offer["here"] and offer["candidates"] == [reader.id] and offer["device-name"] == "desk"
    assert "this device" in desk.segue("activities")
    command = desk.take(offer)
    target = place.launched()
    assert target.expect("will-continue")[1:] == ["Page", "desk"]
    target.expect("continue")
    command.succeeded()
    origin.expect("was-continued a")
    # Continued, and not shown again before it changes; the copy is not offered back.
    desk.no_offer(writer)
    target.do("current continued")
    desk.activity(reader)
    assert not desk.offers_of(reader)
    origin.do("put a page int 8", "needs-save a 1")
    desk.offer(writer, local_app=reader.id)
    # Gone before it was fetched.
    offer = desk.offer(writer, local_app=reader.id)
    origin.do("invalidate a")
    assert "no such offer" in desk.take(offer).failed()


def V19_anApplicationsOwnListHasWhatAnotherOneHereHasOpen(new_device, new_application, install):
    desk = new_device("desk", settings=DEVELOPER)
    team = team_of(desk)
    writer, reader = (
        new_application(name=name, types=[TYPE], lines=[f"X-Segue-Team={team}"]) for name in ["Writer", "Reader"])
    sign(desk, desk, options=["--app", writer.id, "--app", reader.id])
    origin, target = install(desk, writer).start(), install(desk, reader).start()
    origin.do("follow-offers")
    target.do("follow-offers")
    origin.do(f"activity a {TYPE}", "title a Page", "put a page int 7", "delegate a", "current a")
    while not (printed := target.run("offers")[0]):
        target.expect("offers-changed")
    words = printed[0].split()
    assert words[3:4] + words[5:7] + words[8:11] == ["Page", writer.id, "Writer", "desk", "here", "live"]
    target.do("continue-offer tag Page -")
    assert target.expect("chosen")[:2] == ["tag", "0"]
    target.expect("continue")
    origin.expect("was-continued a")
    # Not to the application itself.
    assert origin.run("offers")[0] == [] and origin.count("offers-changed") == 0


def V19_notToItself(page, desk, application):
    desk.activity(application)
    assert not desk.offers_of(application)


def V12_theTeamsCommand(new_device):
    device = new_device("desk")
    team = team_of(device)
    key = device.folder / "team.key"
    assert "Could not write" in device.start("team", "new", key).failed()
    assert "needs applications" in device.start("team", "sign", key, device.folder).failed()
    assert "not an application id" in device.start("team", "sign", key, device.folder, "--app", "x").failed()
    assert "not a day to come" in device.start(
        "team", "sign", key, device.folder, "--app", "a.b.C", "--expires", "2020-01-01").failed()
    device.segue("team", "sign", key, device.folder, "--app", "a.b.C", "--type", "a.b", "--expires", "2200-02-28")
    path = device.folder / f"{team}.manifest"
    shown = device.segue("team", "show", path)
    for word in [team, "a.b.C", "a.b", "2200-02-28"]:
        assert word in shown
    # Again: what is not said stays, and the serial grows.
    assert re.search(r"serial +2\b", device.segue("team", "sign", key, device.folder))
    assert "a.b.C" in device.segue("team", "show", path)
    path.write_text(path.read_text().replace("Serial=2", "Serial=3"))
    assert "altered" in device.start("team", "show", path).failed()
    assert "altered" in device.start("team", "sign", key, path, "--app", "a.b.C").failed()
    assert "There is no" in device.start("team", "show", device.folder / "none.manifest").failed()
    key.chmod(0o640)
    assert "Others can read" in device.start("team", "sign", key, device.folder).failed()
