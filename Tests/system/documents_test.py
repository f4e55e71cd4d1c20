"""segue-bridge with real readers of documents on two devices. scripts/test-bridges runs it."""

import os

import pytest

from harness.device import pair
from harness.peer import messages
from harness.players import enable
from harness.readers import (
    Evince, Okular, Zathura, are_here, give_screen, make_book, page_on_screen, screen)
from harness.waiting import wait_for

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


def O3_aBookThatIsNotHereIsSaidToBeOnTheOtherDeviceOnly(devices, new_peer, tmp_path):
    _, lap = devices
    enable(lap, "zathura")
    mallory = new_peer("mallory", lap)
    link = mallory.login(lap)
    activity = messages.identifier()
    there = Zathura(lap)
    link.offer({**messages.offer(there.application, activity), "type": "org.segue.open.Reading"})
    command = lap.take(lap.offer(there.application))
    missing = tmp_path / "no book.pdf"
    link.next_request().answer(
        messages.snapshot(activity, "org.segue.open.Reading", {"uri": missing.as_uri(), "page": 3}))
    command.failed()
    # Where there are notifications they say it too.
    said = '"no book.pdf" is only on mallory. Put it into a folder that both devices share.'
    wait_for(lambda: said in (lap.folder / "log").read_text(), "the reason")
    assert not there.windows()
    mallory.unpair(lap)


@pytest.mark.parametrize("change", [{"page": -1}, {"page": 10 ** 9}, {"page": 1.5}, {"fraction": float("nan")}])
def O5_aPageThatIsNoneIsClamped(devices, new_peer, book, change):
    _, lap = devices
    enable(lap, "zathura")
    there = Zathura(lap)
    mallory = new_peer("mallory", lap)
    link = mallory.login(lap)
    activity = messages.identifier()
    link.offer({**messages.offer(there.application, activity), "type": "org.segue.open.Reading"})
    command = lap.take(lap.offer(there.application))
    link.next_request().answer(
        messages.snapshot(activity, "org.segue.open.Reading", {"uri": book.as_uri(), **change}))
    command.succeeded()
    assert there.page() in (1, 20)
    mallory.unpair(lap)
