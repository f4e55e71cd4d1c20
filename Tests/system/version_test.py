"""Versions of an activity type (semantics X8): the origin is asked with the version of the continuing application."""

import pytest


@pytest.fixture
def versions(desk, lap, new_application, install):
    """An application on both devices, of version 3 on desk and 2 on lap: (application, origin, place)."""
    application = new_application()
    application.lines = [f"X-Segue-ActivityVersions={application.type}=3;"]
    origin = install(desk, application).start()
    application.lines = [f"X-Segue-ActivityVersions={application.type}=2;"]
    return application, origin, install(lap, application)


def X8_theOriginAgrees(versions, lap):
    application, origin, place = versions
    origin.do("on version agree", f"activity a {application.type}", "delegate a", "put a page int 7", "current a")
    target = place.start()
    command = lap.take(lap.offer(application))
    target.expect("continue")
    command.succeeded()
    assert origin.expect("version a") == ["2"]


@pytest.mark.parametrize("answer, code", [("refuse", "9004"), ("mismatch", "9011")])
def X8_theOriginRefuses(versions, lap, answer, code):
    application, origin, place = versions
    origin.do(f"on version {answer}", f"activity a {application.type}", "delegate a", "put a page int 7", "current a")
    target = place.start()
    offer = lap.offer(application)
    command = lap.take(offer)
    _, told, message = target.expect("fail")
    assert told == code
    assert message in command.failed()
    assert origin.expect("version a") == ["2"]
    # The offer stays, and another answer has another outcome.
    origin.do("on version agree", "delegate a")
    command = lap.take(offer)
    target.expect("continue")
    command.succeeded()
    origin.expect("was-continued a")
    assert target.count("fail") == 1 and origin.count("was-continued") == 1
