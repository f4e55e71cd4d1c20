"""Files in folders that several devices share (semantics R8)."""

import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.parse

import cbor2
import pytest
from harness import sharing as fixtures
from harness.bounds import SECONDS
from harness.device import Device, pair
from harness.encoding import hexadecimal
from harness.process import watches
from harness.sharing import Shared, arrive, url, write
from harness.waiting import wait_for

own = fixtures.own


@pytest.fixture(scope="module")
def sharing():
    desk, lap = Device("desk", containers=["notes"]), Device("lap", containers=["notes"])
    try:
        pair(desk, lap)
        yield desk, lap
    finally:
        desk.close()
        lap.close()


@pytest.fixture
def shared(sharing, application, install):
    for device in sharing:
        for entry in device.containers["notes"].iterdir():
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    return Shared(*sharing, application, install)


# What the offer says before it is chosen

def O3_theOfferSaysWhereItsFileIsBeforeItIsChosen(shared):
    outside = write(shared.desk.folder / "home/outside.txt")
    inside = write(shared.here / "a.txt")
    way = shared.desk.folder / "home/way to notes"
    way.symlink_to(shared.here)
    def offered(**wanted):
        return shared.lap.offer(shared.application, **wanted)

    def about(path):
        shared.origin.do(f"info a{shared.count} {hexadecimal({'SegueDocumentURL': url(path)} if path else {})}")

    shared.offer({"SegueDocumentURL": url(outside)})
    sentence = "Its file is on desk, in no folder that both devices share."
    offer = offered(file="elsewhere", file_sentence=sentence)
    assert f"{offer['id'][:8]}: {sentence}" in shared.lap.segue("activities")
    assert sentence in shared.lap.segue("explain", offer["id"])
    # The same activity is about another file now, which lies in the folder, by whatever way it is named.
    for path in [inside, way / "a.txt", shared.here / "not yet there.txt"]:
        about(path)
        offered(file="shared")
        about(outside)
        offered(file="elsewhere")
    shared.origin.do(f"allow-files a{shared.count} 1")
    offered(file="given", file_sentence="Its file can be brought from desk.")
    about(None)
    shared.lap.until(lambda _: all("file" not in offer for offer in shared.lap.offers_of(shared.application)), "no file")
    # Neither name nor path has left the desk.
    assert "outside" not in (shared.lap.folder / "log").read_text()


def O3_aFolderThatTheOtherDeviceDoesNotHave(own, application, install):
    desk, lap = own(containers=())
    shared = desk.containers["notes"]
    origin = install(desk, application).start()
    install(lap, application)
    info = hexadecimal({"SegueDocumentURL": url(write(shared / "a.txt"))})
    origin.do(f"activity a {application.type}", f"info a {info}", "current a")
    lap.offer(application, file="elsewhere")
    # It shares the folder from now on.
    lap.make_container("notes")
    lap.configure()
    lap.offer(application, file="shared")


# Which URLs are rewritten

def R8_atAnyDepthInValuesAndKeys(shared):
    for folder in [shared.here, shared.there]:
        write(folder / "a b/ü#?%.txt")
        write(folder / "c.txt")
    odd, plain = url(shared.here / "a b/ü#?%.txt"), url(shared.here / "c.txt")
    there_odd, there_plain = url(shared.there / "a b/ü#?%.txt"), url(shared.there / "c.txt")
    command = shared.take({
        "file": odd, "list": [1, [plain, {"deep": odd}]], plain: {odd: plain},
        "set": cbor2.CBORTag(258, [plain]), "rest": url(shared.here / "c.txt", "?page=2#top"),
        "folder": url(shared.here / "a b", "/"),
    })
    info = shared.arrived(command)
    assert info.pop("set") == {there_plain}
    assert info == {
        "file": there_odd, "list": [1, [there_plain, {"deep": there_odd}]], there_plain: {there_odd: there_plain},
        "rest": url(shared.there / "c.txt", "?page=2#top"), "folder": url(shared.there / "a b", "/"),
    }
    assert pathlib.Path(urllib.parse.unquote(there_odd.value[len("file://"):])).read_text() == "text"


def R8_allOtherURLsPassUntouched(shared):
    write(shared.here / "a.txt")
    outside = write(shared.desk.folder / "home/outside.txt")
    (shared.here / "out").symlink_to(outside.parent)
    (shared.here / "link.txt").symlink_to(outside)
    (shared.here / "nowhere").symlink_to("nothing")
    os.mkfifo(shared.here / "fifo")
    plain = f"file://{shared.here}/a.txt"
    info = {
        "web": cbor2.CBORTag(32, "https://example.org/a.txt"), "mail": cbor2.CBORTag(32, "mailto:a@example.org"),
        "outside": url(outside), "beside": url(f"{shared.here}-2/a.txt"), "root": url(shared.here),
        "up": url(shared.here / "../notes/a.txt"), "host": cbor2.CBORTag(32, plain.replace("://", "://other")),
        "slashes": cbor2.CBORTag(32, plain.replace("/a.txt", "//a.txt")),
        "encoded": cbor2.CBORTag(32, plain.replace("/a.txt", "%2Fa.txt")),
        "text": plain, "data": plain.encode(), "link": url(shared.here / "link.txt"),
        "linked folder": url(shared.here / "out/outside.txt"), "nowhere": url(shared.here / "nowhere"),
        "fifo": url(shared.here / "fifo"), "wrong": cbor2.CBORTag(32, "file:a"), "nul": cbor2.CBORTag(32, plain + "%00"),
    }
    assert shared.arrived(shared.take(info)) == info


def R8_aFileThatIsReachedByAnotherWay(shared):
    for folder in [shared.here, shared.there]:
        write(folder / "a/b.txt")
    way = shared.desk.folder / "home/way"
    way.symlink_to(shared.here / "a")
    info = shared.arrived(shared.take({"file": url(way / "b.txt")}))
    assert info == {"file": url(shared.there / "a/b.txt")}


def R8_aFileThatTheOriginIsAboutToWrite(shared):
    write(shared.there / "new/a.txt")
    assert shared.arrived(shared.take({"file": url(shared.here / "new/a.txt")})) == {
        "file": url(shared.there / "new/a.txt")}


def R8_moreFilesThanASnapshotNames(shared):
    # docs/limits.md: the others keep the origin's path.
    for folder in [shared.here, shared.there]:
        for number in range(70):
            write(folder / f"{number}.txt")
    info = shared.arrived(shared.take({"files": [url(shared.here / f"{number}.txt") for number in range(70)]}))
    there = [file for file in info["files"] if file.value.startswith(f"file://{shared.there}/")]
    assert len(info["files"]) == 70 and len(there) == 64


def R8_twoKeysThatWouldBecomeOne(shared):
    for folder in [shared.here, shared.there]:
        write(folder / "a.txt")
    plain = f"file://{shared.here}/a.txt"
    command = shared.take({
        cbor2.CBORTag(32, plain): 1, cbor2.CBORTag(32, plain.replace("://", "://localhost")): 2})
    assert "Two keys of userInfo" in shared.failed(command)[1]


# Files that are not there yet

def R8_aFileThatArrivesLater(shared):
    write(shared.here / "a.txt")
    command = shared.take({"file": url(shared.here / "a.txt")})
    arrive(shared.there / "a.txt")
    assert shared.arrived(command) == {"file": url(shared.there / "a.txt")}


def R8_foldersThatArriveLater(shared):
    write(shared.here / "a/b/c/d.txt")
    command = shared.take({"file": url(shared.here / "a/b/c/d.txt")})
    # Not before the wait has begun, which follows the first folder that is there.
    wait_for(lambda: watches(shared.lap.pid(), shared.there), "a wait for the file")
    arrive(shared.there / "a/b/c/d.txt")
    assert shared.arrived(command) == {"file": url(shared.there / "a/b/c/d.txt")}


def R8_aFolderThatIsTheDocument(shared):
    write(shared.here / "bundle/part")
    command = shared.take({"file": url(shared.here / "bundle")})
    (shared.there / "bundle").mkdir()
    assert shared.arrived(command) == {"file": url(shared.there / "bundle")}


def R8_ancestorsThatAreRenamedMeanwhile(shared):
    write(shared.here / "a/b/c.txt")
    (shared.there / "a/b").mkdir(parents=True)
    command = shared.take({"file": url(shared.here / "a/b/c.txt")})
    # The watched folders go, others come, a file stands where a folder should be, and at last it is as it should be.
    (shared.there / "a").rename(shared.there / "former")
    write(shared.there / "a")
    write(shared.there / "former/b/c.txt")
    (shared.there / "a").unlink()
    (shared.there / "former").rename(shared.there / "a")
    assert shared.arrived(command) == {"file": url(shared.there / "a/b/c.txt")}


def R8_twoFilesAreWaitedFor(shared):
    names = ["a.txt", "b/c.txt"]
    for name in names:
        write(shared.here / name)
    command = shared.take({name: url(shared.here / name) for name in names})
    arrive(shared.there / names[1])
    # Something else in between, so that the first arrival was taken note of or will be.
    shared.lap.segue("status")
    assert shared.target.count("continue") == 0
    arrive(shared.there / names[0])
    assert shared.arrived(command) == {name: url(shared.there / name) for name in names}


@pytest.fixture
def impatient(own, application, install):
    """As `shared`; lap waits for files no longer than it takes to find one that is there."""
    return Shared(*own(ContainerTime=1000), application, install)


def R8_aFileThatNeverArrives(impatient):
    write(impatient.here / "there.txt")
    write(impatient.there / "there.txt")
    write(impatient.here / "late\u202e one.txt")
    code, message = impatient.failed(impatient.take(
        {"late": url(impatient.here / "late\u202e one.txt"), "there": url(impatient.here / "there.txt")}))
    assert code == "4608"
    assert message == "\"late one.txt\" has not arrived in the shared folder notes in time."
    assert impatient.target.count("continue") == 0
    # The offer stays, and can be taken when the file is there.
    write(impatient.there / "late\u202e one.txt")
    impatient.lap.take(impatient.lap.offer(impatient.application)).succeeded()


def R8_anotherChoiceEndsTheWait(shared, new_application, install):
    write(shared.here / "a.txt")
    other = new_application()
    install(shared.lap, other)
    second = install(shared.desk, other).start()
    second.do(f"activity b {other.type}", "current b")
    offer = shared.lap.offer(other)
    first = shared.take({"file": url(shared.here / "a.txt")})
    shared.lap.take(offer).succeeded()
    assert shared.target.expect("fail")[1] == "3072"
    first.failed()
    arrive(shared.there / "a.txt")
    shared.lap.segue("status")
    assert shared.target.count("continue") == 0


# Containers and files

def R8_aContainerThatTheOtherDeviceDoesNotHave(own, application, install):
    desk, lap = own(containers=["other"])
    lap.containers["notes"] = lap.containers["other"]  # Never written to segue.conf.
    shared = Shared(desk, lap, application, install)
    write(shared.here / "a.txt")
    code, message = shared.failed(shared.take({"file": url(shared.here / "a.txt")}))
    assert (code, message) == ("4608", '"a.txt" is in the shared folder "notes", which this device does not have.')


def R8_aContainerWhoseFolderIsMissing(shared):
    write(shared.here / "a.txt")
    away = shared.there.with_name("away")
    shared.there.rename(away)
    try:
        code, message = shared.failed(shared.take({"file": url(shared.here / "a.txt")}))
        assert code == "4608"
        assert "\"a.txt\" cannot be opened: the shared folder notes is not where it should be" in message
    finally:
        away.rename(shared.there)


def R8_aContainerWhoseFolderIsALink(shared):
    away = shared.there.with_name("away")
    shared.there.rename(away)
    shared.there.symlink_to(away)
    try:
        write(shared.here / "a.txt")
        command = shared.take({"file": url(shared.here / "a.txt")})
        arrive(away / "a.txt")
        assert shared.arrived(command) == {"file": url(shared.there / "a.txt")}
    finally:
        shared.there.unlink()
        away.rename(shared.there)


def unmount(folder):
    """For a moment it is busy each time that the daemon looks."""
    end = time.monotonic() + SECONDS
    while subprocess.run(["umount", folder], stderr=subprocess.DEVNULL).returncode != 0:
        assert time.monotonic() < end, f"{folder} stays busy"


def R8_aContainerThatIsUnmountedMeanwhile(shared):
    def mount():
        return subprocess.run(
            ["mount", "-t", "tmpfs", "segue-test", shared.there], stderr=subprocess.DEVNULL).returncode == 0

    if not mount():
        pytest.skip("nothing may be mounted here")
    mounted = True
    try:
        (shared.there / "a").mkdir()
        write(shared.here / "a/b.txt")
        command = shared.take({"file": url(shared.here / "a/b.txt")})
        unmount(shared.there)
        mounted = False
        shared.lap.segue("status")
        assert shared.target.count("continue") == 0
        # No notification tells of a mount: the daemon sees it when it looks again.
        mounted = mount()
        write(shared.there / "a/b.txt")
        assert shared.arrived(command) == {"file": url(shared.there / "a/b.txt")}
    finally:
        if mounted:
            subprocess.run(["umount", "-l", shared.there], check=True)


@pytest.mark.parametrize("kind", ["link to a file", "link to a folder", "link to nothing", "fifo", "socket", "device"])
def R8_whatIsNeitherAFileNorAFolder(shared, kind):
    # attack 28: nothing outside of the container is reached, and nothing is opened that would wait.
    write(shared.here / "a/b.txt")
    secret = write(shared.lap.folder / "home/secret/b.txt")
    target = shared.there / "a/b.txt"
    if kind == "link to a folder":
        target.parent.symlink_to(secret.parent)
    else:
        target.parent.mkdir()
    if kind == "link to a file":
        target.symlink_to(secret)
    elif kind == "link to nothing":
        target.symlink_to("nothing")
    elif kind == "fifo":
        os.mkfifo(target)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(target))
    elif kind == "device":
        if os.geteuid() != 0:
            pytest.skip("only root makes devices")
        os.mknod(target, 0o600 | 0o020000, os.makedev(1, 3))
    code, message = shared.failed(shared.take({"file": url(shared.here / "a/b.txt")}))
    assert code == "4608"
    assert '"a/b.txt" in the shared folder notes cannot be opened' in message
    assert ("symbolic link" if kind.startswith("link") else "neither a file nor a folder") in message
