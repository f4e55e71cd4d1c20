"""Continuation streams of an application that has continued what a device gone bad has on offer."""

import errno
import struct
import threading

import pytest
from harness.bounds import SECONDS
from harness.peer import messages
from harness.peer.stream import received
from harness.process import descriptors
from harness.streams import is_reset, take
from harness.waiting import wait_for

LIMIT_EXCEEDED, PROTOCOL_VIOLATION, NOT_HANDLED = 9005, 9012, 9014


class Continued:
    """An application that has continued what a hand-made device has on offer; `head`: how that answers a stream."""

    def __init__(self, device, peer, application, place):
        self.device = device
        self.channels = []
        self.came = threading.Event()
        self.activity = messages.identifier()
        peer.answers = self.answers
        self.application = application
        self.link = peer.login(device)
        self.link.offer(messages.offer(application, self.activity))
        self.probe = place.start()
        command = device.take(device.offer(application))
        self.probe.expect("continue")
        command.succeeded()

    def answers(self, channel):
        if channel.request["kind"] == "fetch":
            return channel.answer(messages.snapshot(self.activity, self.application.type))
        self.channels.append(channel)
        self.came.set()

    def ask(self):
        self.came.clear()
        self.probe.do("get-streams t continued")
        assert self.came.wait(SECONDS)
        return self.channels[-1]


@pytest.fixture
def continued(lap, new_peer, application, install):
    peer = new_peer("mallory", lap)
    place = install(lap, application)
    yield lambda: Continued(lap, peer, application, place)
    peer.unpair(lap)


def T3_theAnswerOpensTheStream(continued):
    room = continued()
    channel = room.ask()
    assert channel.request == messages.stream(room.activity, channel.request["continuation"])
    # The first bytes come right behind the head.
    channel.send(messages.answer({"kind": "stream"}) + b"hello")
    with take(room.probe, room.probe.expect("streams t")) as pair:
        assert pair.read() == b"hello"
        pair.write(b"and back")
        assert received(channel, 8) == b"and back"
        channel.finish()
        assert pair.read() == b""
    assert channel.whole() == b"and back"


@pytest.mark.parametrize("head, code", [
    (b"\xff\xff\xff\xff", PROTOCOL_VIOLATION),
    (struct.pack(">I", 4097), PROTOCOL_VIOLATION),
    (b"\0\0\0\4none", PROTOCOL_VIOLATION),
    (messages.failure(NOT_HANDLED, "no delegate"), NOT_HANDLED),
    (messages.failure(3072, "cancelled"), 4608),
])
def attack37_whatIsNoAnswer(continued, head, code):
    room = continued()
    held = descriptors(room.device.pid())
    channel = room.ask()
    channel.send(head)
    assert room.probe.expect("no-streams t")[0] == str(code)
    # The daemon may have others open for a moment.
    wait_for(lambda: descriptors(room.device.pid()) <= held, "the descriptors")
    # It goes on.
    room.ask().send(messages.answer({"kind": "stream"}))
    take(room.probe, room.probe.expect("streams t")).close()


def T4_theLinkIsLostBeforeTheAnswer(continued):
    room = continued()
    room.ask()
    room.link.close()
    assert room.probe.expect("no-streams t")[0] == "4609"


def T4_theReasonCanBeAskedFor(continued):
    room = continued()
    channel = room.ask()
    channel.send(messages.answer({"kind": "stream"}))
    words = room.probe.expect("streams t")
    with take(room.probe, words, keep=True) as pair:
        channel.reset(LIMIT_EXCEEDED)
        assert is_reset(pair) == (b"", True)
        said = wait_for(
            lambda: (line := room.probe.do(f"stream-error {words[0]}")) != "stream-error 0 -" and line, "the reason")
        assert said.split()[1] == str(LIMIT_EXCEEDED)
        with pytest.raises(OSError) as error:
            pair.write(b"x")
        assert error.value.errno == errno.EPIPE
