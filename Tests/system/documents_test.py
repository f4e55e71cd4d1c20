"""segue-bridge with real readers of documents on two devices. scripts/test-bridges runs it."""

import hashlib
import os
import pathlib

import pytest

from harness.device import pair
from harness.peer import messages
from harness.players import enable
from harness.readers import (
    Evince, Okular, Zathura, are_here, give_screen, make_book, page_on_screen, screen)
from harness.sharing import url
from harness.waiting import wait_for

READING = "org.segue.open.Reading"

pytestmark = pytest.mark.skipif(
    not os.environ.get("SEGUE_BRIDGES") or not are_here("zathura"), reason="scripts/test-bridges runs it")


@pytest.fixture
def devices(new_device):
    with screen() as one, screen() as other:
        desk, lap = new_device("desk"), new_device("lap")
        pair(desk, lap)
        give_screen(desk, one)
        give_screen(lap, other)
        yield desk, lap
        for device in (desk, lap):
            Zathura(device).close()


@pytest.fixture
def book(tmp_path):
    return make_book(tmp_path / "a book.pdf")


def readers(devices, program, kind):
    """Zathura on desk, and a reader of that kind on lap, both bridged."""
    desk, lap = devices
    enable(desk, "zathura")
    enable(lap, program)
    return Zathura(desk), kind(lap)


def take(here, device, program):
    offer = device.offer(here.application)
    device.start("continue", offer["id"], "--app", f"org.segue.Bridge.{program.capitalize()}").succeeded()


def test_aBookGoesOnAtItsPageInZathura(devices, book):
    lap = devices[1]
    here, there = readers(devices, "zathura", Zathura)
    here.start(book, 13)
    take(here, lap, "zathura")
    wait_for(lambda: there.shows(book), "the book there")
    assert there.page() == 13


def O2_aReaderStaysAtALaterPage(devices, book):
    lap = devices[1]
    here, there = readers(devices, "zathura", Zathura)
    here.start(book, 3)
    there.start(book, 9)
    take(here, lap, "zathura")
    assert there.page() == 9
    here.go(12)
    take(here, lap, "zathura")
    wait_for(lambda: there.page() == 12, "the page there")


@pytest.mark.skipif(not are_here("okular"), reason="Okular is not installed")
def test_aBookGoesFromZathuraToOkularAndBack(devices, book):
    desk, lap = devices
    here, there = readers(devices, "okular", Okular)
    here.start(book, 7)
    take(here, lap, "okular")
    wait_for(lambda: there.shows(book) and there.page() == 7, "the page there")
    there.go(15)
    take(there, desk, "zathura")
    wait_for(lambda: here.page() == 15, "the page here")


@pytest.mark.skipif(not are_here("evince"), reason="Evince is not installed")
def test_aBookGoesFromZathuraToEvince(devices, book):
    lap = devices[1]
    here, there = readers(devices, "evince", Evince)
    here.start(book, 13)
    take(here, lap, "evince")
    wait_for(lambda: there.page() == 13, "the page there")


@pytest.mark.skipif(not are_here("evince", "okular"), reason="Evince or Okular is not installed")
def test_aBookGoesFromEvinceToOkularAndOnToZathura(devices, book):
    desk, lap = devices
    enable(desk, "evince", "zathura")
    enable(lap, "okular")
    first, second, third = Evince(desk), Okular(lap), Zathura(desk)
    first.start(book)
    first.go(book, 13)
    take(first, lap, "okular")
    wait_for(lambda: second.shows(book) and second.page() == 13, "the page there")
    # Okular has a welcome page, which may not be in front of it.
    wait_for(lambda: page_on_screen(lap) == 13, "the page on the screen")
    second.go(16)
    take(second, desk, "zathura")
    wait_for(lambda: third.shows(book) and third.page() == 16, "the page here")


@pytest.mark.skipif(not are_here("evince"), reason="Evince is not installed")
def test_whatEvinceShowsIsOnOfferWhileItIsOpen(devices, book, tmp_path):
    desk, lap = devices
    here = Evince(desk)
    other = make_book(tmp_path / "another.pdf")
    here.start(book, 3)
    enable(lap, "zathura")
    # It was open before.
    enable(desk, "evince")
    lap.offer(here.application, title="a book.pdf")
    here.start(other, 7)
    lap.offer(here.application, title="another.pdf")
    here.kill(other)
    lap.offer(here.application, title="a book.pdf")
    here.kill(book)
    lap.no_offer(here.application)


@pytest.mark.skipif(not are_here("evince"), reason="Evince is not installed")
def test_aBookThatIsReadOnInEvinceIsOnOfferAgain(devices, book):
    lap = devices[1]
    here, there = Evince(devices[0]), Zathura(lap)
    enable(devices[0], "evince")
    enable(lap, "zathura")
    here.start(book)
    here.go(book, 13)
    take(here, lap, "zathura")
    wait_for(lambda: there.shows(book) and there.page() == 13, "the page there")
    lap.no_offer(here.application)
    here.go(book, 16)
    lap.offer(here.application)


@pytest.mark.skipif(not are_here("evince"), reason="Evince is not installed")
def test_whoeverSaysThatItHasADocumentIsNotBelieved(devices, book, tmp_path):
    desk, lap = devices
    here = Evince(desk)
    enable(desk, "evince")
    enable(lap, "zathura")
    here.start(book, 3)
    lap.offer(here.application, title="a book.pdf")
    with desk.bus() as bus:
        bus.emit("/org/gnome/evince/Window/0", "org.gnome.evince.Window", "DocumentLoaded", "s",
                 [(tmp_path / "secret.pdf").as_uri()])
        here.kill(book)
        lap.no_offer(here.application)


@pytest.mark.skipif(not are_here("evince"), reason="Evince is not installed")
def O2_aBookThatIsOpenInEvinceStaysAtALaterPage(devices, book):
    lap = devices[1]
    here, there = readers(devices, "evince", Evince)
    here.start(book, 13)
    there.start(book)
    there.go(book, 15)
    take(here, lap, "evince")
    # It draws anew.
    assert wait_for(there.page, "a page") == 15
    here.go(18)
    take(here, lap, "evince")
    wait_for(lambda: there.page() == 18, "the page there")


def O3_aBookThatIsNotHereSaysSoBeforeItIsChosen(devices, book):
    desk, lap = devices
    here = readers(devices, "zathura", Zathura)[0]
    here.start(book, 3)
    sentence = "Its file is on desk, in no folder that both devices share."
    lap.offer(here.application, file="elsewhere", file_sentence=sentence)
    assert sentence in lap.segue("activities")
    # Both share the folder now.
    for device in devices:
        device.make_container("books", book.parent)
        device.configure()
    lap.offer(here.application, file="shared")
    assert sentence not in lap.segue("activities")


class Mallory:
    """A device that offers a book which nobody else has, and answers for its file as it is told."""

    def __init__(self, new_peer, device, answer, ends=True):
        self.peer, self.answer, self.ends = new_peer("mallory", device), answer, ends
        self.activity = messages.identifier()
        self.state = {"uri": url("/srv/mallory/no book.pdf"), "page": 13}
        self.peer.answers = self.answers
        self.application = Zathura(device).application
        self.peer.login(device).offer({
            **messages.offer(self.application, self.activity), "type": READING, "folder": b"", "gives": True})

    def answers(self, channel):
        if channel.request["kind"] == "fetch":
            return channel.answer(messages.snapshot(self.activity, READING, self.state))
        channel.send(self.answer)
        if self.ends:
            channel.finish()


def whole(data, size=None):
    head = {"kind": "file", "size": len(data) if size is None else size, "version": b"v", "offset": 0}
    return messages.answer(head) + data + hashlib.sha256(data).digest()


def O3_aBookThatIsNotHereIsBroughtAndOpenedAtItsPage(devices, new_peer, book):
    _, lap = devices
    enable(lap, "zathura")
    there = Zathura(lap)
    mallory = Mallory(new_peer, lap, whole(book.read_bytes()))
    lap.take(lap.offer(there.application, file="given")).succeeded()
    wait_for(lambda: there.page() == 13, "the page")
    # A copy that only this user can read.
    copy = pathlib.Path(there.document())
    assert copy.name == "no book.pdf" and copy.is_relative_to(lap.folder / "cache/segue/files")
    assert copy.read_bytes() == book.read_bytes() and copy.stat().st_mode & 0o777 == 0o600
    mallory.peer.unpair(lap)


@pytest.mark.parametrize("answer, ends, said", [
    (messages.failure(9004), True, '"no book.pdf" is only on mallory. Put it into a folder that both devices share.'),
    (messages.failure(9002), True, '"no book.pdf" is only on mallory. Put it into a folder that both devices share.'),
    (whole(b"%PDF", 65 * 1024 * 1024), False, '"no book.pdf" is larger than 64 MiB, and was not brought.'),
    (whole(b"%PDF")[:-1] + b"x", True, '"no book.pdf" was not brought.'),
    (whole(b"%PDF", 5), True, '"no book.pdf" was not brought.'),
], ids=["refused", "gone", "large", "damaged", "short"])
def O3_aBookThatIsNotBroughtIsSaid(devices, new_peer, answer, ends, said):
    _, lap = devices
    enable(lap, "zathura")
    there = Zathura(lap)
    mallory = Mallory(new_peer, lap, answer, ends)
    lap.take(lap.offer(there.application)).failed()
    # Where there are notifications they say it too.
    wait_for(lambda: said in (lap.folder / "log").read_text(), "the reason")
    assert not there.windows()
    mallory.peer.unpair(lap)


@pytest.mark.parametrize("gives", [True, False])
def O3_theUserSaysWhetherBooksAreGiven(devices, new_peer, book, gives):
    desk, lap = devices
    here = readers(devices, "zathura", Zathura)[0]
    here.start(book, 3)
    if gives:
        desk.segue("bridge", "enable", "zathura", "--files")
        lap.offer(here.application, file="given", file_sentence="Its file can be brought from desk.")
    peer = new_peer("mallory", desk)
    link = peer.login(desk)
    said = link.wait(lambda: next((
        offer for message in link.messages for offer in message.get("offers", []) if offer["app"] == here.application.id
        and offer["folder"] == b""), None), "the offer")
    assert said.get("gives", False) is gives
    continuation = messages.identifier()
    assert link.fetch(said["id"], here.application.id, continuation=continuation)[0]["kind"] == "snapshot"
    channel = link.open({
        "kind": "file", "continuation": continuation, "activity": said["id"], "url": url(book).value})
    data = channel.whole()
    if gives:
        assert book.read_bytes() in data
    else:
        assert messages.answered(data)[0]["code"] == 9004 and book.read_bytes() not in data
    peer.unpair(desk)


@pytest.mark.parametrize("change", [{"page": -1}, {"page": 10 ** 9}, {"page": 1.5}, {"fraction": float("nan")}])
def O5_aPageThatIsNoneIsClamped(devices, new_peer, book, change):
    _, lap = devices
    enable(lap, "zathura")
    there = Zathura(lap)
    mallory = new_peer("mallory", lap)
    link = mallory.login(lap)
    activity = messages.identifier()
    link.offer({**messages.offer(there.application, activity), "type": READING})
    command = lap.take(lap.offer(there.application))
    link.next_request().answer(
        messages.snapshot(activity, "org.segue.open.Reading", {"uri": book.as_uri(), **change}))
    command.succeeded()
    assert there.page() in (1, 20)
    mallory.unpair(lap)
