"""What is done next: drawn from the seed alone, so that the same seed gives the same acts whatever becomes of them."""

import dataclasses
import random

#: What a user does, and how often.
USES = {
    "choose": 28, "choose-twice": 3, "choose-former": 3, "choose-stored": 3, "open": 8, "change": 12, "take-over": 6,
    "resign": 3, "invalidate": 2, "drop": 1, "come-back": 3, "start": 5, "quit": 4, "manner": 2, "delete": 0.3,
}
#: What befalls a device, by itself or right after a choice.
HARMS = {
    "unplug": 8, "link-down": 4, "restart": 5, "kill": 6, "stop": 4, "kill-application": 5, "stop-application": 4,
    "sleep": 3, "set-clock": 3, "fill-disk": 4,
}
#: Of a hundred acts: so many harms alone, and so many choices with a harm upon them.
ALONE, UPON = 4, 10
#: Of a thousand: a time in which nobody does anything.
QUIET = 4


@dataclasses.dataclass
class Act:
    kind: str
    #: Upon a choice: what befalls whom then.
    harm: str | None
    #: Which device, application and so on: each takes what it needs.
    dice: list
    #: Seconds until the next one.
    gap: float

    def pick(self, number, things):
        return things[int(self.dice[number] * len(things))]


def draw(seed, rate):
    """Acts without an end."""
    source = random.Random(seed)

    def one_of(weights):
        return source.choices(list(weights), list(weights.values()))[0]

    while True:
        lot = source.random() * 100
        harm, use = one_of(HARMS), one_of(USES)
        dice = [source.random() for _ in range(8)]
        gap = source.expovariate(rate)
        if source.random() * 1000 < QUIET:
            gap += 5 + 15 * dice[7]
        if lot < ALONE:
            yield Act(harm, None, dice, gap)
        elif lot < ALONE + UPON:
            yield Act("choose", harm, dice, gap)
        else:
            yield Act(use, None, dice, gap)
