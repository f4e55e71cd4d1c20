"""segue-browser, between a browser's extension and the daemon: browsers made by hand, on two devices (semantics W2)."""

import contextlib
import json
import os
import secrets
import signal
import struct
import subprocess
import sys

import pytest
from harness.application import Application, Installed
from harness.bounds import SECONDS
from harness.encoding import decode
from harness.native import KINDS, Browser, Native
from harness.tree import HERE, PREFIX, SEGUE_BROWSER
from harness.wire import BusError

URL = "https://example.org/recipes/7?a=b#step-3"
PLACE = {"x": 0, "y": 1200.5, "fraction": 0.25, "text": "Whisk the eggs"}
TOP = {"x": 0, "y": 0, "fraction": 0}
WEB = "org.segue.BrowsingWeb"


@pytest.fixture
def firefox(desk, lap):
    browser = Browser(desk, "firefox")
    # An offer of another test's browser must not be taken for one of this browser.
    lap.no_offer(browser)
    yield browser
    browser.close()


@pytest.fixture
def chromium(desk, lap):
    browser = Browser(lap, "chromium")
    desk.no_offer(browser)
    yield browser
    browser.close()


@pytest.fixture
def here(firefox):
    """The extension in a Firefox that runs on desk."""
    return firefox.start()


@pytest.fixture
def there(chromium):
    """The extension in a Chromium that runs on lap."""
    return chromium.start()


def take(lap, firefox, here, place=PLACE, **wanted):
    """The user of lap chooses the page; where it is scrolled to is said."""
    offer = lap.offer(firefox, **wanted)
    here.send("moved", key="1")
    command = lap.take(offer)
    question = here.next("where")
    assert question["key"] == "1"
    here.send("place", request=question["request"], **{"place": place} if place else {})
    return command


def shown(device, browser, title):
    """Waits until the page is on offer, whether somebody there continues it or not."""
    device.until(
        lambda watch: any(row["title"] == title for row in device.offers_of(browser)), f"an offer called {title}")


# From one browser to another


@pytest.mark.parametrize("is_warm", [True, False], ids=["warm", "cold"])
def W2_aPageGoesFromOneBrowserToAnotherAtItsPlace(firefox, chromium, here, lap, is_warm):
    there = chromium.start() if is_warm else None
    here.page("1", URL, "Pancakes", place=TOP)
    offer = lap.offer(firefox, title="Pancakes")
    assert (offer["local-app"], offer["app-name"], offer["web-host"]) == (chromium.id, "Chromium", "example.org")
    command = take(lap, firefox, here)
    there = there or chromium.launched()
    opened = there.next("open")
    assert (opened["url"], opened["title"], opened["place"]) == (URL, "Pancakes", PLACE)
    there.send("opened", continuation=opened["continuation"])
    command.succeeded()
    assert here.next("taken")["key"] == "1"


def W2_andBackAgain(firefox, chromium, here, there, desk, lap):
    here.page("1", URL, "Pancakes", place=TOP)
    command = take(lap, firefox, here)
    opened = there.next("open")
    # The tab's first page says which it is of: what came is the tab's, and is not offered back as it is.
    there.page("t", URL, "Pancakes", continuation=opened["continuation"])
    there.send("opened", continuation=opened["continuation"])
    command.succeeded()
    here.next("taken")
    there.page("t", URL + "2", "Waffles", place=PLACE)
    offer = desk.offer(chromium)
    assert offer["title"] == "Waffles"
    command = desk.take(offer)
    opened = here.next("open")
    assert (opened["url"], opened["place"]) == (URL + "2", PLACE)
    here.send("opened", continuation=opened["continuation"])
    command.succeeded()
    assert there.next("taken")["key"] == "t"


def X11_aPageIsSentToAnotherDevice(firefox, chromium, here, there, lap):
    here.send("list")
    while not (receivers := here.skip_to("receivers")["receivers"]):
        pass
    device = next(receiver["device"] for receiver in receivers if receiver["name"] == "lap")
    # A tab that shows no page that may be told of.
    here.send("send", key="1", device=device)
    assert here.skip_to("sent") == {
        "type": "sent", "device": device, "reason": "This page is not on offer, so it cannot be sent."}
    here.page("1", URL, "Pancakes", place=TOP)
    lap.offer(firefox, title="Pancakes")
    lap.segue("receive", "desk", "open")
    try:
        here.send("moved", key="1")
        here.send("send", key="1", device=device)
        question = here.skip_to("where")
        here.send("place", request=question["request"], place=PLACE)
        opened = there.next("open")
        assert (opened["url"], opened["place"]) == (URL, PLACE)
        there.send("opened", continuation=opened["continuation"])
        assert here.skip_to("taken")["key"] == "1"
    finally:
        lap.segue("receive", "desk", "ask")
    # The other device's user wants nothing of it.
    lap.segue("receive", "desk", "refuse")
    try:
        here.send("send", key="1", device=device)
        assert "takes nothing that is sent from this device" in here.skip_to("sent")["reason"]
    finally:
        lap.segue("receive", "desk", "ask")
    here.send("unlist")


@pytest.fixture
def reader():
    """An application that shows pages, and is none of ours."""
    application = Application(
        f"org.example.Reader{secrets.token_hex(4)}", types=[WEB], lines=["X-Segue-ActsFor=reader.desktop;"])
    application.type = WEB
    return application


@pytest.fixture
def chosen_reader(lap, install, reader):
    """On lap, where it acts for the user's default browser."""
    files = {
        lap.data / "applications/reader.desktop":
            "[Desktop Entry]\nType=Application\nName=Reader\nExec=/bin/true %u\nMimeType=x-scheme-handler/https;\n",
        lap.folder / "config/mimeapps.list": "[Default Applications]\nx-scheme-handler/https=reader.desktop;\n"}
    for path, text in files.items():
        Installed.write(path, text)
    yield install(lap, reader)
    for path in files:
        path.unlink()


def W2_anApplicationGetsThePlaceAsEntries(firefox, here, chosen_reader, lap):
    target = chosen_reader.start()
    here.page("1", URL, "Pancakes", place=TOP)
    command = take(lap, firefox, here)
    entries = {"scroll-x": 0.0, "scroll-y": 1200.5, "fraction": 0.25, "text": "Whisk the eggs"}
    assert decode(target.expect("continue")[1]) == entries
    command.succeeded()
    here.next("taken")


def W2_anApplicationsPageIsOpenedAtItsPlace(there, reader, desk, lap, install):
    origin = install(desk, reader).start()
    origin.do("activity a " + WEB, "title a Waffles", f"url a {URL}", "put a scroll-y int 300", "put a other int 1",
              "current a")
    command = lap.take(lap.offer(reader))
    opened = there.next("open")
    assert (opened["url"], opened["title"], opened["place"]) == (URL, "Waffles", {"y": 300})
    there.send("opened", continuation=opened["continuation"])
    command.succeeded()


# The extension's pages as activities


def W2_onlyTheCurrentPageIsOnOffer(firefox, here, lap):
    here.page("1", URL, "One", place=TOP)
    shown(lap, firefox, "One")
    here.page("2", URL, "Two", place=TOP)
    shown(lap, firefox, "Two")
    assert [row["title"] for row in lap.listed(firefox)] == ["Two"]
    # Another one's leaving is no news.
    here.send("left", key="1")
    here.page("1", URL + "3", "Three", place=TOP)
    shown(lap, firefox, "Three")
    here.send("left", key="1")
    lap.no_offer(firefox)
    here.page("1", URL, "Four", place=TOP)
    shown(lap, firefox, "Four")
    here.send("closed", key="1")
    lap.no_offer(firefox)


def W2_aPageThatIsNoneIsOfferedNoMore(firefox, here, lap):
    here.page("1", URL, "One", place=TOP)
    shown(lap, firefox, "One")
    here.page("1", "https://user@example.org/", "Two", place=TOP)
    assert "has no user" in here.error("page")
    lap.no_offer(firefox)


@pytest.mark.parametrize("url", [
    "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "about:config", "https://user:word@example.org/",
    "https://example.org/a\tb", "https://example.org/" + "a" * 2048, "https://ex\u00e4mple.org/", ""])
def attack29_aUrlThatIsNoPageIsRefused(firefox, here, lap, url):
    here.page("1", url)
    assert here.error("page")
    here.page("2", URL, "Two", place=TOP)
    shown(lap, firefox, "Two")


def W2_whereThePageIsIsAskedWhereItIsNotKnown(firefox, chromium, here, there, lap):
    here.page("1", URL, "Pancakes")
    # Before it is first offered, and not again as long as it has not moved.
    question = here.next("where")
    here.send("place", request=question["request"], place=PLACE)
    command = lap.take(lap.offer(firefox))
    opened = there.next("open")
    assert opened["place"] == PLACE
    there.send("opened", continuation=opened["continuation"])
    command.succeeded()
    here.next("taken")


@pytest.mark.parametrize("answer", ["nothing", "no place", "wrong request", "closed", "late"])
def W2_theSaveEndsWithoutAPlace(firefox, chromium, here, there, lap, answer):
    here.page("1", URL, "Pancakes", place=TOP)
    offer = lap.offer(firefox)
    here.send("moved", key="1")
    command = lap.take(offer)
    request = here.next("where")["request"]
    if answer == "no place":
        here.send("place", request=request)
    elif answer == "wrong request":
        here.send("place", request=request + 1, place=PLACE)
    elif answer == "closed":
        here.send("closed", key="1")
        assert "has ended this activity" in command.failed()
        return
    opened = there.next("open")
    assert opened["place"] == {"x": 0, "y": 0, "fraction": 0}
    if answer == "late":
        here.send("place", request=request, place=PLACE)
    there.send("opened", continuation=opened["continuation"])
    command.succeeded()
    here.next("taken")


def W2_aPageThatChangesWhileItIsSavedGoesAsItIsThen(firefox, chromium, here, there, lap):
    here.page("1", URL, "Pancakes", place=TOP)
    offer = lap.offer(firefox)
    here.send("moved", key="1")
    command = lap.take(offer)
    request = here.next("where")["request"]
    here.page("1", URL + "2", "Waffles", place=TOP)
    here.send("place", request=request, place=PLACE)
    opened = there.next("open")
    assert (opened["url"], opened["title"], opened["place"]) == (URL + "2", "Waffles", PLACE)
    there.send("opened", continuation=opened["continuation"])
    command.succeeded()
    here.next("taken")


def W2_aPageThatCannotBeOpenedIsOpenedInTheOrdinaryWay(firefox, chromium, here, there, lap):
    here.page("1", URL, "Pancakes", place=TOP)
    command = take(lap, firefox, here)
    there.send("failed", continuation=there.next("open")["continuation"], reason="No tab could be made.")
    connection, arguments = chromium.started()
    connection.close()
    assert arguments == [URL]
    command.succeeded()
    here.next("taken")


# The popup


def W2_whatOthersOfferIsListedAndContinued(firefox, here, lap, both):
    origin = both[1].start()
    here.send("list")
    while here.next("offers")["offers"]:
        pass
    application = both[1].application
    origin.do(f"activity a {application.type}", "title a Letter", "put a page int 7", "current a")
    while not (offers := here.next("offers")["offers"]):
        pass
    assert [{key: value for key, value in offer.items() if key not in ["device", "activity"]} for offer in offers] == [
        {"deviceName": "lap", "title": "Letter", "application": application.name, "inBrowser": False}]
    choice = {key: offers[0][key] for key in ["device", "activity"]}
    here.send("unlist")
    here.send("continue", **choice)
    target = both[0].launched().ready()
    target.expect("continue")
    ended = here.next("continued")
    assert ended == {"type": "continued", **choice}
    # There is nothing any more.
    origin.do("invalidate a")
    here.send("continue", device=choice["device"], activity=secrets.token_hex(16))
    assert here.next("continued")["reason"]
    here.send("continue", device="x", activity="x")
    assert here.next("continued")["reason"] == "This is not an activity's id."


def W2_aPageOpensInTheBrowserInWhichItIsChosen(firefox, here, chromium, there, desk, lap):
    with contextlib.closing(Browser(desk, "chromium")) as other:
        # It is the default here, and runs.
        other.start()
        there.page("1", URL, "Pancakes", place=TOP)
        here.send("list")
        while not (offers := [offer for offer in here.next("offers")["offers"] if offer["title"] == "Pancakes"]):
            pass
        here.send("unlist")
        here.send("continue", **{key: offers[0][key] for key in ["device", "activity"]})
        opened = here.next("open")
        assert opened["url"] == URL
        here.send("opened", continuation=opened["continuation"])
        assert "reason" not in here.next("continued")


def W2_aBrowserTakesPartByWhateverNameItIsTheDefault(firefox, chromium, there, desk):
    name = "userapp-Firefox-AB12CD"
    Installed.write(desk.data / f"applications/{name}.desktop", (desk.data / "applications/firefox-esr.desktop").read_text())
    Installed.write(desk.folder / "config/mimeapps.list", f"[Default Applications]\nx-scheme-handler/https={name}.desktop;\n")
    there.page("1", URL, "Pancakes", place=TOP)
    desk.until_asked(lambda: [row["local-app"] for row in desk.listed(chromium)] == [""], "a page for a browser")
    desk.environment["GIO_LAUNCHED_DESKTOP_FILE"] = f"/usr/share/applications/{name}.desktop"
    try:
        here = firefox.start()
    finally:
        del desk.environment["GIO_LAUNCHED_DESKTOP_FILE"]
    desk.until_asked(lambda: [row["local-app"] for row in desk.listed(chromium)] != [""], "that the browser takes it")
    offer, = desk.listed(chromium)
    command = desk.take(offer)
    opened = here.next("open")
    assert (opened["url"], opened["place"]) == (URL, TOP)
    here.send("opened", continuation=opened["continuation"])
    command.succeeded()
    (desk.data / f"applications/{name}.desktop").unlink()


# What ends


@pytest.mark.parametrize("end", ["input", "killed"])
def W2_aBrowserThatEndsTakesEverythingBack(firefox, here, lap, end):
    here.page("1", URL, "Pancakes", place=TOP)
    shown(lap, firefox, "Pancakes")
    if end == "input":
        here.close_input()
        here.wait_for_end()
        assert firefox.processes[0].wait(SECONDS) == 0
        assert here.said() == ""
    else:
        signal.pidfd_send_signal(here.handle, signal.SIGKILL)
    lap.no_offer(firefox)


def W2_aBrowserThatEndsWhileItIsAsked(firefox, here, there, lap):
    here.page("1", URL, "Pancakes", place=TOP)
    offer = lap.offer(firefox)
    here.send("moved", key="1")
    command = lap.take(offer)
    here.next("where")
    here.close_input()
    here.wait_for_end()
    assert firefox.processes[0].wait(SECONDS) == 0
    # The state that was known of the page goes on.
    opened = there.next("open")
    assert (opened["url"], opened["place"]) == (URL, {"x": 0, "y": 0, "fraction": 0})
    there.send("opened", continuation=opened["continuation"])
    command.succeeded()
    lap.no_offer(firefox)


def W2_aBrowserThatEndsWhileItOpensAPage(firefox, chromium, here, there, lap):
    here.page("1", URL, "Pancakes", place=TOP)
    command = take(lap, firefox, here)
    there.next("open")
    there.close_input()
    there.wait_for_end()
    assert "ended before" in command.failed()


def W2_anotherProfileTakesPartWhenTheFirstHasEnded(firefox, here, lap):
    firefox.start_program()
    second = firefox.connected()
    second.send("hello", version=1, browser="firefox")
    while "another profile" not in second.next("ready")["reason"]:
        pass
    here.close_input()
    while "device" not in second.next("ready"):
        pass
    second.page("1", URL, "Waffles", place=TOP)
    shown(lap, firefox, "Waffles")


def W2_theHostComesBackToTheNextDaemon(new_device):
    device = new_device("alone")
    with contextlib.closing(Browser(device, "firefox")) as browser:
        native = browser.start()
        device.stop_daemon()
        while "device" in native.next("ready"):
            pass
        while "device" not in native.next("ready"):
            pass
        native.page("1", URL, "Pancakes", place=TOP)
        assert device.activity(browser)["title"] == "Pancakes"


# Refused callers and messages


@pytest.mark.parametrize("arguments", [
    [], ["chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh/"], ["https://example.org/"],
    [KINDS["firefox"][2][0], "other@example.org"], ["--start"]])
def attack32_onlyABrowserStartsItForTheExtension(firefox, arguments):
    process = firefox.start_program()
    native = firefox.connected(arguments)
    assert "Only a browser starts this" in native.said()
    assert process.wait(SECONDS) == 1


def attack32_aBrowserDoesNotPassForAnother(firefox):
    firefox.start_program()
    native = firefox.connected()
    native.send("hello", version=1, browser="chromium")
    assert native.error("hello") == "This segue-browser was started by firefox."
    native.send("hello", version=2, browser="firefox")
    assert "version 2" in native.error("hello")
    native.send("list")
    assert native.error("list") == "The first message is \"hello\"."
    assert native.hello("firefox") == "desk"


def attack27_whatIsNoMessageLosesNothing(firefox, here, lap):
    here.page("1", URL, "Pancakes", place=TOP)
    for content, of in [
            (b"", ""), (b"x", ""), (b"\xff\xfe", ""), (b"[" * 60_000, ""), (b"{}", ""), (b'{"type":"run"}', "run"),
            (b'{"type":"page","key":"1","url":"https://example.org/","title":1}', "page"),
            (b'{"type":"moved","type":"moved","key":"1"}', ""), (b'{"type":"closed","key":["1"]}', "closed")]:
        here.send_bytes(content)
        assert here.error(of)
    # The host ignores messages that name no page or continuation.
    for message in [{"type": "moved"}, {"type": "left"}, {"type": "closed"}]:
        here.send(**message, key="9")
    here.send("opened", continuation=9)
    here.send("failed", continuation=9, reason="")
    here.send("place", request=9, place=PLACE)
    shown(lap, firefox, "Pancakes")


def attack36_aMessageThatIsTooLongIsDropped(firefox, here, lap):
    here.page("1", URL, "Pancakes", place=TOP)
    shown(lap, firefox, "Pancakes")
    for length in [64 * 1024 + 1, 1024 * 1024]:
        here.page("2", URL + "a" * length, "Waffles")
        assert "and 65536 are the most" in here.error("")
    # All of both was skipped, and what was on offer is.
    here.page("1", URL, "Crumpets", place=TOP)
    shown(lap, firefox, "Crumpets")
    here.close_input()
    assert here.said().count("was dropped") == 1
    assert firefox.processes[0].wait(SECONDS) == 0


def attack36_aMessageWithoutAnEndIsNotKept(firefox, here, lap):
    here.page("1", URL, "Pancakes", place=TOP)
    here.write(struct.pack("=I", 2**32 - 1) + bytes(16 * 1024 * 1024))
    assert f"{2**32 - 1} bytes" in here.error("")
    shown(lap, firefox, "Pancakes")
    here.close_input()
    here.wait_for_end()
    assert firefox.processes[0].wait(SECONDS) == 0


def attack36_aMessageAsLongAsItMayBe(firefox, here, lap):
    here.page("1", URL, "x" * (64 * 1024 - 200), place=TOP)
    shown(lap, firefox, "x" * 512)


def attack33_aBrowserThatReadsNothingEndsIt(firefox, here):
    try:
        while True:
            here.send("run")
    except BrokenPipeError:
        pass
    assert "does not read" in here.said()
    assert firefox.processes[0].wait(SECONDS) == 1


def attack25_aTitleIsCleaned(firefox, here, lap):
    here.page("1", URL, "Pan\u202ecakes\n\ud83d", place=TOP)
    shown(lap, firefox, "Pancakes \ufffd")


def W2_withoutABrowserItIsSaid(desk, tmp_path):
    environment = {**desk.environment, "PATH": str(tmp_path)}
    for name, words in [
            ("firefox", "None of firefox-esr, firefox can be started"), ("opera", "not a browser that takes part")]:
        result = subprocess.run(
            [SEGUE_BROWSER, "--start", name], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert (result.returncode, words in result.stderr) == (1, True), result.stderr


# Under the proxy by which a sandboxed browser has it started

PROXY = "org.freedesktop.NativeMessagingProxy"
PROXY_PATH = "/org/freedesktop/nativemessagingproxy"


@pytest.fixture
def proxy(desk):
    """A connection of a sandboxed browser's to the bus that starts the proxy."""
    service = desk.data / f"dbus-1/services/{PROXY}.service"
    Installed.write(
        service,
        f"[D-BUS Service]\nName={PROXY}\nExec={sys.executable} {HERE}/native_proxy.py {desk.folder}/bus {PREFIX}\n")
    desk.reload()
    with desk.bus() as bus:
        bus.match(f"type='signal',interface='{PROXY}'")
        yield bus
        # The next test's call must not reach what is killed here: the bus has noticed its end before it gets one.
        bus.match(f"type='signal',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='{PROXY}'")
        os.kill(bus.pid_of(PROXY), signal.SIGKILL)
        bus.next_signal("NameOwnerChanged")
    service.unlink()


@pytest.mark.parametrize("kind, mode", [("firefox", "mozilla"), ("chromium", "chromium")])
def W2_aSandboxedBrowserHasItStartedByTheProxy(desk, lap, proxy, kind, mode):
    with contextlib.closing(Browser(desk, kind)) as browser:
        lap.no_offer(browser)
        manifest, = proxy.call(PROXY, PROXY_PATH, PROXY, "GetManifest", "ssa{sv}", ["org.segue.browser", mode, {}])
        assert json.loads(manifest)["path"] == f"{PREFIX}/libexec/segue-browser"
        caller = browser.arguments[-1]
        with pytest.raises(BusError, match="is not allowed"):
            proxy.call(PROXY, PROXY_PATH, PROXY, "Start", "sssa{sv}", ["org.segue.browser", caller + "x", mode, {}])
        reply = proxy.reply(
            proxy.call_later(PROXY, PROXY_PATH, PROXY, "Start", "sssa{sv}", ["org.segue.browser", caller, mode, {}]))
        *indices, handle = proxy.body(reply)
        native = Native(*[reply.unix_fds[index] for index in indices])
        browser.natives.append(native)
        assert native.hello(kind) == "desk"
        native.page("1", URL, "Pancakes", place=TOP)
        shown(lap, browser, "Pancakes")
        native.close_input()
        assert proxy.next_signal("Closed").body[0] == handle
        assert native.said() == ""
        lap.no_offer(browser)
