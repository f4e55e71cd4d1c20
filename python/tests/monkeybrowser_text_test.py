"""The Monkey Browser (examples/python/monkeybrowser): text that was typed into a page's forms goes along by streams."""

from __future__ import annotations

import json
import select
from collections.abc import Callable, Iterator
from typing import Any

import monkeybrowser_fixtures as fixtures
import pytest
import segue
from browsers import TYPE, Browser
from monkeybrowser_fixtures import run, taken
from support import Loop

from harness.bounds import SECONDS

stage, browsers, here, there = fixtures.stage, fixtures.browsers, fixtures.here, fixtures.there
loop, other = fixtures.loop, fixtures.other

TEXT = "Dear monkey, how is the tree?"
FIELDS = json.dumps([{"name": "text", "place": 0, "text": TEXT}]).encode() + b"\n"
EMPTY = ["", "", "", ""]

Send = Callable[..., None]


def write(browser: Browser, *texts: str) -> None:
    """Types into the fields of /form, one after the other; the first has the keyboard."""
    browser.go("/form")
    for number, text in enumerate(texts):
        if number > 0:
            browser.screen.press("Tab")
        browser.screen.type(text)
    shows(browser, *texts)
    # The browser's main loop goes round for this question, and has read the page's message before.
    browser.screen.find("push button", "Go")


def shows(browser: Browser, *texts: str) -> None:
    wanted = [*texts, *EMPTY][:len(EMPTY)]
    browser.seen("/form", lambda seen: seen["typed"] == wanted)


def line(streams: segue.Streams) -> bytes:
    """The next line; empty at the end of file."""
    assert select.select([streams.input], [], [], SECONDS)[0], "nothing comes"
    read: bytes = streams.input.readline()
    return read


def asked(loop: Loop, activity: segue.Activity) -> segue.Streams:
    outcome = activity.get_continuation_streams()
    loop.until(lambda: outcome.is_done)
    assert outcome.streams is not None, outcome.error
    outcome.streams.output.write(b"unsent\n")
    return outcome.streams


@pytest.fixture
def send(
        browsers: list[Browser], there: Browser, loop: Loop, other: Callable[..., segue.Application]) -> Iterator[Send]:
    """Lets the browser on lap continue an activity of another program on desk, which says that there is text. Streams
    that the answer leaves open stay open until the test ends."""
    kept: list[segue.Streams] = []
    there.start()
    origin = other(browsers[0].device)
    run(loop, origin)

    def keeping(answer: Callable[[segue.Streams], object]) -> Callable[[segue.Streams], None]:
        def receive(streams: segue.Streams) -> None:
            kept.append(streams)
            answer(streams)

        return receive

    def send(page: str, answer: Callable[[segue.Streams], object] | None) -> None:
        activity = segue.Activity(origin, TYPE + "weather", title=page, user_info={
            "Url": there.website.address + page, "Unsent": True})
        if answer is not None:
            activity.on_did_receive_streams(keeping(answer))
            activity.supports_continuation_streams = True
        activity.become_current()
        status, error = loop.result(there.device.take(loop.offer(there.device, there, title=page)))
        assert status == 0, error

    yield send
    for streams in kept:
        streams.close()


def test_whatWasTypedGoesAlongAndBackAndIsDroppedWhereItWas(here: Browser, there: Browser) -> None:
    there.start()
    write(here, TEXT, "secret", "one", "two")
    there.take("weather", title="Form").succeeded()
    # A password does not go along, and stays where it is.
    shows(there, TEXT, "", "one", "two")
    shows(here, "", "secret")
    here.screen.find("label", "gone on at another device")
    # On the other device it counts as text that somebody has typed.
    here.take("weather", title="Form").succeeded()
    shows(here, TEXT, "", "one", "two")
    shows(there)
    there.screen.find("label", "gone on at another device")


def test_whatHasNotArrivedIsKept(
        here: Browser, there: Browser, loop: Loop, other: Callable[..., segue.Application]) -> None:
    write(here, TEXT)
    target = other(there.device)
    run(loop, target)
    activity = taken(loop, target, there, title="Form")
    assert activity.user_info["Unsent"] is True
    with asked(loop, activity) as streams:
        assert json.loads(line(streams)) == json.loads(FIELDS)
        streams.output.close()
        assert line(streams) == b""
    # The text is sent again to a device that has not acknowledged it; and while the streams of one that has are open.
    with asked(loop, activity) as taking:
        assert json.loads(line(taking)) == json.loads(FIELDS)
        taking.output.write(b"taken\n")
        for _ in range(2):
            with asked(loop, activity) as streams:
                assert json.loads(line(streams)) == json.loads(FIELDS)
                streams.output.close()
                assert line(streams) == b""
    shows(here)


def test_nothingIsAskedForWhereNothingWasTyped(
        here: Browser, there: Browser, loop: Loop, other: Callable[..., segue.Application]) -> None:
    here.go("/form")
    target = other(there.device)
    run(loop, target)
    activity = taken(loop, target, there, title="Form")
    assert "Unsent" not in activity.user_info
    outcome = activity.get_continuation_streams()
    loop.until(lambda: outcome.is_done)
    assert isinstance(outcome.error, segue.Error) and outcome.error.code == segue.ErrorCode.ACCESS_DENIED


def say(*words: bytes) -> Callable[[segue.Streams], None]:
    """An answer that sends these words, whatever is asked."""
    def answer(streams: segue.Streams) -> None:
        streams.output.write(b"".join(words))

    return answer


def end(*words: bytes) -> Callable[[segue.Streams], None]:
    """An answer that sends these words, and closes the streams."""
    def answer(streams: segue.Streams) -> None:
        with streams:
            streams.output.write(b"".join(words))

    return answer


@pytest.mark.parametrize("answer", [
    None, end(), end(b"no line"), say(b"x\n"), say(b"[" * 5000, b"\n"), say(b'[{"name": "text", "place": 0}]\n'),
    say(b'[{"place": 0, "text": "x"}]\n'), say(b"[4]\n"),
    say(b'[{"name": "text", "place": true, "text": "x"}]\n'), say(b"{}\n"), say(b"\xff\n")],
    ids=["refused", "lost", "cut", "words", "deep", "parts", "name", "number", "place", "object", "bytes"])
def test_whatCannotBeBroughtIsSaidAndThePageIsThere(there: Browser, send: Send, answer: Any) -> None:
    send("/form", answer)
    there.screen.find("label", "What was typed there could not be brought.")
    # The browser has tried none of it.
    there.screen.find_none("It is still on the other device.")
    shows(there)
    there.screen.find_none("Continuing activity…")


def test_whatIsLostWhileThePageIsAwaitedIsSaid(there: Browser, send: Send, loop: Loop) -> None:
    came: list[segue.Streams] = []
    send("/form", came.append)
    loop.until(lambda: bool(came))
    assert line(came[0]) == b"unsent\n"
    shows(there)
    loop.applications[0].close()
    came[0].close()
    there.screen.find("label", "What was typed there could not be brought.")
    shows(there)


def test_whereAServerLeadsElsewhereNothingIsFilledIn(there: Browser, send: Send) -> None:
    send(f"/redirect/{there.website.address}/form", say(FIELDS))
    there.screen.find("label", "What was typed there could not be brought.")
    shows(there)


def test_aPageThatNeverEndsIsNotWaitedFor(there: Browser, send: Send) -> None:
    send("/endless", say(FIELDS))
    # The page has no such field.
    there.screen.find("label", "It is still on the other device.")


def test_whatIsTypedMeanwhileStays(there: Browser, send: Send, loop: Loop) -> None:
    came: list[segue.Streams] = []
    send("/form", came.append)
    loop.until(lambda: bool(came))
    there.seen("/form", lambda seen: seen["focus"])
    there.screen.find_none("Continuing activity…")
    there.screen.type("mine")
    shows(there, "mine")
    with came[0] as streams:
        assert line(streams) == b"unsent\n"
        streams.output.write(FIELDS)
        there.screen.find("label", "It is still on the other device.")
        # The browser does not acknowledge the text.
        assert line(streams) == b""
    shows(there, "mine")
