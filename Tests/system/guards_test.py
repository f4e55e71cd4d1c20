"""The table of guards follows names that were changed and files that were moved (scripts/follow-guards)."""

import importlib.machinery
import importlib.util

import pytest
from harness.tree import SOURCES

loader = importlib.machinery.SourceFileLoader("follow_guards", str(SOURCES / "scripts/follow-guards"))
follow = importlib.util.module_from_spec(importlib.util.spec_from_loader("follow_guards", loader))
loader.exec_module(follow)

OLD = "func take(_ frame: Frame) {\n  guard toll.allows(frame) else { return }\n  frames += 1\n}\n"
TEXT = "guard toll.allows(frame) else {"
TABLE = """[[guard]]
name = "toll"
file = "Old.swift"
text = "guard toll.allows(frame) else {\\n"
out = "guard OUT || toll.allows(frame) else {\\n"
tests = [
  "TollTests/toll",
]

[[guard]]
name = "two"
file = "Old.swift"
text = "toll"
out = "OUT"
tests = ["TollTests/toll"]
"""


@pytest.mark.parametrize("new, names", [
    # A name in the guard, alone or with others around it that changed too; and a line that went in before.
    (OLD.replace("toll", "charge"), {"toll": "charge"}),
    (OLD.replace("toll", "charge").replace("take", "receive"), {"toll": "charge"}),
    ("// Why.\n\n" + OLD.replace("frame)", "one)"), {"frame": "one"}),
    (OLD.replace("frames", "count"), {}),
])
def test_namesAreFoundAtTheGuardsPlace(new, names):
    assert follow.renamed(OLD, new, TEXT) == names


def test_aNameThatBecameTwoIsForAPerson():
    old, new = "if held.count > held { stop }", "if peers.count > most { stop }"
    assert follow.renamed(old, new, old) is None


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A guard's file, as a commit has it and as it is now."""
    def made(new, path="Old.swift"):
        (tmp_path / path).write_text(new)
        monkeypatch.setattr(follow, "ROOT", tmp_path)
        monkeypatch.setattr(follow, "git", lambda *arguments: OLD)
        return {"Old.swift": path} if path != "Old.swift" else {}
    return made


GUARD = {"name": "toll", "file": "Old.swift", "text": "guard toll.allows(frame) else {"}


def test_theGuardsOwnEntryIsChangedAndNoOther(tree):
    moves = tree(OLD.replace("toll", "charge"), "New.swift")
    table, problem = follow.followed(TABLE, GUARD, "HEAD", moves)
    assert problem is None
    first, second = table.split("\n\n")
    assert first == TABLE.split("\n\n")[0].replace("toll.", "charge.").replace("Old.swift", "New.swift")
    assert second == TABLE.split("\n\n")[1]


@pytest.mark.parametrize("now", ["true", "toll.allows(frame), isOpen", "!toll.allows(frame)", ""])
def test_whatDiffersByMoreStaysAndIsSaid(tree, now):
    table, problem = follow.followed(TABLE, GUARD, "HEAD", tree(OLD.replace("toll.allows(frame)", now)))
    assert table == TABLE and problem.startswith("toll: Old.swift differs by more than names")


def test_aTextThatIsThereStays(tree):
    assert follow.followed(TABLE, GUARD, "HEAD", tree(OLD)) == (TABLE, None)
