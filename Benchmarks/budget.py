"""What the rows of this tree were when they were last kept, in budget.json: what `run` compares with, and `run --keep` writes.

A row counts by its ratio to its baseline, which is measured in the same run. A size or a count without a baseline counts
too; a time or a rate does not, since another machine has others.
"""

import json
import os
import pathlib
import platform
import statistics

PATH = pathlib.Path(__file__).resolve().parent / "budget.json"
#: Runs from which a row is kept.
ROUNDS = 3
#: The least change that counts: a twentieth of what was kept, and of an exponent so much.
LEAST, LEAST_EXPONENT = 0.05, 0.15
TIMES = {"ns", "us", "ms", "s"}


def machine():
    """The kind of this machine, as far as a ratio may depend on it."""
    virtual = "hypervisor" in pathlib.Path("/proc/cpuinfo").read_text()
    return f"{platform.machine()}, {os.cpu_count()} processors{', virtual' if virtual else ''}"


def counted(row):
    """What counts of a row on every machine; None where nothing does."""
    if row.ratio is not None:
        return row.ratio
    return None if row.unit in TIMES or row.unit.endswith("/s") else row.ours


def more_is_better(unit, aim):
    return aim.startswith(">") or unit.endswith("/s")


def verdict(value, kept, least, most, unit="", aim=""):
    """"worse" or "better" where a value is beyond all that were kept, by as much as they lie apart and by the least change
    that counts; else nothing."""
    margin = max(most - least, LEAST_EXPONENT if unit == "exponent" else LEAST * abs(kept))
    if least - margin <= value <= most + margin:
        return ""
    return "better" if (value > most) == more_is_better(unit, aim) else "worse"


def read(path=PATH):
    """The kind of machine, and what is kept of each measure: by the rows' names, the median, the least and the most."""
    if not path.exists():
        return "", {}
    content = json.loads(path.read_text(encoding="utf-8"))
    return content["machine"], content["measures"]


def keep(runs, path=PATH):
    """Writes what some runs have found, each a list of rows for each measure; other measures stay as they are."""
    _, measures = read(path)
    for name in runs[0]:
        found = {}
        for run in runs:
            for row in run[name]:
                if counted(row) is not None:
                    found.setdefault(row.name, []).append(counted(row))
        measures[name] = {
            row: dict(zip(("kept", "least", "most"), (_short(f(values)) for f in (statistics.median, min, max))))
            for row, values in found.items()}
    # A row a line, so that a change shows which.
    lines = [f'{{\n"machine": {json.dumps(machine())},\n"measures": {{']
    lines.append(",\n".join(
        f"{json.dumps(name)}: {{\n" + ",\n".join(f"  {json.dumps(row)}: {json.dumps(kept)}" for row, kept in rows.items()) + "\n}"
        for name, rows in sorted(measures.items())))
    path.write_text("\n".join(lines) + "\n}}\n", encoding="utf-8")


def compared(found, path=PATH):
    """For each row by its measure and its name: what was kept, and the verdict. And a line that says what became worse."""
    kind, measures = read(path)
    beside, worse = {}, []
    for name, rows in found.items():
        for row in rows:
            kept, value = measures.get(name, {}).get(row.name), counted(row)
            if kept is None or value is None:
                continue
            word = verdict(value, **kept, unit=row.unit, aim=row.aim)
            beside[name, row.name] = (kept["kept"], word)
            if word == "worse":
                worse.append(f"{row.name}: {_short(value)}, and {kept['least']} to {kept['most']} were kept")
    if not beside:
        return beside, "bench: nothing is kept of these rows; `Benchmarks/run --keep` does."
    said = ["bench: worse than what was kept, beyond noise:", *(f"  {line}" for line in worse)] if worse else [
        f"bench: none of {len(beside)} kept rows became worse."]
    if kind != machine():
        said.append(f"bench: they were kept on another kind of machine: {kind}; this one is {machine()}.")
    return beside, "\n".join(said)


def _short(value):
    return float(f"{value:.3g}")
