"""Files that are sent and are not what they should be, sides that go away, and bounds (semantics X12)."""

import os
import re
import signal
import stat
import subprocess

import pytest
from harness import sent_files
from harness.bounds import SECONDS
from harness.device import pair
from harness.notifications import Scripted
from harness.sent_files import FILES, MEBIBYTE, came, card, downloads, install, made, names, take
from harness.unharmed import unharmed
from harness.waiting import wait_for
from harness.wire import BusError

devices, server = sent_files.devices, sent_files.server


# Bad input

def X12_whatIsNoRegularFileIsRefused(devices):
    desk, _ = devices
    folder = desk.folder / "home"
    os.mkfifo(folder / "fifo")
    (folder / "folder").mkdir()
    secret = made(desk, "unreadable")
    secret.chmod(0)
    raw = os.fsencode(folder) + b"/\xff"
    with open(raw, "wb"):
        pass
    (folder / "link").symlink_to(os.fsdecode(raw))
    for path, sentence in [
            (folder / "fifo", "not a regular file"), (folder / "folder", "is a folder"),
            (folder / "nothing", "cannot be found"), ("/dev/null", "not a regular file"), (folder / "link", "not UTF-8")]:
        assert sentence in desk.start("send", "lap", "--file", path).failed()
    if os.geteuid() != 0:
        assert "cannot be read" in desk.start("send", "lap", "--file", secret).failed()
    many = [made(desk, f"many/{number}") for number in range(65)]
    assert "From 1 to 64 files" in desk.start("send", "lap", "--file", *many).failed()


def X12_aNameThatLeadsOutOfTheFolderDoesNot(devices, server):
    """The names are what another device says: the service is told them by the state of an activity."""
    desk, lap = devices
    for name in ["..\u202egpj.exe", "\x1b[31m.txt", ".bashrc"]:
        command = desk.start("send", "lap", "--file", made(desk, name))
        take(server)
        command.succeeded()
    assert all(re.fullmatch(r"[^/\x00-\x1f\u202e.][^/\x00-\x1f\u202e]*", name) for name in names(lap)), names(lap)
    assert not (lap.folder / "home/.bashrc").exists()


def X12_aFileThatIsGoneIsSaid(devices, server):
    desk, lap = devices
    path, other = made(desk, "gone"), made(desk, "there")
    command = desk.start("send", "lap", "--file", path, other)
    number, _ = card(server)
    path.unlink()
    server.signal("ActionInvoked", "us", number, "default")
    _, arguments = came(server)
    assert arguments[3] == "there from desk" and "gone: " in arguments[4]
    error = command.failed()
    assert "gone: " in error and names(lap) == ["there"]


def X12_aFileThatGrowsMeanwhileIsWholeOrNotThere(devices, server):
    desk, lap = devices
    path = made(desk, "log", b"x" * MEBIBYTE)
    command = desk.start("send", "lap", "--file", path)
    number, _ = card(server)
    with open(path, "ab") as file:
        file.write(b"y" * 10)
    server.signal("ActionInvoked", "us", number, "default")
    command.succeeded()
    assert (downloads(lap) / "log").read_bytes() == path.read_bytes()


def X12_aFolderThatCannotBeWrittenIsSaid(devices, server):
    desk, lap = devices
    # Not even root can make a file in it.
    downloads(lap).symlink_to("/proc/self")
    command = desk.start("send", "lap", "--file", made(desk, "a"))
    take(server)
    _, arguments = came(server)
    assert "could not be brought" in arguments[3] and arguments[5] == []
    assert "cannot be written to" in command.failed()


def X12_aDiskThatIsFullLeavesNothing(devices, server):
    desk, lap = devices
    full = lap.folder / "full"
    full.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", full], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        (lap.folder / "config/user-dirs.dirs").write_text(f'XDG_DOWNLOAD_DIR="{full}"\n')
        command = desk.start("send", "lap", "--file", made(desk, "large", b"x" * MEBIBYTE))
        take(server)
        assert "is full" in came(server)[1][4]
        assert "is full" in command.failed() and list(full.iterdir()) == []
    finally:
        subprocess.run(["umount", full], check=True)


def X12_aSenderThatGoesAwayIsSaid(devices, server):
    desk, lap = devices
    command = desk.start("send", "lap", "--file", made(desk, "a"))
    number, _ = card(server)
    with desk.bus() as bus:
        os.kill(bus.pid_of(f"{FILES}.Segue"), signal.SIGKILL)
    server.until_closed(number)
    status, _, error = command.result()
    assert status == 1 and error and names(lap) == []
    # The next one is served again.
    again = desk.start("send", "lap", "--file", made(desk, "b"))
    take(server)
    again.succeeded()
    assert names(lap) == ["b"]


def X12_aDaemonThatEndsEndsTheSending(devices, server):
    desk, lap = devices
    command = desk.start("send", "lap", "--file", made(desk, "a"))
    number, _ = card(server)
    desk.stop_daemon(signal.SIGKILL)
    assert "daemon has ended" in command.failed()


def X12_theServiceIsNotReachedByOthers(devices):
    desk, _ = devices
    command = desk.start("send", "lap", "--file", made(desk, "a"))
    wait_for(lambda: (desk.folder / "run/segue-files/socket").exists(), "the socket")
    folder = (desk.folder / "run/segue-files").stat()
    assert stat.S_IMODE(folder.st_mode) == 0o700
    with desk.bus() as bus, pytest.raises(BusError):
        bus.call(f"{FILES}.Segue", "/org/segue/Files1", "org.segue.Files1", "Offer", "sas", ["", []])
    command.process.kill()
    command.process.communicate()


def X12_theDaemonIsUnharmed(devices, server):
    desk, lap = devices
    # The service stays for a while, and with it its connections.
    first = desk.start("send", "lap", "--file", made(desk, "first"))
    take(server)
    first.succeeded()
    with unharmed(lap):
        command = desk.start("send", "lap", "--file", made(desk, "a"))
        take(server)
        command.succeeded(2 * SECONDS)


# Bounds

def times(take=600_000, quiet=300_000, notice=900_000, idle=15_000):
    """Bounds of the service, in milliseconds."""
    return "--times", f"{take},{quiet},{notice},{idle}"


def X12_whoDoesNotClickIsNotWaitedForForEver(devices, server):
    desk, _ = devices
    install(desk, *times(take=1_000))
    command = desk.start("send", "lap", "--file", made(desk, "a"))
    number, _ = card(server)
    assert "were not taken in time" in command.failed()
    server.until_closed(number)


def X12_aReceiverThatEndsIsNotWaitedForForEver(devices, server):
    desk, lap = devices
    install(desk, *times(quiet=2_000))
    # It has holes, and takes longer than the time to end the receiver.
    path = made(desk, "large")
    os.truncate(path, 4 << 30)
    command = desk.start("send", "lap", "--file", path)
    take(server)
    lap.until_asked(lambda: lap.json("transfers"), "the transfer", "TransfersChanged")
    with lap.bus() as bus:
        os.kill(bus.pid_of(f"{FILES}.Segue"), signal.SIGKILL)
    assert "has not said whether they are there" in command.failed()
    assert names(lap) == []


def X12_theServiceEndsWhenThereIsNothingToDo(devices, server):
    desk, lap = devices
    for device in (desk, lap):
        install(device, *times(notice=1_000, idle=500))
    command = desk.start("send", "lap", "--file", made(desk, "a"))
    take(server)
    came(server)
    command.succeeded()
    for device in (desk, lap):
        with device.bus() as bus:
            bus.match(f"type='signal',member='NameOwnerChanged',arg0='{FILES}.Segue'")
            while bus.ask("NameHasOwner", "s", [f"{FILES}.Segue"])[0]:
                bus.next_signal("NameOwnerChanged")
        assert not (device.folder / "run/segue-files/socket").exists()
    # The next one starts it again.
    again = desk.start("send", "lap", "--file", made(desk, "b"))
    take(server)
    again.succeeded()


def X12_soManySendingsAndNoMore(devices, server, new_device):
    desk, lap = devices
    tower = new_device("tower")
    install(tower)
    pair(desk, tower)
    # A device takes six a minute.
    other = Scripted(tower)
    commands = []
    for number in range(8):
        receiver, screen = [("lap", server), ("tower", other)][number % 2]
        commands.append(desk.start("send", receiver, "--file", made(desk, f"{number}")))
        card(screen)
    assert "8 sendings of files are under way" in desk.start("send", "lap", "--file", made(desk, "more")).failed()
    for command in commands:
        command.process.kill()
        command.process.communicate()
    other.close()


def X12_whoHasTheNameAndDoesNotServeIsNotWaitedForLong(devices):
    desk, _ = devices
    with desk.bus() as bus:
        bus.own(f"{FILES}.Segue")
        status, _, error = desk.start("send", "lap", "--file", made(desk, "a")).result()
        assert status == 2 and "does not let this command in" in error

