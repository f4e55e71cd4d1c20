"""`segue simulate` (semantics X2): the examples, as a person runs them."""

import pytest
from harness.command import Command
from harness.tree import SEGUE, SOURCES

EXAMPLES = sorted((SOURCES / "examples/simulator").glob("*.scenario"))


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def X2_theExamplesKeepTheRules(desk, path):
    one = desk.segue("simulate", "--seed", 7, path)
    assert one.startswith("seed 7\n")
    assert one == desk.segue("simulate", "--seed", 7, path), "the same seed is the same schedule"
    assert one != desk.segue("simulate", "--seed", 8, path)
    several = [desk.segue("simulate", "--seed", seed, path) for seed in range(1, 9)]
    assert any("launch message" in text for text in several)


def X2_manySchedulesAreSummedUp(desk):
    text = desk.segue("simulate", "--seed", 1, "--schedules", 500, EXAMPLES[0])
    assert text.startswith("seed 1\n") and "500" in text


@pytest.mark.parametrize("content", ["no key file", "[Device x]\nNonsense=1\n", "[Scenario]\nLosses=1\n", "[Random]\ncut=many\n", "[Steps]\n1=soon cut\n"])
def X2_aScenarioThatIsNotUnderstood(desk, tmp_path, content):
    path = tmp_path / "bad.scenario"
    path.write_text(content)
    assert str(path) in desk.start("simulate", path).failed()


def X2_noDaemonIsNeeded(desk):
    environment = {**desk.environment, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/no/such/bus"}
    Command([SEGUE, "simulate", EXAMPLES[0]], environment).succeeded()
