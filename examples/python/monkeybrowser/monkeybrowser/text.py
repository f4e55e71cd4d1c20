"""Sends the text in a page's forms by streams, since it may be longer than userInfo should be."""

from __future__ import annotations

import json
import weakref
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import segue

from . import unsent
from .conversation import Conversation

if TYPE_CHECKING:
    from .handoff import Page

#: The messages of the continuing side: it wants the text, and it has it.
WANTED, TAKEN = b"unsent", b"taken"
#: The longest time of a conversation, in which the page is loaded too.
SECONDS = 60

LOST = "What was typed there could not be brought."
KEPT = "It is still on the other device."
MOVED = "What was typed here has gone on at another device."


class Giving:
    """The origin's side: sends the typed text to the continuing device, and drops it when it has arrived there."""

    def __init__(self, page: Page, activity: segue.Activity) -> None:
        # The activity keeps this object alive, for a while also after the page has gone.
        self._page, self._activity = weakref.ref(page), weakref.ref(activity)
        self._open: set[Conversation] = set()
        self._was_continued = False
        #: The text that the other device has.
        self._taken: str | None = None
        activity.on_did_receive_streams(self._asked)
        activity.on_was_continued(self._continued)

    def _asked(self, streams: segue.Streams) -> None:
        given: list[str] = []

        def heard(line: bytes) -> None:
            page = self._page()
            if line == WANTED and not given and page is not None:
                page.unsent(answer)
            elif line == TAKEN and given:
                self._taken = given[0]

        def answer(fields: str | None) -> None:
            # The tab may show another page by now, whose text these fields would be.
            if fields is None or not self._is_on():
                talk.close()
                return ended()
            given.append(fields)
            talk.say(fields.encode())

        def ended() -> None:
            self._open.discard(talk)
            self._drop_if_taken()

        talk = Conversation(streams, heard, ended, len(WANTED), SECONDS)
        self._open.add(talk)

    def _continued(self) -> None:
        self._was_continued = True
        self._drop_if_taken()

    def _drop_if_taken(self) -> None:
        """Drops the text once the activity was continued and its streams have ended, in whichever order."""
        if not self._was_continued or self._open or self._taken is None:
            return
        taken, self._was_continued, self._taken = self._taken, False, None
        page = self._page()
        if page is not None and self._is_on() and json.loads(taken):
            page.drop_unsent(taken)
            page.emit("told", MOVED)

    def _is_on(self) -> bool:
        activity = self._activity()
        return activity is not None and not activity.is_invalid


class Bringing:
    """The continuing side: asks for the typed text, and fills it in when the page is loaded."""

    def __init__(self, page: Page, activity: segue.Activity, url: str) -> None:
        self._page, self._url = page, url
        self._talk: Conversation | None = None
        self._fields: str | None = None
        #: Whether the text has come, or will not.
        self._is_known = False
        #: Whether the page has begun to load, and whether it is loaded.
        self._is_opened = self._is_loaded = False
        self._is_over = False
        asking = activity.get_continuation_streams()
        asking.when_done(lambda _: self._came(asking.streams))

    def opened(self) -> None:
        self._is_opened = True

    def loaded(self) -> None:
        """The tab has ended loading; the former page may have stayed, because the new one could not be loaded."""
        self._is_loaded = self._is_opened
        self._fill_if_ready()

    def give_up(self) -> None:
        """The user has opened another page."""
        self._is_over = True
        self._close()

    def _came(self, streams: segue.Streams | None) -> None:
        if streams is None:
            self._known()
        elif self._is_over:
            streams.close()
        else:
            self._talk = Conversation(streams, self._heard, self._known, unsent.LONGEST, SECONDS)
            self._talk.say(WANTED)

    def _heard(self, line: bytes) -> None:
        try:
            self._fields = unsent.received(line)
        except ValueError:
            # The text stays on the other device, since TAKEN is not sent.
            self._close()
        self._known()

    def _known(self) -> None:
        self._is_known = True
        self._fill_if_ready()

    def _close(self) -> None:
        if self._talk is not None:
            self._talk.close()

    def _fill_if_ready(self) -> None:
        if self._is_over or not self._is_known or not self._is_loaded:
            return
        self._is_over = True
        # A server may have redirected to another page, into which this text was not typed.
        is_there = urlsplit(self._page.url)[:3] == urlsplit(self._url)[:3]
        if self._fields is None or not is_there:
            self._close()
            self._page.emit("told", LOST)
        else:
            self._page.fill_unsent(self._fields, self._filled)

    def _filled(self, is_whole: bool) -> None:
        if self._talk is not None and is_whole:
            self._talk.say(TAKEN, is_last=True)
            return
        self._close()
        self._page.emit("told", f"{LOST} {KEPT}")
