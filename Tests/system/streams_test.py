"""Continuation streams as applications have them (semantics T1-T5): between two devices, and on one."""

import hashlib
import os
import select
import signal
import threading

import pytest
from harness.bounds import SECONDS
from harness.device import pair, unpair
from harness.process import descriptors
from harness.streams import take
from harness.teams import DEVELOPER, TYPE, sign, team_of
from harness.waiting import wait_for

MEBIBYTE = 1024 * 1024


class Couple:
    """Two applications, of which `target` has continued activity `a` of `origin`."""

    def __init__(self, origin, target, devices):
        self.origin = origin
        self.target = target
        self.devices = devices

    def ask(self):
        """The words of both events: what the target got, and what the origin did."""
        self.target.do("get-streams t continued")
        return self.target.expect("streams t"), self.origin.expect("received-streams a")

    def open(self, keep=False):
        """A stream, in the test's hands: the target's pair, and the origin's."""
        words = self.ask()
        return take(self.target, words[0], keep), take(self.origin, words[1], keep)

    def until_opened(self):
        """Asks until there is a stream, and closes it: what changes at the other end is known here a moment later."""
        def asked():
            self.target.do("get-streams t continued")
            wait_for(lambda: [event for event in self.target.pending if "streams t" in event], "an answer",
                     lambda _: self.target.do("who"))
            if any(event.startswith("streams t") for event in self.target.pending):
                return True
            self.target.expect("no-streams t")
            return False

        wait_for(asked, "a stream")
        for probe, event in [(self.target, "streams t"), (self.origin, "received-streams a")]:
            take(probe, probe.expect(event)).close()

    def refused(self):
        """The code and the sentence of a request that fails."""
        self.target.do("get-streams t continued")
        code, message = self.target.expect("no-streams t")
        return int(code), message


def continued(origin, target, device, application, name="continue"):
    command = device.take(device.offer(application))
    target.expect(name)
    command.succeeded()
    origin.expect("was-continued a")


OFFERED = ["title a Page", "delegate a", "support-streams a 1", "put a page int 7", "current a"]


def across(desk, lap, application, install):
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", *OFFERED)
    target = install(lap, application).start()
    continued(origin, target, lap, application)
    return Couple(origin, target, (desk, lap))


def here(new_device, new_application, install):
    desk = new_device("desk", settings=DEVELOPER)
    team = team_of(desk)
    writer, reader = (new_application(types=[TYPE], lines=[f"X-Segue-Team={team}"]) for _ in range(2))
    sign(desk, desk, options=["--app", writer.id, "--app", reader.id])
    target = install(desk, reader).start()
    origin = install(desk, writer).start()
    origin.do(f"activity a {TYPE}", *OFFERED)
    continued(origin, target, desk, writer)
    return Couple(origin, target, (desk, desk))


@pytest.fixture
def linked(desk, lap, application, install):
    """On two devices, which stay as they are."""
    return across(desk, lap, application, install)


@pytest.fixture
def apart(new_device, application, install):
    """On two devices of the test's own, which it may harm."""
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    return across(desk, lap, application, install)


@pytest.fixture(params=["acrossTheLink", "here"])
def couple(request, new_device, new_application, install, desk, lap):
    if request.param == "here":
        return here(new_device, new_application, install)
    return across(desk, lap, new_application(), install)


def in_background(function, *arguments):
    """Runs it on another thread; what waits for its result, or raises what it raised."""
    outcome = []

    def run():
        try:
            outcome.append((function(*arguments), None))
        except Exception as error:
            outcome.append((None, error))

    thread = threading.Thread(target=run)
    thread.start()

    def result():
        thread.join(SECONDS)
        assert outcome, f"{function.__name__} does not end"
        value, error = outcome[0]
        if error:
            raise error
        return value

    return result


def read_all(pair):
    data = bytearray()
    while part := pair.read():
        data += part
    return bytes(data)


def write_and_end(pair, data):
    pair.write(data)
    pair.close_output()


def has_ended(pair):
    """Waits until there is something to read; whether that is the end of file."""
    assert select.select([pair.input], [], [], SECONDS)[0], "nothing comes"
    return pair.read() == b""


def writes_until_it_breaks(pair):
    with pytest.raises(BrokenPipeError):
        while True:
            pair.write(bytes(65536))


def is_lost(pair):
    """Reads what has arrived, and then the loss."""
    assert select.select([pair.input], [], [], SECONDS)[0], "nothing comes"
    with pytest.raises(ConnectionResetError):
        read_all(pair)


def T1_anActivityThatDoesNotSupportThem(couple):
    couple.origin.do("support-streams a 0")
    code, message = couple.refused()
    assert code == 9004 and "does not support" in message
    couple.origin.do("support-streams a 1")
    couple.until_opened()
    couple.origin.do("support-streams a 0")
    assert couple.refused()[0] == 9004


def T1_anOriginWithoutADelegateThatTakesThem(couple):
    couple.origin.do("on streams absent", "delegate a")
    code, message = couple.refused()
    assert code == 9014 and "delegate" in message
    couple.origin.do("on streams take", "delegate a")
    for end in couple.open():
        end.close()


def T2_anActivityThatWasNotContinued(linked):
    linked.origin.do("who")
    assert linked.origin.refused("get-streams t a") == "EINVAL"


def T3_oneSidesOutputIsTheOthersInput(couple):
    held = [descriptors(probe.pid) for probe in (couple.target, couple.origin)]
    target, origin = couple.open()
    sent = {end: os.urandom(MEBIBYTE) for end in (target, origin)}
    writing = [in_background(write_and_end, end, data) for end, data in sent.items()]
    reading = [in_background(read_all, end) for end in (origin, target)]
    for write, read, data in zip(writing, reading, sent.values()):
        write()
        assert hashlib.sha256(read()).digest() == hashlib.sha256(data).digest()
    for end in (target, origin):
        end.close()
    assert [descriptors(probe.pid) for probe in (couple.target, couple.origin)] == held


def T3_eachHasItsDirection(couple):
    for end in couple.open():
        with pytest.raises(OSError):
            os.write(end.input, b"x")
        with pytest.raises(OSError):
            os.read(end.output, 1)
        assert os.get_blocking(end.input) and os.get_blocking(end.output)
        end.close()


def T3_soManyAreOpenAtOnce(couple):
    streams = [couple.open() for _ in range(4)]
    assert couple.refused()[0] == 9005
    for number, (target, origin) in enumerate(streams):
        target.write(b"to %d" % number)
        origin.write(b"from %d" % number)
    for number, (target, origin) in enumerate(streams):
        assert origin.read() == b"to %d" % number
        assert target.read() == b"from %d" % number
    for end in streams.pop():
        end.close()
    couple.until_opened()
    for pairs in streams:
        for end in pairs:
            end.close()


def T4_closingAnOutputIsTheEndOfFile(couple):
    target, origin = couple.open()
    target.write(b"the question")
    target.close_output()
    assert origin.read_exactly(12) == b"the question"
    assert has_ended(origin)
    # The other direction goes on.
    origin.write(b"the answer")
    assert target.read_exactly(10) == b"the answer"
    origin.close()
    assert has_ended(target)
    target.close()


def T4_closingAnInputBreaksTheOthersPipe(couple):
    target, origin = couple.open()
    target.close_input()
    writes_until_it_breaks(origin)
    target.write(b"still there")
    assert origin.read_exactly(11) == b"still there"
    target.close()
    origin.close()


def T4_aSlowReaderHoldsUpItsOwnWriterOnly(couple):
    (target, origin), (beside, other) = couple.open(), couple.open()
    os.set_blocking(target.output, False)
    data = os.urandom(16 * MEBIBYTE)
    view, quiet = memoryview(data), 0
    # Unread bytes fill all buffers on the way, and then the writer waits.
    while quiet < 20:
        try:
            view = view[os.write(target.output, view):]
            quiet = 0
        except BlockingIOError:
            quiet += 1
            # Another one is not in its way.
            beside.write(b"x")
            assert other.read_exactly(1) == b"x"
    assert 0 < len(data) - len(view) < 4 * MEBIBYTE
    os.set_blocking(target.output, True)
    writing = in_background(write_and_end, target, view)
    assert hashlib.sha256(read_all(origin)).digest() == hashlib.sha256(data).digest()
    writing()
    for end in (target, origin, beside, other):
        end.close()


def T4_anApplicationThatIsKilledLooksLikeOneThatCloses(couple):
    words, theirs = couple.ask()
    with take(couple.origin, theirs) as origin:
        origin.write(b"what it has not read")
        couple.target.kill()
        assert has_ended(origin)
        writes_until_it_breaks(origin)


@pytest.mark.parametrize("whose", ["theOrigins", "theTargets"])
def T4_aDaemonThatIsKilledIsALossAtBothEnds(apart, whose):
    target, origin = apart.open(keep=True)
    for one, other in [(target, origin), (origin, target)]:
        one.write(b"before it")
        assert other.read_exactly(9) == b"before it"
    desk, lap = apart.devices
    (desk if whose == "theOrigins" else lap).stop_daemon(signal.SIGKILL)
    for end in (target, origin):
        is_lost(end)
        writes_until_it_breaks(end)
        end.close()


def reason(probe, words):
    """The error of segue_stream_copy_error, once the application has received it."""
    def told():
        code, sentence = probe.do(f"stream-error {words[0]}").split()[1:]
        return None if code == "0" else (int(code), sentence.replace("%20", " "))

    return wait_for(told, "the reason")


def T4_aLostDeviceIsToldWithItsReason(apart):
    words = apart.ask()
    target, origin = take(apart.target, words[0], keep=True), take(apart.origin, words[1], keep=True)
    target.write(b"the last words")
    assert origin.read_exactly(14) == b"the last words"
    assert apart.origin.do(f"stream-error {words[1][0]}") == "stream-error 0 -"
    apart.devices[1].stop_daemon(signal.SIGKILL)
    is_lost(origin)
    code, sentence = reason(apart.origin, words[1])
    assert code == 4609 and "went away" in sentence
    # The error says of this device's daemon only that it ended.
    is_lost(target)
    code, sentence = reason(apart.target, words[0])
    assert code == 4609 and "daemon" in sentence
    target.close()
    origin.close()


def T5_whatIsAskedForInsideContinueComesBeforeWasContinued(desk, lap, application, install):
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", *OFFERED)
    target = install(lap, application).start()
    target.do("ask-inside 2 -")
    continued(origin, target, lap, application)
    came = [event.split()[0] for event in origin.seen]
    assert came.index("was-continued") > [i for i, event in enumerate(came) if event == "received-streams"][1]
    for _ in range(2):
        with take(target, target.expect("streams inside")) as end:
            end.write(b"from inside")


def T5_theyOutliveTheActivity(couple):
    target, origin = couple.open()
    couple.origin.do("invalidate a")
    assert couple.refused()[0] == 9002
    couple.target.do("invalidate continued")
    assert couple.target.refused("get-streams t continued") == "ESTALE"
    target.write(b"all the same")
    origin.write(b"likewise")
    assert (origin.read_exactly(12), target.read_exactly(8)) == (b"all the same", b"likewise")
    target.close()
    assert has_ended(origin)
    origin.close()


def T5_withTheirDeviceTheyEnd(apart):
    target, origin = apart.open(keep=True)
    target.write(b"x")
    assert origin.read_exactly(1) == b"x"
    unpair(apart.devices[0], apart.devices[1])
    for end in (target, origin):
        is_lost(end)
        end.close()
    assert apart.refused()[0] == 4609
