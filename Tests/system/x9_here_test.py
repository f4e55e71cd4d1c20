"""X9 between two applications of one device (semantics V19): its daemon ends, and all of it comes back."""

import signal

import pytest
from harness.continuing import restored_once
from harness.device import pair
from harness.encoding import decode
from harness.teams import DEVELOPER, TYPE, sign, team_of
from harness.waiting import wait_for


@pytest.fixture
def here(new_device, new_application, install):
    """A team's two applications on one device: (device, the origin with `a`, the other one, the offer)."""
    desk = new_device("desk", settings=DEVELOPER)
    team = team_of(desk)
    writer, reader = (new_application(types=[TYPE], lines=[f"X-Segue-Team={team}"]) for _ in range(2))
    sign(desk, desk, options=["--app", writer.id, "--app", reader.id])
    target = install(desk, reader).start()
    origin = install(desk, writer).start()
    origin.do(f"activity a {TYPE}", "title a Page", "delegate a", "put a page int 7", "current a")
    return desk, origin, target, desk.offer(writer, local_app=reader.id)


def X9_theDaemonEndsWhileAnApplicationOfThisDeviceSaves(here):
    desk, origin, target, offer = here
    origin.do("stop-dispatch")
    desk.take(offer)
    target.expect("will-continue")
    desk.stop_daemon(signal.SIGKILL)
    # The origin comes back after the application that waits for it.
    target.expect("state 1")
    origin.do("resume-dispatch")
    target.expect("continue")
    origin.expect("was-continued a")
    restored_once(origin, target)


def X9_theOriginOnThisDeviceIsToldWhenItIsBack(here):
    desk, origin, target, offer = here
    target.do("on continue defer")
    desk.take(offer)
    target.expect("continue")
    origin.do("stop-dispatch")
    desk.stop_daemon(signal.SIGKILL)
    target.expect("state 1")
    target.do("restore-now")
    # Its end, which the origin is not there to hear.
    wait_for(lambda: not desk.recorded()["running"], "the end of the continuation")
    origin.do("resume-dispatch")
    origin.expect("was-continued a")
    restored_once(origin, target)


def X9_aChoiceRightAfterAStartHearsOfAnApplicationOfThisDevice(new_device, new_application, install):
    """One that comes back after the first dials: what it has on offer is there when it says so."""
    desk, lap = (
        new_device(name, settings=DEVELOPER, FetchTime=60000, FirstDialsTime=60000) for name in ("desk", "lap"))
    pair(desk, lap)
    team = team_of(desk)
    writer, reader = (new_application(types=[TYPE], lines=[f"X-Segue-Team={team}"]) for _ in range(2))
    sign(desk, desk, options=["--app", writer.id, "--app", reader.id])
    target, origin = install(desk, reader).start(), install(desk, writer).start()
    origin.do(f"activity a {TYPE}", "put a page int 7", "current a")
    offer = desk.offer(writer, local_app=reader.id)
    # The other device stays away, so that the choice may wait for it.
    for part in ["Daemon1", "Control1"]:
        (lap.data / f"dbus-1/services/org.segue.{part}.service").unlink()
    lap.reload()
    lap.stop_daemon(signal.SIGKILL)
    origin.do("stop-dispatch")
    desk.stop_daemon(signal.SIGKILL)
    command = desk.take(offer)
    with desk.bus() as bus:
        bus.wait_for_owner("org.segue.Control1")
    # Its first dials are over: the list is answered.
    desk.json("devices")
    origin.do("resume-dispatch")
    assert decode(target.expect("continue")[1]) == {"page": 7}
    command.succeeded()
