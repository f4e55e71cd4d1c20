"""Files between a daemon and a device that is made by hand: what crosses the link, and what a device gone bad gets."""

import contextlib
import hashlib
import mmap
import os
import pathlib
import threading

import pytest
from harness.bounds import SECONDS
from harness.encoding import hexadecimal
from harness.peer import frames, messages
from harness.peer.channel import Reset
from harness.peer.stream import answer
from harness.process import descriptors
from harness.sharing import url
from harness.waiting import wait_for

NOT_FOUND, ACCESS_DENIED, LIMIT_EXCEEDED, INVALID, PROTOCOL_VIOLATION, UNAVAILABLE, CHANGED = (
    9002, 9004, 9005, 9001, 9012, 4609, 4608)
#: More than may be under way.
LENGTH = 3 * 1024 * 1024
VERSION = b"v" * 32


# Where a file is from


class Origin:
    """An application whose activity, with a file, a hand-made device has fetched."""

    def __init__(self, device, peer, application, place, path):
        self.device, self.peer, self.application, self.path = device, peer, application, path
        self.probe = place.start()
        self.probe.do(
            f"activity a {application.type}", "title a Page", "delegate a", "allow-files a 1",
            f"info a {hexadecimal({'file': url(path)})}", "current a")
        self.link = peer.login(device)
        self.activity = self.offered()["id"]
        self.continuation = messages.identifier()
        head, _ = self.link.fetch(self.activity, application.id, continuation=self.continuation)
        assert head["kind"] == "snapshot"

    def offered(self):
        while True:
            for offer in self.link.next_message("offers")["offers"]:
                if offer["type"] == self.application.type:
                    return offer

    def ask(self, link=None, finish=True, **more):
        request = {
            "kind": "file", "continuation": self.continuation, "activity": self.activity,
            "url": url(self.path).value, **more}
        return (link or self.link).open(request, finish=finish)

    def settled(self):
        for _ in range(2):
            self.device.json("status")
        return self.device.pid()


@pytest.fixture
def origin(new_device, new_peer, application, install):
    device = new_device("desk")
    path = device.folder / "home/film"
    path.write_bytes(os.urandom(LENGTH))
    peer = new_peer("mallory", device)
    return Origin(device, peer, application, install(device, application), path)


def test_theFileAndItsDigest(origin):
    held = descriptors(origin.settled())
    channel = origin.ask()
    head = answer(channel)
    assert (head["kind"], head["size"], head["offset"]) == ("file", LENGTH, 0)
    data = origin.path.read_bytes()
    assert channel.whole() == data + hashlib.sha256(data).digest()
    wait_for(lambda: descriptors(origin.settled()) <= held, "the descriptors")


def test_theRestOfTheSameVersion(origin):
    version = answer(origin.ask())["version"]
    data = origin.path.read_bytes()
    channel = origin.ask(offset=LENGTH - 1000, version=version)
    assert answer(channel)["offset"] == LENGTH - 1000
    assert channel.whole() == data[-1000:] + hashlib.sha256(data).digest()
    # Another version begins anew, as does what is longer than the file.
    for more in [{"offset": 1000, "version": b"other"}, {"offset": LENGTH + 1, "version": version}]:
        channel = origin.ask(**more)
        assert answer(channel)["offset"] == 0
        assert channel.whole() == data + hashlib.sha256(data).digest()
    # The file is another one.
    origin.path.write_bytes(data[:500])
    channel = origin.ask(offset=100, version=version)
    head = answer(channel)
    assert (head["offset"], head["size"]) == (0, 500) and head["version"] != version
    assert channel.whole() == data[:500] + hashlib.sha256(data[:500]).digest()


@pytest.mark.parametrize("how", ["shorter", "other", "mapped"])
def test_aFileThatChangesWhileItIsRead(origin, how):
    with open(origin.path, "r+b") as file:
        mapping = mmap.mmap(file.fileno(), 0)
    if how == "mapped":
        # Another write to this page moves none of the file's times.
        mapping[0] ^= 1
    # The daemon sends no more before the other end gives credit.
    origin.link.credits = False
    channel = origin.ask()
    answer(channel)
    if how == "mapped":
        mapping[0] ^= 1
    elif how == "shorter":
        os.truncate(origin.path, LENGTH // 2)
    else:
        with open(origin.path, "r+b") as file:
            file.seek(LENGTH - 1)
            file.write(b"x")
    origin.link.credits = True
    # The credit that was withheld.
    origin.link.send(frames.WINDOW, channel.number, frames.number(2 * LENGTH))
    with pytest.raises(Reset) as error:
        channel.whole()
    assert error.value.code == CHANGED


def attack28_whatUserInfoDoesNotName(origin):
    for path in ["/etc/passwd", str(origin.path) + "x", str(origin.path.parent)]:
        assert answer(origin.ask(url=url(path).value))["code"] == NOT_FOUND
    for wrong in [f"file://{origin.path}/../film", "file:///a%2fb", "/etc/passwd", "http://a/", f"file://{origin.path}?", 7]:
        assert answer(origin.ask(url=wrong))["code"] == PROTOCOL_VIOLATION
    assert answer(origin.ask())["kind"] == "file"


def attack17_onlyWhoHasFetchedItGetsFiles(origin, new_peer):
    assert answer(origin.ask(continuation=messages.identifier()))["code"] == ACCESS_DENIED
    assert answer(origin.ask(activity=messages.identifier()))["code"] == ACCESS_DENIED
    with new_peer("eve", origin.device).login(origin.device) as link:
        assert answer(origin.ask(link=link))["code"] == ACCESS_DENIED


def attack33_filesThatNobodyReads(origin):
    held = descriptors(origin.settled())
    origin.link.credits = False
    channels = [origin.ask() for _ in range(4)]
    assert all(answer(channel)["kind"] == "file" for channel in channels)
    assert answer(origin.ask())["code"] == LIMIT_EXCEEDED
    for channel in channels:
        channel.reset(1)
    wait_for(lambda: descriptors(origin.settled()) <= held, "the descriptors")


def attack37_whoAsksAndSpeaksOn(origin):
    held = descriptors(origin.settled())
    channel = origin.ask(finish=False)
    answer(channel)
    channel.send(b"more")
    with pytest.raises(Reset):
        channel.whole()
    wait_for(lambda: descriptors(origin.settled()) <= held, "the descriptors")


# Where a file is brought to


class Target:
    """An application that has continued what a hand-made device has on offer, with a userInfo that names files."""

    def __init__(self, device, peer, application, place):
        self.device, self.peer, self.application = device, peer, application
        self.channels = []
        self.changed = threading.Condition()
        self.activity = messages.identifier()
        peer.answers = self.answers
        self.login()
        self.probe = place.start()
        command = device.take(device.offer(application))
        self.probe.expect("continue")
        command.succeeded()

    def login(self):
        self.link = self.peer.login(self.device)
        self.link.offer(messages.offer(self.application, self.activity))

    def answers(self, channel):
        if channel.request["kind"] == "fetch":
            return channel.answer(messages.snapshot(self.activity, self.application.type))
        with self.changed:
            self.channels.append(channel)
            self.changed.notify_all()

    def ask(self, text="file:///srv/other/film"):
        """The channel of a request."""
        self.probe.do(f"bring-file t continued {text.replace('%', '%25')}")
        return self.asked()

    def asked(self):
        with self.changed:
            assert self.changed.wait_for(lambda: self.channels, SECONDS), "nothing is asked for"
            return self.channels.pop(0)

    def came(self):
        place, size, digest = self.probe.expect("file t")
        return pathlib.Path(place), int(size), digest

    def failure(self):
        return int(self.probe.expect("no-file t")[0])

    @property
    def cache(self):
        return self.device.folder / "cache/segue/files"

    def is_clean(self):
        return not self.cache.exists() or not list(self.cache.iterdir())


def head(size, offset=0, version=VERSION):
    return messages.answer({"kind": "file", "size": size, "version": version, "offset": offset})


def whole(data):
    return head(len(data)) + data + hashlib.sha256(data).digest()


@pytest.fixture
def target(new_device, new_peer, application, install):
    device = new_device("lap")
    return Target(device, new_peer("mallory", device), application, install(device, application))


def test_theRestIsAskedForOverTheNextLink(target):
    data = os.urandom(LENGTH)
    channel = target.ask()
    assert channel.request == {
        "kind": "file", "continuation": channel.request["continuation"], "activity": target.activity,
        "url": "file:///srv/other/film"}
    channel.send(head(LENGTH) + data[:LENGTH // 2])
    # All of it is there when the credit for all of it has come back.
    target.link.round_trip()
    target.link.close()
    target.login()
    channel = target.asked()
    offset = channel.request["offset"]
    assert 0 < offset <= LENGTH // 2 and channel.request["version"] == VERSION
    channel.answer(head(LENGTH, offset) + data[offset:] + hashlib.sha256(data).digest())
    place, size, digest = target.came()
    assert place.read_bytes() == data and size == LENGTH and digest == hashlib.sha256(data).hexdigest()
    assert [entry.name for entry in target.cache.iterdir()] == [place.parent.name]


def test_anotherVersionBeginsAnew(target):
    data = os.urandom(LENGTH)
    target.ask().send(head(LENGTH) + data[:LENGTH // 2])
    target.link.round_trip()
    target.link.close()
    target.login()
    channel = target.asked()
    assert channel.request["offset"] > 0
    channel.answer(head(10, version=b"another") + data[:10] + hashlib.sha256(data[:10]).digest())
    assert target.came()[0].read_bytes() == data[:10]


def test_aFileThatChangesAgainAndAgain(target):
    channel = target.ask()
    for number in range(10):
        channel.send(head(LENGTH, version=b"%d" % number) + bytes(1000))
        target.link.round_trip()
        target.link.close()
        target.login()
        if number < 3:
            channel = target.asked()
            continue
        break
    channel = target.asked()
    channel.send(head(LENGTH, version=b"one more"))
    assert target.failure() == CHANGED
    wait_for(target.is_clean, "the cache to be empty")


@pytest.mark.parametrize("text, name", [
    ("file:///x/%1b%5b31mred%0a%e2%80%aegnp.exe", "[31mred gnp.exe"),
    ("file:///x/...", "file"),
    ("file:///x/%e2%80%8b", "file"),
    ("file:///", "file"),
    ("file:///x/.bashrc", ".bashrc"),
    ("file:///x/" + "n" * 255, "n" * 255),
])
def attack28_aNameLeadsNowhere(target, text, name):
    target.ask(text).answer(whole(b"data"))
    place, _, _ = target.came()
    assert place.name == name and place.parent.parent == target.cache
    assert [path.name for path in place.parent.iterdir()] == [name]


def attack28_whatIsNoFilesURL(target):
    for text in ["file:///x/../y", "file:///x%2f..%2fy", "file://host/x", "http://x/y", "file:///x?y"]:
        assert target.probe.refused(f"bring-file t continued {text.replace('%', '%25')}") == "EINVAL"


@pytest.mark.parametrize("what, code", [
    (b"\xff\xff\xff\xff", PROTOCOL_VIOLATION),
    (b"\0\0\0\4none", PROTOCOL_VIOLATION),
    (head(10, offset=5), PROTOCOL_VIOLATION),
    (head(10, version=bytes(65)), PROTOCOL_VIOLATION),
    (head(-1), PROTOCOL_VIOLATION),
    (head(4) + b"data" + bytes(32), PROTOCOL_VIOLATION),
    (whole(b"data") + b"more", PROTOCOL_VIOLATION),
    (whole(b"data")[:-1], PROTOCOL_VIOLATION),
    (head(100) + b"data", PROTOCOL_VIOLATION),
    (messages.failure(NOT_FOUND, "gone"), NOT_FOUND),
    (messages.failure(3072, "cancelled"), CHANGED),
])
def attack37_whatIsNoFile(target, what, code):
    held = descriptors(target.device.pid())
    channel = target.ask()
    with contextlib.suppress(Reset):
        channel.answer(what)
    assert target.failure() == code
    wait_for(target.is_clean, "the cache to be empty")
    wait_for(lambda: descriptors(target.device.pid()) <= held, "the descriptors")
    # It goes on.
    target.ask().answer(whole(b"data"))
    assert target.came()[0].read_bytes() == b"data"


def attack37_bytesWithoutEndBehindTheDigest(target):
    """They are kept until the end of the channel, which never comes."""
    channel = target.ask()
    with contextlib.suppress(Reset):
        channel.send(whole(b"data") + b"more")
    assert target.failure() == PROTOCOL_VIOLATION
    wait_for(target.is_clean, "the cache to be empty")


def attack33_aHeadAloneTakesNoRoom(target):
    """Neither of the disk nor of what the cache holds: copies give way for what comes, not for what is said."""
    target.ask().answer(whole(b"data"))
    place, _, _ = target.came()
    before = os.statvfs(target.cache)
    size = min(10 << 30, before.f_bavail * before.f_frsize // 2)
    channel = target.ask("file:///srv/other/huge")
    channel.send(head(size))
    target.probe.expect(f"progress t 0 {size}")
    part, = target.cache.glob("*.part")
    assert part.stat().st_blocks == 0
    channel.send(b"data")
    wait_for(lambda: part.stat().st_size == 4, "the first bytes")
    assert 0 < part.stat().st_blocks * 512 <= 16 << 20
    assert place.read_bytes() == b"data"
    channel.reset(CHANGED)
    assert target.failure() == CHANGED


def attack37_aFileThatIsLargerThanAnyDisk(target):
    for size in [2**44, 2**63 - 1]:
        target.ask().send(head(size))
        assert target.failure() == LIMIT_EXCEEDED
    wait_for(target.is_clean, "the cache to be empty")


def test_whatTheOtherDeviceSaysOfItsEnd(target):
    for code in [CHANGED, ACCESS_DENIED, INVALID]:
        channel = target.ask()
        channel.send(head(100) + b"data")
        channel.reset(code)
        assert target.failure() == code
    wait_for(target.is_clean, "the cache to be empty")


def attack16_aRemovedDevicesFilesEnd(target):
    target.ask().send(head(100) + b"data")
    target.link.round_trip()
    target.peer.unpair(target.device)
    assert target.failure() == UNAVAILABLE
    wait_for(target.is_clean, "the cache to be empty")
