"""The web page of an activity that no application here takes (semantics W1, V7, V11, V1; attack 29)."""

import secrets
import signal
import urllib.parse

import pytest
from dbus_fast import Message, Variant, unpack_variants
from harness.application import Application, Installed
from harness.device import pair, unpair
from harness.encoding import decode
from harness.notifications import Scripted
from harness.puppet import Puppet
from harness.recorded_browser import RecordedBrowser
from harness.tree import SEGUED

PAGE = "https://example.org/a?b=c%20d&e=f#g"


@pytest.fixture
def here(desk, new_device):
    """The device where the browser is."""
    device = new_device("here")
    pair(desk, device)
    yield device
    unpair(desk, device)


@pytest.fixture
def browser(here):
    browser = RecordedBrowser(here)
    browser.choose()
    yield browser
    browser.close()


@pytest.fixture
def place(here, application, install):
    return install(here, application)


@pytest.fixture
def origin(desk, application, install):
    """On desk, made by hand: it says what no library says, and hears what the door carries."""
    install(desk, application)
    puppet = Puppet(desk, application)
    puppet.activity = secrets.token_hex(16)
    yield puppet
    puppet.close()


def offer(origin, here, **entries):
    """Puts an activity with these entries of a snapshot on offer, and chooses it; the command that waits."""
    announce(origin, urllib.parse.urlsplit(entries["webpage_url"][1]).netloc.rpartition("@")[2])
    command = here.take(here.any_offer(origin.application))
    answer(origin, **entries)
    return command


def attributes(origin):
    return {"id": Variant("s", origin.activity), "type": Variant("s", origin.application.type)}


def announce(origin, host):
    shown = {"title": Variant("s", "Page"), "web-host": Variant("s", host)}
    origin.door.tell("SetCurrent", "a{sv}", [{**attributes(origin), **shown}])


def answer(origin, save=None, **entries):
    """Says what the activity's state is, to this question or to the next."""
    door = origin.door
    save = save or door.next_call()
    assert save.member == "Save"
    snapshot = {**attributes(origin), "user-info": Variant("ay", bytes([0xA0]))}
    snapshot.update({key.replace("_", "-"): Variant(*value) for key, value in entries.items()})
    door.answer(save, "a{sv}", [snapshot])


def was_continued(origin, **entries):
    """What is told of it. Where entries of a snapshot are given, the state may be asked for before that."""
    while (call := origin.door.next_call()).member == "Save" and entries:
        answer(origin, call, **entries)
    assert (call.member, call.body[0]) == ("WasContinued", origin.activity)
    return unpack_variants(call.body[1])


@pytest.mark.parametrize("how", ["false", "absent"])
def V7_thePageOpensInTheDefaultBrowser(browser, place, origin, here, how):
    target = place.start(*["--no-continue"] if how == "absent" else [])
    target.do("on continue refuse")
    command = offer(origin, here, webpage_url=("s", PAGE))
    assert browser.arguments() == ["--new-tab", PAGE]
    command.succeeded()
    assert was_continued(origin)["browser"] is True
    # V1: nobody is told of a failure.
    assert target.count("fail") == 0
    assert browser.descriptors == "['0', '1', '2']"
    assert browser.folder == here.environment["HOME"]


def V11_browserIsNotSaidOfAnOrdinaryContinuation(browser, place, origin, here):
    place.start()
    offer(origin, here, webpage_url=("s", PAGE)).succeeded()
    assert was_continued(origin)["browser"] is False
    assert not browser.was_started()


def V7_noBrowserBeforeTheApplicationHasRefused(browser, place, origin, here):
    target = place.start()
    target.do("on continue defer")
    command = offer(origin, here, webpage_url=("s", PAGE))
    target.expect("continue")
    assert not browser.was_started()
    target.do("restore-now")
    command.succeeded()
    assert not browser.was_started()


@pytest.mark.parametrize("url", [
    "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "https://user@example.org/", "-https://example.org/",
    "https://example.org/a\tb", "https://example.org/" + "a" * 2048, "https://example.org\\@other.example/",
    " https://example.org/", "https://", "HTTPS:example.org"])
def attack29_aUrlThatIsNoPageOpensNothing(browser, place, origin, here, url):
    target = place.start()
    target.do("on continue refuse")
    offer(origin, here, webpage_url=("s", url)).failed()
    assert not browser.was_started()


def V7_whatIsNoFilesURLIsNoDocumentButThePageOpens(browser, place, origin, here):
    place.start().do("on continue refuse")
    info = bytes.fromhex("a1") + b"\x70SegueDocumentURL" + b"\x67file:/a"
    command = offer(origin, here, webpage_url=("s", PAGE), user_info=("ay", info))
    assert browser.arguments() == ["--new-tab", PAGE]
    command.succeeded()


def V7_whereNothingOpensTheUserIsToldAndTheOriginHearsNothing(place, origin, here):
    server = Scripted(here)
    place.start().do("on continue refuse")
    command = offer(origin, here, webpage_url=("s", PAGE))
    assert "there is no browser" in command.failed()
    while "there is no browser" not in server.show()[1][4]:
        pass
    # The next call has another cause: the application was not notified about this one.
    origin.door.tell("Resign", "s", [origin.activity])
    assert not origin.door.calls
    server.close()


def V7_aBrowserThatFailsIsTold(place, origin, here):
    browser = RecordedBrowser(here, end="sys.exit(3)")
    browser.choose()
    place.start().do("on continue refuse")
    command = offer(origin, here, webpage_url=("s", PAGE))
    browser.arguments()
    assert "it ended with status 3" in command.failed()
    browser.close()


def V7_aBrowserThatRunsOnIsLeftAlone(place, origin, here):
    browser = RecordedBrowser(here, end="import signal; signal.pause()")
    browser.choose()
    place.start().do("on continue refuse")
    offer(origin, here, webpage_url=("s", PAGE)).succeeded()
    assert was_continued(origin)["browser"] is True
    assert browser.arguments() == ["--new-tab", PAGE]
    assert browser.runs()
    # The daemon may end; the browser is the user's.
    here.stop_daemon()
    assert browser.runs()
    browser.end()
    browser.close()


def V7_theDesktopsOwnListComesFirst(browser, place, origin, here):
    # It is read when the page is opened: the daemon has the environment of its start.
    other = RecordedBrowser(here, name="other", exec='"{program}" %i --name=%c -- %%%U')
    browser.choose("data/applications/mimeapps.list")
    other.choose("config/mimeapps.list")
    place.start().do("on continue refuse")
    offer(origin, here, webpage_url=("s", PAGE)).succeeded()
    assert other.arguments() == ["--name=Browser", "--", "%" + PAGE]
    assert not browser.was_started()
    other.close()


def V7_withoutAChoiceTheCacheCounts(place, origin, here):
    browser = RecordedBrowser(here, exec="{program}")
    Installed.write(
        here.data / "applications/mimeinfo.cache", f"[MIME Cache]\nx-scheme-handler/https=gone.desktop;{browser.id};\n")
    place.start().do("on continue refuse")
    offer(origin, here, webpage_url=("s", PAGE)).succeeded()
    assert browser.arguments() == [PAGE]
    browser.close()


def V7_aBrowserOnTheBusIsCalled(place, origin, here):
    RecordedBrowser(here, name="org.example.Web", keys="DBusActivatable=true\n").choose()
    with here.bus() as web:
        web.own("org.example.Web")
        place.start().do("on continue refuse")
        command = offer(origin, here, webpage_url=("s", PAGE))
        call = web.next_call()
        assert (call.path, call.interface, call.member) == ("/org/example/Web", "org.freedesktop.Application", "Open")
        assert call.body[0] == [PAGE]
        web.answer(call)
        command.succeeded()
        assert was_continued(origin)["browser"] is True


@pytest.mark.parametrize("answer", [0, 1, 2])
def V7_thePortalIsAskedFirst(browser, place, origin, here, answer):
    handle = "/org/freedesktop/portal/desktop/request/1_1/t"
    with here.bus() as portal:
        portal.own("org.freedesktop.portal.Desktop")
        place.start().do("on continue refuse")
        command = offer(origin, here, webpage_url=("s", PAGE))
        call = portal.next_call()
        assert (call.interface, call.member) == ("org.freedesktop.portal.OpenURI", "OpenURI")
        assert call.body[1] == PAGE
        portal.answer(call, "o", [handle])
        portal.send(Message.new_signal(
            handle, "org.freedesktop.portal.Request", "Response", "ua{sv}", [answer, {}]))
        if answer == 0:
            command.succeeded()
            assert was_continued(origin)["browser"] is True
            assert not browser.was_started()
        elif answer == 1:
            # The user did not want any.
            command.failed()
            assert not browser.was_started()
        else:
            command.succeeded()
            assert browser.arguments() == ["--new-tab", PAGE]


@pytest.mark.parametrize("manager", [True, False], ids=["manager", "none"])
def V7_aDaemonThatIsAUnitHasTheBrowserStartedOutsideOfIt(desk, new_device, application, install, origin, manager):
    here = new_device("unit")
    here.install_daemon(exec=f"/usr/bin/env INVOCATION_ID={'0' * 32} {SEGUED}")
    with here.bus() as bus:
        bus.ask("ReloadConfig", "", [])  # Else it may start what the file said before.
    pair(desk, here)
    browser = RecordedBrowser(here)
    browser.choose()
    install(here, application).start().do("on continue refuse")
    with here.bus() as bus:
        if not manager:
            # The daemon starts no browser inside its own unit.
            assert "systemd did not start it" in offer(origin, here, webpage_url=("s", PAGE)).failed()
            assert not browser.was_started()
        else:
            # A real one does not run in a container; this one checks what it is asked, and starts nothing.
            bus.own("org.freedesktop.systemd1")
            command = offer(origin, here, webpage_url=("s", PAGE))
            call = bus.next_call()
            assert (call.interface, call.member) == ("org.freedesktop.systemd1.Manager", "StartTransientUnit")
            assert call.signature == "ssa(sv)a(sa(sv))"
            name, mode, properties, others = call.body
            assert name.startswith("app-segue-browser@") and name.endswith(".service")
            assert (mode, others) == ("fail", [])
            values = {key: value for key, value in properties}
            assert values["ExecStart"].signature == "a(sasb)"
            program = str(browser.program)
            assert values["ExecStart"].value == [[program, [program, "--new-tab", PAGE], False]]
            assert values["WorkingDirectory"].value == here.environment["HOME"]
            bus.answer(call, "o", ["/org/freedesktop/systemd1/job/1"])
            command.succeeded()
            assert was_continued(origin)["browser"] is True
            assert not browser.was_started()
    browser.close()
    unpair(desk, here)


# No application here for the type (W1)


def W1_withoutAnApplicationThePageOpensInTheDefaultBrowser(browser, origin, here):
    server = Scripted(here)
    announce(origin, "example.org")
    # It is shown as what it is, and says of the page only where it is.
    _, body = server.show()
    assert body[3] == "Web Browser"
    assert [line for line in body[4].splitlines() if line] == ["Page", "A page on example.org", "From desk"]
    row = here.any_offer(origin.application)
    assert (row["in-browser"], row["web-host"], row["local-app"]) == (True, "example.org", "")
    assert "web browser, example.org" in here.segue("activities")
    rows = here.json("explain", origin.application.type)
    assert [(row["reason"], row["offered"]) for row in rows] == [("browser", True)]
    assert "the default browser opens its page on example.org" in rows[0]["sentence"]
    assert not browser.was_started()
    command = here.take(row)
    answer(origin, webpage_url=("s", PAGE))
    assert browser.arguments() == ["--new-tab", PAGE]
    command.succeeded()
    assert was_continued(origin)["browser"] is True
    # Continued once, it is shown no more.
    here.no_offer(origin.application)
    server.close()


def W1_theNotificationOpensThePage(browser, origin, here):
    server = Scripted(here)
    announce(origin, "example.org")
    number, _ = server.show()
    server.signal("ActionInvoked", "us", number, "continue")
    answer(origin, webpage_url=("s", PAGE))
    assert browser.arguments() == ["--new-tab", PAGE]
    server.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["ended", "killed"])
def W1_aDaemonThatIsRestartedGoesOn(browser, origin, here, number):
    announce(origin, "example.org")
    command = here.take(here.any_offer(origin.application))
    first = origin.door.next_call()
    assert first.member == "Save"
    here.stop_daemon(number)
    assert command.result()[0] == 2
    # The next one fetches by itself; the origin may still be at the first question.
    here.any_offer(origin.application)
    page = {"webpage_url": ("s", PAGE)}
    answer(origin, first, **page)
    assert was_continued(origin, **page)["browser"] is True
    assert browser.arguments() == ["--new-tab", PAGE]
    assert not browser.was_started()


@pytest.mark.parametrize("application_ends", [False, True])
def W1_thePageOfAnApplicationThatRefusedOpensAfterARestart(place, origin, here, application_ends):
    RecordedBrowser(here, name="org.example.Web", keys="DBusActivatable=true\n").choose()
    with here.bus() as web:
        web.own("org.example.Web")
        running = place.start()
        running.do("on continue refuse")
        command = offer(origin, here, webpage_url=("s", PAGE))
        assert web.next_call().body[0] == [PAGE]
        # One that lives refuses again when the next daemon comes.
        if application_ends:
            running.kill()
        here.stop_daemon(signal.SIGKILL)
        assert command.result()[0] == 2
        # The next one has no page any more: it fetches it.
        here.any_offer(origin.application)
        answer(origin, webpage_url=("s", PAGE))
        call = web.next_call()
        assert call.body[0] == [PAGE]
        web.answer(call)
        assert was_continued(origin)["browser"] is True


@pytest.mark.parametrize("url", [
    "javascript:alert(1)", "https://user@example.org/", "https://example.org/" + "a" * 2048])
def attack29_withoutAnApplicationNothingElseOpens(browser, origin, here, url):
    announce(origin, "example.org")
    command = here.take(here.any_offer(origin.application))
    answer(origin, webpage_url=("s", url))
    command.failed()
    assert not browser.was_started()


@pytest.mark.parametrize("host", ["Example.org", "user@example.org", "a/b", "a b"])
def attack29_aHostThatIsNoneIsNoOfferForABrowser(browser, origin, here, host):
    announce(origin, host)
    assert here.any_offer(origin.application)["in-browser"] is False
    assert "No application on this device can continue" in here.take(here.any_offer(origin.application)).failed()
    assert not browser.was_started()


def W1_thePageIsOnTheHostThatWasShown(browser, origin, here):
    announce(origin, "example.org")
    command = here.take(here.any_offer(origin.application))
    answer(origin, webpage_url=("s", "https://other.example/"))
    assert "which the offer did not name" in command.failed()
    assert not browser.was_started()


# A browser that takes part (W2)

WEB = "org.segue.BrowsingWeb"


def browsing(name, **more):
    application = Application(f"org.example.{name}{secrets.token_hex(4)}", types=[WEB], **more)
    application.type = WEB
    return application


@pytest.fixture
def tabs(desk, install):
    """A browser's page on desk, made by hand."""
    application = browsing("Tabs")
    install(desk, application)
    puppet = Puppet(desk, application)
    puppet.activity = secrets.token_hex(16)
    yield puppet
    puppet.close()


@pytest.fixture
def host(here, install):
    """What acts here for the browser `browser.desktop`."""
    return install(here, browsing("Host", lines=["X-Segue-ActsFor=none.desktop;browser.desktop;"]))


def W2_theDefaultBrowserThatTakesPartGetsTheActivity(browser, host, tabs, here):
    target = host.start()
    announce(tabs, "example.org")
    row = here.offer(tabs.application)
    assert (row["local-app"], row["in-browser"]) == (host.application.id, False)
    command = here.take(row)
    answer(tabs, webpage_url=("s", PAGE), user_info=("ay", bytes.fromhex("a1") + b"\x65Place" + b"\x18\x2a"))
    assert decode(target.expect("continue")[1]) == {"Place": 42}
    command.succeeded()
    assert was_continued(tabs)["browser"] is False
    assert not browser.was_started()


def W2_itIsLaunchedWhereItDoesNotRun(browser, host, tabs, here):
    announce(tabs, "example.org")
    command = here.take(here.offer(tabs.application))
    answer(tabs, webpage_url=("s", PAGE))
    host.launched().ready().expect("continue")
    command.succeeded()
    assert not browser.was_started()


def W2_anotherDefaultBrowserGetsThePageAlone(browser, host, tabs, here):
    announce(tabs, "example.org")
    here.offer(tabs.application)
    # The choice counts as soon as it is made.
    other = RecordedBrowser(here, name="other")
    other.choose()
    row = here.until(
        lambda watch: next((offer for offer in here.offers_of(tabs.application) if offer["in-browser"]), None),
        "the offer for a browser")
    assert "not-default-browser" in [row["reason"] for row in here.json("explain", WEB)]
    command = here.take(row)
    answer(tabs, webpage_url=("s", PAGE))
    assert other.arguments() == ["--new-tab", PAGE]
    command.succeeded()
    assert not host.was_launched()
    other.close()
