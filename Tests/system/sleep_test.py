"""Machines that sleep over the end of something: it has ended when they wake (semantics C7). Their clocks are set, and
their hosts are renamed (attack 50)."""

import os
import shutil
import subprocess

import pytest
from harness.device import pair
from harness.sleeping import Machine, build
from harness.storing import stored, until_stored
from harness.tree import SEGUED
from harness.waiting import wait_for

#: Ten minutes, and a sleep of eleven.
LIFE, SLEEP = 600_000, 660
YEAR = 365 * 86400


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


def V11_aSleepIsNoTimeToRestore(machine, new_sleeper, new_device, application, install):
    desk, lap = new_device("desk"), new_sleeper("lap")
    here, there = paired(desk, lap, application, install)
    origin, target = here.start(), there.start()
    origin.do(f"activity a {application.type}", "delegate a", f"expire a {LIFE}", "current a")
    target.do("on continue defer")
    command = lap.take(lap.offer(application))
    target.expect("continue")
    # The origin's last list of offers has arrived before the sleep: it would begin the offer's time anew.
    for device in (desk, lap, lap):
        device.json("status")
    machine.sleep(SLEEP)
    # The daemon has seen what ended in the sleep: the offer, and before it the time to restore.
    lap.no_offer(application)
    target.do("restore-now")
    command.succeeded()
    origin.expect("was-continued a")


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


def attack50_aClockThatIsSetWhileTwoDevicesAreLinked(machine, new_sleeper, new_device, application, install):
    desk, lap = new_sleeper("desk"), new_device("lap")
    origin, there = paired(desk, lap, application, install)
    origin, target = origin.start(), there.start()
    origin.do(
        f"activity a {application.type}", "delegate a", f"expire a {LIFE}", "put a page int 7", "current a")
    offer = lap.offer(application)
    ended = lap.report().count(" ended: ")
    for years in [1, -2, 30, -29]:
        machine.set_clock(years * YEAR)
        # It is still on offer, by the link that was there.
        lap.take(lap.offer(application)).succeeded()
        target.expect("continue")
        origin.expect("was-continued a")
        origin.do("needs-save a 1", "resign a", "current a")
    assert lap.offer(application)["id"] == offer["id"]
    assert lap.report().count(" ended: ") == ended


def attack50_aMachineThatSleepsAgainAndAgain(machine, new_sleeper, new_device, application, install):
    desk, lap = new_sleeper("desk"), new_device("lap")
    origin, there = paired(desk, lap, application, install)
    origin, target = origin.start(), there.start()
    origin.do(f"activity a {application.type}", "delegate a", "put a page int 7", "current a")
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")
    origin.expect("was-continued a")
    pid = desk.pid()
    open_before = descriptors(pid)
    for _ in range(20):
        machine.sleep(SLEEP)
        # Whether the link is lost to a sleep is the heartbeat's business; it is there again.
        desk.online(lap)
    lap.online(desk)
    origin.do("needs-save a 1", "resign a", "current a")
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")
    origin.expect("was-continued a")
    assert desk.pid() == pid
    # The former links have left no descriptor open.
    wait_for(lambda: descriptors(pid) <= open_before, "the end of what was opened")


def attack50_aHostThatIsRenamed(tmp_path, new_device, application, install):
    """Before and after the daemon's next start the other device knows it by its key, under the name it was added by."""
    name = renaming(tmp_path)
    desk, lap = new_device("desk", daemon=False), new_device("lap")
    desk.install_daemon(f"{name} {SEGUED}")
    conf = desk.folder / "config/segue/segue.conf"
    conf.write_text(conf.read_text().replace("Name=desk\n", ""))
    desk.name = "first.host"
    desk.reload()
    pair(desk, lap)
    origin, target = install(desk, application).start(), install(lap, application).start()
    origin.do(f"activity a {application.type}", "delegate a", "put a page int 7", "current a")
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")
    origin.expect("was-continued a")
    subprocess.run(
        ["nsenter", f"--uts=/proc/{desk.pid()}/ns/uts", "hostname", "second.host"], check=True)
    origin.do("needs-save a 1", "resign a", "current a")
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")
    origin.expect("was-continued a")
    (tmp_path / "name").write_text("second.host")
    desk.stop_daemon()
    assert desk.json("status")["device-name"] == "second.host"
    lap.online(desk)
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")


def renaming(folder):
    """What starts a program on a host of its own that is called what a file says; a command's words."""
    if shutil.which("unshare") is None or shutil.which("hostname") is None or os.geteuid() != 0:
        pytest.skip("a host of a test's own is made by root, with unshare")
    (folder / "name").write_text("first.host")
    script = folder / "host"
    script.write_text(f'#!/bin/sh\nhostname -F {folder}/name && exec "$@"\n')
    script.chmod(0o755)
    return f"/usr/bin/unshare --uts {script}"


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))
