"""Situations, the sentence that the command line has for each, and the cure."""

import contextlib
import re
import socket
import subprocess
import threading

import pytest
from harness.bounds import SECONDS
from harness.device import Device, pair
from harness.network import Network
from harness.tree import SEGUE, SEGUED
from harness.waiting import wait_for


def status(environment):
    """(exit status, the sentence, the advice under it) of `segue status`."""
    command = subprocess.run(
        [SEGUE, "status"], env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, timeout=2 * SECONDS)
    sentence, advice = command.stderr.splitlines() if command.stderr else ("", "")
    return command.returncode, sentence, advice.strip()


def without(environment, *names):
    return {name: value for name, value in environment.items() if name not in names}


# Situations. Each changes a device, and gives the environment of the command.


def no_bus(device):
    return without(device.environment, "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")


def a_bus_that_has_ended(device):
    device.kill_bus()
    return device.environment


def a_bus_of_somebody_else(device):
    path = f"{device.folder}/other-bus"
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen()
    # The caller is let go, as a bus does with another user.
    threading.Thread(target=lambda: (listening.accept()[0].close(), listening.close())).start()
    return {**device.environment, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={path}"}


def not_installed(device):
    for service in (device.data / "dbus-1/services").iterdir():
        service.unlink()
    device.reload()
    return device.environment


def a_program_that_is_gone(device):
    device.install_daemon("/no/such/segued")
    device.reload()
    return device.environment


def a_program_that_dies(device):
    device.install_daemon("/bin/false")
    device.reload()
    return device.environment


def configured(name, text):
    def make(device):
        (device.folder / "config/segue" / name).write_text(text)
        return device.environment

    return make


def a_folder_that_others_reach(device):
    folder = device.folder / "state/segue"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    return device.environment


SITUATIONS = [
    (no_bus, 2, "There is no session bus", "set DBUS_SESSION_BUS_ADDRESS"),
    (a_bus_that_has_ended, 2, "There is no session bus", "dbus-run-session"),
    (a_bus_of_somebody_else, 2, "other-bus does not let this command in", "without sudo"),
    (not_installed, 2, "the session bus does not know how to start it", "Install it"),
    (a_program_that_is_gone, 2, "could not start the Segue daemon: .*No such file", "journalctl --user -u segued"),
    (a_program_that_dies, 2, "could not start the Segue daemon: .*exited with status 1", "start segued by hand"),
    (configured("segue.conf", "[Link]\nName=x\nListen\n"), 2, r"segue\.conf: Line 3: neither", "Fix the file"),
    (configured("segue.conf", "[Link]\nListen=nowhere;\n"), 2, r"Line 2: Listen names \"nowhere\"", "Fix the file"),
    (configured("segue.conf", "[Link]\nListen=[fe80::1]:4711\n"), 2,
     r"Line 2: Listen names \[fe80::1\]:4711, which each .*: write \[fe80::1%INTERFACE\]:4711", "Fix the file"),
    (configured("segue.conf", "[Notifications]\nOffers=perhaps\n"), 2, "Line 2: Offers is neither", "Fix the file"),
    (configured("segue.conf", "[Notifications]\n\nPerMinute=0\n"), 2, "Line 3: PerMinute is not", "Fix the file"),
    (configured("segue.conf", "[Limits]\nSaveTime=0\n"), 2, "Line 2: SaveTime is not between", "Fix the file"),
    (configured("segue.conf", "[Policy]\nWithhold=x;\n"), 2, "Line 2: Withhold names \"x\"", "Fix the file"),
    (configured("segue.conf", "[Discovery]\nSkipNetworks=home;\n"), 2, "Line 2: SkipNetworks names", "Fix the file"),
    (configured("defaults.conf", "[Default Applications]\na.b=x\n"), 2, r"defaults\.conf: Line 2: a\.b is", "Fix"),
    (configured("defaults.conf", "[Links]\nKeepInBrowser=-;\n"), 2, "Line 2: KeepInBrowser names", "Fix the file"),
    (a_folder_that_others_reach, 2, "state/segue belongs to another user or can be reached", "chmod go="),
]


@pytest.mark.parametrize("make, code, sentence, cure", SITUATIONS, ids=[
    getattr(make, "__name__", "") + f"-{number}" for number, (make, *_) in enumerate(SITUATIONS)])
def test_whoseDaemonCannotStart(new_device, make, code, sentence, cure):
    device = new_device("desk")
    got, said, advice = status(make(device))
    assert got == code, (got, said)
    assert re.search(sentence, said) and said.startswith("segue: ") and said.endswith("."), said
    assert cure in advice, advice
    assert "org.freedesktop" not in said + advice and "make install" not in advice


def test_theNextCommandAfterTheCureStartsIt(new_device):
    device = new_device("desk")
    path = device.folder / "config/segue/segue.conf"
    right = path.read_text()
    path.write_text("nonsense\n")
    assert "Line 1" in status(device.environment)[1]
    path.write_text(right)
    # Also while the one that could not start still says so.
    wait_for(lambda: status(device.environment)[0] == 0, "the daemon")


def test_twoBusesOfOneUser(new_device):
    """The second bus's daemon ends well, so that the bus would wait for its name as long as it waits for any."""
    desk = new_device("desk")
    desk.start_daemon()
    pid = desk.pid()
    here = desk.environment["DBUS_SESSION_BUS_ADDRESS"]
    second = subprocess.Popen(
        ["dbus-daemon", f"--config-file={second_configuration(desk)}", "--nofork", "--nopidfile"],
        env=desk.environment, stdin=subprocess.DEVNULL, stderr=desk.log)
    try:
        wait_for(lambda: (desk.folder / "second").exists(), "the second bus")
        elsewhere = {**desk.environment, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={desk.folder}/second"}
        for _ in range(2):
            got, said, advice = status(elsewhere)
            assert got == 2 and "serves another session bus" in said and f"(process {pid})" in said, said
            assert f"export DBUS_SESSION_BUS_ADDRESS='{here}'" in advice and f"kill {pid}" in advice, advice
        assert desk.pid() == pid and status(desk.environment)[0] == 0
        # The cure.
        desk.stop_daemon()
        wait_for(lambda: status(elsewhere)[0] == 0, "the daemon on the second bus")
        assert status(desk.environment)[0] == 2
    finally:
        second.kill()
        second.wait()


def second_configuration(device):
    path = device.folder / "second.conf"
    path.write_text((device.folder / "bus.conf").read_text().replace("/bus</listen>", "/second</listen>"))
    return path


def test_anAddressThatTheMachineLacksIsWaitedFor():
    with contextlib.ExitStack() as ends:
        network = Network()
        ends.callback(network.close)
        desk = Device("desk", host=network.host(), listen="10.77.0.99")
        ends.callback(desk.close)
        lap = Device("lap", host=network.host())
        ends.callback(lap.close)
        shown = desk.json("status")
        assert shown["addresses"] == []
        assert any(note.startswith("10.77.0.99:") and "Listen" in note for note in shown["notes"]), shown
        assert "10.77.0.99:" in desk.segue("status") and "is not an address of this machine now" in desk.report()
        # As a cable that is plugged in later.
        network_address = ["address", "add", "10.77.0.99/24", "dev", "eth0"]
        subprocess.run(["ip", "-n", desk.host.name, *network_address], check=True)
        wait_for(lambda: desk.json("status")["addresses"], "the address")
        assert desk.json("status")["notes"] == []
        pair(desk, lap)


def hint(device, other):
    return next((row.get("hint") or "" for row in device.json("devices") if row["name"] == other.name), "")


@pytest.mark.parametrize("when", ["linked", "apart"])
def test_aDeviceThatWasUnpairedThere(new_device, when):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    if when == "apart":
        desk.stop_daemon()
        lap.online(desk, False)
    lap.segue("unpair", "desk")
    desk.start_daemon()
    told = "It was unpaired there" if when == "linked" else "does not know this one"
    said = desk.until_asked(lambda: told in hint(desk, lap) and hint(desk, lap), "the hint", "DevicesChanged")
    assert "segue pair" in said and f"segue unpair {desk.json('devices')[0]['id'][:9]}" in said, said
    assert said in desk.segue("devices") and said in desk.segue("status")
    # The cure.
    pair(desk, lap)
    assert hint(desk, lap) == ""


def test_aSecondDaemonByHandSaysWhoRuns(new_device):
    device = new_device("desk")
    device.start_daemon()
    second = subprocess.run([SEGUED], env=device.environment, stderr=subprocess.PIPE, text=True, timeout=2 * SECONDS)
    assert second.returncode == 0 and f"(process {device.pid()})" in second.stderr
    assert status(device.environment)[0] == 0
