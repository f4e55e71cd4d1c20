"""The rows of a run: how they are counted, printed and kept."""

import dataclasses
import json
import statistics


@dataclasses.dataclass
class Row:
    """One line. `ours` and `baseline` are medians where there are many samples; None where there is no such side."""

    name: str
    unit: str
    ours: float | None = None
    p99: float | None = None
    baseline: float | None = None
    aim: str = ""
    met: bool | None = None

    @property
    def ratio(self):
        return None if self.ours is None or not self.baseline else self.ours / self.baseline


def p50(samples):
    return statistics.median(samples)


def p99(samples):
    """The sample that one in a hundred exceeds."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, len(ordered) * 99 // 100)]


def table(rows, baseline="baseline", kept=None):
    """`kept`: for each row what counted of it when it was kept, and the verdict (budget.py); or None."""
    head = ("", "unit", "ours", "p99", baseline, "ratio", "aim", "", *(("kept", "") if kept else ()))
    cells = [head]
    for row, (before, word) in zip(rows, [each or (None, "") for each in kept or [None] * len(rows)]):
        verdict = {None: "", True: "met", False: "MISSED"}[row.met]
        numbers = [_number(value) for value in (row.ours, row.p99, row.baseline, row.ratio)]
        cells.append((row.name, row.unit, *numbers, row.aim, verdict, *((_number(before), word) if kept else ())))
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    lines = []
    for line in cells:
        padded = [
            text.rjust(width) if 2 <= column <= 5 or column == 8 else text.ljust(width)
            for column, (text, width) in enumerate(zip(line, widths))
        ]
        lines.append("  ".join(padded).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def write_json(rows, path):
    fields = ("name", "unit", "ours", "p99", "baseline", "ratio", "aim", "met")
    with open(path, "w", encoding="utf-8") as file:
        json.dump([{field: getattr(row, field) for field in fields} for row in rows], file, indent=2)
        file.write("\n")


def _number(value):
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
