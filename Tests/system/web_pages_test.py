"""Pages in Firefox and in Chromium, on two devices, with the extension and segue-browser (semantics W2, W3)."""

import json

import pytest
from harness.browsers import KINDS, WANTED, Installed
from harness.device import pair
from harness.pages import Pages
from harness.probe import decode
from harness.teams import DEVELOPER, sign, team_of
from harness.web import PATH, Answer, environment

pytestmark = pytest.mark.skipif(not WANTED, reason="scripts/test-browsers has the browsers")


@pytest.fixture
def pages():
    pages = Pages()
    yield pages
    pages.close()


@pytest.fixture
def on():
    """Installs a browser on a device, as the user's default, and starts it."""
    made = []

    def put(device, kind):
        made.append(Installed(device, KINDS[kind]))
        made[-1].browser.start()
        return made[-1]

    yield put
    for one in made:
        one.close()


def read(browser, url, y):
    """The page is in front, and scrolled so far; only then its site takes part, so that nothing is told of it before."""
    page = browser.open(url)
    page.scroll(y)
    page.until(f"window.scrollY === {y}")
    browser.allow("localhost")
    page.activate()


def is_at(browser, url, y):
    page = browser.find(url)
    page.until(f"window.scrollY === {y}")
    return page


@pytest.mark.parametrize("kinds", [("chromium", "firefox"), ("firefox", "chromium")], ids="-".join)
def W2_aPageGoesToTheOtherBrowserAtItsPlaceAndBack(desk, lap, on, pages, kinds):
    here, there = on(desk, kinds[0]), on(lap, kinds[1])
    there.browser.allow("localhost")
    read(here.browser, pages.url("One"), 3210)
    command = lap.take(lap.offer(here, title="One"))
    page = is_at(there.browser, pages.url("One"), 3210)
    command.succeeded()
    # A page is not offered back as it came; once it is scrolled, it is.
    page.scroll(7654)
    page.until("window.scrollY === 7654")
    desk.offer(there, title="One")
    # A page that comes to the front is asked where it is, whatever was told before.
    other = there.browser.open("about:blank")
    desk.no_offer(there)
    other.close()
    page.activate()
    command = desk.take(desk.offer(there, title="One"))
    is_at(here.browser, pages.url("One"), 7654)
    command.succeeded()


@pytest.mark.parametrize("kinds", [("chromium", "firefox"), ("firefox", "chromium")], ids="-".join)
def W2_aBrowserThatDoesNotRunIsStarted(desk, lap, on, pages, kinds):
    here, there = on(desk, kinds[0]), on(lap, kinds[1])
    there.browser.allow("localhost")
    there.browser.end()
    read(here.browser, pages.url("One"), 3210)
    command = lap.take(lap.offer(here, title="One"))
    is_at(there.browser.started(), pages.url("One"), 3210)
    command.succeeded()


def W2_thePopupContinuesAPage(desk, lap, on, pages):
    here, there = on(desk, "chromium"), on(lap, "firefox")
    there.browser.allow("localhost")
    read(here.browser, pages.url("One"), 3210)
    popup = there.browser.extension("popup.html")
    popup.until("document.querySelector('.offer .title')?.textContent === 'One'")
    source = popup.evaluate("document.querySelector('.offer .quiet').textContent")
    assert source.endswith(f"localhost:{pages.port} on desk")
    popup.click(".offer")
    is_at(there.browser, pages.url("One"), 3210)


HOST = "articles.localhost"


@pytest.fixture
def articles():
    """A site on the usual port: with another one no domain names an application for it."""
    try:
        pages = Pages(port=80)
    except PermissionError:
        pytest.skip("only root listens on port 80")
    yield pages
    pages.close()


@pytest.fixture
def site(site, authority):
    site.environment = environment(site, authority)
    return site


@pytest.mark.parametrize("kind", KINDS)
def W3_aPageOfABrowserContinuesInTheApplicationOfItsDomainAndBack(
        new_device, new_application, install, on, articles, site, kind):
    desk, lap = new_device("desk", settings=DEVELOPER), new_device("lap", settings=DEVELOPER)
    # Its bus launches the daemon, with the environment that the bus was started with.
    lap.kill_bus()
    lap.environment.update(site.environment)
    lap.start_bus()
    pair(desk, lap)
    team = team_of(lap)
    reader = new_application(
        name="Reader", types=[],
        lines=[f"X-Segue-Team={team}", f"X-Segue-AssociatedDomains=activitycontinuation:{HOST};"])
    sign(lap, lap, options=["--app", reader.id])
    site.answers[PATH] = Answer(json.dumps({"activitycontinuation": {"apps": [f"{team}.{reader.id}"]}}).encode())
    place = install(lap, reader)
    here = on(desk, kind)
    page = here.browser.open(articles.url("One", HOST))
    here.browser.allow(HOST)
    page.activate()
    command = lap.take(lap.offer(here, title="One", candidates=[reader.id]))
    target = place.launched()
    assert target.expect("continue") == ["org.segue.BrowsingWeb", "a0"]
    assert decode(target.do("show continued").split()[2]) == articles.url("One", HOST)
    command.succeeded()
    # Its reader goes on to another page, and then back to the browser.
    target.do("activity a org.segue.BrowsingWeb", "title a Two", f"url a {articles.url('Two', HOST)}", "current a")
    command = desk.take(desk.offer(reader, title="Two"))
    here.browser.find(articles.url("Two", HOST)).until("document.title === 'Two'")
    command.succeeded()
