"""The states that an earlier run of an application has stored (semantics C17)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import segue
from support import Loop, address

from harness.storing import until_not_stored, until_stored


@pytest.fixture
def again(declared: Any, desk: Any, loop: Loop) -> Callable[[], segue.Application]:
    """Runs the application on desk once more: a state is what an application has left that has ended."""
    def start() -> segue.Application:
        application = segue.Application(declared.id, bus_address=address(desk))
        loop.applications.append(application)
        loop.until(lambda: application.state == segue.ApplicationState.REGISTERED)
        return application

    return start


def end(loop: Loop, application: segue.Application) -> None:
    loop.applications.remove(application)
    application.close()


def show(application: segue.Application, kind: str, target: str | None, page: int) -> segue.Activity:
    activity = segue.Activity(application, kind, title="A page", user_info={"page": page})
    activity.is_eligible_for_restoration = True
    activity.target_content_identifier = target
    activity.become_current()
    return activity


def ask(loop: Loop, outcome: segue.StatesOutcome) -> segue.StatesOutcome:
    loop.until(lambda: outcome.is_done)
    assert outcome.error is None
    return outcome


def test_theLastStateOfAWindow(again: Any, declared: Any, desk: Any, loop: Loop) -> None:
    first = again()
    kept: list[segue.Activity] = []
    for page, target in enumerate(["a", "b"], 1):
        kept.append(show(first, declared.type, target, page))
        loop.until(lambda: kept[-1].revision > 0)
        until_stored(desk, "restoration", count=page, app_id=declared.id)
    assert first.last_state().activity is None, "the outcome is not there yet"
    assert kept[0].restored_age is None and kept[0].restored_version is None
    end(loop, first)
    second = again()
    last = ask(loop, second.last_state(declared.type))
    assert isinstance(last, segue.StateOutcome) and last.activity is not None
    activity = last.activity
    assert (activity.user_info["page"], activity.title, activity.target_content_identifier) == (2, "A page", "b")
    assert activity.is_eligible_for_restoration and activity.is_eligible_for_handoff and not activity.needs_save
    assert activity.restored_version == 0 and activity.restored_age is not None and activity.restored_age < 1e6
    assert [state.user_info["page"] for state in ask(loop, second.last_states()).activities] == [2, 1]
    assert [state.user_info["page"] for state in ask(loop, second.last_states(target="a")).activities] == [1]
    assert ask(loop, second.last_state("org.example.none")).activities == []
    for state in ask(loop, second.last_states()).activities:
        state.invalidate()
    until_not_stored(desk, "restoration", app_id=declared.id)


def test_mistakesAreTold(again: Any, loop: Loop) -> None:
    application = again()
    with pytest.raises(ValueError):
        application.last_states(maximum=0)
    with pytest.raises(ValueError):
        application.last_state("a\0b")
    with pytest.raises(segue.InvalidArgumentError):
        application.last_state("page")
    with pytest.raises(segue.LimitExceededError):
        application.last_state(target="a" * 513)
    waiting = application.last_state()
    end(loop, application)
    assert isinstance(waiting.error, segue.UnavailableError) and waiting.activity is None
