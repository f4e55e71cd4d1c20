"""Windows by target content identifier (semantics V9), over two devices."""

import pytest


@pytest.fixture
def offered(both, lap, application):
    """An activity for the message m7 on offer at lap; the place of the application there."""
    origin = both[0].start()
    origin.do(f"activity a {application.type}", "delegate a", "put a page int 7", "target a m7", "current a")
    return origin, lap.offer(application), both[1]


def choose(lap, offered, target):
    """Continues; the name of the window that the activity went to, None for none in particular."""
    origin, offer, _ = offered
    command = lap.take(offer)
    target.expect("continue")
    command.succeeded()
    origin.expect("was-continued a")
    target.count("continue")
    windows = [event.split()[1] for event in target.seen if event.startswith("window ")]
    target.seen = []
    return windows[-1] if windows else None


def V9_theWindowThatPrefersIt(offered, lap):
    target = offered[2].start()
    for name in ["inbox", "message", "draft"]:
        target.do(f"window {name} plain")
    target.do("main inbox", "prefers message m7", "prefers draft m8")
    assert choose(lap, offered, target) == "message"
    # The main window is asked before the others, then the one that was main last.
    target.do("prefers draft m7", "main draft", "main inbox")
    assert choose(lap, offered, target) == "draft"
    target.do("prefers inbox *")
    assert choose(lap, offered, target) == "inbox"


def V9_elseOneThatCanShowIt(offered, lap):
    target = offered[2].start()
    for name in ["inbox", "message", "draft"]:
        target.do(f"window {name} continues", f"can {name} other")
    target.do("main inbox", "can draft m7")
    assert choose(lap, offered, target) == "draft"
    assert target.do("who") is not None
    # The window's own continue was called, once, and the application's was not besides.
    origin, offer, _ = offered
    command = lap.take(offer)
    assert target.expect("window-continue") == ["draft"]
    command.succeeded()
    assert target.count("window-continue") == target.count("continue") == 1


@pytest.mark.parametrize("kind", ["plain", "continues"])
def V9_elseANewOneIsAskedFor(offered, lap, kind):
    target = offered[2].start()
    target.do("window inbox plain", "can inbox other", f"on make-window {kind}")
    command = lap.take(offered[1])
    target.expect("prefers inbox m7")
    target.expect("can inbox m7")
    target.expect("make-window")
    if kind == "continues":
        assert target.expect("window-continue") == ["made"]
    target.expect("continue")
    assert target.expect("window") == ["made"]
    command.succeeded()


def V9_withoutAWindowTheApplicationContinues(offered, lap):
    target = offered[2].start()
    target.do("window inbox plain", "can inbox other")
    assert choose(lap, offered, target) is None


def V9_withoutATargetNoWindowIsAsked(offered, lap, application):
    origin, offer, place = offered
    target = place.start()
    target.do("window inbox continues", "prefers inbox *")
    origin.do("target a -")
    assert choose(lap, offered, target) is None
    assert not any(event.startswith(("prefers", "can", "window-continue")) for event in target.seen)


def V9_onlyANewWindowAtAColdStart(offered, lap):
    command = lap.take(offered[1])
    target = offered[2].launched()
    target.expect("make-window")
    target.expect("continue")
    command.succeeded()
