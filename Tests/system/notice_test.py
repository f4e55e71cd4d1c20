"""Notifications to the user (semantics V4, V5, V16, V18), with real notification servers."""

import pytest
from harness.application import Installed
from harness.device import Device, pair
from harness.notifications import Dunst, Mako, Screen, Scripted


@pytest.fixture(scope="module")
def devices():
    """Two for these tests: others would make offers too."""
    desk, lap = Device("desk"), Device("lap")
    lap.set("Notifications", PerMinute=1000)
    try:
        pair(desk, lap)
        yield desk, lap
    finally:
        desk.close()
        lap.close()


@pytest.fixture(scope="module", params=[Mako, Dunst], ids=["mako", "dunst"])
def server(request, devices):
    """On lap."""
    server = request.param(devices[1])
    yield server
    server.close()


mako = pytest.mark.parametrize("server", [Mako], ids=["mako"], indirect=True)


@pytest.fixture
def screen(lap):
    """The screen that lap's user sees."""
    screen = Screen(lap)
    yield screen
    screen.close()


@pytest.fixture
def alone(desk, new_device):
    """A device of the test's own that is paired with desk, for a server that is made by hand."""
    def make(**limits):
        device = new_device("alone", **limits)
        pair(desk, device)
        return device

    return make


@pytest.fixture
def reader(new_application):
    return new_application(name="Reader")


@pytest.fixture
def places(desk, lap, reader, install):
    return install(desk, reader), install(lap, reader)


def offering(place, title="Page", url=None):
    """An application with a current activity `a`."""
    origin = place.start()
    origin.do(f"activity a {place.application.type}", f"title a {title}", "put a page int 7")
    if url:
        origin.do(f"url a {url}")
    origin.do("current a")
    return origin


# Offers

def V16_aNewOfferIsShownOnceWithTheLocalApplicationsIconAndName(server, screen, places, reader, lap):
    place = places[1]
    place.write(place.desktop, reader.desktop_file().replace("Name=Reader", "Name=Leser\nIcon=reader-icon"))
    origin = offering(places[0])
    shown = screen.notification("Leser", "Page", "From desk")
    assert (shown["application"], shown["icon"]) == ("Leser", "reader-icon")
    assert "Continue" in shown["actions"] and "default" in shown["actions"]
    assert shown["hints"]["desktop-entry"] == reader.id
    # A new revision, or another host, is the same activity.
    origin.do("url a https://other.example/", "put a page int 8", "needs-save a 1")
    lap.offer(reader, web_host="other.example")
    screen.catch_up(lap)
    assert len(screen.history) == 1
    origin.do("resign a")
    screen.gone(shown)


def V16_dismissedStaysDismissedUntilTheIdentityChanges(server, screen, places, reader, lap):
    origin = offering(places[0])
    shown = screen.notification("Page")
    server.dismiss(shown)
    screen.gone(shown)
    origin.do("url a https://other.example/")
    lap.offer(reader, web_host="other.example")
    origin.do("resign a")
    lap.no_offer(reader)
    origin.do("current a")
    lap.offer(reader)
    screen.catch_up(lap)
    assert len(screen.history) == 1
    origin.do("title a Chapter")
    screen.notification("Chapter")
    # A new object is another activity, with the same title too.
    origin.do(f"activity b {reader.type}", "title b Chapter", "current b")
    screen.until(lambda: len(screen.history) == 3, "the other activity")
    screen.until(lambda: len(screen.shown) == 1, "the end of the former")


def V16_aNewTitleTakesTheFormersPlace(server, screen, places):
    origin = offering(places[0])
    first = screen.notification("Page")
    origin.do("title a Chapter")
    assert screen.notification("Chapter")["id"] == first["id"]
    assert len(screen.shown) == 1


def V16_theActionContinues(server, screen, places):
    offering(places[0])
    shown = screen.notification("Page")
    server.invoke(shown)
    places[1].launched().expect("continue")
    screen.gone(shown)


@mako
def V16_theActivationTokenReachesTheApplication(server, screen, places):
    offering(places[0])
    screen.notification("Page")
    server.click(screen)
    screen.until(lambda: len(screen.actions) > 1, "the action")
    (member, (_, token)), (action, _) = screen.actions[:2]
    assert (member, action) == ("ActivationToken", "ActionInvoked") and token
    target = places[1].launched()
    target.expect("will-continue")
    assert target.expect("token") == [token]
    target.expect("continue")


def V16_aServerThatComesLaterShowsWhatIsOnOffer(server, screen, places, reader, lap):
    server.kill()
    origin = offering(places[0])
    lap.offer(reader)
    screen.catch_up(lap)
    assert not screen.history
    # The daemon sends no notification over the bus if no server shows it.
    assert "Notify" not in [member for member, _ in screen.calls]
    server.restart()
    shown = screen.notification("Page")
    # It crashes, with the notification on the screen: that was not dismissed.
    server.kill()
    screen.shown.clear()
    server.restart()
    shown = screen.notification("Page")
    server.dismiss(shown)
    screen.gone(shown)
    server.kill()
    server.restart()
    origin.do("title a Chapter")
    screen.notification("Chapter")
    assert len(screen.history) == 3


def V16_whatCannotBeContinuedHereIsNotShown(server, screen, desk, lap, reader, install):
    offering(install(desk, reader))
    lap.until(lambda watch: lap.offers_of(reader), "the offer, which nothing here can continue")
    screen.catch_up(lap)
    assert not screen.history
    install(lap, reader)
    screen.notification("Page")


def V16_offersOfThisDeviceAreNotShown(server, screen, places, reader, lap):
    offering(places[1])
    lap.activity(reader)
    screen.catch_up(lap)
    assert not screen.history


def V16_theSettingTurnsItOff(desk, new_device, reader, install):
    device = new_device("quiet")
    device.set("Notifications", Offers="false")
    pair(desk, device)
    screen = Screen(device)
    offering(install(desk, reader))
    install(device, reader)
    device.offer(reader)
    screen.catch_up(device)
    assert not [member for member, _ in screen.calls]
    screen.close()


def attack35_textOfOtherDevicesIsShownAsText(server, screen, places):
    offering(places[0], title="%3Cb%3EA%3C/b%3E%26amp;%E2%80%AE%0Aline%20'%22")
    shown = screen.notification("From desk")
    assert shown["body"] == "&lt;b&gt;A&lt;/b&gt;&amp;amp; line &#39;&quot;\nFrom desk"
    if isinstance(server, Mako):
        assert server.list() == [("Reader", shown["body"])]


# Feedback

@pytest.mark.parametrize("how", ["absent", "false"])
def V4_whatIsOnItsWayIsShownWhereTheApplicationDoesNot(server, screen, places, reader, lap, how):
    target = places[1].start(*["--no-will-continue"] if how == "absent" else [])
    target.do("on will-continue refuse")
    origin = offering(places[0])
    offer = lap.offer(reader)
    # It does not answer the save yet.
    origin.do("needs-save a 1", "stop-dispatch")
    command = lap.take(offer)
    shown = screen.notification("Reader", "Page", "On its way from desk")
    assert not shown["actions"]
    origin.do("resume-dispatch")
    target.expect("continue")
    command.succeeded()
    screen.gone(shown)


def V4_anApplicationThatShowsItIsLeftAlone(server, screen, places, reader, lap):
    target = places[1].start()
    offering(places[0])
    command = lap.take(lap.offer(reader))
    target.expect("continue")
    command.succeeded()
    screen.catch_up(lap)
    assert not [shown for shown in screen.history if "On its way" in shown["body"]]


@pytest.mark.parametrize("flags", [[], ["--no-did-fail"]], ids=["shown", "absent"])
def V5_anErrorIsShownWhereTheApplicationDoesNot(server, screen, places, reader, lap, flags):
    target = places[1].start(*flags)
    origin = offering(places[0])
    origin.do("responder r", "attach r a", "on update exit")
    command = lap.take(lap.offer(reader))
    assert command.failed()
    if flags:
        # The sentence, and what to do about it.
        shown = screen.notification("Reader", "ended before it had saved", "then continue again")
        assert target.count("fail") == 0
        server.dismiss(shown)
        screen.gone(shown)
    else:
        target.expect("fail")
        screen.catch_up(lap)
        assert not [shown for shown in screen.history if "ended" in shown["body"]]


def V5_theUsersOtherChoiceIsNoError(server, screen, places, new_application, install, desk, lap, reader):
    target = places[1].start("--no-did-fail")
    origin = offering(places[0])
    other = new_application(name="Other")
    elsewhere = install(lap, other)
    offering(install(desk, other), title="Elsewhere")
    first, second = lap.offer(reader), lap.offer(other)
    origin.do("needs-save a 1", "stop-dispatch")
    command = lap.take(first)
    target.expect("will-continue")
    taken = lap.take(second)
    elsewhere.launched().expect("continue")
    taken.succeeded()
    command.failed()
    screen.catch_up(lap)
    assert not [shown for shown in screen.history if "chosen" in shown["body"]]


def V18_aLaunchThatFailsIsToldByTheDaemon(server, screen, desk, lap, reader, install):
    offering(install(desk, reader))
    install(lap, reader, service=False)
    shown = screen.notification("Page", "From desk")
    server.invoke(shown)
    screen.notification("Reader", "cannot be launched")


# Cases that no real server shows

def V18_notRespondingIsShownUntilTheApplicationBegins(alone, desk, reader, install):
    device = alone(NotRespondingTime=50)
    screen, server = Screen(device), Scripted(device)
    offering(install(desk, reader))
    target = install(device, reader).start("--not-ready", ready=False)
    offer = device.offer(reader)
    server.show()
    command = device.take(offer)
    number, arguments = server.show()
    assert "does not respond yet" in arguments[4]
    target.do("ready")
    target.expect("continue")
    command.succeeded()
    server.until_closed(number)
    screen.close()
    server.close()


def attack35_aServerWithoutMarkupGetsPlainText(alone, desk, reader, install):
    device = alone()
    server = Scripted(device, ["body"])
    offering(install(desk, reader), title="%3Cb%3E%26")
    install(device, reader)
    arguments = server.show()[1]
    assert arguments[4] == "<b>&\nFrom desk"
    # It knows no actions, and gets none.
    assert arguments[5] == []
    server.close()


def attack35_aServerThatShowsOnlySummariesGetsAllInOne(alone, desk, reader, install):
    device = alone()
    server = Scripted(device, [])
    offering(install(desk, reader))
    install(device, reader)
    assert server.show()[1][3] == "Reader: Page - From desk"
    server.close()


def V16_aServerThatAnswersNothingHoldsNothingUp(alone, desk, reader, install):
    device = alone()
    server = Scripted(device)
    offering(install(desk, reader))
    target = install(device, reader).start()
    offer = device.offer(reader)
    assert server.bus.next_call().member == "GetCapabilities"
    command = device.take(offer)
    target.expect("continue")
    command.succeeded()
    server.close()


def V16_aServerThatEndsInTheMiddleIsFollowedByTheNext(alone, desk, reader, install):
    device = alone()
    server = Scripted(device)
    origin = offering(install(desk, reader))
    install(device, reader)
    server.next()
    server.close()
    after = Scripted(device)
    number, arguments = after.show()
    assert "Page" in arguments[4]
    # Signals of others, and of notifications that are not ours, mean nothing.
    with device.bus() as stranger:
        stranger.send(after.message("ActionInvoked", "us", number, "default"))
    after.signal("ActionInvoked", "us", number + 1, "default")
    after.signal("ActionInvoked", "us", number, "other")
    after.signal("NotificationClosed", "uu", number + 1, 2)
    origin.do("title a Chapter")
    call = after.next()
    assert call.body[1] == number
    after.close()


@pytest.mark.parametrize("pause, starts", [(3_600_000, 1), (1, 4)], ids=["left alone", "tried again"])
def V16_aServerThatCannotBeStartedIsLeftAlone(alone, desk, reader, install, pause, starts):
    device = alone(NoticeStartTime=pause)
    program, started = device.folder / "crashes", device.folder / "started"
    program.write_text(f"#!/bin/sh\necho >> {started}\nexit 1\n")
    program.chmod(0o700)
    Installed.write(
        device.data / "dbus-1/services/org.freedesktop.Notifications.service",
        f"[D-BUS Service]\nName=org.freedesktop.Notifications\nExec={program}\n")
    device.reload()
    screen = Screen(device)
    origin = offering(install(desk, reader))
    install(device, reader)
    for chapter in range(1, 5):
        # A start that is under way is none more.
        screen.until(lambda: screen.failures >= min(chapter, starts), "the failure")
        if chapter < 4:
            origin.do(f"title a Chapter{chapter}")
            device.offer(reader, title=f"Chapter{chapter}")
    screen.catch_up(device)
    assert len(started.read_text().splitlines()) == starts
    # One that somebody starts by hand shows what waits.
    server = Scripted(device)
    assert "Chapter3" in server.show()[1][4]
    server.close()
    screen.close()


def V16_theDaemonsEndTakesItsOffersOffTheScreen(alone, desk, reader, install):
    device = alone()
    server = Scripted(device)
    offering(install(desk, reader))
    install(device, reader)
    number = server.show()[0]
    device.stop_daemon()
    server.until_closed(number)
    server.close()
