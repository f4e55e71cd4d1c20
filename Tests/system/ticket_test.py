"""Tickets and launch messages that are forged, old, or another's (attacks 17, 32)."""

import secrets

import pytest
from harness.puppet import Puppet
from harness.wire import BusError, Door


@pytest.fixture
def puppet(page, lap, application):
    made = Puppet(lap, application)
    yield made
    made.close()


def refusal(call, *arguments):
    with pytest.raises(BusError) as error:
        call(*arguments)
    return error.value.name.removeprefix("org.segue.Error.")


def test_aForgedLaunchMessageIsRefused(page, lap, application):
    origin, place = page
    target = place.start()
    with lap.bus() as stranger:
        forge = [secrets.token_hex(16), application.type, {}]
        assert refusal(
            stranger.call, f"{application.id}.Segue", "/org/segue/Application1", "org.segue.Application1",
            "WillContinue", "ssa{sv}", forge) == "AccessDenied"
    assert target.count("will-continue") == target.count("fail") == 0


def attack17_aForgedTicketIsRefused(puppet):
    assert refusal(puppet.begin, secrets.token_hex(16)) == "NotFound"
    assert refusal(puppet.claim, secrets.token_hex(16)) == "NotFound"
    assert refusal(puppet.begin, "not a ticket") == "InvalidArgument"


def attack17_aTicketIsGoodOnce(puppet, page, lap, application):
    origin, _ = page
    command = lap.take(lap.offer(application))
    call = puppet.launch_message()
    ticket = call.body[0]
    assert refusal(puppet.claim, ticket) == "NotFound", "a claim before it was begun"
    info = puppet.begin(ticket)
    assert (info["activity-type"], info["title"], info["device-name"]) == (application.type, "Page", "desk")
    assert refusal(puppet.begin, ticket) == "NotFound"
    puppet.answer_launch(call)
    puppet.claim(ticket)
    assert refusal(puppet.claim, ticket) == "NotFound"
    puppet.finish(ticket)
    command.succeeded()
    puppet.finish(ticket)
    puppet.finish(ticket, handled=False)
    assert refusal(puppet.begin, ticket) == "NotFound"
    assert refusal(puppet.claim, ticket) == "NotFound"
    origin.expect("was-continued a")
    assert origin.count("was-continued") == 1


def attack17_aTicketIsNoGoodAtAnotherConnection(puppet, lap, application):
    # The same application's other process did not begin it.
    command = lap.take(lap.offer(application))
    call = puppet.launch_message()
    ticket = call.body[0]
    puppet.begin(ticket)
    puppet.answer_launch(call)
    with lap.door(application.id) as other:
        assert refusal(other.tell, "Claim", "s", [ticket]) == "NotFound"
        other.tell("Finish", "sb", [ticket, False])
    puppet.claim(ticket)
    puppet.finish(ticket)
    command.succeeded()


def attack17_aTicketDoesNotOutliveItsDaemon(new_device, application, install):
    from harness.device import pair

    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    origin = install(desk, application).start()
    install(lap, application)
    origin.do(f"activity a {application.type}", "current a")
    offer = lap.offer(application)
    puppet = Puppet(lap, application)
    command = lap.take(offer)
    ticket = puppet.launch_message().body[0]
    lap.stop_daemon(9)
    command.result()
    lap.offer(application)
    with lap.door(application.id) as door:
        assert refusal(door.tell, "Begin", "sa{sv}", [ticket, {}]) == "NotFound"
    puppet.close()


def attack32_aTicketOfAnotherApplicationIsRefused(puppet, lap, application, new_application, install):
    other = new_application(types=[application.type])
    install(lap, other)
    thief = Puppet(lap, other)
    command = lap.take(lap.offer(application))
    call = puppet.launch_message()
    ticket = call.body[0]
    # Handed over on purpose, as by a rogue owner of the name.
    assert refusal(thief.begin, ticket) == "AccessDenied"
    assert refusal(thief.claim, ticket) == "NotFound"
    puppet.begin(ticket)
    puppet.answer_launch(call)
    puppet.claim(ticket)
    puppet.finish(ticket)
    command.succeeded()
    thief.close()


def test_aTokenOfTheDoorIsGoodOnce(desk):
    with desk.bus() as bus:
        with Door(bus) as first, Door(bus) as second:
            for token in [first.token, second.token, secrets.token_hex(16), ""]:
                assert refusal(first.tell, "Hello", "uusa{sv}", [1, 1, token, {}]) == "AccessDenied"
                with Door(bus, greets=False) as third:
                    assert refusal(third.tell, "Hello", "uusa{sv}", [1, 1, token, {}]) == "AccessDenied"


def test_aConnectionHasOneGuess(desk):
    with desk.bus() as bus:
        with Door(bus, greets=False) as door:
            assert refusal(door.tell, "Hello", "uusa{sv}", [1, 1, secrets.token_hex(16), {}]) == "AccessDenied"
            assert refusal(door.greet) == "AccessDenied"
        # A version that nobody has uses no token.
        with Door(bus, greets=False) as door:
            assert refusal(door.tell, "Hello", "uusa{sv}", [9, 9, door.token, {}]) == "VersionMismatch"
            door.greet()


def test_nobodyRegistersWithoutHello(desk, application):
    with desk.bus() as bus, Door(bus, greets=False) as door:
        assert refusal(door.tell, "Register", "sa{sv}", [application.id, {}]) == "AccessDenied"


def test_nothingAtTheDoorWithoutRegister(desk, application):
    with desk.door() as door:
        for member, signature, body in [
                ("SetCurrent", "a{sv}", [{}]), ("Resign", "s", ["0" * 32]), ("Begin", "sa{sv}", ["0" * 32, {}]),
                ("Announced", "sb", ["0" * 32, True]),
                ("Claim", "s", ["0" * 32]), ("Finish", "sb", ["0" * 32, True])]:
            assert refusal(door.tell, member, signature, body) == "AccessDenied", member
        # An application that is not installed cannot be registered.
        assert refusal(door.tell, "Register", "sa{sv}", [application.id, {}]) == "NotFound"
        assert refusal(door.tell, "Register", "sa{sv}", ["no id", {}]) == "InvalidArgument"
