"""The acts of the soak, drawn from the seed alone, so that one seed gives the same acts whatever they lead to."""

import dataclasses
import random

#: The acts of a user, each with its weight.
USES = {
    "choose": 28, "choose-twice": 3, "choose-former": 3, "choose-stored": 3, "open": 8, "change": 12, "take-over": 6,
    "resign": 3, "invalidate": 2, "drop": 1, "come-back": 3, "start": 5, "quit": 4, "manner": 2, "delete": 0.3,
}
#: The harms to a device, by themselves or right after a choice, each with its weight.
HARMS = {
    "unplug": 8, "link-down": 4, "restart": 5, "kill": 6, "stop": 4, "kill-application": 5, "stop-application": 4,
    "sleep": 3, "set-clock": 3, "fill-disk": 4,
}
#: How many of a hundred acts are harms alone, and how many are choices with a harm right after them.
ALONE, UPON = 4, 10
#: How many of a thousand acts are followed by a pause in which nobody does anything.
QUIET = 4


@dataclasses.dataclass
class Act:
    kind: str
    #: The harm right after a choice, if there is one.
    harm: str | None
    #: Random numbers that pick the device, the application and so on: each act uses the ones that it needs.
    dice: list
    #: Seconds until the next one.
    gap: float

    def pick(self, number, things):
        return things[int(self.dice[number] * len(things))]


def draw(seed, rate):
    """Draws acts without end."""
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
