"""segue-bridge with calibre's real viewer on two devices. scripts/test-bridges runs it."""

import os

import pytest

from harness.books import CALIBRE, Calibre, install_calibre, make_epub
from harness.device import pair
from harness.peer import messages
from harness.players import enable
from harness.readers import are_here, give_screen, screen
from harness.waiting import wait_for

pytestmark = pytest.mark.skipif(
    not os.environ.get("SEGUE_BRIDGES") or not are_here("ebook-viewer"),
    reason="scripts/test-bridges runs it, with calibre's viewer")


@pytest.fixture
def viewers(new_device, tmp_path, monkeypatch):
    """The viewers of desk and lap, bridged and not running."""
    install_calibre(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with screen() as one, screen() as other:
        devices = new_device("desk"), new_device("lap")
        pair(*devices)
        for device, display in zip(devices, [one, other]):
            give_screen(device, display)
            enable(device, "calibre")
        made = [Calibre(device) for device in devices]
        yield made
        for viewer in made:
            viewer.end()


@pytest.fixture
def book(tmp_path):
    return make_epub(tmp_path / "a book.epub")


def take(here, there):
    offer = there.device.offer(CALIBRE, title="A Book")
    there.device.start("continue", offer["id"], "--app", CALIBRE.id).succeeded()


def test_aBookGoesOnAtItsPlaceAndBackInAViewerThatRuns(viewers, book):
    here, there = viewers
    here.open_at(book, 2, 30)
    take(here, there)
    wait_for(lambda: there.is_at(2, 30), "the place there")
    # Further on in another chapter, in a second window there.
    there.open_at(book, 3, 40)
    # The first one runs here, and has the book at the earlier place.
    take(there, here)
    wait_for(lambda: here.is_at(3, 40), "the place here")


def O2_whoHasReadOnIsNotTakenBack(viewers, book):
    here, there = viewers
    there.open_at(book, 3, 40)
    here.open_at(book, 2, 30)
    offer = there.device.offer(CALIBRE, title="A Book")
    there.device.start("continue", offer["id"], "--app", CALIBRE.id).succeeded()
    assert len(list(there.viewers())) == 1 and there.is_at(3, 40)


def test_theOfferGoesWithTheViewer(viewers, book):
    here, there = viewers
    here.open_at(book, 1, 5)
    there.device.offer(CALIBRE, title="A Book")
    here.end()
    there.device.no_offer(CALIBRE)


def launched(lap, new_peer, userinfo):
    """Whether what a peer sends is opened."""
    mallory = new_peer("mallory", lap)
    link = mallory.login(lap)
    activity = messages.identifier()
    link.offer({**messages.offer(CALIBRE, activity), "type": "org.segue.open.Reading"})
    command = lap.take(lap.offer(CALIBRE))
    link.next_request().answer(messages.snapshot(activity, "org.segue.open.Reading", userinfo))
    status = command.result()[0]
    mallory.unpair(lap)
    return status == 0


@pytest.fixture
def lap(new_device, tmp_path, monkeypatch):
    """A device with a viewer that says with which words it was started, and ends."""
    launcher = tmp_path / "ebook-viewer"
    launcher.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{tmp_path}/words\n')
    launcher.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    lap = new_device("lap")
    enable(lap, "calibre")
    return lap


@pytest.mark.parametrize("uri", [
    "file:///etc/../etc/hostname", "file:///proc/self/status", "file:///dev/zero", "file:///tmp", "file:///nowhere",
    "https://example.org/a.epub", "--open-at=regex:x"])
def O5_nothingElseIsOpened(lap, new_peer, tmp_path, uri):
    assert not launched(lap, new_peer, {"uri": uri})
    assert not (tmp_path / "words").exists()


@pytest.mark.parametrize("more, words", [
    ({"cfi": "epubcfi(/6/8!/4/6)"}, ["--open-at=epubcfi(/8/2/4/6)"]),
    ({"cfi": "epubcfi(/6/8!/4/6)", "digest": "sha256:" + "0" * 64}, []),
    ({"cfi": "regex:(a+)+"}, []), ({"cfi": "epubcfi(/6/8!/4 --full-screen)"}, []), ({"cfi": 3, "page": 10 ** 9}, [])])
def O5_aPlaceIsOneOrIsNotUsed(lap, new_peer, tmp_path, book, more, words):
    launched(lap, new_peer, {"uri": book.as_uri(), **more})
    assert (tmp_path / "words").read_text().splitlines() == ["--raise-window", *words, str(book)]
