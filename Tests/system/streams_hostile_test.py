"""Continuation streams between a daemon and a device gone bad, and what both applications see of it (security.md)."""

import contextlib
import os
import signal
import threading

import pytest
from harness.peer import frames, messages
from harness.peer.stream import answer, outcome, received
from harness.process import descriptors
from harness.streams import cannot_be_written, is_reset, take
from harness.unharmed import unharmed
from harness.waiting import wait_for

#: KiB that an allocator may keep of what was freed.
SLACK = 8192
NOT_FOUND, ACCESS_DENIED, LIMIT_EXCEEDED, VIOLATION, NOT_HANDLED = 9002, 9004, 9005, 9012, 9014


class Origin:
    """An application whose activity a hand-made device has fetched."""

    def __init__(self, device, peer, application, place):
        self.device, self.peer, self.application = device, peer, application
        self.probe = place.start()
        self.probe.do(
            "on streams take", f"activity a {application.type}", "title a Page", "delegate a", "support-streams a 1",
            "current a")
        self.link = peer.login(device)
        self.activity = self.offered()["id"]
        self.continuation = self.fetch()

    def offered(self):
        """The application's activity, once the device lists it."""
        while True:
            for offer in self.link.next_message("offers")["offers"]:
                if offer["type"] == self.application.type:
                    return offer

    def fetch(self, link=None, activity=None):
        """A continuation by which the activity was given."""
        continuation = messages.identifier()
        head, _ = (link or self.link).fetch(
            activity or self.activity, self.application.id, continuation=continuation)
        assert head["kind"] == "snapshot"
        return continuation

    def ask(self, continuation=None, link=None, activity=None):
        request = messages.stream(activity or self.activity, continuation or self.continuation)
        return (link or self.link).open(request, finish=False)

    def open(self, continuation=None, link=None):
        """A stream: the channel behind its head, and the application's pair."""
        channel = self.ask(continuation, link)
        pair = take(self.probe, self.probe.expect("received-streams a"))
        assert answer(channel)["kind"] == "stream"
        return channel, pair

    def refused(self, **asked):
        return answer(self.ask(**asked))["code"]

    def settled(self):
        for _ in range(2):
            self.device.json("status")
        return self.device.pid()


@pytest.fixture
def origin(new_device, new_peer, application, install):
    device = new_device("desk")
    peer = new_peer("mallory", device)
    return Origin(device, peer, application, install(device, application))


# In order


def T4_bytesGoBothWaysAndEachEndIsSeen(origin):
    held = descriptors(origin.settled())
    channel, pair = origin.open()
    channel.send(b"from the peer")
    assert pair.read() == b"from the peer"
    pair.write(b"from the application")
    assert received(channel, 20) == b"from the application"
    channel.finish()
    assert pair.read() == b""
    # The other direction goes on.
    pair.write(b", and more")
    received(channel, 30)
    pair.close_output()
    assert channel.whole() == b"from the application, and more"
    wait_for(lambda: descriptors(origin.settled()) <= held, "the descriptors")
    pair.close()


def T4_whoReadsNoMoreIsTold(origin):
    channel, pair = origin.open()
    pair.close_input()
    assert origin.link.next(frames.STOP).channel == channel.number
    # The daemon drops bytes that are sent all the same, and returns their credit.
    channel.send(bytes(1 << 20))
    pair.write(b"still here")
    assert received(channel, 10) == b"still here"
    origin.link.send(frames.STOP, channel.number)
    assert channel.whole() == b"still here"
    with pytest.raises(BrokenPipeError):
        pair.write(b"x")
    pair.close()


def T4_aSlowReaderHoldsBackItsWriter(origin):
    channel, pair = origin.open()
    other, quick = origin.open()
    data = os.urandom(4 << 20)
    writer = threading.Thread(target=channel.answer, args=[data], daemon=True)
    writer.start()
    # The other stream is not in its way, nor is a fetch.
    other.send(b"hello")
    assert quick.read() == b"hello"
    origin.fetch()
    assert writer.is_alive()
    assert pair.read_exactly(len(data)) == data
    assert pair.read() == b""
    for one in (pair, quick):
        one.close()


# Who may


def attack17_onlyWhoHasFetchedItGetsStreams(origin, new_peer):
    assert origin.refused(continuation=messages.identifier()) == ACCESS_DENIED
    assert origin.refused(activity=messages.identifier()) == ACCESS_DENIED
    third = new_peer("eve", origin.device)
    with third.login(origin.device) as link:
        assert origin.refused(link=link) == ACCESS_DENIED
    assert origin.probe.count("received-streams") == 0
    origin.probe.do("support-streams a 0")
    wait_for(lambda: origin.refused() == ACCESS_DENIED, "a refusal")
    origin.probe.do("support-streams a 1")
    origin.open()[1].close()


def T5_openStreamsOutliveTheActivity(origin):
    channel, pair = origin.open()
    origin.probe.do("invalidate a")
    wait_for(lambda: origin.refused() == NOT_FOUND, "a refusal")
    channel.send(b"still")
    assert pair.read() == b"still"
    pair.close()


def T1_withoutADelegateTheReasonCrosses(origin):
    origin.probe.do("on streams absent", "delegate a")
    head = answer(origin.ask())
    assert head["code"] == NOT_HANDLED and "delegate" in head["message"]


# A device gone bad


def attack33_aThousandStreamsThatNobodyReads(origin):
    """Each is opened within the bounds or refused, and each that was opened ends where it is read."""
    with unharmed(origin.device, slack=SLACK) as daemon:
        refused, opened, dropped, half_open = [], [], 0, []
        # The daemon drops a link that leaves the answers to more than 256 requests unread, so that each batch is read.
        for start in range(0, 1000, 100):
            asked = []
            for number in range(start, start + 100):
                asked.append(origin.ask())
                if number % 3 == 0:
                    asked.pop().reset(1)
                    dropped += 1
                elif number % 5 == 0:
                    asked[-1].finish()
                else:
                    half_open.append(asked[-1])
            for what in map(outcome, asked):
                (opened if what == "stream" else refused).append(what)
        assert set(refused) == {LIMIT_EXCEEDED}
        # One continuation has so many at once.
        assert len(opened) == 4 and len(refused) == 1000 - dropped - 4
        assert descriptors(daemon.pid) <= daemon.descriptors + 4 * 4
        for channel in half_open:
            if channel.reset_code is None:
                channel.send(b"unread")
        origin.link.round_trip()
        origin.link.close()
        # Each that the application was brought has its end there.
        brought = origin.probe.count("received-streams")
        assert brought >= len(opened)
        for _ in range(brought):
            with take(origin.probe, origin.probe.expect("received-streams a")) as pair:
                is_reset(pair)
                # One whose asker has finished is at its end before the daemon notices the end of the link.
                wait_for(lambda: cannot_be_written(pair), "the end of its reader")


def attack33_soManyStreamsOfAContinuation(origin):
    pairs = [origin.open() for _ in range(4)]
    assert origin.refused() == LIMIT_EXCEEDED
    pairs += [origin.open(continuation) for continuation in [origin.fetch() for _ in range(3)] for _ in range(4)]
    assert origin.refused(continuation=origin.fetch()) == LIMIT_EXCEEDED
    # Each of them works.
    for number, (channel, pair) in enumerate(pairs):
        channel.send(bytes([number]))
        assert pair.read() == bytes([number])
    channel, pair = pairs[0]
    channel.finish()
    pair.close()
    channel.whole()
    wait_for(lambda: answer(origin.ask())["kind"] == "stream", "room")
    for _, pair in pairs:
        pair.close()


def attack37_whoSpeaksBeforeTheHead(origin):
    """The application has not said yet whether it takes the stream, and is not brought what it did not agree to."""
    os.kill(origin.probe.pid, signal.SIGSTOP)
    try:
        early = origin.ask()
        early.send(b"before the head")
        assert answer(early)["code"] == VIOLATION
    finally:
        os.kill(origin.probe.pid, signal.SIGCONT)
    # The stream that it was asked for meanwhile has ended, and brings nothing.
    with take(origin.probe, origin.probe.expect("received-streams a")) as pair:
        assert is_reset(pair) == (b"", True)
    # The next one is as any.
    channel, pair = origin.open()
    channel.send(b"behind it")
    assert pair.read() == b"behind it"
    pair.close()


@pytest.mark.parametrize("how", ["window", "finished", "length"])
def attack33_aPeerThatBreaksTheRules(origin, how):
    held = descriptors(origin.settled())
    channel, pair = origin.open()
    channel.send(b"before")
    assert pair.read() == b"before"
    if how == "window":
        with contextlib.suppress(OSError):
            for _ in range(64):
                origin.link.send(frames.DATA, channel.number, bytes(frames.LENGTH))
    elif how == "finished":
        channel.finish()
        origin.link.send(frames.DATA, channel.number, b"x")
    else:
        origin.link.send(frames.DATA, channel.number, b"x", length=0xFFFFFFFF)
    assert origin.link.until_closed() == frames.VIOLATION
    data, reset = is_reset(pair)
    assert set(data) <= {0} and (reset or how == "finished")
    wait_for(lambda: cannot_be_written(pair), "the end of the other descriptor")
    pair.close()
    pid = origin.settled()
    wait_for(lambda: descriptors(pid) <= held, "the descriptors")


# Who goes


def T4_aLostDeviceIsAnError(origin):
    channel, pair = origin.open()
    channel.send(b"half of it")
    # All of it has come to the daemon.
    origin.link.round_trip()
    origin.link.close()
    assert is_reset(pair) == (b"half of it", True)
    with pytest.raises(BrokenPipeError):
        pair.write(b"x")
    pair.close()


def attack16_aRemovedDevicesStreamsEnd(origin):
    held = descriptors(origin.settled())
    channel, pair = origin.open()
    origin.peer.unpair(origin.device)
    assert is_reset(pair)[1]
    pair.close()
    pid = origin.settled()
    wait_for(lambda: descriptors(pid) <= held, "the descriptors")


def attack37_aDaemonThatIsKilledIsAnError(origin):
    channel, pair = origin.open()
    channel.send(b"half of it")
    assert pair.read() == b"half of it"
    os.kill(origin.device.pid(), signal.SIGKILL)
    assert is_reset(pair) == (b"", True)
    wait_for(lambda: cannot_be_written(pair), "the end of the other descriptor")
    pair.close()


def T5_anApplicationThatIsKilledLooksLikeOneThatHasClosed(origin):
    held = descriptors(origin.settled())
    channel = origin.ask()
    words = origin.probe.expect("received-streams a")
    pair = take(origin.probe, words, keep=True)
    pair.write(b"the last words")
    pair.close()
    origin.probe.process.kill()
    assert answer(channel)["kind"] == "stream"
    assert channel.whole() == b"the last words"
    assert origin.link.next(frames.STOP).channel == channel.number
    channel.finish()
    pid = origin.settled()
    wait_for(lambda: descriptors(pid) < held, "the descriptors")
