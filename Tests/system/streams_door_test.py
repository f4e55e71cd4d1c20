"""Continuation streams at the library's door (semantics T1-T5), by a daemon that does what no real one does."""

import os
import secrets
import select
import socket

import pytest
from dbus_fast import Variant
from harness.bounds import SECONDS
from harness.handmade import HandmadeDaemon
from harness.process import descriptors
from harness.streams import Made, opened, take
from harness.wire import BusError

APPLICATION = (None, "/org/segue/DoorApplication1", "org.segue.DoorApplication1")


class Room:
    """An application that has continued an activity, and offers one of its own, called `a`."""

    def __init__(self, device, application, place):
        self.daemon = HandmadeDaemon(device)
        self.probe = place.start(ready=False)
        self.door = self.daemon.let_in()
        self.application = application
        self.probe.ready()
        self.continuation = secrets.token_hex(16)

    def call(self, member):
        """The next such call; others that come before are answered."""
        while (call := self.door.next_call()).member != member:
            self.door.answer(call)
        return call

    def launch(self):
        self.daemon.launch(self.application, secrets.token_hex(16))
        type_ = Variant("s", self.application.type)
        begin, claim = self.call("Begin"), self.call("Claim")
        self.door.answer(
            begin, "a{sv}", [{"activity-type": type_, "continuation": Variant("s", self.continuation),
                              "time-left": Variant("t", 20000)}])
        self.door.answer(
            claim, "a{sv}", [{"id": Variant("s", "a" * 32), "type": type_, "user-info": Variant("ay", b"\xa0")}])
        self.probe.expect("continue")

    def continued(self):
        self.launch()
        self.door.answer(self.call("Finish"))
        return self

    def offers(self, *commands):
        """The activity's id."""
        self.probe.do(f"activity a {self.application.type}", *commands, "current a")
        call = self.call("SetCurrent")
        self.door.answer(call)
        return call.body[0]["id"].value

    def accept(self, activity, sent):
        self.door.call(*APPLICATION, "AcceptStream", "shh", [activity, 0, 1], sent)

    def open(self, made, name="continued"):
        """Streams that the application has asked for; the words of its event."""
        self.probe.do(f"get-streams t {name}")
        call = self.call("OpenStream")
        assert call.body == [self.continuation]
        self.door.answer(call, "hh", [0, 1], made.descriptors)
        made.handed_out()
        return self.probe.expect("streams t")

    def held(self):
        """How many descriptors the application holds, when it has seen everything that was sent."""
        self.door.call(None, "/", "org.freedesktop.DBus.Peer", "Ping")
        return descriptors(self.probe.pid)


@pytest.fixture
def room(new_device, application, install):
    device = new_device("desk", daemon=False)
    made = Room(device, application, install(device, application))
    yield made
    made.daemon.close()


def T1_whyThereAreNoneIsSaid(room):
    made = Made()
    activity = room.offers()
    held = room.held()
    for commands, name, words in [
        ([], "AccessDenied", "does not support"),
        (["support-streams a 1"], "NotHandled", "no delegate"),
        (["on streams absent", "delegate a"], "NotHandled", "receives"),
    ]:
        room.probe.do(*commands)
        with pytest.raises(BusError, match=f"{name}: .*{words}"):
            room.accept(activity, made.descriptors)
    room.probe.do("on streams take", "delegate a", "support-streams a 0")
    with pytest.raises(BusError, match="AccessDenied"):
        room.accept(activity, made.descriptors)
    with pytest.raises(BusError, match="NotFound"):
        room.accept("f" * 32, made.descriptors)
    assert room.held() == held
    # The setting that changed meanwhile holds for the next stream.
    room.probe.do("support-streams a 1")
    room.accept(activity, made.descriptors)
    made.handed_out()
    with take(room.probe, room.probe.expect("received-streams a")) as pair:
        pair.write(b"to the daemon")
        assert made.theirs.read(13) == b"to the daemon"
        made.socket.send(b"from it")
        assert pair.read() == b"from it"
    room.probe.do("invalidate a")
    other = Made()
    with pytest.raises(BusError, match="NotFound"):
        room.accept(activity, other.descriptors)
    assert room.held() == held
    made.close()


def T2_onlyTheObjectThatContinueReceived(room):
    room.continued()
    room.probe.do(f"activity own {room.application.type}")
    assert room.probe.refused("get-streams t own") == "EINVAL"
    made = Made(here=True)
    words = room.open(made)
    with take(room.probe, words) as pair:
        made.socket.write(b"x")
        assert pair.read() == b"x"
    made.close()


def T2_anErrorIsToldAsItCame(room):
    room.continued()
    held = room.held()
    room.probe.do("get-streams t continued")
    call = room.call("OpenStream")
    error = type(call)(
        destination=call.sender, message_type=type(call.message_type).ERROR, reply_serial=call.serial,
        error_name="org.segue.Error.LimitExceeded", signature="ss", body=["Four are open.", "Close one."])
    room.door.send(error)
    code, message = room.probe.expect("no-streams t")
    assert (code, message) == ("9005", "Four are open.")
    assert room.held() == held


def T3_eachRequestHasStreamsOfItsOwn(room):
    room.continued()
    held = room.held()
    streams = [Made() for _ in range(4)]
    pairs = [take(room.probe, room.open(made)) for made in streams]
    for number, (made, pair) in enumerate(zip(streams, pairs)):
        made.socket.send(b"%d" % number)
        pair.write(b"%d" % number)
    for number, (made, pair) in enumerate(zip(streams, pairs)):
        assert pair.read() == made.theirs.read(9) == b"%d" % number
        with pytest.raises(BrokenPipeError):
            os.write(pair.input, b"x")
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.read(pair.output, 1)
        for descriptor in (pair.input, pair.output):
            assert os.get_blocking(descriptor)
        pair.close()
        made.close()
    assert room.held() == held


def T3_soManyRequestsAreUnderWay(room):
    room.continued()
    room.probe.do(*["get-streams t continued"] * 64)
    assert room.probe.refused("get-streams t continued") == "E2BIG"
    room.call("OpenStream")
    room.daemon.close()
    for _ in range(64):
        assert room.probe.expect("no-streams t")[0] == "4609"


def packets():
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    return one.detach(), other.detach()


def not_waiting():
    made = Made()
    os.set_blocking(made.input, False)
    return made.descriptors


#: Descriptors that are no stream, though they may look like one: input and output.
BAD = {
    "files": lambda: [os.open("/dev/null", os.O_RDWR) for _ in range(2)],
    "folders": lambda: [os.open("/", os.O_RDONLY), os.open("/", os.O_PATH)],
    "turnedRound": lambda: reversed(os.pipe2(os.O_CLOEXEC)),
    "aPipeToItself": lambda: os.pipe2(os.O_CLOEXEC),
    "packets": packets,
    "doesNotWait": not_waiting,
    "memory": lambda: [os.memfd_create("a"), os.memfd_create("b")],
}


@pytest.mark.parametrize("case", [*BAD, "inputOnly", "noDescriptors"])
def T3_whatIsNoStreamIsClosed(room, case):
    room.continued()
    activity = room.offers("delegate a", "support-streams a 1")
    held = room.held()
    with opened(*BAD[case]() if case in BAD else Made().descriptors) as sent:
        if case in BAD:
            with pytest.raises(BusError, match="ProtocolViolation"):
                room.accept(activity, sent)
        room.probe.do("get-streams t continued")
        call = room.call("OpenStream")
        if case == "inputOnly":
            room.door.answer(call, "h", [0], sent[:1])
        elif case == "noDescriptors":
            room.door.answer(call, "ss", ["no", "descriptors"], sent)
        else:
            room.door.answer(call, "hh", [0, 1], sent)
        assert room.probe.expect("no-streams t")[0] == "9012"
    assert room.probe.count("received-streams") == 0
    assert room.held() == held


def T3_aCallbackMayDoAnything(room):
    room.continued()
    activity = room.offers("delegate a", "support-streams a 1")
    # One that is under way is told when the application goes.
    room.probe.do("get-streams t continued", "mischief received-streams drop-all")
    room.call("OpenStream")
    made = Made()
    room.door.call_later(*APPLICATION, "AcceptStream", "shh", [activity, 0, 1], made.descriptors)
    room.probe.expect("mischief received-streams")
    assert room.probe.expect("no-streams t")[0] == "4609"


def T4_theDaemonsReasonIsToldWithTheLoss(room):
    room.continued()
    made = Made()
    words = room.open(made)
    with take(room.probe, words, keep=True) as pair:
        made.socket.send(b"the last words")
        for code, message in [(4609, "The other device is gone."), (9013, "A second word.")]:
            room.door.call(*APPLICATION, "StreamEnded", "tis", [made.inode, code, message])
        # The library keeps no error for a stream that the program does not have.
        room.door.call(*APPLICATION, "StreamEnded", "tis", [made.inode + 1000, 4609, "Whose?"])
        made.close()
        assert pair.read() == b"the last words"
        with pytest.raises(ConnectionResetError):
            pair.read()
    printed = room.probe.do(f"stream-error {words[0]}")
    assert printed == "stream-error 4609 The%20other%20device%20is%20gone."


@pytest.mark.parametrize("brought", ["asked", "received"])
def T4_aCloseInsideTheCallbackIsAnEnd(room, brought):
    """The callback closes both, and has not returned: the library keeps nothing of them open."""
    room.continued()
    activity = room.offers("delegate a", "support-streams a 1")
    room.probe.do("close-inside 1")
    made = Made()
    if brought == "asked":
        room.probe.do("get-streams t continued")
        room.door.answer(room.call("OpenStream"), "hh", [0, 1], made.descriptors)
    else:
        room.door.call_later(*APPLICATION, "AcceptStream", "shh", [activity, 0, 1], made.descriptors)
    made.handed_out()
    room.probe.expect("holds")
    assert select.select([made.theirs], [], [], SECONDS)[0]
    assert made.theirs.read(1) == b""
    with pytest.raises(BrokenPipeError):
        made.socket.send(b"x")
    room.probe.send("")
    made.close()


def T4_withTheDaemonTheStreamIsLost(room):
    room.continued()
    made, here = Made(), Made(here=True)
    words, beside = room.open(made), room.open(here)
    assert room.probe.do(f"stream-error {words[0]}") == "stream-error 0 -"
    with take(room.probe, words, keep=True) as pair:
        made.close()
        room.daemon.close()
        with pytest.raises(ConnectionResetError):
            pair.read()
    room.probe.expect("state")
    assert "daemon" in room.probe.do(f"stream-error {words[0]}")
    # A stream that does not pass through the daemon goes on without it.
    with take(room.probe, beside, keep=True) as pair:
        here.socket.write(b"still there")
        assert pair.read() == b"still there"
    assert room.probe.do(f"stream-error {beside[0]}") == "stream-error 0 -"
    here.close()


def T5_whatIsAskedForInsideContinueGoesOutBeforeItIsOver(room):
    room.probe.do("ask-inside 2 hold")
    room.launch()
    room.probe.expect("holds")
    calls = [room.call("OpenStream") for _ in range(2)]
    assert all(call.body == [room.continuation] for call in calls)
    streams = [Made() for _ in calls]
    for call, made in zip(calls, streams):
        room.door.answer(call, "hh", [0, 1], made.descriptors)
        made.handed_out()
    room.probe.send("")
    for made in streams:
        with take(room.probe, room.probe.expect("streams inside")) as pair:
            made.socket.send(b"x")
            assert pair.read() == b"x"
        made.close()
    room.call("Finish")
    assert room.probe.seen.count("asked 0") == 2


def T5_afterInvalidateTheOpenOnesGoOn(room):
    room.continued()
    made = Made()
    words = room.open(made)
    room.probe.do("invalidate continued")
    assert room.probe.refused("get-streams t continued") == "ESTALE"
    with take(room.probe, words) as pair:
        made.socket.send(b"still there")
        pair.write(b"here too")
        assert (pair.read(), made.theirs.read(8)) == (b"still there", b"here too")
    made.close()
