"""Errors (semantics, section E) and the sizes that they are about."""

import re

import pytest
from harness.encoding import decode, hexadecimal
from harness.tree import PREFIX
from harness.waiting import wait_for
from harness.wire import BusError

KIB = 1024


def info_of(size):
    """A userInfo whose encoding has about that many bytes, in entries of which `largest` is the largest."""
    entries = {"largest": "x" * min(size // 2, 60 * KIB)}
    left = size - len(entries["largest"])
    while left > 0:
        part = min(left, 40 * KIB)
        entries[f"part{len(entries)}"] = "y" * part
        left -= part
    return entries


@pytest.mark.parametrize("size", [63 * KIB, 66 * KIB, 99 * KIB], ids=["inline", "memory", "almostTooLarge"])
def E2_upToTheLimitItArrives(page, lap, application, size):
    # Above 64 KiB it crosses both doors in a sealed memfd.
    origin, place = page
    info = hexadecimal(info_of(size))
    origin.do(f"info a {info}")
    target = place.start()
    command = lap.take(lap.offer(application))
    assert target.expect("continue")[1] == info
    command.succeeded()


def E2_tooLargeIsToldAtTheOrigin(both, desk, lap, application):
    probe = both[1].start()
    logger = both[0].start(environment={"SEGUE_LOG": "debug"})
    logger.do(f"activity a {application.type}", "title a Large", f"info a {hexadecimal(info_of(110 * KIB))}")
    logger.do("current a")
    command = lap.take(lap.offer(application, title="Large"))
    _, code, message = probe.expect("fail")
    assert code == "4611"
    size = len(bytes.fromhex(hexadecimal(info_of(110 * KIB))))
    # The origin's own line may come after its answer.
    wait_for(lambda: f"{size} bytes" in desk.report(), "the line in the origin's log")
    for text in [message, command.failed(), desk.report()]:
        assert f"{size} bytes" in text and str(100 * KIB) in text and "largest" in text, text
    assert probe.count("continue") == 0
    # The offer stays; with less in it, it can be taken.
    logger.do("info a a0")
    lap.take(lap.offer(application, title="Large")).succeeded()


def E2_tooLargeOnlyByWhatAResponderAdds(both, desk, lap, application):
    target = both[1].start()
    origin = both[0].start(environment={"SEGUE_LOG": "debug"})
    origin.do("responder one", "responder two", f"activity a {application.type}", "put a small int 1")
    for responder in ["one", "two"]:
        origin.do(f"state {responder} {responder} string {'x' * 60 * KIB}")
    origin.do("attach one a", "attach two a")
    command = lap.take(lap.offer(application))
    _, code, message = target.expect("fail")
    assert code == "4611" and str(100 * KIB) in message and "one" in message
    command.failed()
    # The activity is not lost: with a smaller state the next continuation succeeds.
    origin.do("state two two string y", "needs-save a 1")
    command = lap.take(lap.offer(application))
    assert decode(target.expect("continue")[1]) == {"one": "x" * 60 * KIB, "two": "y"}
    command.succeeded()


@pytest.mark.parametrize("way", ["exit", "close"], ids=["theProcess", "theApplication"])
def E1_anOriginThatEndsWhileItSavesWasNotAvailable(both, lap, application, way):
    target = both[1].start()
    origin = both[0].start()
    origin.do("responder r", f"activity a {application.type}", "attach r a")
    offer = lap.offer(application)
    origin.do(f"on update {way}", "needs-save a 1")
    command = lap.take(offer)
    assert target.expect("fail")[1] == "4608"
    command.failed()


def E3_noCallEndsTheProcess(page):
    origin, _ = page
    assert origin.do("null-args").startswith("null-args ok ")
    assert origin.do("wrong-thread") == "wrong-thread -1 EPERM"
    assert origin.do("fork-check") == "fork-check 0"


def E4_oneWarningForEachTypeOverTheAdvisedSize(both, desk, lap, application):
    both[1].start()
    logger = both[0].start(environment={"SEGUE_LOG": "debug"})
    logger.do(f"activity a {application.type}", "title a Wide", f"info a {hexadecimal(info_of(4 * KIB))}", "current a")
    for _ in range(2):
        lap.take(lap.offer(application, title="Wide")).succeeded()
    warnings = [line for line in desk.report().splitlines() if f"userInfo of {application.type}" in line]
    assert len(warnings) == 1, warnings
    size = len(bytes.fromhex(hexadecimal(info_of(4 * KIB))))
    assert str(size) in warnings[0] and "largest" in warnings[0]


def E1_everyErrorOfTheCommandLineIsASentenceWithAdvice(desk):
    for arguments, words in [
            (["continue", "f" * 32], "There is no such offer"), (["device", "add", "nonsense"], "not a device id"),
            (["device", "remove", "nobody"], "")]:
        error = desk.start(*arguments).failed()
        first, *rest = error.splitlines()
        assert first.startswith("segue: ") and first.endswith(".") and words in first, error
        assert rest and rest[0].startswith("  ") and rest[0].endswith((".", "activities", "devices")), error


def bus_name(constant):
    """SEGUE_ERROR_NOT_FOUND of the ABI is org.segue.Error.NotFound on the bus."""
    codes = re.findall(r"SEGUE_ERROR_([A-Z_]+) = \d+", (PREFIX / "include" / "segue" / "error.h").read_text())
    assert constant in codes
    return "org.segue.Error." + constant.title().replace("_", "")


def E1_errorsOnTheBusHaveTheNamesOfTheABI(desk):
    with desk.bus() as bus:
        for member, signature, body, constant in [
                ("Continue", "sa{sv}", ["0" * 32, {}], "NOT_FOUND"),
                ("Continue", "sa{sv}", ["0", {}], "INVALID_ARGUMENT"),
                ("RemoveDevice", "s", [""], "INVALID_ARGUMENT")]:
            with pytest.raises(BusError) as error:
                bus.call("org.segue.Control1", "/org/segue/Control1", "org.segue.Control1", member, signature, body)
            assert error.value.name == bus_name(constant)
            assert error.value.text


def E1_whatWasEndedMeanwhileIsSaidOfItsApplication(page, lap, application):
    origin, place = page
    target = place.start()
    offer = lap.offer(application)
    origin.do("stop-dispatch")
    command = lap.take(offer)
    # It is asked for its state, and ends the activity before it has read that.
    origin.do("await-input", "invalidate a", "resume-dispatch")
    _, code, message = target.expect("fail")
    assert code == "9002" and f"{application.id} on the other device has ended" in message
    said, advice = command.failed().splitlines()
    assert message in said and "Open it there again" in advice
