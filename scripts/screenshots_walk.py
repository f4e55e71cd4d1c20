"""When a walk comes by where. Shown in two editors by scripts/screenshots-bridges."""

from dataclasses import dataclass

#: Kilometres in an hour, on a path that is level.
PACE = 4.2
#: Metres in an hour, upwards and downwards.
CLIMB = 400
DESCENT = 600


@dataclass
class Place:
    name: str
    kilometres: float  # from the place before it
    metres: int        # above the sea
    stay: float = 0    # hours


WALK = [
    Place("the last house", 0.0, 1220),
    Place("the bridge", 2.4, 1480, stay=1.0),
    Place("the ridge", 2.0, 1810, stay=0.5),
    Place("the chapel", 4.6, 1240),
]


def hours(here, there):
    """How long it takes from one place to the next.

    The longer of the two times counts whole, and the shorter
    one by half: you walk while you climb.
    """
    height = there.metres - here.metres
    level = there.kilometres / PACE
    steep = height / CLIMB if height > 0 else -height / DESCENT
    return max(level, steep) + min(level, steep) / 2


def clock(time):
    minutes = round(time * 60)
    return f"{minutes // 60:02}:{minutes % 60:02}"


def timetable(start):
    """Each place, with the time at which the walk comes by."""
    time = start
    before = WALK[0]
    for place in WALK:
        time += hours(before, place)
        yield clock(time), place.name
        time += place.stay
        before = place


def bus(time):
    """It leaves the chapel at ten past each hour."""
    late = time % 1 > 10 / 60
    return int(time) + late + 10 / 60


if __name__ == "__main__":
    for when, name in timetable(start=8.5):
        print(when, name)
