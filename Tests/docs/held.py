"""Pages whose rules are held by tests: a row of theirs has an id, and the tests of a row begin with it.

The last column of such a page is written from the tests themselves.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Where tests are, and what comes before a test's name there.
SYSTEM = ("Tests/system/*_test.py", r"^def (?:test_)?")
C = ("Tests/abi/*.c", r"^static void ")
UNITS = ("Tests/Segue*Tests/*.swift", r"func `?")


def collected(place, row):
    """By the id of a row: the names of its tests in that place, without the id, by file. `row` is the id's expression,
    as it stands in tests."""
    pattern, before = place
    expression = re.compile(rf"{before}{row}_(\w+)", re.MULTILINE)
    tests = {}
    for path in sorted(ROOT.glob(pattern)):
        for found, name in expression.findall(path.read_text()):
            tests.setdefault(found, {}).setdefault(path.name, []).append(name)
    return tests


def named(files):
    """A column's part: the tests by name."""
    return "; ".join(f"`{file}`: {', '.join(names)}" for file, names in files.items())


def counted(files, what):
    """A column's part: how many tests."""
    count = sum(map(len, files.values()))
    return f"{count} {what}" if count else ""


class Page:
    """`row` is the expression of a row's id as it stands in the page."""

    def __init__(self, path, row):
        self.path = path
        self.row = re.compile(rf"^\| ({row}) \| (.*?) \| ?(.*?) ?\|$")
        self.seen = set()

    def problems(self, column, write):
        """Compares the page's last column with what `column` makes of a row's id and of what is there, or writes it."""
        lines = []
        for line in (ROOT / self.path).read_text().splitlines():
            match = self.row.match(line)
            if match:
                row, rule, shown = match.groups()
                self.seen.add(row)
                wanted = column(row, shown)
                if shown != wanted and not write:
                    yield f"{self.path}: the tests of {row} are others; run {sys.argv[0]} --write"
                line = f"| {row} | {rule} | {wanted} |" if wanted else f"| {row} | {rule} | |"
            lines.append(line)
        if write:
            (ROOT / self.path).write_text("\n".join(lines) + "\n")


def end(found, fine):
    """Says what was found and ends with the status of that."""
    for problem in found:
        print(problem, file=sys.stderr)
    if not found:
        print(fine)
    sys.exit(1 if found else 0)
