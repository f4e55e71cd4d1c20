"""Bad input: a clear error, nothing trapped, nothing lost, the daemon alive and at its old memory (attacks 34, 38)."""

import os
import secrets
import time

import pytest
from dbus_fast import Message, MessageFlag, Variant
from harness.handmade import HandmadeDaemon
from harness.puppet import Puppet
from harness.tree import methods
from harness.unharmed import unharmed
from harness.wire import BusError

@pytest.fixture
def steady(desk):
    """Runs an attack once to warm up, then often; the daemon must be the same, and hold what it held before."""

    def run(attack, times=8):
        attack()
        with unharmed(desk):
            for _ in range(times):
                attack()

    return run


#: Values of every kind, small, huge and odd: (signature, body).
BODIES = [
    ("", []), ("s", [""]), ("s", ["x" * 100_000]), ("s", ["\x01\x7f"]), ("u", [2**32 - 1]), ("x", [-(2**63)]),
    ("d", [float("nan")]), ("ay", [bytes(100_000)]), ("v", [Variant("v", Variant("s", "x"))]), ("as", [["x"] * 10_000]),
    ("a{sv}", [{}]), ("a{sv}", [{"id": Variant("i", 1), "type": Variant("as", ["a"])}]), ("aas", [[["a"]] * 100]),
    ("(si)", [["a", 1]]), ("s" * 100, ["x"] * 100), ("g", ["a{sv}"]), ("o", ["/"]), ("b", [True]),
]

#: Values of the right types, with meaningless contents.
FITTING = {
    "s": ["", "x", "0" * 32, "x" * 100_000, "\x7f", "../../etc"], "u": [0, 2**32 - 1], "t": [0, 2**64 - 1],
    "b": [True], "as": [[], ["x"] * 1000, [""]],
    "a{sv}": [
        {}, {"id": Variant("s", "0" * 32), "type": Variant("s", "..")}, {"x" * 10_000: Variant("s", "")},
        {"id": Variant("s", secrets.token_hex(16)), "type": Variant("s", "a.b"), "title": Variant("s", "t" * 600)},
        {"id": Variant("s", secrets.token_hex(16)), "type": Variant("s", "a.b"), "revision": Variant("d", 1.0),
         "web-host": Variant("s", "h" * 300)},
    ],
}


def arguments(signature):
    """Lists of arguments that fit a signature."""
    types, left = [], signature
    while left:
        type_ = next(type_ for type_ in FITTING if left.startswith(type_))
        types.append(type_)
        left = left[len(type_):]
    for number in range(6):
        yield [FITTING[type_][number % len(FITTING[type_])] for type_ in types]


def bombard(wire, destination, name):
    """Every method with everything. Only errors of ours or of the bus's own come back, or an answer."""
    path, interface = f"/org/segue/{name}", f"org.segue.{name}"
    for member, signature in methods(name):
        for other, body in BODIES + [(signature, body) for body in arguments(signature)]:
            try:
                wire.call(destination, path, interface, member, other, body)
            except BusError as error:
                assert error.name.startswith(("org.segue.Error.", "org.freedesktop.DBus.Error.")), error
                assert error.text, f"{member}: an error without a sentence"
    for member in ["Nothing", "introspect", "x" * 255]:
        with pytest.raises(BusError):
            wire.call(destination, path, interface, member)


@pytest.mark.parametrize("name", ["Daemon1", "Control1"])
def attack38_everyMethodOnTheBus(desk, steady, name):
    def attack():
        with desk.bus() as bus:
            bombard(bus, f"org.segue.{name}", name)

    steady(attack, times=3)
    # Two of the methods begin a pause; the one for a network does so where this machine has a router.
    desk.segue("resume")
    if desk.json("status")["paused-here"]:
        desk.segue("resume", "--network")


def attack38_everyMethodAtTheDoor(both, desk, steady, application):
    def attack():
        with desk.door(application.id) as door:
            bombard(door, None, "Door1")

    steady(attack, times=3)


def attack38_everyMethodOfTheLibrary(page, desk, application):
    origin, _ = page
    with desk.bus() as bus:
        bombard(bus, f"{application.id}.Segue", "Application1")
    assert origin.count("will-continue") == 0


SNAPSHOTS = {
    "empty": ({}, []),
    "notCBOR": ({"user-info": ("ay", b"\xff\xff")}, []),
    "notADictionary": ({"user-info": ("ay", b"\x01")}, []),
    "trailing": ({"user-info": ("ay", b"\xa0\x00")}, []),
    "deep": ({"user-info": ("ay", b"\xa1\x61a" + b"\x81" * 5000 + b"\x00")}, []),
    "huge": ({"user-info": ("ay", b"\xa1\x61a\x5a\x00\x03\x00\x00" + bytes(0x30000))}, []),
    "text": ({"user-info": ("s", "a0")}, []),
    "zero": ({"user-info": ("h", 0)}, ["/dev/zero"]),
    "folder": ({"user-info": ("h", 0)}, ["/"]),
    "index": ({"user-info": ("h", 7)}, ["/dev/null"]),
    "another": ({"id": ("s", "f" * 32), "user-info": ("ay", b"\xa0")}, []),
    "title": ({"title": ("s", "t" * 600), "user-info": ("ay", b"\xa0")}, []),
}


@pytest.mark.parametrize("case", SNAPSHOTS)
def test_aMalformedPayloadIsAFailureAndNoMore(both, desk, lap, application, case):
    entries, paths = SNAPSHOTS[case]
    origin = Puppet(desk, application)
    identity = secrets.token_hex(16)
    origin.door.tell(
        "SetCurrent", "a{sv}", [{"id": Variant("s", identity), "type": Variant("s", application.type)}])
    target = both[1].start()
    pids = desk.pid(), lap.pid()
    offer = lap.offer(application)
    command = lap.take(offer)
    call = origin.door.next_call()
    assert (call.member, call.body[0]) == ("Save", identity)
    snapshot = {
        "id": Variant("s", identity), "revision": Variant("t", 1), "type": Variant("s", application.type),
        **{key: Variant(*value) for key, value in entries.items()}}
    opened = [os.open(path, os.O_RDONLY) for path in paths]
    origin.door.answer(call, "a{sv}", [snapshot], opened)
    for descriptor in opened:
        os.close(descriptor)
    target.expect("will-continue")
    assert int(target.expect("fail")[1]) in [4608, 9001, 9005, 9012, 9013]
    assert command.failed()
    assert target.count("continue") == 0
    assert (desk.pid(), lap.pid()) == pids
    origin.close()


@pytest.mark.parametrize("case", [case for case in SNAPSHOTS if case not in ["another"]])
def test_aMalformedClaimIsAFailureOfTheLibrarys(new_device, application, install, case):
    """The library does not believe the daemon either."""
    entries, paths = SNAPSHOTS[case]
    device = new_device("desk", daemon=False)
    daemon = HandmadeDaemon(device)
    target = install(device, application).start(ready=False)
    door = daemon.let_in()
    target.ready()
    daemon.launch(application, secrets.token_hex(16))
    begin, claim = door.next_call(), door.next_call()
    assert (begin.member, claim.member) == ("Begin", "Claim")
    door.answer(
        begin, "a{sv}",
        [{"activity-type": Variant("s", application.type), "continuation": Variant("s", secrets.token_hex(16))}])
    opened = [os.open(path, os.O_RDONLY) for path in paths]
    snapshot = {
        "id": Variant("s", "a" * 32), "type": Variant("s", application.type),
        **{key: Variant(*value) for key, value in entries.items()}}
    door.answer(claim, "a{sv}", [snapshot], opened)
    for descriptor in opened:
        os.close(descriptor)
    target.expect("will-continue")
    target.expect("fail")
    assert target.count("continue") == 0
    daemon.close()


GARBAGE = [
    b"l\1\0\1" + b"\xff" * 200, b"l\1\0\1\0\0\0\0\1\0\0\0\xff\xff\xff\x7f", b"B" * 5000, b"\0" * 5000,
    bytes(Message(path="/org/segue/Door1", interface="org.segue.Door1", member="Hello", signature="v",
                  body=[Variant("s", "x")], serial=1)._marshall(False)).replace(b"\1s\0", b"\1(\0"),
    bytes(Message(path="/org/segue/Door1", interface="org.segue.Door1", member="Hello", signature="s",
                  body=["\x01\x02"], serial=1)._marshall(False)).replace(b"\x01\x02", b"\xff\xfe"),
]


@pytest.mark.parametrize("number", range(len(GARBAGE)))
def attack38_garbageInsteadOfMessages(desk, steady, number):
    def attack():
        with desk.door() as door:
            try:
                door.send_bytes(GARBAGE[number])
                door.call_later(None, "/org/segue/Door1", "org.segue.Door1", "Register", "sa{sv}", ["a.b", {}])
            except OSError:
                pass

    steady(attack)


def attack38_callsThatWantNoReplyAndRepliesToNothing(desk, steady):
    def attack():
        with desk.bus() as bus:
            for _ in range(200):
                bus.call_later(
                    "org.segue.Control1", "/org/segue/Control1", "org.segue.Control1", "GetStatus",
                    flags=MessageFlag.NO_REPLY_EXPECTED)
            bus.ask("GetId")
        with desk.door() as door:
            for serial in range(50):
                door.send(Message.new_method_return(Message(path="/", member="X", serial=serial + 1), "s", ["x"]))
            door.control("GetStatus")

    steady(attack)


DESKTOP_FILES = {
    "empty": b"", "binary": bytes(range(256)) * 4, "large": b"X-Segue-ActivityTypes=a.b;\n" * 20_000,
    "noGroup": b"X-Segue-ActivityTypes=a.b;\n", "twice": b"[Desktop Entry]\nX-Segue-ActivityTypes=a.b;\n" * 3,
    "types": b"[Desktop Entry]\nType=Application\nName=x\nX-Segue-ActivityTypes=a;..;a.b;" + b"a.b;" * 5000 + b"\n",
    "utf8": b"[Desktop Entry]\nType=Application\nName=\xff\xfe\nX-Segue-ActivityTypes=a.b;\n",
    "noType": b"[Desktop Entry]\nName=x\nX-Segue-ActivityTypes=a.b;\n",
    "line": b"[Desktop Entry]\nType=Application\nX-Segue-ActivityTypes=" + b"x" * 200_000,
}


@pytest.mark.parametrize("case", DESKTOP_FILES)
def test_aMalformedDesktopFileIsNobodyElsesTrouble(page, desk, lap, application, new_application, install, case):
    pid = lap.pid()
    broken = install(lap, new_application())
    broken.write(broken.desktop, DESKTOP_FILES[case])
    broken.write(broken.service, DESKTOP_FILES[case])
    command = lap.take(lap.offer(application))
    page[1].launched().expect("continue")
    command.succeeded()
    assert lap.pid() == pid
    # Mended, it is an application like any other.
    origin = install(desk, broken.application).start()
    origin.do(f"activity a {broken.application.type}", "current a")
    broken.write(broken.desktop, broken.application.desktop_file())
    broken.write_service()
    command = lap.take(lap.offer(broken.application))
    broken.launched().expect("continue")
    command.succeeded()


def attack34_announcementsAreCoalesced(new_device, application, install):
    device = new_device("desk")
    install(device, application)
    with unharmed(device), device.door() as watching, device.door(application.id) as door:
        watching.control("GetStatus")
        count, log = 10_000, device.folder / "log"
        logged = log.read_text().count("\n")
        start = time.monotonic()
        for number in range(count):
            door.send(Message(
                path=door.PATH, interface=door.INTERFACE, member="SetCurrent", signature="a{sv}",
                body=[{"id": Variant("s", f"{1:032x}"), "type": Variant("s", application.type),
                       "title": Variant("s", f"Title {number}")}], flags=MessageFlag(1)), ())
        door.tell("Resign", "s", ["0" * 32])
        last, = watching.control("ListActivities")
        spent = time.monotonic() - start
        # The last state is there at once, and said: by a burst of ten, then by one in 250 ms.
        assert [activity["title"] for activity in last] == [f"Title {count - 1}"]
        watching.next_signal("OffersChanged")
        watching.control("GetStatus")
        signals = 1 + sum(signal.member == "OffersChanged" for signal in watching.signals)
        assert signals <= 12 + 4 * spent, f"{signals} signals in {spent} s"
        assert log.read_text().count("\n") - logged <= 11


def attack38_anEndAtTheEndOfAllTime(desk, application, install):
    """No moment is after it."""
    install(desk, application)
    pid = desk.pid()
    with desk.door(application.id) as door:
        for _ in range(20):
            now = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000_000
            for distance in range(4):
                door.tell("SetCurrent", "a{sv}", [
                    {"id": Variant("s", secrets.token_hex(16)), "type": Variant("s", application.type),
                     "time-left": Variant("t", 2**64 - 1 - now - distance)}])
    desk.json("status")
    assert desk.pid() == pid
