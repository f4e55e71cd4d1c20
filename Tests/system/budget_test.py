"""What a run of the benchmarks says beside the rows that were kept, and what it says of a curve."""

import sys

import pytest
from harness.tree import SOURCES

sys.path.append(str(SOURCES / "Benchmarks"))

import budget  # noqa: E402
import rows  # noqa: E402
from growth.curve import Curve  # noqa: E402


def row(ours, baseline=None, unit="ms", aim=""):
    return rows.Row("a row", unit, ours, None, baseline, aim)


@pytest.mark.parametrize("value, said", [
    (2.0, ""), (2.24, ""), (2.26, "worse"), (1.66, ""), (1.64, "better"),
])
def test_aChangeCountsBeyondWhatWasKeptAndItsSpread(value, said):
    assert budget.verdict(value, 1.95, 1.85, 2.05) == said


def test_aChangeOfLessThanATwentiethNeverCounts():
    assert budget.verdict(104.9, 100, 100, 100) == ""
    assert budget.verdict(105.1, 100, 100, 100) == "worse"


def test_moreOfARateIsBetter():
    assert budget.verdict(0.5, 0.9, 0.9, 0.9, "MiB/s", ">= 0.85") == "worse"
    assert budget.verdict(1.2, 0.9, 0.9, 0.9, "MiB/s", ">= 0.85") == "better"


def test_exponentsAreComparedByTheirDifference():
    assert budget.verdict(0.12, 0.01, 0.01, 0.01, "exponent") == ""
    assert budget.verdict(1.2, 1, 1, 1, "exponent") == "worse"


def test_aTimeCountsByItsRatioOnly():
    assert budget.counted(row(4, 2)) == 2
    assert budget.counted(row(4)) is None
    assert budget.counted(row(4, unit="MiB/s")) is None
    assert budget.counted(row(4, unit="MiB")) == 4


def test_whatWasKeptIsReadAndOtherMeasuresStay(tmp_path):
    path = tmp_path / "budget.json"
    budget.keep([{"warm": [row(4, 2)]}, {"warm": [row(5, 2)]}, {"warm": [row(4.4, 2)]}], path)
    budget.keep([{"load": [row(1.1, unit="MiB")]}], path)
    kind, measures = budget.read(path)
    assert kind == budget.machine()
    assert measures["warm"] == {"a row": {"kept": 2.2, "least": 2, "most": 2.5}}
    beside, said = budget.compared({"warm": [row(9, 2)], "load": [row(1.1, unit="MiB")]}, path)
    assert beside == {("warm", "a row"): (2.2, "worse"), ("load", "a row"): (1.1, "")}
    assert said == "bench: worse than what was kept, beyond noise:\n  a row: 4.5, and 2.0 to 2.5 were kept"


def test_anotherKindOfMachineIsSaid(tmp_path, monkeypatch):
    path = tmp_path / "budget.json"
    budget.keep([{"warm": [row(4, 2)]}], path)
    monkeypatch.setattr(budget, "machine", lambda: "another")
    assert "another kind of machine" in budget.compared({"warm": [row(4, 2)]}, path)[1]


@pytest.mark.parametrize("power, is_linear", [(0, True), (1, True), (1.3, False), (2, False)])
def test_theExponentOfACurveIsThatOfItsLargestSteps(power, is_linear):
    # Something fixed hides what grows, as long as there is little of it.
    curve = Curve("group", "a thing", "things", "ms", [(count, 100 + count**power) for count in (1, 10)] + [
        (count, count**power) for count in (1000, 2000, 10_000)])
    assert curve.exponent == pytest.approx(power)
    assert curve.is_linear == is_linear


def test_aCurveSaysWhatAPersonWaitsFor():
    points = [(1, 1), (10, 5), (100, 60)]
    assert Curve("group", "a thing", "things", "ms", points, 60).is_soon
    assert not Curve("group", "a thing", "things", "ms", points, 50).is_soon
