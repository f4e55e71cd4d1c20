"""Checks of what a continuation leaves at its two ends."""


def told_of_the_next_alone(origin, lap, application):
    """The origin has heard nothing of what has failed: over the same link, that would have come before what is said of
    this continuation, which goes well."""
    lap.take(lap.offer(application)).succeeded()
    origin.expect("was-continued a")
    assert origin.count("was-continued") == 1


def restored_once(origin, target):
    """Checks for one will_continue, one continue, no did_fail, and one notice at the origin."""
    assert target.count("will-continue") == 1
    assert target.count("continue") == 1
    assert target.count("fail") == 0
    assert origin.count("was-continued") == 1
