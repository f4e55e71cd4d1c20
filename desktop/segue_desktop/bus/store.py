"""What the daemon has said last. Views listen to its topics and read its attributes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gi.repository import GLib

from ..model.failure import Failure
from ..model.offers import is_over
from ..model.service import Presence, Service
from ..model.transfers import continuation_of
from .connection import CONTINUATION_SECONDS, Connection

#: The lists, by the method that asks for them.
LISTS = {
    "ListOffers": "offers", "Explain": "explained", "ListDevices": "devices", "ListIntroductions": "introductions",
    "GetStatus": "status", "GetDefaults": "defaults", "ListLinks": "links",
    "ListTransfers": "transfers", "ListContinuations": "continuations", "ListActivities": "activities",
    "ListPhones": "phones",
}
#: The lists that have changed, by signal. The reasons of Explain change with the offers and the devices.
CHANGES = {
    "OffersChanged": ("ListOffers", "Explain", "ListActivities", "ListPhones"), "StoredChanged": ("ListOffers",),
    "DevicesChanged": ("ListDevices", "GetStatus", "ListOffers", "Explain", "ListPhones"),
    "IntroductionsChanged": ("ListIntroductions",), "LinksChanged": ("ListLinks",),
    "TransfersChanged": ("ListTransfers",),
}


class Store:
    """One for the program. A topic is "service", "pairing", "continuation", or the name of a list."""

    def __init__(self) -> None:
        self.offers: Any = []
        self.explained: Any = []
        self.devices: Any = []
        self.introductions: Any = []
        self.status: Any = {}
        self.defaults: Any = {}
        self.links: Any = []
        self.transfers: Any = []
        self.continuations: Any = []
        self.activities: Any = []
        self.phones: Any = []
        #: Lists that have been answered since the daemon came, and the failures of those that could not.
        self.known: set[str] = set()
        self.failures: dict[str, Failure] = {}
        #: The offer that is being continued, its key, and how far that is.
        self.continuing: tuple[str, str] | None = None
        self.progress = ""
        self._listeners: list[tuple[str, Callable[[], object]]] = []
        self._asked: set[str] = set()
        self._stale: set[str] = set()
        self.connection = Connection(self._service_changed, self._signalled)

    @property
    def service(self) -> Service:
        return self.connection.service

    def listen(self, topics: str, listener: Callable[[], object]) -> None:
        """Calls the listener when one of these topics, words in a text, has changed."""
        self._listeners += [(topic, listener) for topic in topics.split()]

    def forget(self, *listeners: Callable[[], object]) -> None:
        """These listeners hear nothing more."""
        self._listeners = [entry for entry in self._listeners if entry[1] not in listeners]

    def tell(self, topic: str) -> None:
        for wanted, listener in list(self._listeners):
            if wanted == topic:
                listener()

    def refresh(self, *methods: str) -> None:
        """Asks anew. What is being asked already is asked once more behind that, since its answer may be too old."""
        for method in methods or LISTS:
            if method in self._asked:
                self._stale.add(method)
            elif self.service.presence is Presence.READY:
                self._asked.add(method)
                parameters = GLib.Variant("(s)", ("",)) if method == "Explain" else None
                self.connection.call(method, parameters, functools.partial(self._answered, method))

    def call(self, method: str, signature: str, values: tuple[Any, ...], done: Callable[..., object]) -> None:
        """Calls a method that changes something; `done` gets the reply's values, or a failure."""
        self.connection.call(method, GLib.Variant(signature, values) if signature else None, done)

    def take(self, key: tuple[str, str], options: dict[str, str], done: Callable[[Failure | None], object]) -> None:
        """Continues an offer. One is on its way at a time: the daemon cancels a former one."""
        device, offer = key
        self.continuing, self.progress = key, ""
        said = {name: GLib.Variant("s", value) for name, value in {"device": device, **options}.items() if value}

        def ended(_: Any, failure: Failure | None) -> None:
            if self.continuing == key:
                self.continuing = None
                self.tell("continuation")
            done(failure)

        self.tell("continuation")
        self.connection.call("Continue", GLib.Variant("(sa{sv})", (offer, said)), ended, CONTINUATION_SECONDS)

    @property
    def continuation(self) -> str:
        """The id of the continuation that is on its way from this window; "" if it is not known or there is none."""
        return continuation_of(self.continuations, self.continuing) if self.continuing else ""

    def _answered(self, method: str, value: Any, failure: Failure | None) -> None:
        self._asked.discard(method)
        topic = LISTS[method]
        if failure is None:
            setattr(self, topic, value)
            self.known.add(topic)
            self.failures.pop(topic, None)
        else:
            self.failures[topic] = failure
        if method in self._stale:
            self._stale.discard(method)
            self.refresh(method)
        self.tell(topic)

    def _service_changed(self, service: Service) -> None:
        if service.presence is Presence.READY:
            self._asked.clear()
            self._stale.clear()
            self.known.clear()
            self.refresh()
        self.tell("service")

    def _signalled(self, name: str, *values: Any) -> None:
        if name == "ContinuationChanged" and len(values) >= 2 and self.continuing:
            state = values[1]
            self.progress = "" if is_over(state) else state
            self.tell("continuation")
            self.refresh("ListContinuations")
        elif name == "PairingChanged":
            self.tell("pairing")
        elif name in CHANGES:
            self.refresh(*CHANGES[name])
