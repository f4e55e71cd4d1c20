import contextlib
import itertools
import shutil
import subprocess
import tempfile
import time

import pytest

from harness.application import Application
from harness.device import Device, pair
from harness.finding import Finders
from harness.network import Network
from harness.peer.device import Peer
from harness.sessions import Sessions
from harness.shells import users
from harness.tree import LIBRARY, SEGUE, SEGUED, build_probe
from harness.web import HOST, Authority, Site, folder


def pytest_sessionstart(session):
    for path in [SEGUE, SEGUED, LIBRARY]:
        if not path.exists():
            pytest.exit(f"{path} is missing: install first (make install PREFIX=…) and set SEGUE_PREFIX", 2)
    version = subprocess.run([SEGUED, "--version"], stdout=subprocess.PIPE, text=True).stdout
    if not version.startswith("segued "):
        pytest.exit(f"{SEGUED} is not segued", 2)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds the output of daemons and probes to the report of a test that failed."""
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.failed:
        for device in Device.live:
            report.sections.append((f"log of {device.name}", device.report()))
            for installed in device.installed:
                for probe in installed.probes:
                    report.sections.append(
                        (f"probe {probe.pid} on {device.name}", "\n".join(probe.lines.transcript[-40:])))


@pytest.fixture(scope="session")
def probe_program():
    folder = tempfile.mkdtemp(prefix="sg-", dir="/tmp")
    yield build_probe(folder)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def devices():
    """Two devices, paired, for the tests that leave them as they were."""
    desk, lap = Device("desk"), Device("lap")
    try:
        pair(desk, lap)
        yield desk, lap
    finally:
        desk.close()
        lap.close()


@pytest.fixture
def desk(devices):
    return devices[0]


@pytest.fixture
def lap(devices):
    return devices[1]


@pytest.fixture
def new_device():
    """Makes devices of the test's own, for a daemon or a bus that shall die, or limits that shall be short."""
    made = []

    def make(name, daemon=True, containers=(), snapshots=(), settings=(), **limits):
        made.append(Device(name, limits, daemon, containers, snapshots, settings))
        return made[-1]

    yield make
    for device in made:
        device.close()


@pytest.fixture(scope="session")
def authority():
    """The authority whose certificates Segue trusts if its environment says so."""
    with folder() as path:
        yield Authority(path)


@pytest.fixture(scope="session")
def certificate(authority):
    return authority.issue(HOST)


@pytest.fixture
def site(certificate):
    """A web site, which answers what a test gives it."""
    site = Site(certificate)
    yield site
    site.close()


@pytest.fixture
def new_finder():
    """Makes devices on hosts of a network of the test's own, which find each other there."""
    finders = Finders()
    yield finders
    finders.close()


@pytest.fixture
def new_peer():
    """Makes devices by hand, which are paired with a device and do what a test wants them to."""
    made = []

    def make(name, *devices, beside=None, is_chooser=True, **options):
        """`beside`: a device, and whether this one chooses the link to it."""
        made.append(Peer.beside(name, beside, is_chooser) if beside else Peer(name, **options))
        for device in devices:
            made[-1].pair(device)
        return made[-1]

    yield make
    for peer in made:
        peer.close()


@pytest.fixture
def age_at_most():
    """How old anything can be, in milliseconds, that a test made which names this first."""
    start = time.monotonic()
    # The store's clock has whole seconds.
    return lambda: (time.monotonic() - start + 1) * 1000


numbers = itertools.count(1)


@pytest.fixture
def new_application():
    """Makes applications with ids that no other test uses."""
    return lambda **options: Application(f"org.segue.test.T{next(numbers)}", **options)


@pytest.fixture
def application(new_application):
    return new_application()


@pytest.fixture
def install(probe_program):
    """Installs applications; they are removed, and their processes ended, when the test is over."""
    made = []

    def put(device, application, *flags, **options):
        made.append((device, device.install(application, probe_program, flags, **options)))
        return made[-1][1]

    yield put
    for device, installed in made:
        if installed in device.installed:
            device.installed.remove(installed)
            installed.close()


@pytest.fixture
def both(desk, lap, application, install):
    """The application on both devices: (its place on desk, its place on lap)."""
    return install(desk, application), install(lap, application)


@pytest.fixture
def page(both, application):
    """A probe on desk with the current activity `a`, and its place on lap: the usual beginning."""
    origin = both[0].start()
    origin.do(f"activity a {application.type}", "title a Page", "delegate a", "put a page int 7", "current a")
    return origin, both[1]


@pytest.fixture
def shells(new_device):
    """(desk's, lap's), on devices of the test's own."""
    devices = new_device("desk"), new_device("lap")
    pair(*devices)
    made = users(devices)
    yield made
    for user in made:
        user.close()


@pytest.fixture
def far():
    """As `shells`, on two hosts with a cable between them."""
    with contextlib.ExitStack() as ends:
        network = Network()
        ends.callback(network.close)
        devices = []
        for name in ["desk", "lap"]:
            devices.append(Device(name, host=network.host()))
            ends.callback(devices[-1].close)
        pair(*devices)
        made = users(devices)
        for user in made:
            ends.callback(user.close)
        yield made


@pytest.fixture
def sessions():
    made = Sessions()
    yield made
    made.close()
