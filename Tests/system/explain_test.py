"""`segue explain` (semantics X1): for each activity and device, whether it is offered, and the first reason why not."""

import pytest
from harness.device import pair
from harness.storing import until_stored
from harness.wire import Door


def reasons(device, subject=""):
    """The rows about a subject: (reason, sentence). Of other devices, those of this file: others may be paired too."""
    rows = device.json("explain", *([subject] if subject else []))
    return [(row["reason"], row["sentence"]) for row in rows if row.get("device-name", "lap") in ("lap", "other")]


def only(device, subject):
    rows = reasons(device, subject)
    assert len(rows) == 1, rows
    return rows[0]


def X1_whatIsOfferedIsExplainedOnBothSides(page, desk, lap, application):
    lap.offer(application)
    assert only(desk, application.type) == ("offered", '"lap" is offered it.')
    word, sentence = only(lap, application.type)
    assert word == "offered" and application.name in sentence
    text = desk.segue("explain", application.type)
    assert "Page" in text and '"lap" is offered it.' in text
    assert 'on "desk"' in lap.segue("explain", application.type)


def X1_notEligible(page, desk, application):
    origin, _ = page
    origin.do("eligible a 0")
    desk.activity_gone(application)
    assert only(desk, application.type)[0] == "not-eligible"


def X1_resignedAndSuperseded(page, desk, lap, application):
    origin, _ = page
    first = lap.offer(application)
    origin.do(f"activity b {application.type}", "current b")
    second = lap.offer(application, title=None)
    assert only(desk, first["id"])[0] == "superseded"
    assert only(desk, second["id"][:8])[0] == "offered"
    # Why it was current is not said of one that is not any more.
    assert [offer["id"] for offer in (first, second) for row in desk.json("explain", offer["id"])
            if "current-reason" in row] == [second["id"]]
    origin.do("resign b")
    lap.no_offer(application)
    assert {word for word, _ in reasons(desk, application.type)} == {"resigned"}


def X1_aDeviceThatIsNotLinked(new_device, new_application, install):
    one, other = new_device("one"), new_device("other")
    pair(one, other)
    application = new_application()
    origin = install(one, application).start()
    origin.do(f"activity a {application.type}", "current a")
    one.activity(application)
    other.stop_daemon()
    one.online(other, False)
    assert only(one, application.id) == ("offline", '"other" is not linked with this device now.')


def X1_withheld(new_device, new_application, install):
    application = new_application()
    one = new_device("one", settings=["[Policy]", f"Withhold={application.id};"])
    pair(one, new_device("other"))
    install(one, application).start().do(f"activity a {application.type}", "current a")
    one.activity(application)
    assert only(one, application.id)[0] == "withheld"


def X1_whatAnApplicationLeftBehind(page, desk, lap, application):
    origin, _ = page
    origin.do("snapshot a 1")
    until_stored(desk, **{"app-id": application.id})
    origin.kill()
    lap.offer(application, stored=True)
    word, sentence = only(desk, application.type)
    assert word == "offered-as-snapshot" and "last saved" in sentence


def X1_whatWasContinuedHereIsHidden(page, desk, lap, application):
    origin, place = page
    lap.take(lap.offer(application)).succeeded()
    place.launched().expect("continue")
    lap.no_offer(application)
    rows = [row for row in lap.json("explain", application.type) if row.get("from") == "desk"]
    assert [row["offered"] for row in rows] == [False] and "has not changed since" in rows[0]["sentence"]


def X1_nobodyIsPaired(new_device, new_application, install):
    alone = new_device("alone")
    assert "No application here" in alone.segue("explain")
    application = new_application()
    origin = install(alone, application).start()
    origin.do(f"activity a {application.type}", "current a")
    alone.activity(application)
    assert only(alone, application.id) == ("unpaired", "No device is paired with this one.")


def X1_nobodyHereContinuesIt(desk, lap, new_application, install):
    application = new_application()
    install(desk, application).start().do(f"activity a {application.type}", "current a")
    lap.any_offer(application)
    assert only(lap, application.type)[0] == "no-application"
    # It is installed, and declares another type.
    install(lap, application, types=["org.segue.test.other"])
    lap.until_asked(lambda: only(lap, application.type)[0] == "type-not-declared", "the desktop file is read")
    assert "does not declare" in only(lap, application.type)[1]


def X1_anApplicationThatOffersNothing(desk, new_application, install):
    application = new_application()
    assert only(desk, application.id)[0] == "not-installed"
    place = install(desk, application)
    desk.until_asked(lambda: only(desk, application.id)[0] == "not-connected", "the desktop file is read")
    place.start()
    assert only(desk, application.id)[0] == "no-activity"
    assert only(desk, application.type)[0] == "no-activity"


def X1_anApplicationThatWasRefused(desk, new_application, install):
    application = new_application()
    with desk.bus() as bus:
        with pytest.raises(Exception, match="NotFound"):
            Door(bus, application.id)
    install(desk, application)
    desk.until_asked(lambda: only(desk, application.id)[0] == "refused", "the desktop file is read")


def X1_E4_aLargeUserInfoIsNamed(page, desk, lap, application):
    origin, place = page
    origin.do("put a essay string " + "x" * 4000)
    lap.take(lap.offer(application)).succeeded()
    place.launched().expect("continue")
    warning = desk.json("explain", application.type)[0]["warning"]
    assert "3072" in warning and "essay" in warning


@pytest.mark.parametrize("subject", ["no words of ours", "x" * 300])
def X1_whatIsNothing(desk, subject):
    assert desk.start("explain", subject).failed()
