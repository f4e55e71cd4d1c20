"""The origin is told, whatever it has done meanwhile, and however long the continuing side took (semantics V11)."""

import signal

import pytest
from harness.device import pair
from harness.waiting import wait_for
from harness.wire import BusError


def unheard(device):
    """How many entries of what other devices were given stand for what they have told and no application has heard."""
    return sum(entries[at] in (2, 3) for _, entries in device.recorded()["given"] for at in range(39, len(entries), 48))


@pytest.fixture
def places(new_device, application, install):
    """Two devices that forget at once what is off offer: (desk, lap, the place on desk, the place on lap)."""
    desk, lap = new_device("desk", GraceTime=1), new_device("lap")
    pair(desk, lap)
    return desk, lap, install(desk, application), install(lap, application)


def begin(origin, lap, place, application):
    """Continues the origin's `a` up to its restoration: (the continuing program, the command, the activity's id)."""
    origin.do(f"activity a {application.type}", "title a Page", "delegate a", "put a page int 7", "current a")
    target = place.start()
    target.do("on continue defer")
    offer = lap.offer(application)
    command = lap.take(offer)
    target.expect("continue")
    return target, command, offer["id"]


def turn_page(desk, origin, application, activity, how):
    """`a` is off offer, and its grace time is over."""
    origin.do(*(["resign a"] if how == "resigned" else [f"activity b {application.type}", "delegate b", "current b"]))
    with desk.bus() as bus:

        def is_unknown():
            try:
                bus.control("Explain", "s", [activity])
            except BusError as error:
                return "NotFound" in error.name
            return False

        wait_for(is_unknown, "the end of the grace time")


@pytest.mark.parametrize("how", ["resigned", "replaced"])
def V11_whoHasTurnedThePageIsToldToo(places, application, how):
    desk, lap, here, there = places
    origin = here.start()
    target, command, activity = begin(origin, lap, there, application)
    turn_page(desk, origin, application, activity, how)
    target.do("restore-now")
    command.succeeded()
    origin.expect("was-continued a")
    assert origin.count("was-continued") == 1


@pytest.mark.parametrize("how", ["resigned", "replaced"])
def V11_whoHasTurnedThePageIsToldByTheNextDaemonToo(places, application, how):
    desk, lap, here, there = places
    origin = here.start()
    target, command, activity = begin(origin, lap, there, application)
    turn_page(desk, origin, application, activity, how)
    desk.stop_daemon(signal.SIGKILL)
    # The news comes to a daemon that does not know the activity, and before the application does.
    origin.do("stop-dispatch")
    target.do("restore-now")
    command.succeeded()
    desk.segue("status")
    wait_for(lambda: not lap.recorded()["untold"], "the acknowledgement")
    assert origin.count("was-continued") == 0
    origin.do("resume-dispatch")
    origin.expect("was-continued a")
    assert origin.count("was-continued") == 1
    wait_for(lambda: not unheard(desk), "the end of the news")


@pytest.mark.parametrize("daemon", ["same", "next"])
def V11_ofTwoProcessesTheOneThatHasItIsTold(places, application, daemon):
    desk, lap, here, there = places
    other = here.start()
    other.do(f"activity a {application.type}", "delegate a")
    origin = here.start(ready=False)
    origin.expect("state 2")
    target, command, activity = begin(origin, lap, there, application)
    turn_page(desk, origin, application, activity, "resigned")
    if daemon == "next":
        # The other one comes back first, and has no such activity.
        origin.do("stop-dispatch")
        desk.stop_daemon(signal.SIGKILL)
        other.expect("state 1")
    target.do("restore-now")
    command.succeeded()
    wait_for(lambda: not lap.recorded()["untold"], "the acknowledgement")
    assert other.count("was-continued") == 0
    desk.segue("status")
    if daemon == "next":
        origin.do("resume-dispatch")
    origin.expect("was-continued a")
    assert other.count("was-continued") == 0


@pytest.mark.parametrize("end", ["invalidate", "drop"])
def V11_anActivityThatHasEndedIsNotTold(places, application, end):
    desk, lap, here, there = places
    origin = here.start()
    target, command, _ = begin(origin, lap, there, application)
    origin.do(f"activity b {application.type}", "title b B", "delegate b", "current b", f"{end} a")
    offer = lap.offer(application, title="B")
    target.do("restore-now", "on continue accept")
    command.succeeded()
    # Had the application been told of the first, it would have been before the second.
    lap.take(offer).succeeded()
    origin.expect("was-continued b")
    assert origin.count("was-continued") == 1
