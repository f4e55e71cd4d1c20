import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "system")]

from devices import FlatpakDevice  # noqa: E402
from harness.application import Application  # noqa: E402
from harness.device import Device, pair  # noqa: E402
from repository import TALK, Repository  # noqa: E402

#: The applications, with the permissions that each asks for.
APPLICATIONS = {
    "Pages": [TALK, "--filesystem=xdg-cache/segue/files:ro"],
    "Mute": [],
    "Blind": [TALK],
    "Named": [TALK, "--own-name=org.segue.test.Other.Segue"],
    "Control": [TALK, "--talk-name=org.segue.Control1"],
    "Office": [TALK],
    "Mixed": [TALK],
}
#: The devices on which the administrator installs an application, and not the user.
ADMINISTRATORS = {"Office": ["desk", "lap"], "Mixed": ["desk"]}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds the output of daemons and sandboxes to the report of a test that failed."""
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        for device in Device.live:
            report.sections.append((f"log of {device.name}", device.report()))


@pytest.fixture(scope="session")
def repository():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sg-", dir="/tmp"))
    try:
        yield Repository(folder)
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def installed(repository):
    """Two paired devices on which all the applications are installed: (desk's by their names, lap's by their names)."""
    applications = {name: Application(f"org.segue.test.{name}", name) for name in APPLICATIONS}
    for name, permissions in APPLICATIONS.items():
        repository.add(applications[name], *permissions)
    devices = []
    try:
        for name in ["desk", "lap"]:
            devices.append(FlatpakDevice(name))
        pair(*devices)
        yield [dict(install(repository, device, applications)) for device in devices]
    finally:
        for device in devices:
            device.close()


def install(repository, device, applications):
    """Installs all the applications on a device: pairs of a name and its place."""
    for where in ["--user", "--system"]:
        names = [
            name for name in applications
            if (device.name in ADMINISTRATORS.get(name, [])) == (where == "--system")]
        if where == "--user" or os.getuid() == 0:
            yield from zip(names, device.add(repository, *map(applications.get, names), where=where))


@pytest.fixture
def both(installed):
    """The devices; what ran there ends with the test, and what it offered is gone before the next one."""
    yield installed
    for device in installed:
        for place in device.values():
            place.end()
    for device in installed:
        for place in device.values():
            place.device.no_offer(place.application)


@pytest.fixture
def desk(both):
    return both[0]


@pytest.fixture
def lap(both):
    return both[1]


@pytest.fixture(scope="session", autouse=True)
def version():
    """The Flatpak that is tested."""
    print(subprocess.run(["flatpak", "--version"], stdout=subprocess.PIPE, text=True).stdout.strip())
