"""Callbacks that free what they were called for, or call the library back: defined, and exactly one outcome."""

import pytest

DEEDS = ["drop-responders", "drop-activities", "drop-windows", "invalidate", "call-back"]


@pytest.fixture
def continuing(both, lap, application):
    """An origin with two responders and an activity for the content m7, its offer, and a target with windows."""
    origin, target = both[0].start(), both[1].start()
    origin.do("responder r", "responder s", f"activity a {application.type}", "delegate a", "target a m7")
    origin.do("state s s int 1", "attach r a", "attach s a")
    target.do("responder t", "responder u", "window one continues", "window two plain")
    return origin, lap.offer(application), target


def ends_well(probe):
    """The process lives and ends as a program ends; under what it may have broken, that would fail."""
    assert probe.run("who")[1].startswith(("ok", "error -22"))
    assert probe.quit() == 0


@pytest.mark.parametrize("callback", ["update", "did-update", "will-save"])
@pytest.mark.parametrize("deed", [*DEEDS, "drop-application", "drop-all"])
def V1_anOriginsCallbacksMayDoAnything(continuing, lap, callback, deed):
    origin, offer, target = continuing
    origin.do("needs-save a 1", f"mischief {callback} {deed}")
    command = lap.take(offer)
    status = command.result()[0]
    target.expect("continue" if status == 0 else "fail")
    origin.expect(f"mischief {callback} {deed}")
    if deed == "call-back":
        assert origin.expect("called-back") == ["well"]
    assert target.count("continue") + target.count("fail") == 1
    ends_well(origin)


@pytest.mark.parametrize("callback", ["will-continue", "prefers", "can", "make-window", "continue", "restored"])
@pytest.mark.parametrize("deed", DEEDS)
def V1_aContinuingApplicationsCallbacksMayDoAnything(continuing, lap, callback, deed):
    origin, offer, target = continuing
    if callback == "make-window":
        target.do("can one none", "can two none", "on make-window continues")
    target.do(f"mischief {callback} {deed}")
    command = lap.take(offer)
    target.expect(f"mischief {callback} {deed}")
    if deed == "call-back":
        assert target.expect("called-back") == ["well"]
    command.succeeded()
    origin.expect("was-continued a")
    assert target.count("continue") == 1 and target.count("fail") == 0
    ends_well(target)


@pytest.mark.parametrize("callback", ["will-continue", "prefers", "can", "make-window", "continue", "restored"])
@pytest.mark.parametrize("deed", ["drop-application", "drop-all"])
def V1_anApplicationThatDropsItselfIsToldNothingMore(continuing, lap, application, callback, deed):
    origin, offer, target = continuing
    if callback == "make-window":
        target.do("can one none", "can two none", "on make-window plain")
    target.do(f"mischief {callback} {deed}")
    command = lap.take(offer)
    target.expect(f"mischief {callback} {deed}")
    assert command.result()[0] != 0
    seen = [event.split()[0] for event in target.seen]
    assert seen.count("continue") + seen.count("fail") == (1 if callback in ["continue", "restored"] else 0)
    ends_well(target)
    # The offer is where it was.
    assert lap.offer(application)["id"] == offer["id"]


@pytest.mark.parametrize("deed", [*DEEDS, "drop-application", "drop-all"])
def R9_anObserverMayDoAnything(both, application, deed):
    probe = both[0].start()
    probe.do("responder r", f"activity a {application.type}", f"mischief changed {deed}", "attach r a")
    probe.expect(f"mischief changed {deed}")
    ends_well(probe)


@pytest.mark.parametrize("deed", [*DEEDS, "drop-application", "drop-all"])
def V11_anOriginThatIsToldMayDoAnything(continuing, lap, deed):
    origin, offer, target = continuing
    origin.do(f"mischief was-continued {deed}")
    lap.take(offer).succeeded()
    origin.expect(f"mischief was-continued {deed}")
    ends_well(origin)


def V1_twoProcessesWithOneIdAndOneOutcome(continuing, both, lap, application):
    origin, offer, target = continuing
    second = both[1].start(ready=False)
    second.expect("state 2")
    command = lap.take(offer)
    target.expect("continue")
    command.succeeded()
    assert second.count("will-continue") == 0
    # The name goes over to the other one.
    target.quit()
    second.ready()
    command = lap.take(offer)
    second.expect("continue")
    command.succeeded()
    assert second.count("continue") == 1 and second.count("fail") == 0
