"""Values inside values, as deep as can be sent (attack 23)."""

import contextlib

import pytest
from dbus_fast import Variant
from harness.peer import frames
from harness.unharmed import unharmed
from harness.wire import BusError


def variants(depth):
    value = Variant("s", "x")
    for _ in range(depth - 1):
        value = Variant("v", value)
    return value


def attempt(call):
    """The daemon refuses the message, or drops its sender."""
    with contextlib.suppress(ConnectionError, BrokenPipeError), pytest.raises(BusError):
        call()


@pytest.mark.parametrize("depth", [17, 32, 64, 65, 128])
def attack23_variantsInsideVariants(lap, application, install, depth):
    """The deepest that D-Bus allows is 64; beyond that a whole message is none."""
    install(lap, application)
    before = lap.json("activities")
    with unharmed(lap):
        for _ in range(4):
            with lap.bus() as bus, lap.door(application.id) as door:
                activity = {
                    "id": Variant("s", "a" * 32), "type": Variant("s", application.type), "x": variants(depth)}
                attempt(lambda: bus.control("Continue", "sa{sv}", ["0" * 32, {"x": variants(depth)}]))
                attempt(lambda: door.tell("SetCurrent", "a{sv}", [activity]))
    assert lap.json("activities") == before


@pytest.mark.parametrize(
    "opening", [b"\x81", b"\xa1\x61a", b"\x9f", b"\xd8\x25"], ids=["array", "map", "endless", "tag"])
def attack23_aDevicesValuesInsideValues(lap, new_peer, opening):
    """A control message, a request and an answer, each as long as a frame may be. They are refused, not the link."""
    peer = new_peer("mallory", lap)
    deep = opening * ((frames.LENGTH - 64) // len(opening)) + b"\0"
    with peer.login(lap) as link, unharmed(lap):
        for _ in range(3):
            link.tell(deep)
            link.tell(b"\xa1\x64kind" + deep)
            channel = link.open(b"\xa1\x64kind" + deep)
            link.wait(lambda: channel.reset_code is not None, "the refusal")
        link.round_trip()
    peer.unpair(lap)
