"""What a continuation leaves at its two ends."""


def restored_once(origin, target):
    """One will_continue, one continue, no did_fail; the origin was told once."""
    assert target.count("will-continue") == 1
    assert target.count("continue") == 1
    assert target.count("fail") == 0
    assert origin.count("was-continued") == 1
