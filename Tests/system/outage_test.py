"""A bus or a daemon that dies, and comes back (attacks 39, 46)."""

import os
import select
import signal
import subprocess

import pytest
from harness.device import pair
from harness.lines import Lines
from harness.state import kept
from harness.tree import SEGUED


@pytest.fixture
def pair_of_own(new_device, application, install):
    """(desk, lap, an application on desk with the current activity `a`, its place on lap)"""
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "title a Page", "delegate a", "put a page int 7", "current a")
    place = install(lap, application)
    lap.offer(application)
    return desk, lap, origin, place


def works(lap, application, origin, target):
    """An activity moves."""
    # A continued activity is not shown again before it changes.
    origin.do("needs-save a 1")
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")
    origin.expect("was-continued a")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["ended", "killed"])
def test_aDaemonThatIsRestarted(pair_of_own, application, number):
    desk, lap, origin, place = pair_of_own
    target = place.start()
    for device, other, probe in [(desk, lap, origin), (lap, desk, target)]:
        before = device.pid()
        # It must not be back before the other device has seen it go.
        probe.do("stop-dispatch")
        device.stop_daemon(number)
        other.online(device, is_online=False)
        probe.do("resume-dispatch")
        # The application notices by itself, starts it again, and is where it was.
        probe.expect("state 3")
        probe.expect("state 1")
        assert device.pid() != before
        lap.online(desk)
        works(lap, application, origin, target)


@pytest.mark.parametrize("is_launched", [False, True], ids=["startedByHand", "launchedByTheBus"])
def attack39_aBusThatDies(pair_of_own, application, is_launched):
    desk, lap, origin, place = pair_of_own
    offer = lap.offer(application)
    if is_launched:
        command = lap.take(offer)
        target = place.launched()
        command.succeeded()
        target.expect("continue")
        origin.expect("was-continued a")
    else:
        target = place.start()
    for device, probe in [(desk, origin), (lap, target)]:
        pid = device.pid()
        device.kill_bus()
        probe.expect("state 3")
        probe.do("who")
        # Links and doors are no matter of the bus: the offer stays all the while.
        assert lap.offer(application)["id"] == offer["id"]
        device.start_bus()
        probe.expect("state 1")
        with device.bus() as bus:
            # The same daemon, not another that the new bus has started.
            assert bus.wait_for_owner("org.segue.Control1") == pid
        works(lap, application, origin, target)


def test_anApplicationThatIsThereBeforeItsDaemon(new_device, application, install):
    device = new_device("desk", daemon=False)
    origin = install(device, application).start(ready=False)
    origin.expect("state 3")
    origin.do(f"activity a {application.type}", "title a Early", "current a")
    device.install_daemon()
    # It was started by hand, so that nobody had to tell the bus.
    daemon = subprocess.Popen([SEGUED], env=device.environment, stderr=device.log)
    origin.ready()
    device.activity(application, title="Early")
    assert device.pid() == daemon.pid
    daemon.terminate()
    assert daemon.wait() == 0


def files(device):
    """The files that the daemon keeps, with their times."""
    return {path: (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino)
            for path in (device.folder / "state").rglob("*") if path.is_file() and path.name != "lock"}


def attack46_aSecondDaemonSaysWhoRunsAndEnds(pair_of_own, application):
    desk, lap, origin, place = pair_of_own
    state = kept(desk)
    pid = desk.pid()
    second = subprocess.run([SEGUED], env=desk.environment, stderr=subprocess.PIPE, text=True, timeout=20)
    assert second.returncode == 0
    assert "segued" in second.stderr and str(pid) in second.stderr, second.stderr
    assert desk.pid() == pid
    assert state == kept(desk)
    # The first one's door is as it was.
    works(lap, application, origin, place.start())
    with desk.door() as door:
        door.control("GetStatus")

@pytest.mark.parametrize("name", ["org.segue.Daemon1", "org.segue.Control1"])
def attack46_whereAnotherProcessHasTheNameTheDaemonEnds(new_device, new_peer, name):
    """The daemon says so, does not wait in the bus's queue, takes the name from nobody, and leaves its files alone."""
    device = new_device("desk")
    new_peer("lap", device)
    device.stop_daemon()
    before = files(device)
    with device.bus() as other:
        other.own(name)
        daemon = subprocess.run([SEGUED], env=device.environment, stderr=subprocess.PIPE, text=True, timeout=20)
        assert "Another segued" in daemon.stderr, daemon.stderr
        assert other.ask("GetNameOwner", "s", [name]) == [other.name]
        assert other.ask("ListQueuedOwners", "s", [name]) == [[other.name]]
        for free in {"org.segue.Daemon1", "org.segue.Control1"} - {name}:
            assert other.ask("NameHasOwner", "s", [free]) == [False]
        assert files(device) == before
    # The lock is free now, and the daemon starts.
    assert [item["name"] for item in device.json("devices")] == ["lap"]


@pytest.mark.parametrize("bus", ["sameBus", "noBus"])
def attack46_aSecondDaemonWithAnotherStateFolderLeavesTheDoor(new_device, application, install, bus):
    desk = new_device("desk")
    origin = install(desk, application).start()
    pid = desk.pid()
    environment = desk.environment | {"XDG_STATE_HOME": str(desk.folder / "home")}
    if bus == "noBus":
        environment["DBUS_SESSION_BUS_ADDRESS"] = "unix:path=/nowhere"
    second = subprocess.run([SEGUED], env=environment, stderr=subprocess.PIPE, text=True, timeout=20)
    assert second.returncode == 0
    assert f"Another segued (process {pid}) is running with {desk.folder}/run/segue." in second.stderr, second.stderr
    # Connected applications stay connected, and new ones find the door where it was.
    origin.do(f"activity a {application.type}", "title a Page", "current a")
    desk.activity(application, title="Page")
    with desk.door() as door:
        door.control("GetStatus")
    # A daemon that was killed leaves nothing that keeps the next one from starting.
    desk.stop_daemon(signal.SIGKILL)
    with desk.door() as door:
        door.control("GetStatus")
    assert desk.pid() != pid


def test_whoeverTakesItsPlaceFindsItFree(pair_of_own, application):
    """As soon as the names of one that was told to end are free, though its link takes its time to close."""
    desk, lap, origin, place = pair_of_own
    pid, other = desk.pid(), lap.pid()
    os.kill(other, signal.SIGSTOP)
    try:
        with desk.bus() as bus:
            bus.match("type='signal',member='NameOwnerChanged',arg0='org.segue.Control1'")
            os.kill(pid, signal.SIGTERM)
            assert bus.next_signal("NameOwnerChanged").body[2] == ""
            assert bus.call("org.segue.Control1", "/org/segue/Control1", "org.segue.Control1", "GetStatus")
        assert desk.pid() != pid
    finally:
        os.kill(other, signal.SIGCONT)
    works(lap, application, origin, place.start())


def test_aBusThatGivesANameOnlyLater(new_device):
    device = new_device("desk", daemon=False)
    configuration = device.folder / "bus.conf"
    text = configuration.read_text()
    configuration.write_text(text.replace("</policy>", '<deny own="org.segue.Control1"/></policy>'))
    device.reload()
    daemon = subprocess.Popen([SEGUED], env=device.environment, stderr=subprocess.PIPE)
    with daemon.stderr, device.bus() as bus:
        lines = Lines(daemon.stderr.fileno())
        for _ in range(3):
            assert "Trying again" in lines.next()
        configuration.write_text(text)
        device.reload()
        assert bus.wait_for_owner("org.segue.Control1") == daemon.pid
        assert bus.pid_of("org.segue.Daemon1") == daemon.pid
    daemon.terminate()
    assert daemon.wait() == 0


def attack46_twoStartedAtOnce(new_device):
    device = new_device("desk", daemon=False)
    both = [subprocess.Popen([SEGUED], env=device.environment, stderr=subprocess.PIPE) for _ in range(2)]
    pids = [os.pidfd_open(process.pid) for process in both]
    ended = select.select(pids, [], [], 20)[0]
    assert len(ended) == 1
    loser = both[pids.index(ended[0])]
    winner = both[1 - pids.index(ended[0])]
    assert loser.wait() == 0
    with device.bus() as bus:
        assert bus.wait_for_owner("org.segue.Control1") == winner.pid
    assert device.json("status")["device-name"] == "desk"
    winner.terminate()
    assert winner.wait() == 0
    for pid in pids:
        os.close(pid)
    for process in both:
        process.stderr.close()


def test_aMalformedConfigurationIsSaid(new_device):
    device = new_device("desk", daemon=False)
    for text, words in [("[Limits]\nSaveTime=soon\n", "SaveTime"), ("[Limits]\nLaunchTime=0\n", "LaunchTime"),
                        ("[Link]\nListen=nowhere;\n", "nowhere"), ("no group\n", "segue.conf")]:
        (device.folder / "config/segue/segue.conf").write_text(text)
        ended = subprocess.run([SEGUED], env=device.environment, stderr=subprocess.PIPE, text=True, timeout=20)
        assert ended.returncode == 1 and words in ended.stderr, ended.stderr


def test_aSecondProcessOfAnApplication(pair_of_own, application):
    desk, lap, origin, place = pair_of_own
    second = desk.installed[0].start(ready=False)
    second.expect("state 2")
    # It offers all the same: the instance that was last current is the one that is offered.
    second.do(f"activity b {application.type}", "title b Second", "current b")
    lap.offer(application, title="Second")
    second.quit()
    lap.offer(application, title="Page")
