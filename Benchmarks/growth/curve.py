"""A curve: what something takes, over steps of what grows; and by which power it grows."""

import dataclasses
import math

from rows import Row

#: A curve with this exponent at most counts as linear: two steps are measured less exactly than that.
LINEAR = 1.15


@dataclasses.dataclass
class Curve:
    """`points`: pairs of how much there is and what it takes. `bound`: what the largest may take, where somebody waits."""

    group: str
    name: str
    over: str
    unit: str
    points: list
    bound: float | None = None

    @property
    def exponent(self):
        """The slope of a line through the largest three points, both axes logarithmic: 0 is flat, 1 is linear, 2 square."""
        return slope(self.points[-3:])

    @property
    def is_linear(self):
        return self.exponent <= LINEAR

    @property
    def is_soon(self):
        return self.bound is None or self.points[-1][1] <= self.bound

    def rows(self):
        most, value = self.points[-1]
        title = f"{self.name}, {most:,} {self.over}"
        return [
            Row(title, self.unit, value, aim="" if self.bound is None else f"<= {self.bound:g} {self.unit}",
                met=None if self.bound is None else self.is_soon),
            Row(f"{self.name}, its growth over {self.over}", "exponent", self.exponent, aim=f"<= {LINEAR:g}: linear",
                met=self.is_linear),
        ]


def slope(points):
    """That of the line of least squares through the logarithms of some points."""
    places = [(math.log(x), math.log(max(y, 1e-9))) for x, y in points]
    middle_x, middle_y = (sum(values) / len(places) for values in zip(*places))
    return sum((x - middle_x) * (y - middle_y) for x, y in places) / sum((x - middle_x) ** 2 for x, _ in places)
