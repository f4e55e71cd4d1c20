"""An activity's properties, and what each of them refuses."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
import segue

UTC = datetime.timezone.utc


@pytest.fixture
def application() -> Iterator[segue.Application]:
    with segue.Application("org.segue.test.Activity", bus_address="unix:path=/nonexistent") as made:
        yield made


@pytest.fixture
def activity(application: segue.Application) -> segue.Activity:
    return segue.Activity(application, "org.segue.test.page")


def test_whatItIs(application: segue.Application, activity: segue.Activity) -> None:
    other = segue.Activity(
        application, "org.segue.test.page", title="Page", user_info={"line": 1}, webpage_url="https://example.org/")
    assert activity.type == "org.segue.test.page" and activity.application is application
    assert isinstance(activity.id, uuid.UUID) and activity.id != other.id and activity.revision == 0
    assert (other.title, other.user_info, other.webpage_url) == ("Page", {"line": 1}, "https://example.org/")
    assert repr(other) == f"<segue.Activity org.segue.test.page {other.id.hex[:8]}>"
    assert not activity.is_current and not activity.is_invalid


def test_whatHasAPartInItKnowsItsApplication(application: segue.Application) -> None:
    made = [
        segue.Responder(application), segue.Document(application, None, "text/plain"), segue.Window(application)]
    for thing in made:
        assert isinstance(thing, (segue.Responder, segue.Window))
        assert thing.application is application
        with pytest.raises(AttributeError):
            setattr(thing, "application", application)


@pytest.mark.parametrize("name", [
    "title", "webpage_url", "referrer_url", "target_content_identifier", "persistent_identifier"])
def test_texts(activity: segue.Activity, name: str) -> None:
    assert getattr(activity, name) is None
    setattr(activity, name, "https://example.org/ä")
    assert getattr(activity, name) == "https://example.org/ä"
    for bad in ["\ud800", "a\0b", "x" * 70_000]:
        with pytest.raises(ValueError, match=name):
            setattr(activity, name, bad)
    assert getattr(activity, name) == "https://example.org/ä"
    setattr(activity, name, None)
    assert getattr(activity, name) is None


@pytest.mark.parametrize(("name", "first"), [
    ("is_eligible_for_handoff", True), ("is_eligible_for_search", False), ("is_eligible_for_public_indexing", False),
    ("is_eligible_for_prediction", False), ("allows_snapshot", False), ("needs_save", False)])
def test_flags(activity: segue.Activity, name: str, first: bool) -> None:
    assert getattr(activity, name) is first
    setattr(activity, name, not first)
    assert getattr(activity, name) is not first


def test_lists(activity: segue.Activity) -> None:
    assert activity.keywords == () and activity.required_keys is None
    activity.keywords = ["one", "zwei"]
    activity.required_keys = ["line"]
    assert list(activity.keywords) == ["one", "zwei"] and list(activity.required_keys) == ["line"]
    activity.required_keys = []
    assert activity.required_keys is not None and len(activity.required_keys) == 0
    activity.required_keys = None
    activity.keywords = ()
    assert activity.keywords == () and activity.required_keys is None
    with pytest.raises(TypeError):
        activity.keywords = "one"
    with pytest.raises(segue.LimitExceededError):
        activity.keywords = [str(number) for number in range(65)]


def test_expirationDate(activity: segue.Activity) -> None:
    assert activity.expiration_date is None
    date = datetime.datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
    activity.expiration_date = date
    assert activity.expiration_date == date
    with pytest.raises(ValueError):
        activity.expiration_date = datetime.datetime(2030, 1, 2)
    activity.expiration_date = None
    assert activity.expiration_date is None


def test_itsLife(application: segue.Application, activity: segue.Activity) -> None:
    assert activity.become_current() and activity.is_current and application.current_activity is activity
    current = application.explain_current()
    assert current.reason == segue.CurrentReason.EXPLICIT and current.activity is activity and current.sentence
    activity.resign_current()
    assert application.current_activity is None and application.explain_current().activity is None
    with activity as entered:
        assert entered is activity and activity.become_current()
    assert activity.is_invalid and not activity.become_current() and application.current_activity is None
    with pytest.raises(segue.InvalidatedError):
        activity.title = "Late"
    with pytest.raises(segue.InvalidatedError):
        segue.Responder(application).user_activity = activity


def test_afterItsApplication(application: segue.Application, activity: segue.Activity) -> None:
    responder = segue.Responder(application)
    responder.user_activity = activity
    with activity:
        application.close()
    application.close()
    calls: list[Any] = [
        lambda: activity.title, lambda: activity.become_current(), lambda: responder.user_activity,
        lambda: activity.user_info["line"], application.dispatch, application.fileno, application.ready,
        lambda: segue.Activity(application, "a.b"), lambda: segue.Responder(application)]
    for call in calls:
        with pytest.raises(segue.ClosedError):
            call()
    assert application.is_closed and "closed" in repr(application)


def test_betweenApplications(application: segue.Application) -> None:
    with segue.Application("org.segue.test.Other", bus_address="unix:path=/nonexistent") as other:
        with pytest.raises(segue.InvalidArgumentError):
            segue.Responder(other).user_activity = segue.Activity(application, "a.b")
        with pytest.raises(segue.InvalidArgumentError):
            other.main_window = segue.Window(application)
        first, second = segue.Responder(application), segue.Responder(application)
        first.next_responder = second
        with pytest.raises(segue.InvalidArgumentError):
            second.next_responder = first


@pytest.mark.parametrize("bad", ["nodots", "a..b", "a.b c", "", "a.ö", "x." * 200])
def test_malformedTypes(application: segue.Application, bad: str) -> None:
    with pytest.raises(segue.InvalidArgumentError) as raised:
        segue.Activity(application, bad)
    assert raised.value.advice


def test_documents(application: segue.Application, activity: segue.Activity) -> None:
    with segue.Document(application, "file:///home/a/list.txt", "text/plain") as document:
        assert document.url == "file:///home/a/list.txt"
        document.url = None
        assert document.url is None and document.user_activity is None
        document.user_activity = activity
        assert document.user_activity is activity
    with pytest.raises(segue.InvalidatedError):
        document.url = "file:///home/a/other.txt"
    for url, kind in [("https://example.org/", "text/plain"), ("file:///home/a/list.txt", "text")]:
        with pytest.raises(segue.InvalidArgumentError):
            segue.Document(application, url, kind)


def test_aWindowIsClosed(application: segue.Application) -> None:
    window = segue.Window(application)
    application.main_window = window
    window.close()
    window.close()
    with pytest.raises(segue.ClosedError):
        window.focused_responder
    application.main_window = None
