"""How much a Flatpak counts, by who installed it."""

import os

import pytest
from harness.lines import Lines
from harness.probe import Probe

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only the administrator installs for all users")


def begun(installed):
    origin = installed.start()
    origin.do(f"activity a {installed.application.type}", "title a Page", "delegate a", "current a")
    return origin


def test_thatOfTheSystemGoesOn(desk, lap):
    office = lap["Office"]
    origin = begun(desk["Office"])
    command = office.device.take(office.device.offer(office.application))
    office.launched().expect("continue")
    command.succeeded()
    origin.expect("was-continued a")


def test_thatOfTheSystemIsNotContinuedByTheUsersOwn(desk, lap):
    mixed = lap["Mixed"]
    origin = begun(desk["Mixed"])
    offer = mixed.device.any_offer(mixed.application)
    assert not offer["local-app"]
    said = mixed.device.segue("explain", offer["id"])
    assert "is installed here by the user, and at the origin as a Flatpak" in said
    assert origin.count("was-continued a") == 0


def test_aProgramOutsideIsNotThatOfTheSystem(desk, repository):
    office = desk["Office"]
    device = office.device
    read, write = os.pipe()
    with os.fdopen(read), os.fdopen(write, "w") as said:
        probe = Probe.start(
            repository.programs / "segue-probe", office.application.id, log=said,
            environment={**device.environment, "SEGUE_LOG": "1", "LD_LIBRARY_PATH": str(repository.library.parent)})
        try:
            lines = Lines(read)
            while "is not registered" not in (line := lines.next()):
                pass
            assert f"{office.application.id} is installed as a Flatpak, and process {probe.pid} is outside" in line
        finally:
            probe.close()
