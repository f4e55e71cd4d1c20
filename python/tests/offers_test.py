"""The list of offers that an application may continue."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any

import pytest
import segue
import segue.aio
from support import Loop, address


def test_theListIsFollowedAndOneIsContinued(
    origin: segue.Application, target: segue.Application, declared: Any, loop: Loop,
) -> None:
    told: list[list[str]] = []
    came: list[segue.Activity] = []

    @target.on_offers_changed
    def show() -> None:
        told.append([offer.title for offer in target.offers])

    @target.on_continue
    def resume(activity: segue.Activity, restoration: segue.Restoration) -> bool:
        came.append(activity)
        return True

    activity = segue.Activity(
        origin, declared.type, title="Page", user_info={"line": 7}, webpage_url="https://example.org/a")
    activity.become_current()
    loop.until(lambda: told == [["Page"]])
    [offer] = target.offers
    assert target.offers == [offer]
    assert (offer.activity_type, offer.title, offer.web_host) == (declared.type, "Page", "example.org")
    assert (offer.app_id, offer.app_name, offer.device_name) == (declared.id, declared.name, "desk")
    assert offer.id.startswith(offer.device_id) and not offer.is_here and not offer.is_stored
    assert 0 <= offer.age < 3600
    ended: list[segue.Outcome] = []
    offer.continue_("token").when_done(ended.append)
    loop.until(lambda: came)
    assert ended[0].error is None and came[0].user_info == {"line": 7}
    # The continued activity is left out until it changes; an offer that is held keeps its fields.
    loop.until(lambda: told[-1] == [])
    assert target.offers == [] and offer.title == "Page"


def test_aChoiceCanBeAwaited(
    origin: segue.Application, target: segue.Application, declared: Any, loop: Loop,
) -> None:
    came: list[str | None] = []
    segue.Activity(origin, declared.type, title="Page").become_current()
    kept = origin.current_activity
    loop.until(lambda: target.offers)
    [offer] = target.offers

    @target.on_will_continue
    def announce(continuation: segue.Continuation) -> bool:
        came.append(continuation.activation_token)
        return True

    async def choose() -> None:
        with segue.aio.attach(origin), segue.aio.attach(target):
            await offer.continue_("from-the-menu")

    asyncio.run(choose())
    assert came == ["from-the-menu"] and kept is not None
    with pytest.raises(segue.LimitExceededError):
        offer.continue_("t" * 513)


def test_anApplicationThatClosesTellsItsChoice(origin: segue.Application, declared: Any, lap: Any, loop: Loop) -> None:
    activity = segue.Activity(origin, declared.type, title="Page")
    activity.become_current()
    # The application is not ready, so that no continuation begins.
    target = segue.Application(declared.id, bus_address=address(lap))
    loop.applications.append(target)
    target.on_offers_changed(lambda: None)
    loop.until(lambda: target.offers)
    [offer] = target.offers
    outcome = offer.continue_()
    target.close()
    assert isinstance(outcome.error, segue.UnavailableError) and outcome.error.advice
    with pytest.raises(segue.ClosedError):
        offer.continue_()


def test_anOfferGoesWithItsLastReference(
    origin: segue.Application, target: segue.Application, declared: Any, loop: Loop,
) -> None:
    activity = segue.Activity(origin, declared.type, title="Page")
    activity.become_current()
    loop.until(lambda: target.offers)
    gone = weakref.ref(target.offers[0])
    gc.collect()
    assert gone() is None
