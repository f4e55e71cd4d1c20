"""Back where the user was: states that an application has stored come back to it after a crash (semantics C17)."""

import os
import signal

import pytest
from harness.device import pair
from harness.encoding import decode
from harness.storing import stored, until_not_stored, until_stored


@pytest.fixture
def desk(new_device):
    return new_device("desk", SnapshotInterval=1)


@pytest.fixture
def place(desk, application, install):
    return install(desk, application)


def shows(probe, name, application, page, window="-"):
    """Makes an activity current whose state is stored."""
    probe.do(
        f"activity {name} {application.type}", f"title {name} Page", f"target {name} {window}", f"restoration {name} 1",
        f"put {name} page int {page}", f"current {name}")


def states(probe, type="-", window="-", maximum=64, name="old"):
    """Asks for states: of each the name, the title, the window, userInfo, the version, and what is said of it."""
    probe.do(f"states {name} {type} {window} {maximum}")
    _, count, code = probe.expect("states")
    assert code == "0"
    return [probe.expect("last") for _ in range(int(count))]


def until(desk, fits, count=1):
    """Waits until so many states that fit are stored, and no others."""
    def found():
        copies = stored(desk, "restoration")
        return len(copies) == count and all(map(fits, copies))

    desk.until_asked(found, f"{count} states that fit", "StoredChanged")


def pages(found):
    return [decode(state[4])["page"] for state in found]


def C17_whatWasKilledIsBackWhereItWas(desk, place, application):
    probe = place.start()
    shows(probe, "a", application, 7)
    old = until_stored(desk, "restoration", app_id=application.id)
    probe.kill()
    again = place.start()
    [[name, type, title, window, info, version, flags]] = states(again)
    assert (name, type, title, window, version) == ("old0", application.type, "Page", "", "0")
    assert decode(info) == {"page": 7}
    assert flags == "handoff,restoration,"
    # It goes on: the next crash finds what was done since.
    again.do("put old0 page int 8", "current old0")
    until(desk, lambda copy: copy["id"] != old["id"])
    again.do("put old0 page int 9")
    until(desk, lambda copy: copy["revision"] > 1)
    again.kill()
    assert pages(states(place.start())) == [9]


def C17_theDaemonWasKilledToo(desk, place, application):
    probe = place.start()
    shows(probe, "a", application, 7)
    until_stored(desk, "restoration")
    desk.stop_daemon(9)
    probe.kill()
    # Its question starts the daemon.
    assert pages(states(place.start())) == [7]


def C17_aStrangerGetsNothing(desk, place, application, new_application, install):
    other = install(desk, new_application())
    probe = place.start()
    shows(probe, "a", application, 7)
    until_stored(desk, "restoration")
    probe.kill()
    stranger = other.start()
    assert states(stranger) == states(stranger, application.type) == []
    assert pages(states(place.start())) == [7]


def C17_eachWindowComesBack(desk, place, application):
    probe = place.start()
    for number, window in enumerate(["one", "two", "three"]):
        shows(probe, window, application, number, window)
        until_stored(desk, "restoration", count=number + 1)
    # The user closes one of them.
    probe.do("invalidate two")
    until(desk, lambda copy: True, 2)
    probe.kill()
    again = place.start()
    assert pages(states(again)) == [2, 0]
    assert pages(states(again, application.type, maximum=1, name="last")) == [2]
    assert pages(states(again, window="one", name="one")) == [0]
    assert states(again, window="two") == states(again, "org.example.other") == []
    # And one of the windows that are back, which was never in front since.
    again.do("invalidate old1")
    until(desk, lambda copy: True, 1)
    again.kill()
    assert pages(states(place.start())) == [2]


def C17_aPrivateOneStaysPrivate(new_device, application, install):
    """What is not eligible for hand-off is stored all the same, and comes back as it was: not eligible."""
    desk, lap = new_device("desk", SnapshotInterval=1, snapshots=["Share"]), new_device("lap", snapshots=["Keep"])
    pair(desk, lap)
    place, _ = install(desk, application), install(lap, application)
    probe = place.start()
    probe.do(f"activity a {application.type}", "eligible a 0", "restoration a 1", "put a page int 7", "current a")
    copy = until_stored(desk, "restoration")
    probe.kill()
    again = place.start()
    [state] = states(again)
    assert state[6] == "restoration,"
    again.do("current old0")
    # Without leave, nothing is stored.
    again.do(f"activity b {application.type}", "put b page int 8", "current b")
    lap.offer(application)
    assert len(stored(desk, "restoration")) == 1
    assert not stored(lap, "snapshot") and not stored(lap, "restoration")
    # It is no offer, and nobody continues it by its id.
    for device in desk, lap:
        assert "no such offer" in device.take(copy).failed()


def C17_itIsNoContinuation(new_device, application, install):
    """The origin of what was continued here is told once: of the continuation, and not of the return to it."""
    desk, lap = new_device("desk"), new_device("lap", SnapshotInterval=1)
    pair(desk, lap)
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "delegate a", "put a page int 7", "current a")
    place = install(lap, application)
    command = lap.take(lap.offer(application))
    target = place.launched()
    target.expect("continue")
    command.succeeded()
    origin.expect("was-continued")
    target.kill()
    again = place.start()
    assert states(again) == []
    shows(again, "b", application, 8)
    until_stored(lap, "restoration")
    again.kill()
    assert pages(states(place.start())) == [8]
    assert origin.count("was-continued") == 1


def C17_aProcessThatRunsKeepsItsOwn(desk, place, application):
    probe = place.start()
    shows(probe, "a", application, 7)
    until_stored(desk, "restoration")
    second = place.start(ready=False)
    assert states(second) == []
    assert pages(states(probe)) == [7]
    probe.kill()
    assert pages(states(second, name="later")) == [7]


def C17_whatHasExpiredDoesNotComeBack(desk, place, application):
    probe = place.start()
    shows(probe, "a", application, 7)
    old = until_stored(desk, "restoration")
    probe.do("expire a 600000")
    until(desk, lambda copy: copy["time-left"] <= 600000)
    probe.kill()
    again = place.start()
    assert states(again)[0][6] == "handoff,restoration,expires,"
    again.do("current old0")
    until(desk, lambda copy: copy["id"] != old["id"])
    again.do("expire old0 -1")
    until_not_stored(desk, "restoration")
    again.kill()
    assert states(place.start()) == []


@pytest.mark.parametrize("leave", ["restoration a 0", "delete-all d", "invalidate a"])
def C17_whatIsWithdrawnIsForgotten(desk, place, application, leave):
    probe = place.start()
    shows(probe, "a", application, 7)
    until_stored(desk, "restoration")
    probe.do(leave)
    until_not_stored(desk, "restoration")
    probe.kill()
    assert states(place.start()) == []


def C17_theVersionOfItsTimeIsTold(new_device, new_application, install):
    desk = new_device("desk", SnapshotInterval=1)
    application = new_application()
    application.lines.append(f"X-Segue-ActivityVersions={application.type}=3;")
    place = install(desk, application)
    probe = place.start()
    shows(probe, "a", application, 7)
    until_stored(desk, "restoration")
    probe.kill()
    application.lines[-1] = f"X-Segue-ActivityVersions={application.type}=4;"
    place.write(place.desktop, application.desktop_file())
    assert states(place.start())[0][5] == "3"


def C17_withoutADaemonTheWindowsDoNotWait(desk, place):
    """Where no daemon can be started, the answer is an error, at once."""
    desk.install_daemon("/bin/false")
    desk.reload()
    probe = place.start(ready=False)
    probe.do("states old - - 1")
    # The bus has said that it could not start one.
    assert probe.expect("states")[1:3] == ["0", "9013"]


def C17_aDaemonThatHangsIsNotWaitedForLong(desk, place):
    probe = place.start()
    pid = desk.pid()
    os.kill(pid, signal.SIGSTOP)
    try:
        probe.do("states old - - 1")
        assert probe.expect("states")[1:3] == ["0", "4609"]
    finally:
        os.kill(pid, signal.SIGCONT)


def C17_whatIsClosedWhileThereIsNoDaemonDoesNotComeBack(desk, place, application):
    probe = place.start()
    shows(probe, "a", application, 7)
    until_stored(desk, "restoration")
    desk.install_daemon("/bin/false")
    desk.reload()
    desk.stop_daemon(9)
    probe.expect("state 3")
    probe.do("invalidate a")
    desk.install_daemon()
    desk.reload()
    desk.start_daemon()
    until_not_stored(desk, "restoration")
    probe.kill()
    assert states(place.start()) == []
