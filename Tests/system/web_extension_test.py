"""The extension in Firefox and Chromium, and a native host in the test's hands (semantics W2; attack 29)."""

import contextlib
import os
import pathlib
import shutil
import tempfile

import pytest
from harness.browser import Trouble
from harness.browsers import KINDS, WANTED
from harness.pages import HEIGHT, Pages
from harness.recording import Recording

pytestmark = pytest.mark.skipif(not WANTED, reason="scripts/test-browsers has the browsers")

OFFERS = [
    {"device": "d1", "activity": "a1", "deviceName": "lap", "title": "Pancakes", "application": "Web Browser",
     "host": "recipes.example", "inBrowser": True},
    {"device": "d2", "activity": "a2", "deviceName": "phone", "title": "<img src=x onerror=alert(1)>",
     "application": "Notes", "inBrowser": False},
]


@pytest.fixture
def folder():
    # A socket's path has 108 bytes.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sg-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def host(folder):
    host = Recording(folder)
    yield host
    host.close()


@pytest.fixture
def pages():
    pages = Pages()
    yield pages
    pages.close()


@pytest.fixture(params=KINDS)
def browser(request, folder, host):
    """A running browser, whose extension has said hello; no site takes part yet."""
    browser = KINDS[request.param](folder, {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}, host.program)
    try:
        browser.start()
        assert host.accept() == request.param
        yield browser
    finally:
        browser.close()


@pytest.fixture
def one(browser, host, pages):
    """The page One in front, its site takes part; its key."""
    browser.allow("localhost")
    browser.one = browser.open(pages.url("One"))
    return host.next("page", url=pages.url("One"), title="One")["key"]


def come(host, url, continuation, **more):
    """Another device's page is continued here, and is open."""
    host.send("open", continuation=continuation, url=url, title="Come", **more)
    host.next("opened", continuation=continuation)


def told(host):
    """All addresses that were told of."""
    return {message["url"] for message in host.messages if message["type"] == "page"}


# Pages that are reported


def test_nothingIsToldOfAPageWhoseSiteDoesNotTakePart(browser, host, pages):
    page = browser.open(pages.url("One"))
    page.scroll(3000)
    page.until("window.scrollY === 3000")
    page.evaluate("document.title = 'Another'")
    # It opens pages nevertheless; when it has, it has looked at what changed before.
    come(host, pages.url("Two"), 1)
    assert [message["type"] for message in host.messages] == ["hello", "opened"]
    # The host asks for what it was not told of.
    assert host.place("1") is None


def test_aSiteThatTakesPartIsThatSiteAlone(browser, host, pages, one):
    browser.open(pages.url("One", host="127.0.0.1"))
    host.next("left", key=one)
    come(host, pages.url("Two"), 1)
    assert told(host) == {pages.url("One"), pages.url("Two")}


def test_theSitesBelowOneTakePartWithIt(browser, host, pages):
    browser.allow("*.localhost")
    browser.open(pages.url("One", host="a.localhost"))
    host.next("page", url=pages.url("One", host="a.localhost"))
    browser.forbid("*.localhost")
    host.next("closed")


def test_whatIsNoSiteIsNotAllowed(browser):
    options = browser.extension("options.html")
    for text in ["", "two words", "file:///etc", "user@localhost", "javascript:alert(1)"]:
        options.evaluate(f"document.getElementById('site').value = {text!r}")
        options.evaluate("document.getElementById('trouble').hidden = true")
        options.click("#add button")
        options.until("!document.getElementById('trouble').hidden")
        said = options.evaluate("document.getElementById('trouble').textContent")
        assert said == "This is neither a site nor an address."
    assert options.evaluate("chrome.permissions.getAll().then(all => all.origins.length)") == 0


def test_nothingIsToldOfAPrivateWindow(browser, host, pages):
    browser.allow()
    private = browser.new_tab(private=True)
    private.go(pages.url("Private"))
    private.scroll(3000)
    private.until("window.scrollY === 3000")
    come(host, pages.url("Two"), 1)
    private.evaluate("document.title = 'Another'")
    come(host, pages.url("Three"), 2)
    assert told(host) == {pages.url("Two"), pages.url("Three")}
    assert "Private" not in str(host.messages)
    # A page that comes does not open in that window, either.
    assert private.evaluate("document.title") == "Another"
    private.close()


def test_thePageInFrontIsToldWithItsTitleAndPlace(browser, host, pages, one):
    assert host.place(one)["y"] == 0
    browser.one.scroll(3 * HEIGHT + 10)
    host.next("moved", key=one)
    place = host.place(one)
    assert (place["x"], place["y"]) == (0, 3 * HEIGHT + 10)
    height = browser.one.evaluate("document.documentElement.scrollHeight")
    assert place["fraction"] == pytest.approx(place["y"] / height)
    # The first line that is whole.
    assert place["text"].startswith("Line 5 of One: the quick brown fox")


def test_whatHasChangedIsToldAnew(browser, host, pages, one):
    browser.one.evaluate("document.title = 'Another'")
    host.next("page", key=one, title="Another", url=pages.url("One"))
    browser.one.evaluate("history.pushState(null, '', '/More#end')")
    host.next("page", key=one, url=pages.url("More#end"))
    browser.one.go(pages.url("Two"))
    host.next("page", key=one, url=pages.url("Two"), title="Two")
    browser.one.scroll(3000)
    host.next("moved", key=one)
    assert host.place(one)["text"].endswith("is not seen again.")


def test_anAddressWithoutAnEndIsCut(browser, host, pages, one):
    browser.one.evaluate("location.hash = 'a'.repeat(70000)")
    assert host.next("page")["url"] == (pages.url("One") + "#" + "a" * 4096)[:4096]
    browser.one.evaluate("location.hash = 'b'")
    host.next("page", url=pages.url("One") + "#b")


def test_theEndOfScrollingIsTold(browser, host, one):
    browser.one.evaluate("""new Promise(resolve => {
        let left = 40;
        const step = () => { scrollBy(0, 50); if (--left > 0) requestAnimationFrame(step); else resolve(true); };
        step();
    })""")
    host.next("moved", key=one)
    while host.place(one)["y"] != 2000:
        host.next("moved", key=one)


def test_aPageThatDoesNotAnswerIsWhereItSaidLast(browser, host, one):
    if browser.kind != "chromium":
        pytest.skip("Firefox answers before a page's script that keeps it busy begins")
    # After this, the script that reports scrolling is in the page.
    host.place(one)
    browser.one.scroll(2000)
    host.next("moved", key=one)
    # Longer than the host waits for an answer.
    browser.one.evaluate("void setTimeout(() => { const end = Date.now() + 3000; while (Date.now() < end); })")
    place = host.place(one)
    assert place["y"] == 2000 and 0 < place["fraction"] < 1 and "text" not in place


def test_anotherTabInFrontIsTheOneThatIsTold(browser, host, pages, one):
    two = browser.open(pages.url("Two"))
    host.next("left", key=one)
    key = host.next("page", url=pages.url("Two"), title="Two")["key"]
    assert key != one
    browser.one.activate()
    host.next("left", key=key)
    assert host.next("page")["key"] == one
    two.close()
    host.next("closed", key=key)


def test_aSiteThatIsRemovedIsTakenBackAtOnce(browser, host, pages, one):
    options = browser.forbid("localhost")
    host.next("closed", key=one)
    options.close()
    browser.one.activate()
    browser.one.evaluate("document.title = 'Another'")
    before = len(host.messages)
    come(host, pages.url("Two"), 1)
    assert [message["type"] for message in host.messages[before:]] == ["opened"]
    assert host.place(one) is None


def test_aTabWhoseNextPageDoesNotTakePartIsTakenBack(browser, host, pages, one):
    browser.one.go(pages.url("One", host="127.0.0.1"))
    host.next("closed", key=one)
    assert host.place(one) is None


# What comes


#: Places, and the line at the top of the view then, counted from 0.
PLACES = [
    # Laid out as it was there: to the pixel.
    ({"x": 0, "y": 2010, "fraction": 0.125, "text": "Line 52 of Two: the quick"}, 2010 / HEIGHT),
    # Laid out in another way: the text counts.
    ({"x": 0, "y": 900, "fraction": 0.05, "text": "Line 300 of  Two: the\nquick"}, 299),
    # A text that is not there any more.
    ({"x": 0, "y": 9000, "fraction": 0.5, "text": "What was here before"}, 200),
    ({"fraction": 0.25}, 100),
    ({"y": 3000}, 75),
    (None, 0),
]


def W2_aPageComesToItsPlace(browser, host, pages, one):
    for number, (place, line) in enumerate(PLACES):
        come(host, pages.url("Two"), number, **({"place": place} if place else {}))
        page = browser.find("Two")
        assert page.evaluate("window.scrollY") == pytest.approx(line * HEIGHT, abs=5), place
        # It is in front, and is the tab's activity.
        arrived = [message for message in host.messages if message.get("continuation") == number]
        assert [message["type"] for message in arrived] == ["page", "opened"]
        assert host.place(arrived[0]["key"])["y"] == pytest.approx(line * HEIGHT, abs=5)
        page.close()


def W2_onceItIsThereThePlaceIsTheUsers(browser, host, pages, one):
    for number in range(3):
        come(host, pages.url("Two"), number, place={"x": 0, "y": 8000, "fraction": 0.5, "text": "Line 201 of Two: the quick"})
        page = browser.find("Two")
        page.scroll(4000)
        host.next("moved")
        assert page.evaluate("window.scrollY") == 4000
        page.close()


def W2_aPageThatIsFilledLaterIsFollowed(browser, host, pages, one):
    place = {"x": 0, "y": 8000, "fraction": 0.5, "text": "Line 201 of Two: the quick"}
    come(host, pages.url("Two?late"), 5, place=place)
    browser.find("Two").until("window.scrollY === 8000")


def attack29_whatIsNoPageIsNotOpened(browser, host, pages):
    before = browser.count()
    for url in ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "about:config", "chrome://settings",
                "http://user@localhost/", "http://user:word@localhost/", "localhost", "", 7, None]:
        host.send("open", continuation=1, url=url, title="Page")
        assert host.next("failed", continuation=1)["reason"] == "This is not the address of a web page."
    come(host, pages.url("Two"), 2)
    assert browser.count() == before + 1


# Links


@pytest.fixture
def linked(browser, host, pages, one):
    """Makes the page one with a link; applications here open links to app.example, and to all below it."""
    def make(url):
        host.send("links", hosts=["app.example", "*.app.example"])
        # The page asks when it is there: what is said to it afterwards it hears after the answer.
        browser.one.go(pages.url("Two"))
        key = host.next("page", url=pages.url("Two"), title="Two")["key"]
        for _ in range(2):
            host.place(key)
        browser.one.evaluate(
            f"document.body.insertAdjacentHTML('afterbegin', `<a id=link href='{url}'>A <b>link</b></a>`)")
        return key
    return make


@pytest.mark.parametrize("url", ["https://app.example/a?b#c", "https://www.app.example/"])
def W5_aLinkGoesToAnApplicationAndThePageStays(browser, host, pages, linked, url):
    key = linked(url)
    browser.one.click("#link b")
    asked = host.next("follow", url=url)
    host.send("followed", request=asked["request"], taken=True)
    assert host.place(key)["y"] == 0
    assert browser.one.evaluate("location.href") == pages.url("Two")


def W5_aLinkThatNoApplicationTakesGoesOn(browser, host, linked):
    key = linked("https://app.example/a")
    browser.one.click("#link")
    host.send("followed", request=host.next("follow")["request"], taken=False)
    host.next("closed", key=key)


def W5_aLinkGoesOnIfTheHostDoesNotAnswerOrEnds(browser, host, pages, linked):
    key = linked("https://app.example/a")
    browser.one.click("#link")
    host.next("follow")
    host.next("closed", key=key)
    browser.one.go(pages.url("One"))
    host.next("page", url=pages.url("One"))
    linked("https://app.example/a")
    browser.one.click("#link")
    host.next("follow")
    host.end()
    host.accept()
    assert browser.one.evaluate("location.href") != pages.url("Two")


@pytest.mark.parametrize("url", [
    "https://other.example/", "https://badapp.example/", "http://app.example/", "https://app.example:8443/",
    "https://app.example.evil.example/",
])
def W5_anyOtherLinkIsNotAskedFor(browser, host, linked, url):
    key = linked(url)
    # Firefox tells of the click that the page could not be reached.
    with contextlib.suppress(Trouble):
        browser.one.click("#link")
    host.next("closed", key=key)
    assert not [message for message in host.messages if message["type"] == "follow"]


def attack29_aPagesScriptsFollowNoLink(browser, host, pages, linked):
    key = linked("https://app.example/a")
    browser.one.evaluate("document.getElementById('link').click()")
    host.next("closed", key=key)
    assert not [message for message in host.messages if message["type"] == "follow"]


# The popup


def popup(browser, host, offers=OFFERS):
    popup = browser.extension("popup.html")
    host.next("list")
    host.send("offers", offers=offers)
    popup.until(f"document.querySelectorAll('.offer').length === {len(offers)}")
    return popup


def test_thePopupShowsWhatIsOnOfferAndContinuesIt(browser, host):
    page = popup(browser, host)
    assert page.evaluate("[...document.querySelectorAll('.offer')].map(one => one.innerText.split('\\n'))") == [
        ["Pancakes", "recipes.example on lap"], ["<img src=x onerror=alert(1)>", "Notes on phone"]]
    assert page.evaluate("document.getElementById('device').textContent") == "This device: desk"
    page.click("li:nth-child(2) .offer")
    assert host.next("continue") == {"type": "continue", "device": "d2", "activity": "a2"}
    host.send("continued", device="d2", activity="a2", reason="The other device cannot be reached.")
    page.until("!document.getElementById('trouble').hidden")
    assert page.evaluate("document.getElementById('trouble').textContent") == "The other device cannot be reached."
    assert page.evaluate("!document.querySelector('li:nth-child(2) .offer').disabled")


def test_whatPeersSayIsTextInThePopup(browser, host):
    page = popup(browser, host)
    assert page.evaluate("document.querySelectorAll('#offers img').length") == 0


def test_thePopupIsForTheKeyboardToo(browser, host):
    page = popup(browser, host)
    page.until("document.activeElement.innerText.startsWith('Pancakes')")
    page.press("ArrowDown")
    page.until("document.activeElement.innerText.startsWith('<img')")
    # A list that changes leaves the focus where it is.
    host.send("offers", offers=[{**OFFERS[0], "activity": "a3", "title": "New"}, *OFFERS])
    page.until("document.querySelectorAll('.offer').length === 3")
    assert page.evaluate("document.activeElement.innerText.startsWith('<img')")
    page.press("Enter")
    assert host.next("continue")["activity"] == "a2"


def test_thePopupSaysWhenNothingIsOnOfferOrSegueIsNotThere(browser, host):
    page = popup(browser, host, offers=[])
    page.until("document.getElementById('state').textContent.startsWith('Nothing is on offer.')")
    host.send("ready", version=1, reason="segued does not run.")
    page.until("document.getElementById('state').textContent === 'segued does not run.'")
    host.send("ready", version=1, device="desk")
    host.next("list")
    page.close()
    host.next("unlist")


# The host and the background come and go


def test_aHostThatEndsIsStartedAgainAndToldAnew(browser, host, pages, one):
    host.end()
    host.accept()
    assert host.next("page")["url"] == pages.url("One")


def test_withoutTheHostThePopupSaysSo(browser, host):
    page = browser.extension("popup.html")
    host.next("list")
    host.program.unlink()
    host.end()
    page.until("document.getElementById('state').textContent.startsWith('Segue cannot be reached.')")


def test_aBackgroundThatChromiumEndsIsStartedAgain(browser, host, pages, one):
    if browser.kind != "chromium":
        pytest.skip("Firefox does not end one that has a host")
    browser.one.ask("ServiceWorker.enable")
    browser.one.ask("ServiceWorker.stopAllWorkers")
    with pytest.raises(EOFError):
        host.next("never")
    browser.one.evaluate("document.title = 'Another'")
    host.accept()
    host.next("page", url=pages.url("One"), title="Another")
