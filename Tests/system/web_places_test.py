"""The content at the top of a page on two devices, as pictures of both browsers show it (semantics W2)."""

import pytest
from harness.browsers import KINDS, WANTED, Installed
from harness.picture import Picture
from harness.places import Places, colour
from harness.waiting import wait_for

pytestmark = pytest.mark.skipif(not WANTED, reason="scripts/test-browsers has the browsers")

#: A paragraph of four lines or more, and an offset at which its third line is the first whole one.
NUMBER, DOWN = 103, 30
#: Where the page is scrolled to: this far below the beginning of a paragraph, and where in the view to look then.
PLACES = {
    "plain": (NUMBER, DOWN, 20), "player": (None, 0, 4), "picture": (100, 100, 4), "bar": (NUMBER, DOWN - 90, 110),
    "scroller": (NUMBER, DOWN, 20), "feed": (NUMBER, DOWN, 20),
}
#: The number of the line of a text that is at the top.
LINE = """(caret => Number(caret.offsetNode.data.slice(0, caret.offset).match(/(?<=Fox )[0-9]+/g).at(-1)))(
    document.caretPositionFromPoint(200, 14))"""


@pytest.fixture
def pages():
    pages = Places()
    yield pages
    pages.close()


@pytest.fixture(params=[("chromium", "firefox", 1000), ("firefox", "chromium", 1000), ("chromium", "firefox", 700),
                        ("firefox", "chromium", 700)], ids=lambda kinds: "-".join(map(str, kinds)))
def both(request, desk, lap):
    """A browser on each device, the second one of that width."""
    here, there, width = request.param
    made = []
    try:
        made.append(Installed(desk, KINDS[here]))
        made.append(Installed(lap, type("Wide", (KINDS[there],), {"width": width})))
        for one in made:
            one.browser.start()
            one.browser.allow("localhost")
        yield (*made, width)
    finally:
        for one in made:
            one.close()


def scroll(page, name):
    """Scrolls the page as a user does who has read so far."""
    number, down, _ = PLACES[name]
    if number is None:
        return
    paragraph = f"document.querySelectorAll('p')[{number - 1}]"
    mover = "document.querySelector('main')" if name == "scroller" else "window"

    def is_there():
        return page.evaluate(f"""(paragraph => {{
            if (!paragraph) scrollTo(0, document.documentElement.scrollHeight);
            else {mover}.scrollBy(0, Math.round(paragraph.getBoundingClientRect().top) + {down});
            return paragraph && Math.abs(paragraph.getBoundingClientRect().top + {down}) < 1;
        }})({paragraph})""")

    wait_for(is_there, f"the place on {name}")


@pytest.mark.parametrize("name", PLACES)
def W2_whatStandsAtTheTopLooksTheSame(lap, both, pages, name):
    here, there, width = both
    page = here.browser.open(pages.url(name))
    scroll(page, name)
    command = lap.take(lap.offer(here, title=name))
    other = there.browser.find(pages.url(name))
    command.succeeded()
    number, _, y = PLACES[name]
    before = Picture(page.view())
    assert before.pixel(2, y) == (colour(number) if number else (0, 0, 0))

    def is_the_same():
        after = Picture(other.view())
        if width != 1000:
            return after.pixel(2, y) == before.pixel(2, y)
        # It is laid out as it was there: to the pixel, but for what a smaller view does not show.
        return after.stripes(2)[:2] == before.stripes(2)[:2]

    wait_for(is_the_same, f"the same picture of {name}")


def W2_aTextOfManyLinesIsWhereItWas(lap, both, pages):
    here, there, _ = both
    page = here.browser.open(pages.url("lines"))
    page.scroll(40000)
    page.until("window.scrollY === 40000")
    line = page.evaluate(LINE)
    command = lap.take(lap.offer(here))
    other = there.browser.find(pages.url("lines"))
    command.succeeded()
    assert line > 1000 and abs(other.evaluate(LINE) - line) <= 1
