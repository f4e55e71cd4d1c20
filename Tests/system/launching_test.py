"""Launching (semantics V8, V18): everything that can go wrong between the choice and the claim."""

import pytest
from harness.application import Application
from harness.continuing import told_of_the_next_alone
from harness.device import pair
from harness.monitor import Monitor
from harness.puppet import Puppet
from harness.wire import Door


def failed_with_the_offer_left(lap, application, offer, command):
    """The sentence that the user is told; the offer must be where it was."""
    error = command.failed()
    assert lap.offer(application)["id"] == offer["id"]
    return error


def V18_anOwnerThatGoesBeforeItsClaimIsLaunchedAnew(page, lap, application):
    origin, place = page
    offer = lap.offer(application)
    puppet = Puppet(lap, application)
    command = lap.take(offer)
    ticket = puppet.launch_message().body[0]
    puppet.close()
    target = place.launched()
    target.expect("continue")
    command.succeeded()
    origin.expect("was-continued a")
    # The first ticket is void.
    with lap.door(application.id) as door:
        with pytest.raises(Exception, match="NotFound"):
            door.tell("Begin", "sa{sv}", [ticket, {}])


def V18_goneAgainItHasFailed(page, lap, application):
    origin, place = page
    offer = lap.offer(application)
    puppet = Puppet(lap, application)
    # Launched by the bus, it ends without having claimed.
    place.write_service(exec="/bin/false")
    command = lap.take(offer)
    puppet.launch_message()
    puppet.close()
    error = failed_with_the_offer_left(lap, application, offer, command)
    assert application.name in error
    place.start()
    told_of_the_next_alone(origin, lap, application)


def V18_diedAfterTheClaim(page, lap, application):
    origin, place = page
    offer = lap.offer(application)
    target = place.start()
    target.do("on continue exit")
    error = failed_with_the_offer_left(lap, application, offer, lap.take(offer))
    assert "ended before it had restored" in error
    place.start()
    told_of_the_next_alone(origin, lap, application)


def V18_anApplicationThatRunsIsLaunchedAtTheDoor(page, lap, application):
    origin, place = page
    offer = lap.offer(application)
    target = place.start()
    with Monitor(lap) as monitor:
        lap.take(offer).succeeded()
        target.expect("continue")
        seen = {message.member for message, _ in monitor.seen()}
    assert "OpenDoor" in seen and "WillContinue" not in seen
    origin.expect("was-continued a")


@pytest.mark.parametrize("how", ["refuses", "closesTheDoor"])
def V18_whatIsNotTakenAtTheDoorGoesOverTheBus(page, lap, application, how):
    origin, _ = page
    offer = lap.offer(application)
    puppet = Puppet(lap, application, takes_launches=True)
    command = lap.take(offer)
    call = puppet.launch_message(at_door=True)
    ticket, info, _ = call.body
    assert info["activity-type"].value == application.type and info["device-name"].value == "desk"
    if how == "refuses":
        puppet.door.refuse(call, "org.segue.Error.NotFound", "It does not own the name.")
    else:
        puppet.door.close()
        puppet.door = Door(puppet.bus, application.id)
    call = puppet.launch_message()
    with pytest.raises(Exception, match="NotFound"):
        puppet.begin(ticket)
    puppet.begin(call.body[0])
    puppet.answer_launch(call)
    puppet.claim(call.body[0])
    puppet.finish(call.body[0])
    command.succeeded()
    origin.expect("was-continued a")
    puppet.close()


def V18_aProcessWithoutTheNameDoesNotTakeIt(page, lap, application):
    """The only one at the door, while another process owns the name."""
    origin, place = page
    offer = lap.offer(application)
    with lap.bus() as owner:
        owner.own(f"{application.id}.Segue")
        other = place.start(ready=False)
        other.expect("state 2")
        command = lap.take(offer)
        call = owner.next_call()
        assert call.member == "WillContinue"
        with Door(owner, application.id) as door:
            door.tell("Begin", "sa{sv}", [call.body[0], {}])
            owner.answer(call)
            door.tell("Claim", "s", [call.body[0]])
            door.tell("Finish", "sb", [call.body[0], True])
        command.succeeded()
    origin.expect("was-continued a")
    assert other.count("will-continue") == 0


@pytest.mark.parametrize("when", ["begins", "continues"])
def V18_diesWhileItIsTold(page, lap, application, when):
    origin, place = page
    offer = lap.offer(application)
    target = place.start()
    target.do("on will-continue exit" if when == "begins" else "on continue exit")
    failed_with_the_offer_left(lap, application, offer, lap.take(offer))
    place.start()
    told_of_the_next_alone(origin, lap, application)


@pytest.mark.parametrize("case", ["missing", "anotherName", "noProgram", "fails"])
def V18_aServiceFileThatDoesNotWork(page, lap, application, case):
    origin, place = page
    offer = lap.offer(application)
    if case == "missing":
        place.service.unlink()
    elif case == "anotherName":
        place.write_service(name=f"{application.id}.Other")
    elif case == "noProgram":
        place.write_service(exec=f"{lap.folder}/no/such/program")
    else:
        place.write_service(exec="/bin/false")
    error = failed_with_the_offer_left(lap, application, offer, lap.take(offer))
    assert application.name in error and "launched" in error
    # Mended, it works, and the origin is told of that alone.
    place.write_service()
    command = lap.take(offer)
    place.launched().expect("continue")
    command.succeeded()
    origin.expect("was-continued a")
    assert origin.count("was-continued") == 1


@pytest.fixture
def impatient(new_device, application, install):
    """A device that waits for nothing long, and what is offered to it: (lap, the origin, its place on lap)."""
    desk, lap = new_device("desk"), new_device("lap", LaunchTime=1500, NotRespondingTime=200, FinishTime=500)
    pair(desk, lap)
    origin, place = install(desk, application).start(), install(lap, application)
    origin.do(f"activity a {application.type}", "delegate a", "current a")
    return lap, origin, place


def V18_aServiceThatEndsWellWithoutTheName(impatient, application):
    lap, origin, place = impatient
    offer = lap.offer(application)
    place.write_service(exec="/bin/true")
    assert "did not start in time" in failed_with_the_offer_left(lap, application, offer, lap.take(offer))


def V8_anApplicationThatIsNeverReady(impatient, application, install):
    lap, origin, place = impatient
    offer = lap.offer(application)
    target = place.start("--not-ready")
    command = lap.take(offer)
    lap.until(
        lambda watch: any(state == "not-responding" for _, state in watch.continuations), "that it does not respond")
    assert "did not start in time" in failed_with_the_offer_left(lap, application, offer, command)
    # An application that comes too late gets no continuation, and works as ever afterwards.
    target.do("ready")
    assert target.count("will-continue") == 0
    command = lap.take(offer)
    target.expect("continue")
    command.succeeded()


def V18_anApplicationThatNeverDispatches(impatient, application):
    lap, origin, place = impatient
    offer = lap.offer(application)
    target = place.start()
    target.do("stop-dispatch")
    command = lap.take(offer)
    lap.until(
        lambda watch: any(state == "not-responding" for _, state in watch.continuations), "that it does not respond")
    failed_with_the_offer_left(lap, application, offer, command)
    target.do("resume-dispatch")
    assert target.count("continue") == 0
    command = lap.take(offer)
    target.expect("continue")
    command.succeeded()


def V11_anApplicationThatNeverFinishesIsNotWaitedFor(impatient, application):
    lap, origin, place = impatient
    target = place.start()
    target.do("on continue defer")
    assert "did not finish restoring" in lap.take(lap.offer(application)).failed()
    target.do("restore-now", "on continue accept")
    told_of_the_next_alone(origin, lap, application)


def V18_removedBetweenTheOfferAndTheChoice(page, lap, application):
    origin, place = page
    offer = lap.offer(application)
    place.remove()
    lap.until(lambda _: any(not o["local-app"] for o in lap.offers_of(application)), "that nothing here can take it")
    assert "No application on this device" in lap.take(offer).failed()
    assert [o["id"] for o in lap.listed(application)] == [offer["id"]]


def V18_twoDesktopFilesWithOneId(desk, lap, new_application, install):
    # One is in a folder below; its id is made of both names (desktop-entry specification). The first of them counts.
    application = Application(new_application().id + "-two")
    origin, place = install(desk, application).start(), install(lap, application)
    folder, name = application.id.split("-")
    twin = place.desktop.parent / folder / f"{name}.desktop"
    place.write(twin, application.desktop_file())
    place.write(place.desktop, application.desktop_file(types=["org.segue.test.other"]))
    origin.do(f"activity a {application.type}", "delegate a", "current a")
    offer = lap.until(
        lambda _: next((o for o in lap.offers_of(application) if not o["local-app"]), None), "an offer without a place")
    assert "No application on this device" in lap.take(offer).failed()
    # Alone the other one counts.
    place.desktop.unlink()
    lap.until(lambda _: any(o["local-app"] for o in lap.offers_of(application)), "a place for it")
    command = lap.take(offer)
    place.launched().expect("continue")
    command.succeeded()
    origin.expect("was-continued a")
    assert origin.count("was-continued") == 1
    twin.unlink()
    twin.parent.rmdir()
