"""Links that the user follows on a device, and the applications that their domains name (semantics W5)."""

import json
import shutil
import subprocess

import pytest
from dbus_fast import Variant
from harness.bounds import SECONDS
from harness.notifications import Scripted
from harness.probe import decode
from harness.puppet import Puppet
from harness.recorded_browser import RecordedBrowser
from harness.teams import DEVELOPER, sign, team_of
from harness.tree import SEGUE
from harness.web import HOST, PATH, Answer, environment

BROWSING = "org.segue.BrowsingWeb"
LINK = f"https://{HOST}/articles/1?b=c#d"
OUTSIDE = f"https://{HOST}/news"


@pytest.fixture
def lap(new_device, site, authority):
    lap = new_device("lap", settings=DEVELOPER)
    # Its bus launches the daemon, with the environment that the bus was started with.
    lap.kill_bus()
    lap.environment.update(environment(site, authority))
    lap.start_bus()
    return lap


@pytest.fixture
def browser(lap):
    browser = RecordedBrowser(lap)
    browser.choose()
    yield browser
    browser.close()


class Reader:
    def __init__(self, lap, application, place):
        self.lap, self.application, self.place = lap, application, place
        self.id = application.id

    def until(self, reason, link=LINK):
        """Until that is said of the link; the sentence."""
        def found():
            return next((row["sentence"] for row in self.lap.json("explain", link) if row["reason"] == reason), None)
        return self.lap.until_asked(found, f"the reason {reason}")

    def reads(self, link=LINK, target=None):
        """It was started, unless it is the one that runs, and has got the link."""
        target = target or self.place.launched()
        assert target.expect("continue") == [BROWSING, "a0"]
        assert decode(target.do("show continued").split()[2]) == link
        return target


@pytest.fixture
def reader(lap, site, browser, new_application, install):
    """An application that the site names for its articles."""
    team = team_of(lap)
    application = new_application(
        name="Reader", types=[], lines=[f"X-Segue-Team={team}", f"X-Segue-AssociatedDomains=applinks:{HOST};"])
    sign(lap, lap, options=["--app", application.id])
    components = [{"/": "/articles/drafts/*", "exclude": True}, {"/": "/articles/*"}]
    details = [{"appIDs": [f"{team}.{application.id}"], "components": components}]
    site.answers[PATH] = Answer(json.dumps({"applinks": {"details": details}}).encode())
    reader = Reader(lap, application, install(lap, application))
    reader.until("opens-link")
    return reader


def W5_aLinkOpensInTheApplicationThatItsDomainNames(lap, reader, browser, site):
    lap.segue("open", LINK)
    target = reader.reads()
    # It runs now, and gets the next one too.
    other = LINK.replace("/1?", "/2?")
    lap.segue("open", other)
    reader.reads(other, target)
    assert not browser.was_started()
    assert site.asked == [(HOST, PATH)]


@pytest.mark.parametrize("link, reason", [
    (OUTSIDE, "link-unmatched"), (f"https://{HOST}/articles/drafts/1", "link-excluded"),
    (LINK.replace("https:", "http:"), None), (LINK.replace(HOST, f"{HOST}:8443"), None),
    ("https://elsewhere.example/articles/1", None),
], ids=["unmatched", "excluded", "http", "port", "elsewhere"])
def W5_everyOtherLinkOpensInTheBrowser(lap, reader, browser, link, reason):
    browser.choose(type=link.split(":")[0])
    lap.segue("open", link)
    assert browser.arguments() == ["--new-tab", link]
    assert not reader.place.was_launched()
    rows = lap.json("explain", link)
    assert [row["reason"] for row in rows] == ([reason] if reason else [])


def W5_whoKeepsADomainsLinksInTheBrowserHasThemThere(lap, reader, browser):
    assert f"{HOST} Reader open in it" in " ".join(lap.segue("links").split())
    lap.segue("links", "off", f"*.{HOST}")
    row, = lap.json("links")
    assert (row["domain"], row["opens"], row["reason"]) == (HOST, False, "links-kept")
    lap.segue("open", LINK)
    assert browser.arguments() == ["--new-tab", LINK]
    # It is kept.
    lap.stop_daemon()
    assert reader.until("links-kept")
    lap.segue("links", "on", HOST)
    lap.segue("open", LINK)
    reader.reads()


def W5_whatTheFileSaysOfLinksOutlivesTheDaemonAndItsServer(lap, reader, site):
    lap.stop_daemon()
    site.answers = {}
    lap.segue("open", LINK)
    reader.reads()


def W5_anApplicationThatIsGoneHasNoLinks(lap, reader, browser):
    reader.place.remove()
    lap.until_asked(lambda: lap.json("links") == [], "no claim")
    lap.segue("open", LINK)
    assert browser.arguments() == ["--new-tab", LINK]
    assert not list((lap.folder / "cache/segue/domains/files").iterdir())


def W5_aBrowserOpensTheLinkIfItsApplicationCannotBeStarted(lap, reader, browser):
    reader.place.write_service(exec="/bin/false")
    lap.reload()
    lap.segue("open", LINK)
    assert browser.arguments() == ["--new-tab", LINK]


def W5_anApplicationThatOpensItsOwnLinkWantsABrowser(lap, reader, browser):
    # This process is the application, since it both uses the door and starts the command line.
    puppet = Puppet(lap, reader.application)
    lap.segue("open", LINK)
    assert browser.arguments() == ["--new-tab", LINK]
    puppet.close()
    puppet.bus.close()
    lap.segue("open", LINK)
    reader.reads()


def xdg_open(lap, url):
    # Without a display it looks for browsers of terminals alone.
    environment = {**lap.environment, "DISPLAY": ":99"}
    subprocess.run(["xdg-open", url], env=environment, check=True, timeout=SECONDS, stdout=subprocess.DEVNULL)


@pytest.fixture
def desktop(lap, browser):
    """What `make install` brings, and the user's choice."""
    entry = "[Desktop Entry]\nType=Application\nName=Segue Links\nNoDisplay=true\n" f"Exec={SEGUE} open %u\n"
    (lap.data / "applications/org.segue.Links.desktop").write_text(entry)
    list_ = lap.folder / "config/mimeapps.list"
    list_.write_text("# Mine\n[Default Applications]\ntext/html=browser.desktop;\n"
                     f"x-scheme-handler/https={browser.id};\n")
    lap.segue("links", "on")
    lap.until_asked(lambda: lap.json("status")["links"], "links that go through Segue")
    return list_


def W5_theChoiceForAllLinksNeedsNoDaemon(lap, browser):
    environment = {**lap.environment, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"}
    for wish, chosen in ("on", ["org.segue.Links.desktop", browser.id]), ("off", [browser.id]):
        subprocess.run([SEGUE, "links", wish], env=environment, timeout=SECONDS, check=True)
        assert f"x-scheme-handler/https={';'.join(chosen)};\n" in (lap.folder / "config/mimeapps.list").read_text()


def W5_aListWithCarriageReturnsIsChangedAsItIs(lap, browser):
    list_ = lap.folder / "config/mimeapps.list"
    lines = ["# Mine", "[Default Applications]", "text/html=a.desktop", f"x-scheme-handler/https={browser.id}", "x/y=b.desktop", ""]
    list_.write_bytes("\r\n".join(lines).encode())
    lap.segue("links", "on")
    lines[3] = f"x-scheme-handler/https=org.segue.Links.desktop;{browser.id};"
    added = ["", "[Added Associations]", "x-scheme-handler/https=org.segue.Links.desktop;", ""]
    assert list_.read_bytes() == "\r\n".join(lines[:-1] + added).encode()


@pytest.mark.skipif(not shutil.which("xdg-open"), reason="xdg-utils is not installed")
def W5_xdgOpenReachesTheApplicationAndTheBrowser(lap, reader, browser, desktop):
    xdg_open(lap, LINK)
    reader.reads()
    xdg_open(lap, OUTSIDE)
    assert browser.arguments() == ["--new-tab", OUTSIDE]
    assert desktop.read_text() == (
        "# Mine\n[Default Applications]\ntext/html=browser.desktop;\n"
        f"x-scheme-handler/https=org.segue.Links.desktop;{browser.id};\n\n"
        "[Added Associations]\nx-scheme-handler/https=org.segue.Links.desktop;\n")
    lap.segue("links", "off")
    assert f"x-scheme-handler/https={browser.id};\n" in desktop.read_text()
    assert "org.segue.Links" not in desktop.read_text()
    lap.until_asked(lambda: not lap.json("status")["links"], "links that go to the browser")
    xdg_open(lap, LINK)
    assert browser.arguments() == ["--new-tab", LINK]


def W5_whereOnlySegueIsLeftNothingGoesInCircles(lap, reader, desktop):
    desktop.write_text("[Default Applications]\nx-scheme-handler/https=org.segue.Links.desktop;\n")
    (lap.data / "applications/browser.desktop").unlink()
    server = Scripted(lap)
    # A long link never reaches the daemon.
    for link in [OUTSIDE, f"{OUTSIDE}/?{'a' * 4096}"]:
        click = lap.start("open", link)
        notice = server.show()[1]
        assert "there is no browser for it" in notice[3] and "in the settings of the desktop" in notice[4]
        assert "there is no browser for it" in click.failed()
    server.close()


def W5_aBrowserAsksAndStartsNoOther(lap, reader, browser, desktop):
    """The test asks as segue-browser does for the extension."""
    def ask(link):
        with lap.door() as door:
            return door.control("OpenLink", "sa{sv}", [link, {"in-browser": Variant("b", True)}])[0]
    assert ask(LINK) == reader.id
    reader.reads()
    assert ask(OUTSIDE) == ""
    lap.segue("links", "off")
    lap.until_asked(lambda: not lap.json("status")["links"], "links that go to the browser")
    assert ask(LINK) == ""
    assert not browser.was_started()


# Each of them opened nothing, and `gio open` ended with 0.
FOREIGN = {
    "long": "https://sign-on.example/?request=" + "a" * 3000, "longest": "https://a.example/?" + "a" * 131_000,
    "unicode": "https://b\u00fccher.example/", "user": "https://user:word@pages.example/",
    "space": "https://pages.example/a b", "backslash": "https://pages.example\\a", "label": "https://a..example/",
    "zone": "https://[fe80::1%25eth0]/", "scheme": "HTTPS:pages.example", "port": "https://pages.example:99999/",
    "line": "https://pages.example/a\nb", "bytes": b"https://pages.example/\xff\xc3", "empty": "https:"}


@pytest.mark.parametrize("kind", FOREIGN)
def W5_whatSegueCannotTakeGoesToTheBrowserByteForByte(lap, reader, desktop, tmp_path, kind):
    link = FOREIGN[kind]
    link = link if isinstance(link, bytes) else link.encode()
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\nprintf %s \"$2\" >{tmp_path}/opened\n")
    program.chmod(0o755)
    entry = f"[Desktop Entry]\nType=Application\nName=Browser\nExec={program} --new-tab %u\n"
    (lap.data / "applications/browser.desktop").write_text(entry)
    subprocess.run([SEGUE, "open", link], env=lap.environment, timeout=SECONDS, check=True)
    assert (tmp_path / "opened").read_bytes() == link


@pytest.mark.skipif(not shutil.which("xdg-open"), reason="xdg-utils is not installed")
def W5_xdgOpenOpensWhatSegueCannotTake(lap, reader, browser, desktop):
    xdg_open(lap, FOREIGN["long"])
    assert browser.arguments() == ["--new-tab", FOREIGN["long"]]


def W5_aBrowserOnTheBusGetsWhatSegueCannotTake(lap, reader, desktop):
    RecordedBrowser(lap, name="org.example.Web", keys="DBusActivatable=true\n").choose()
    with lap.bus() as web:
        web.own("org.example.Web")
        command = lap.start("open", FOREIGN["user"])
        call = web.next_call()
        assert (call.member, call.body[0]) == ("Open", [FOREIGN["user"]])
        web.answer(call)
        command.succeeded()


def W5_linksOnNeedsABrowserBehindSegue(lap, browser):
    (lap.data / "applications/browser.desktop").unlink()
    list_ = lap.folder / "config/mimeapps.list"
    before = list_.read_bytes()
    assert "No browser was found behind Segue" in lap.start("links", "on").failed()
    assert list_.read_bytes() == before


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "httpss://a/", "https", "-h"])
def attack29_whatIsNoPageIsNotOpened(lap, browser, url):
    assert lap.start("open", "--", url).result()[0] == 64
    with lap.bus() as bus, pytest.raises(Exception, match="not the URL of a web page"):
        bus.control("OpenLink", "sa{sv}", [url, {}])
    assert not browser.was_started()


def W5_withoutTheDaemonNothingGoesInCirclesEither(lap, tmp_path):
    """A browser that only hands the link to the desktop, which hands it to Segue."""
    again = tmp_path / "again"
    again.write_text(f"#!/bin/sh\necho again >>{tmp_path}/starts\nexec {SEGUE} open \"$1\"\n")
    again.chmod(0o755)
    environment = {**lap.environment, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent", "BROWSER": str(again)}
    done = subprocess.run([SEGUE, "open", LINK], env=environment, timeout=SECONDS, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "there is no browser for it" in done.stderr
    assert (tmp_path / "starts").read_text() == "again\n"


def W5_whatABrowserHasStartedOpensAnotherLinkWithoutTheDaemonToo(lap, browser, tmp_path):
    # BROWSER counts where the desktop knows none, as for xdg-open.
    (lap.data / "applications/browser.desktop").unlink()
    first = tmp_path / "first"
    first.write_text(f"#!/bin/sh\nBROWSER={browser.program} exec {SEGUE} open {OUTSIDE}\n")
    first.chmod(0o755)
    environment = {**lap.environment, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent", "BROWSER": str(first)}
    subprocess.run([SEGUE, "open", LINK], env=environment, timeout=SECONDS, stderr=subprocess.DEVNULL, check=True)
    assert browser.arguments() == [OUTSIDE]


def W5_aLinkIsOpenedWithoutTheDaemonToo(lap, browser):
    environment = {**lap.environment, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent", "BROWSER": "/bin/false"}
    subprocess.run([SEGUE, "open", LINK], env=environment, timeout=SECONDS, stderr=subprocess.DEVNULL, check=True)
    assert browser.arguments() == ["--new-tab", LINK]
