"""Machines that sleep over the end of something: it has ended when they wake (semantics C7)."""

import pytest
from harness.device import pair
from harness.sleeping import Machine, build
from harness.storing import stored, until_stored

#: Ten minutes, and a sleep of eleven.
LIFE, SLEEP = 600_000, 660


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return build(tmp_path_factory.mktemp("sleeping"))


@pytest.fixture
def machine(library, tmp_path):
    return Machine(library, tmp_path)


@pytest.fixture
def new_sleeper(machine, new_device):
    """Makes devices whose daemon sleeps with the machine."""

    def make(name, **options):
        device = new_device(name, daemon=False, **options)
        machine.has_daemon(device)
        return device

    return make


def paired(desk, lap, application, install):
    """The application on both devices, which are paired."""
    pair(desk, lap)
    return install(desk, application), install(lap, application)


def C7_timeAsleepCountsInTheApplication(machine, new_device, application, install):
    desk, lap = new_device("desk"), new_device("lap")
    origin = paired(desk, lap, application, install)[0].start(environment=machine.environment)
    origin.do(f"activity a {application.type}", f"expire a {LIFE}", "current a")
    lap.offer(application)
    machine.sleep(SLEEP)
    lap.no_offer(application)
    assert origin.current() == "a"


def C7_timeAsleepCountsInTheDaemonOfTheOrigin(machine, new_sleeper, new_device, application, install):
    desk, lap = new_sleeper("desk"), new_device("lap")
    origin = paired(desk, lap, application, install)[0].start()
    origin.do(f"activity a {application.type}", f"expire a {LIFE}", "current a")
    offer = lap.offer(application)
    machine.sleep(SLEEP)
    lap.no_offer(application)
    lap.take(offer).failed()


def C7_timeAsleepCountsWhereItIsToBeContinued(machine, new_sleeper, new_device, application, install):
    desk, lap = new_device("desk"), new_sleeper("lap")
    origin = paired(desk, lap, application, install)[0].start()
    origin.do(f"activity a {application.type}", f"expire a {LIFE}", "current a")
    lap.offer(application)
    machine.sleep(SLEEP)
    lap.no_offer(application)


def C7_timeAsleepCountsForStoredCopies(machine, new_sleeper, application, install):
    desk = new_sleeper("desk", StoredCopyTime=LIFE)
    install(desk, application).start().do(f"activity a {application.type}", "search a 1", "current a")
    until_stored(desk, "search")
    with desk.bus() as bus:
        bus.match("type='signal',interface='org.segue.Control1',member='StoredChanged'")
        machine.sleep(SLEEP)
        # By itself: who asks finds it expired whatever the daemon's timers go by.
        bus.next_signal("StoredChanged")
    assert not stored(desk, "search")


def V14_theGraceTimeIsOverAfterASleep(machine, new_sleeper, new_device, application, install):
    desk, lap = new_sleeper("desk", GraceTime=LIFE), new_device("lap", GraceTime=LIFE)
    here, there = paired(desk, lap, application, install)
    origin, target = here.start(), there.start()
    origin.do(f"activity a {application.type}", "put a page int 7", "current a")
    offer = lap.offer(application)
    origin.do("resign a")
    lap.no_offer(application)
    lap.take(offer).succeeded()
    target.expect("continue")
    machine.sleep(SLEEP)
    assert "not on offer any more" in lap.take(offer).failed()
