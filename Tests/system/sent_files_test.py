"""Files that a user sends to another device: who sees them, and where they lie (semantics X12)."""

import stat

from dbus_fast import unpack_variants
from harness import sent_files
from harness.bounds import SECONDS
from harness.device import pair
from harness.sent_files import FILES, MEBIBYTE, came, card, downloads, install, made, names, take

MANAGER = "org.freedesktop.FileManager1"

devices, server = sent_files.devices, sent_files.server


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
