"""Two devices are paired by their people: with digits, and with a code."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import time

import pytest

from harness.bounds import SECONDS
from harness.device import Device
from harness.lines import Lines
from harness.pairing import Dialogue, address
from harness.peer.pairing import Stranger
from harness.tree import SEGUE
from harness.waiting import wait_for


@pytest.fixture
def two():
    desk, lap = Device("desk"), Device("lap")
    yield desk, lap
    desk.close()
    lap.close()


def digits_are_typed(desk, lap):
    """The dialogue on both, up to the question whether the digits were taken."""
    waiting = Dialogue(lap)
    waiting.says("Waiting")
    going = Dialogue(desk, address(lap))
    digits = going.digits()
    waiting.says('Which digits does "desk" show')
    return going, waiting, digits


def is_unpaired(*devices):
    return all(device.json("devices") == [] for device in devices)


def test_digits_that_are_typed_pair_both(two):
    desk, lap = two
    going, waiting, digits = digits_are_typed(desk, lap)
    with going, waiting:
        waiting.type(digits)
        going.says('Did "lap" accept the digits')
        assert is_unpaired(desk, lap)
        going.type("y")
        assert "lap" in going.says("Paired with") and "desk" in waiting.says("Paired with")
        assert going.status() == 0 and waiting.status() == 0
    desk.online(lap)
    lap.online(desk)


def test_a_code_pairs_without_questions(two):
    desk, lap = two
    with Dialogue(lap, "--code") as showing, Dialogue(desk, showing.code()) as using:
        using.says('Paired with "lap"')
        showing.says('Paired with "desk"')
        assert using.status() == 0 and showing.status() == 0
    desk.online(lap)
    lap.online(desk)


def test_attack12_wrong_digits_pair_nobody(two):
    desk, lap = two
    going, waiting, digits = digits_are_typed(desk, lap)
    with going, waiting:
        waiting.type("000001" if digits != "000 001" else "000002")
        waiting.says("not the digits")
        going.says("did not accept")
        assert going.status() == 1 and waiting.status() == 1
    assert is_unpaired(desk, lap)


def test_attack12_after_three_wrong_tries_nobody_pairs(two):
    desk, lap = two
    for _ in range(3):
        going, waiting, digits = digits_are_typed(desk, lap)
        with going, waiting:
            waiting.type("000001" if digits != "000 001" else "000002")
            waiting.says("not the digits")
    with Dialogue(lap) as refused:
        refused.says("Three times")
        assert refused.status() == 1


@pytest.mark.parametrize("reveals", [False, True])
def test_attack12_who_leaves_before_the_digits_are_typed_has_had_a_guess(two, tmp_path, reveals):
    desk, lap = two
    mallory = Stranger(tmp_path)
    for number in range(3):
        with Dialogue(lap) as waiting:
            waiting.says("Waiting")
            with mallory.dial(lap) as talk:
                assert talk.begin()["kind"] == "nonce"
                if reveals:
                    talk.reveal()
                    waiting.says('Which digits does "mallory" show')
            waiting.says("Somebody began to pair and went away")
            waiting.says("use a code")
            assert waiting.status() == 1
    with Dialogue(lap) as refused:
        refused.says("Three times .* nobody can pair by digits")
        refused.says("use a code")
        assert refused.status() == 1
    # A code, which nobody can guess, goes on meanwhile, whoever begins and leaves.
    with Dialogue(lap, "--code") as showing:
        code = showing.code()
        for _ in range(20):
            with mallory.dial(lap) as talk:
                assert talk.begin()["kind"] == "nonce"
        with mallory.dial(lap) as talk:
            talk.begin()
            with Dialogue(desk, code) as using:
                using.says('Paired with "lap"')
                showing.says('Paired with "desk"')
    assert "undecided" in (lap.folder / "log").read_text()


def test_attack12_silent_strangers_do_not_hold_the_window(two, tmp_path):
    desk, lap = two
    mallory = Stranger(tmp_path)
    talks = []
    with Dialogue(lap) as waiting:
        waiting.says("Waiting")
        try:
            talks += [mallory.dial(lap) for _ in range(12)]
            with Dialogue(desk, address(lap)) as going:
                digits = going.digits()
                waiting.says('Which digits does "desk" show')
                waiting.type(digits)
                going.says("Did .* accept the digits")
                going.type("y")
                going.says("Paired")
        finally:
            for talk in talks:
                talk.connection.close()


def test_what_is_no_six_digits_is_no_try(two):
    desk, lap = two
    going, waiting, digits = digits_are_typed(desk, lap)
    with going, waiting:
        for line in ["", "hello", "12345", "1234567"]:
            waiting.type(line)
            waiting.says("no six digits")
        waiting.type(digits.replace(" ", "-"))
        going.says('Did "lap" accept the digits')
        going.type("y")
        assert going.status() == 0 and waiting.status() == 0


def pairing_state(device):
    with device.bus() as bus:
        return bus.control("GetPairing")[0]["state"]


def until_closed(device):
    wait_for(lambda: pairing_state(device) != "open", "the end of the window")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_pairing_ends_with_its_command(two, number):
    desk, lap = two
    with Dialogue(lap) as waiting:
        waiting.says("Waiting")
        waiting.process.send_signal(number)
        assert waiting.status() == -number
        until_closed(lap)
        with Dialogue(desk, address(lap)) as late:
            late.says("does not pair")
    for ends, goes_on in [(0, 1), (1, 0)]:
        *both, digits = digits_are_typed(desk, lap)
        with both[0], both[1]:
            both[ends].process.send_signal(number)
            both[goes_on].says("cancelled on the other device")
            assert both[goes_on].status() == 1
    assert is_unpaired(desk, lap)


def test_a_pairing_ends_with_its_terminal(two):
    desk, lap = two
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [SEGUE, "pair"], env=lap.environment, stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    os.close(slave)
    lines = Lines(process.stdout.fileno())
    while "Waiting" not in lines.next():
        pass
    os.close(master)
    assert process.wait(SECONDS) == 1
    process.stdout.close()
    until_closed(lap)
    with Dialogue(desk, address(lap)) as late:
        late.says("does not pair")


def test_a_pairing_ends_with_who_asked_for_it_on_the_bus(two):
    desk, lap = two
    with lap.bus() as bus:
        bus.control("Pair", "a{sv}", [{}])
    until_closed(lap)
    with lap.bus() as bus, lap.bus() as other:
        bus.control("Pair", "a{sv}", [{}])
        other.control("RenewPairing")
        assert pairing_state(lap) == "open"
    until_closed(lap)


def test_attack7_a_pairing_that_fails_on_the_other_side_takes_nothing_away(two):
    desk, lap = two
    with Dialogue(lap, "--code") as showing, Dialogue(desk, showing.code()) as using:
        using.says("Paired")
        showing.says("Paired")
    desk.online(lap)
    # The daemon cannot write: there is a directory, and not an empty one, in the place of the new file.
    obstacle = lap.folder / "state/segue/devices.new"
    end = time.monotonic() + SECONDS
    while not obstacle.is_dir():
        # The daemon may be writing its notes on the link at this moment.
        assert time.monotonic() < end
        with contextlib.suppress(FileExistsError, NotADirectoryError):
            (obstacle / "x").mkdir(parents=True)
    with Dialogue(lap, "--code") as showing, Dialogue(desk, showing.code()) as using:
        assert using.status() == 1 and showing.status() == 1
    for device in two:
        assert len(device.json("devices")) == 1
    (obstacle / "x").rmdir()
    obstacle.rmdir()
    desk.online(lap)
    lap.online(desk)


def test_whoever_says_no_pairs_nobody(two):
    desk, lap = two
    going, waiting, digits = digits_are_typed(desk, lap)
    with going, waiting:
        waiting.type(digits)
        going.says('Did "lap" accept the digits')
        going.type("n")
        assert going.status() == 1 and waiting.status() == 1
    assert is_unpaired(desk, lap)


def test_a_code_is_good_once(two):
    desk, lap = two
    phone = Device("phone")
    try:
        with Dialogue(lap, "--code") as showing:
            code = showing.code()
            with Dialogue(desk, code) as using:
                using.says("Paired")
        with Dialogue(phone, code) as late:
            assert late.status() == 1
        assert is_unpaired(phone) and len(lap.json("devices")) == 1
    finally:
        phone.close()


def test_attack13_a_device_that_does_not_pair_is_not_reached(two):
    desk, lap = two
    with Dialogue(desk, address(lap)) as going:
        going.says("does not pair.*Trying again")
    assert is_unpaired(desk, lap)


def test_aDeviceThatDoesNotPairYetIsWaitedFor(two):
    desk, lap = two
    with Dialogue(desk, address(lap)) as going:
        going.says("Trying again")
        with Dialogue(lap) as waiting:
            digits = going.digits()
            # A line that is typed before the question is no answer to it.
            waiting.says('Which digits does "desk" show')
            waiting.type(digits)
            waiting.says("Waiting for .desk. to confirm")
            going.says("accept the digits")
            going.type("y")
            assert going.status() == 0 and waiting.status() == 0


@pytest.mark.parametrize("bad", ["192.0.2.7:0", "192.0.2.7:65536", "lap example:4711"])
def test_attack5_an_address_that_is_typed_has_a_port(two, bad):
    with Dialogue(two[0], "192.0.2.8:4711", bad) as refused:
        refused.says("is not an address")
        assert refused.status() == 1


def test_attack14_a_daemon_that_is_killed_pairs_nobody(two):
    desk, lap = two
    going, waiting, digits = digits_are_typed(desk, lap)
    with going, waiting:
        lap.stop_daemon(9)
        assert going.status() == 1
        assert waiting.status() == 2
    assert is_unpaired(desk, lap)


def test_unpair_forgets_the_device(two):
    desk, lap = two
    with Dialogue(lap, "--code") as showing, Dialogue(desk, showing.code()) as using:
        using.says("Paired")
    desk.online(lap)
    assert 'Removed "lap"' in desk.segue("unpair", "lap")
    assert is_unpaired(desk)
    lap.online(desk, False)


def test_nobody_to_ask_ends_the_pairing(two):
    desk, lap = two
    going, waiting, digits = digits_are_typed(desk, lap)
    with going, waiting:
        waiting.process.stdin.close()
        waiting.says("standard input")
        assert waiting.status() == 1 and going.status() == 1


def read_picture(file, scale=4):
    """The text that a camera reads from the picture: its dots, as a portable graymap, read by zbar."""
    text = file.read_text()
    size = int(re.search(r'viewBox="0 0 (\d+)', text).group(1))
    rows = [[b"\xff"] * size for _ in range(size)]
    for column, row in re.findall(r"M(\d+) (\d+)h1v1h-1z", text):
        rows[int(row)][int(column)] = b"\x00"
    pixels = b"".join(b"".join(dot * scale for dot in row) * scale for row in rows)
    graymap = file.with_suffix(".pgm")
    graymap.write_bytes(b"P5 %d %d 255\n" % (size * scale, size * scale) + pixels)
    return subprocess.run(
        ["zbarimg", "--quiet", "--raw", str(graymap)], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def test_a_code_can_be_photographed(two, tmp_path):
    desk, lap = two
    with Dialogue(lap, "--code", "--image", str(tmp_path / "code.svg")) as showing:
        code = showing.code()
        assert read_picture(tmp_path / "code.svg") == code
        assert (tmp_path / "code.svg").stat().st_mode & 0o777 == 0o600
        with Dialogue(desk, code) as using:
            using.says('Paired with "lap"')


def test_a_picture_without_a_code_is_refused(two):
    with Dialogue(two[0], "--image", "/nowhere") as refused:
        refused.says("no picture without a code")
        assert refused.status() == 1
