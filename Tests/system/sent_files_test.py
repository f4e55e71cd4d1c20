"""Files that a user sends to another device: who sees them, where they lie, and what becomes of hostile ones (X12)."""

import os
import re
import signal
import stat
import subprocess

import pytest
from dbus_fast import unpack_variants
from harness.application import Installed
from harness.bounds import SECONDS
from harness.device import pair
from harness.notifications import Scripted
from harness.tree import SEGUE_FILES
from harness.unharmed import unharmed
from harness.waiting import wait_for
from harness.wire import BusError

FILES = "org.segue.Files"
MANAGER = "org.freedesktop.FileManager1"
MEBIBYTE = 1024 * 1024


def install(device, *options):
    """segue-files, as `make install` installs it; `options` are those of tests."""
    Installed.write(
        device.data / f"applications/{FILES}.desktop",
        "[Desktop Entry]\nType=Application\nName=Segue Files\nX-Segue-ActivityTypes=org.segue.files;\n")
    Installed.write(
        device.data / f"dbus-1/services/{FILES}.Segue.service",
        f"[D-BUS Service]\nName={FILES}.Segue\nExec={' '.join(map(str, [SEGUE_FILES, '--serve', *options]))}\n")
    device.reload()


@pytest.fixture
def devices(new_device):
    desk, lap = new_device("desk"), new_device("lap", settings=["[Notifications]", "Offers=false"])
    for device in (desk, lap):
        install(device)
    pair(desk, lap)
    return desk, lap


@pytest.fixture
def server(devices):
    server = Scripted(devices[1])
    yield server
    server.close()


def made(device, name, content=b"text"):
    path = device.folder / "home" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def downloads(device):
    return device.folder / "home" / "Downloads"


def names(device):
    folder = downloads(device)
    return sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []


def tells_of_files(arguments):
    """Whether a notification says that files have come, or have not."""
    return str(arguments[6].get("category")).startswith("transfer.")


def card(server):
    """The card of what was sent: (number, arguments)."""
    while "Sent from" not in (shown := server.show())[1][4]:
        pass
    return shown


def take(server):
    """Clicks that card; its text."""
    number, arguments = card(server)
    server.signal("ActionInvoked", "us", number, "default")
    return arguments[4]


def came(server):
    """The notification of segue-files: (number, arguments)."""
    while not tells_of_files((shown := server.show())[1]):
        pass
    return shown


# The way of a file

def X12_aFileLiesInTheDownloadsAfterAClick(devices, server):
    desk, lap = devices
    path = made(desk, "Grüße & <b>.txt", b"text" * MEBIBYTE)
    command = desk.start("send", "lap", "--file", path)
    assert "Grüße & <b>.txt" in take(server)
    number, arguments = came(server)
    assert arguments[3] == "Grüße & <b>.txt from desk" and arguments[5][2:] == ["show", "Show in Folder"]
    assert command.succeeded().strip().endswith("has 1 file.")
    assert names(lap) == [path.name] and (downloads(lap) / path.name).read_bytes() == path.read_bytes()
    assert stat.S_IMODE((downloads(lap) / path.name).stat().st_mode) == 0o600
    # The sender's own file stays, and nothing is on offer any more.
    assert path.exists()
    desk.until_asked(lambda: not desk.json("activities")["activities"], "the end of the activity")


def X12_severalFilesComeTogetherAndNothingIsOverwritten(devices, server):
    desk, lap = devices
    downloads(lap).mkdir()
    (downloads(lap) / "a.txt").write_bytes(b"mine")
    paths = [made(desk, "one/a.txt", b"1"), made(desk, "two/a.txt", b"2"), made(desk, "empty", b"")]
    command = desk.start("send", "lap", "--file", *paths)
    assert "3 files" in take(server)
    assert came(server)[1][3] == "3 files from desk"
    assert "has 3 files." in command.succeeded()
    assert names(lap) == ["a (2).txt", "a (3).txt", "a.txt", "empty"]
    contents = {(downloads(lap) / f"a{number}.txt").read_bytes() for number in ["", " (2)", " (3)"]}
    assert contents == {b"mine", b"1", b"2"} and (downloads(lap) / "a.txt").read_bytes() == b"mine"


def X12_manyFilesComeOneAfterTheOther(devices, server):
    desk, lap = devices
    paths = [made(desk, f"many/{number}", b"x" * number) for number in range(64)]
    command = desk.start("send", "lap", "--file", *paths)
    take(server)
    assert "has 64 files." in command.succeeded()
    assert names(lap) == sorted(path.name for path in paths)
    assert all((downloads(lap) / path.name).read_bytes() == path.read_bytes() for path in paths)


def X12_onlyTheDeviceThatItIsSentToSeesIt(devices, server, new_device):
    desk, lap = devices
    tower = new_device("tower")
    install(tower)
    pair(desk, tower)
    command = desk.start("send", "lap", "--file", made(desk, "secret.pdf"))
    number, _ = card(server)
    identity = desk.json("activities")["activities"][0]["id"]
    rows = {row["device-name"]: row["reason"] for row in desk.json("explain", identity) if "device-name" in row}
    assert rows == {"lap": "offered", "tower": "not-sent-there"}
    assert tower.json("activities")["offers"] == []
    # Another that asks for it by its id gets nothing.
    assert "secret" not in tower.start("continue", identity).failed()
    server.signal("ActionInvoked", "us", number, "default")
    command.succeeded()
    assert names(tower) == []


def X12_nothingIsOpenedWithoutAClick(devices, server):
    desk, lap = devices
    with lap.bus() as manager:
        manager.own(MANAGER)
        command = desk.start("send", "lap", "--file", made(desk, "a.sh", b"#!/bin/sh\n"))
        take(server)
        number, _ = came(server)
        command.succeeded()
        server.signal("ActionInvoked", "us", number, "show")
        call = manager.next_call()
        assert call.member == "ShowItems"
        assert unpack_variants(call.body)[0] == [f"file://{downloads(lap)}/a.sh"]
        manager.answer(call)
        assert not manager.calls


def X12_itComesAtOnceWhereTheUserAllowsThat(devices, server):
    desk, lap = devices
    lap.segue("receive", "desk", "open")
    assert "has 1 file." in desk.segue("send", "lap", "--file", made(desk, "a"))
    assert names(lap) == ["a"]


def X12_aRefusalIsASentence(devices, server):
    desk, lap = devices
    lap.segue("receive", "desk", "refuse")
    assert "takes nothing that is sent" in desk.start("send", "lap", "--file", made(desk, "a")).failed()


def X12_severalSendingsWaitBesideEachOther(devices, server):
    desk, lap = devices
    first = desk.start("send", "lap", "--file", made(desk, "first"))
    one, _ = card(server)
    second = desk.start("send", "lap", "--file", made(desk, "second"))
    two, _ = card(server)
    server.signal("ActionInvoked", "us", two, "default")
    second.succeeded()
    assert names(lap) == ["second"]
    server.signal("ActionInvoked", "us", one, "default")
    first.succeeded()
    assert names(lap) == ["first", "second"]


def X12_whoStopsWaitingTakesItBack(devices, server):
    desk, lap = devices
    command = desk.start("send", "lap", "--file", made(desk, "a"))
    number, _ = card(server)
    # A shell may have those that it starts in the background ignore the interrupt of a terminal.
    command.process.terminate()
    command.process.communicate(timeout=SECONDS)
    server.until_closed(number)
    assert names(lap) == []


def X12_aServiceThatIsNotInstalledIsSaid(devices):
    desk, _ = devices
    (desk.data / f"dbus-1/services/{FILES}.Segue.service").unlink()
    desk.reload()
    status, _, error = desk.start("send", "lap", "--file", made(desk, "a")).result()
    assert status == 2 and "segue-files cannot be started" in error


def X12_theUsersFolderForDownloadsIsTaken(devices, server):
    desk, lap = devices
    (lap.folder / "config/user-dirs.dirs").write_text('XDG_DOWNLOAD_DIR="$HOME/In/New"\n')
    command = desk.start("send", "lap", "--file", made(desk, "a"))
    take(server)
    command.succeeded()
    assert (lap.folder / "home/In/New/a").read_bytes() == b"text"


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

