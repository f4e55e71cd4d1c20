"""Back and forth without echo (semantics V15): what was continued is hidden until it changes."""

import signal

import pytest
from harness.device import pair
from harness.encoding import decode


def take(device, offer, place=None, target=None):
    """Continues an offer; the program that has it now, with the activity current."""
    command = device.take(offer)
    target = target or place.launched()
    target.expect("continue")
    command.succeeded()
    target.do("current continued")
    return target


def V15_noEchoBetweenTwoDevices(page, desk, lap, application):
    origin, place = page
    offer = lap.offer(application)
    target = place.start()
    target.do("responder r")
    take(lap, offer, target=target)
    copy = lap.activity(application)
    assert copy["id"] != offer["id"]
    # Neither is shown on the other device: both say the same.
    lap.no_offer(application)
    origin.expect("was-continued a")
    assert not desk.listed(application)
    # A change at the origin: shown again on the other one.
    origin.do("put a page int 8", "needs-save a 1")
    assert lap.offer(application)["id"] == offer["id"]
    # It can be taken by its id while it is hidden, too.
    take(lap, lap.offer(application), target=target)
    lap.no_offer(application)
    take(lap, offer, target=target)


def V15_whatWasTakenAndClosedIsHadAgainByTheIdThatWasShown(page, lap, application):
    origin, place = page
    offer = lap.offer(application)
    short = offer["id"][:8]
    assert short in lap.segue("activities")
    target = take(lap, offer, place)
    target.do("invalidate continued")
    assert "Nothing to continue here." in lap.segue("activities")
    command = lap.start("continue", short)
    target.expect("continue")
    command.succeeded()
    assert "has an id that begins with" in lap.start("continue", "ffffffff").failed()


def V15_theWayBack(page, desk, lap, application):
    origin, place = page
    target = place.start()
    origin.do("responder r")
    target.do("responder r")
    take(lap, lap.offer(application), target=target)
    # A change on the continuing device makes the activity an offer of its own.
    target.do("state r page int 9", "needs-save continued 1")
    back = desk.offer(application)
    command = desk.take(back)
    assert decode(origin.expect("continue")[1])["page"] == 9
    command.succeeded()
    desk.no_offer(application)


@pytest.mark.parametrize("when", ["continued", "restoring"])
def V15_whatWasContinuedStaysHiddenOverARestart(new_device, application, new_application, install, when):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "delegate a", "put a page int 7", "current a")
    other = new_application()
    install(lap, other)
    beside = install(desk, other).start()
    beside.do(f"activity b {other.type}", "title b One", "current b")
    target = install(lap, application).start()
    target.do("on continue defer")
    offer = lap.offer(application)
    command = lap.take(offer)
    target.expect("continue")
    if when == "continued":
        target.do("restore-now")
        command.succeeded()
    lap.stop_daemon(signal.SIGKILL)
    target.expect("state 1")
    if when == "restoring":
        # To a daemon that never had the state.
        target.do("restore-now")
    origin.expect("was-continued a")
    # All offers of a device come in one message, which is older than the second title.
    lap.offer(other, title="One")
    beside.do("title b Two")
    lap.offer(other, title="Two")
    lap.no_offer(application)
    origin.do("put a page int 8", "needs-save a 1")
    assert lap.offer(application)["id"] == offer["id"]


def V15_threeDevices(new_device, application, install):
    devices = [new_device(name) for name in ["desk", "lap", "phone"]]
    for index, one in enumerate(devices):
        for other in devices[index + 1:]:
            pair(one, other)
    desk, lap, phone = devices
    places = [install(device, application) for device in devices]
    origin = places[0].start()
    origin.do(f"activity a {application.type}", "delegate a", "put a page int 7", "current a")
    offer = lap.offer(application)
    phone.offer(application, id=offer["id"])
    target = places[1].start()
    target.do("responder r")
    take(lap, offer, target=target)
    copy = lap.activity(application)
    # The third device sees both; the first does not see its own come back.
    phone.offer(application, id=copy["id"])
    phone.offer(application, id=offer["id"])
    lap.no_offer(application)
    assert not desk.listed(application)
    # The third takes the copy: hidden there, and still the first one's own is on offer.
    third = places[2].start()
    third.do("responder r")
    take(phone, phone.offer(application, id=copy["id"]), target=third)
    phone.until(lambda _: [o["id"] for o in phone.offers_of(application)] == [offer["id"]], "the copy's end")
