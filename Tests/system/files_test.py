"""Files that userInfo names and no container carries, brought by the library between two devices."""

import contextlib
import hashlib
import os
import pathlib
import signal
import stat
import subprocess
import time
import urllib.parse

import pytest
from harness.bounds import SECONDS
from harness.device import Device, pair
from harness.encoding import hexadecimal
from harness.network import Network
from harness.process import descriptors
from harness.sharing import url, write
from harness.waiting import wait_for

MEBIBYTE = 1024 * 1024
NOT_FOUND, ACCESS_DENIED, LIMIT_EXCEEDED, INVALID, CANCELLED, UNAVAILABLE, CHANGED = (
    9002, 9004, 9005, 9001, 3072, 4609, 4608)


class Couple:
    """Two applications, of which `target` has continued activity `a` of `origin`, whose userInfo names `files`."""

    def __init__(self, desk, lap, application, install, files, allows=True):
        self.desk, self.lap, self.application = desk, lap, application
        self.origin = install(desk, application).start()
        info = hexadecimal({f"file{number}": url(path) for number, path in enumerate(files)})
        self.origin.do(
            f"activity a {application.type}", "title a Page", "delegate a", f"allow-files a {int(allows)}",
            f"info a {info}", "current a")
        self.target = install(lap, application).start()
        command = lap.take(lap.offer(application))
        self.target.expect("continue")
        command.succeeded()
        self.origin.expect("was-continued a")

    def ask(self, path):
        self.target.do(f"bring-file t continued {word(path)}")

    def bring(self, path):
        """Path, size and digest of a file that comes."""
        self.ask(path)
        return self.came()

    def came(self):
        place, size, digest = self.target.expect("file t", timeout=4 * SECONDS)
        return pathlib.Path(place), int(size), digest

    def refused(self, path):
        """The code of a request that fails."""
        self.ask(path)
        return self.failure()

    def failure(self):
        return int(self.target.expect("no-file t", timeout=4 * SECONDS)[0])

    @property
    def cache(self):
        return self.lap.folder / "cache/segue/files"


def word(path):
    """A file's URL as a word of a command: once for the URL, once for the probe."""
    text = "file://" + urllib.parse.quote(str(path))
    return urllib.parse.quote(text, safe="/:.-_~")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def made(path, length):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(os.urandom(length))
    return path


@pytest.fixture
def home(desk, application):
    """A folder of the origin's that nobody shares."""
    folder = desk.folder / "home" / application.id
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def couple(desk, lap, application, install):
    return lambda *files, **more: Couple(desk, lap, application, install, files, **more)


@pytest.fixture
def apart(new_device, application, install):
    """On two devices of the test's own, which it may harm."""
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    return lambda *files: Couple(desk, lap, application, install, [desk.folder / "home" / file for file in files])


# What comes


@pytest.mark.parametrize("length", [0, 1, 65536, 3 * MEBIBYTE + 17])
def test_aFileComesWhole(couple, home, length):
    path = made(home / "a picture ü.png", length)
    both = couple(path)
    place, size, sha = both.bring(path)
    assert place.read_bytes() == path.read_bytes() and size == length
    assert sha == digest(path) == digest(place)
    assert place.name == path.name and place.parent.parent == both.cache
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    for folder in [place.parent, place.parent.parent]:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not list(both.cache.glob("*.part"))


def test_howFarItIs(couple, home):
    path = made(home / "film", 24 * MEBIBYTE)
    both = couple(path)
    begun = time.monotonic()
    both.bring(path)
    told = [event.split()[2:] for event in both.target.seen if event.startswith("progress t ")]
    # The first at once, the last with the end, and between them one in each 100 ms, on a clock of whole milliseconds.
    assert len(told) <= 2 + (time.monotonic() - begun) / 0.099
    done = [int(words[0]) for words in told]
    assert done == sorted(done) and done[-1] == 24 * MEBIBYTE
    assert {words[1] for words in told} == {str(24 * MEBIBYTE)}


def test_manyFilesAtOnce(couple, home):
    paths = [made(home / f"file {number}", 200_000 + number) for number in range(20)]
    both = couple(*paths)
    for path in paths:
        both.ask(path)
    places = [both.came() for _ in paths]
    assert sorted(sha for _, _, sha in places) == sorted(digest(path) for path in paths)
    assert len({place.parent for place, _, _ in places}) == len(paths)


def test_aFileInAContainerIsNoCopy(application, install):
    desk, lap = Device("desk", containers=["notes"]), Device("lap", containers=["notes"])
    try:
        pair(desk, lap)
        here, there = (device.containers["notes"] / "shared.txt" for device in (desk, lap))
        for path in [here, there]:
            write(path, "shared")
        both = Couple(desk, lap, application, install, [here])
        place, size, sha = both.bring(there)
        assert (place, size, sha) == (there, 6, "-")
        assert not both.cache.exists() or not list(both.cache.iterdir())
    finally:
        desk.close()
        lap.close()


# Files that cannot be brought


def test_notAllowed(couple, home):
    path = made(home / "file", 10)
    both = couple(path, allows=False)
    assert both.refused(path) == ACCESS_DENIED
    # Allowed too late for the state that was given.
    both.origin.do("allow-files a 1")
    assert both.refused(path) == NOT_FOUND


def test_allowedNoLonger(couple, home):
    path = made(home / "file", 10)
    both = couple(path)
    both.bring(path)
    both.origin.do("allow-files a 0")
    assert both.refused(path) == ACCESS_DENIED
    both.origin.do("allow-files a 1")
    both.bring(path)
    both.origin.do("invalidate a")
    assert both.refused(path) == NOT_FOUND


def attack28_whatUserInfoDoesNotName(couple, home):
    path, other = made(home / "file", 10), made(home / "other", 10)
    both = couple(path)
    assert both.refused(other) == NOT_FOUND
    assert both.refused("/etc/passwd") == NOT_FOUND
    assert both.bring(path)[1] == 10


def test_whatIsNoRegularFile(couple, home):
    target = made(home / "target", 10)
    fifo, link, folder, gone, locked = (home / name for name in ["fifo", "link", "folder", "gone", "locked"])
    os.mkfifo(fifo)
    link.symlink_to(target)
    folder.mkdir()
    made(locked, 10).chmod(0)
    device = pathlib.Path("/dev/zero")
    both = couple(fifo, link, folder, gone, locked, device, target)
    for path in [fifo, link, folder, device]:
        assert both.refused(path) == INVALID
    assert both.refused(gone) == NOT_FOUND
    if os.geteuid() != 0:
        assert both.refused(locked) == ACCESS_DENIED
    assert both.bring(target)[2] == digest(target)


def test_aReceiverWithoutRoom(couple, home):
    huge = home / "huge"
    huge.touch()
    # The file takes no space on this disk, and would take all of it on the other one.
    os.truncate(huge, 1 << 42)
    both = couple(huge)
    assert both.refused(huge) == LIMIT_EXCEEDED
    assert not list(both.cache.glob("*.part"))


@pytest.fixture
def small(apart):
    """On two devices, of which the second one has a disk of 128 MiB for its cache; half of that is left to others."""
    both = apart("one", "other")
    disk = both.lap.folder / "cache/segue"
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128m", "segue-test", disk],
                      stderr=subprocess.DEVNULL).returncode != 0:
        pytest.skip("nothing may be mounted here")
    yield both
    subprocess.run(["umount", "-l", disk], check=True)


def fill(disk):
    """Until nothing more can be written."""
    with contextlib.suppress(OSError), open(disk / "full", "wb", buffering=0) as file:
        while file.write(bytes(MEBIBYTE)):
            pass


def test_aDiskThatIsFull(small):
    one, other = (made(small.desk.folder / "home" / name, 40 * MEBIBYTE) for name in ["one", "other"])
    disk = small.lap.folder / "cache/segue"
    fill(disk)
    assert small.refused(one) == LIMIT_EXCEEDED
    (disk / "full").unlink()
    place, _, sha = small.bring(one)
    assert sha == digest(one) == digest(place)
    fill(disk)
    # A copy is not removed for one that has no room all the same.
    assert small.refused(other) == LIMIT_EXCEEDED
    assert place.exists() and not list(small.cache.glob("*.part"))
    (disk / "full").unlink()
    assert small.bring(other)[2] == digest(other)
    assert not place.exists()


def test_aDiskThatIsFilledInTheMiddle(small):
    """Room is kept as a file comes, so that it may end; nothing of it is left then."""
    path = made(small.desk.folder / "home/one", 40 * MEBIBYTE)
    disk = small.lap.folder / "cache/segue"
    small.ask(path)
    small.target.expect("progress t", timeout=4 * SECONDS)
    fill(disk)
    outcome = wait_for(
        lambda: next((event for event in small.target.seen if event.startswith(("file t", "no-file t"))), None),
        "an outcome", lambda _: small.target.do("who"))
    # It may have been here before that.
    assert outcome.startswith(f"no-file t {LIMIT_EXCEEDED}") or int(outcome.split()[3]) == 40 * MEBIBYTE
    wait_for(lambda: not list(small.cache.glob("*.part")), "the end of what was here of it")
    (disk / "full").unlink()
    assert small.bring(path)[2] == digest(path)


def test_aFileThatIsWrittenTo(couple, home):
    path = made(home / "log", 64 * MEBIBYTE)
    both = couple(path)
    # The other device reads no more while it is written to, whatever it has read before.
    both.ask(path)
    both.target.expect("progress t", timeout=4 * SECONDS)
    with open(path, "r+b") as file:
        file.truncate(10)
    outcome = wait_for(
        lambda: next((event for event in both.target.seen if event.startswith(("file t", "no-file t"))), None),
        "an outcome", lambda _: both.target.do("who"))
    # It may have been here before that.
    assert outcome.startswith(f"no-file t {CHANGED}") or int(outcome.split()[3]) == 64 * MEBIBYTE
    wait_for(lambda: not list(both.cache.glob("*.part")), "the cache to be empty")


def test_cancelled(couple, home):
    path = made(home / "film", 128 * MEBIBYTE)
    both = couple(path)
    both.ask(path)
    both.target.do(f"cancel-file continued {word(path)}")
    assert both.failure() == CANCELLED
    assert both.target.refused(f"cancel-file continued {word(path)}") == "ENOENT"
    wait_for(lambda: not both.cache.exists() or not list(both.cache.glob("*.part")), "the cache to be empty")
    # Another request is another one.
    assert both.bring(path)[2] == digest(path)


# Who goes


def test_anOriginThatIsKilledHasOpenedIt(couple, home):
    path = made(home / "file", 64 * MEBIBYTE)
    both = couple(path)
    both.ask(path)
    both.target.expect("progress t", timeout=4 * SECONDS)
    both.origin.kill()
    assert both.came()[2] == digest(path)
    assert both.refused(path) == NOT_FOUND


def test_aTargetThatIsKilledLeavesNothing(couple, home):
    path = made(home / "file", 64 * MEBIBYTE)
    both = couple(path)
    held = [descriptors(device.pid()) for device in (both.desk, both.lap)]
    both.ask(path)
    both.target.expect("progress t", timeout=4 * SECONDS)
    both.target.kill()
    wait_for(lambda: not list(both.cache.glob("*.part")), "the cache to be empty")
    for device, before in zip((both.desk, both.lap), held):
        wait_for(lambda: descriptors(device.pid()) <= before, "the descriptors")


@pytest.fixture
def hosts():
    """(desk, lap), each on a host of its own, from which what is sent comes 50 ms later."""
    with contextlib.ExitStack() as ends:
        network = Network()
        ends.callback(network.close)
        both = []
        for name in ["desk", "lap"]:
            both.append(Device(name, host=network.host()))
            ends.callback(both[-1].close)
        both[0].host.move_away(0.05)
        pair(*both)
        yield both


def test_aCableThatIsPulledInTheMiddle(hosts, application, install):
    desk, lap = hosts
    path = made(desk.folder / "home/film", 64 * MEBIBYTE)
    both = Couple(desk, lap, application, install, [path])
    both.ask(path)
    while int(both.target.expect("progress t")[0]) < 4 * MEBIBYTE:
        pass
    # A window for each way there and back: the rest would take seconds.
    lap.host.unplug()
    lap.online(desk, is_online=False)
    lap.host.plug()
    assert both.came()[2] == digest(path)
    # It goes on where it was.
    done = [int(event.split()[2]) for event in both.target.seen if event.startswith("progress t ")]
    assert done == sorted(done) and done[-1] == 64 * MEBIBYTE


def test_anOriginsDaemonThatIsKilledIsWaitedFor(apart):
    both = apart("film")
    path = made(both.desk.folder / "home/film", 192 * MEBIBYTE)
    both.ask(path)
    both.target.expect("progress t", timeout=4 * SECONDS)
    both.desk.stop_daemon(signal.SIGKILL)
    both.desk.start_daemon()
    assert both.came()[2] == digest(path)
    assert not list(both.cache.glob("*.part"))


def test_aTargetsDaemonThatIsKilledIsAnError(apart):
    both = apart("film")
    path = made(both.desk.folder / "home/film", 192 * MEBIBYTE)
    both.ask(path)
    both.target.expect("progress t", timeout=4 * SECONDS)
    os.kill(both.lap.pid(), signal.SIGSTOP)
    both.lap.stop_daemon(signal.SIGKILL)
    outcome = wait_for(
        lambda: next((event for event in both.target.seen if event.startswith(("file t", "no-file t"))), None),
        "an outcome", lambda _: both.target.do("who"))
    assert outcome.startswith((f"no-file t {UNAVAILABLE}", "file t"))
    # A daemon that starts again removes the partial files of the former one.
    both.lap.start_daemon()
    wait_for(lambda: not list(both.cache.glob("*.part")), "the cache to be empty")
