"""segue-bridge with the real LibreOffice on two devices. scripts/test-bridges runs it."""

import os

import pytest

from harness.device import pair
from harness.office import OFFICE, PAGES, Office, has, is_here, make_slides, make_table, make_text
from harness.peer import messages
from harness.players import enable
from harness.readers import give_screen, screen
from harness.waiting import wait_for

pytestmark = pytest.mark.skipif(
    not os.environ.get("SEGUE_BRIDGES") or not is_here(), reason="scripts/test-bridges runs it, with LibreOffice")


@pytest.fixture
def offices(new_device):
    """LibreOffice on desk and lap, bridged and not running."""
    with screen() as one, screen() as other:
        devices = new_device("desk"), new_device("lap")
        pair(*devices)
        for device, display in zip(devices, [one, other]):
            give_screen(device, display)
            enable(device, "libreoffice")
        made = [Office(device) for device in devices]
        yield made
        for office in made:
            office.kill()


@pytest.fixture
def text(tmp_path):
    return make_text(tmp_path / "a text.odt")


def take(here, there, path):
    offer = there.device.offer(OFFICE, title=path.name)
    there.device.start("continue", offer["id"], "--app", OFFICE.id).succeeded()


def test_aTextGoesOnAtItsPageInAColdAndInARunningLibreOffice(offices, text):
    here, there = offices
    here.start(text)
    here.go(13)
    take(here, there, text)
    there.listen()
    assert there.shows(text) and there.page() == 13
    # And back, into the one that runs.
    there.go(17)
    take(there, here, text)
    assert here.page() == 17


@pytest.mark.skipif(not has("simpress"), reason="Impress is not installed")
def test_slidesGoOnAtTheirSlide(offices, tmp_path):
    here, there = offices
    slides = make_slides(tmp_path / "slides.odp")
    here.start(slides)
    here.go_to_slide(13)
    take(here, there, slides)
    there.listen()
    assert there.shows(slides) and there.slide() == 13


@pytest.mark.skipif(not has("scalc"), reason="Calc is not installed")
def test_aTableGoesOnWithoutAPlace(offices, tmp_path):
    here, there = offices
    table = make_table(tmp_path / "table.ods")
    here.start(table)
    take(here, there, table)
    there.listen()
    assert there.shows(table)


def O2_aTextStaysAtALaterPage(offices, text):
    here, there = offices
    here.start(text)
    here.go(3)
    there.start(text)
    there.go(9)
    take(here, there, text)
    assert there.page() == 9


def test_theHelperIsThereWhileItIsNeeded(offices, text):
    here, there = offices
    assert not list(here.helpers())
    here.start(text)
    there.device.offer(OFFICE, title=text.name)
    assert len(list(here.helpers())) == 1
    here.quit()
    there.device.no_offer(OFFICE)
    wait_for(lambda: not list(here.helpers()), "the end of the helper")
    # It is found when it comes again.
    here.start(text)
    there.device.offer(OFFICE, title=text.name)
    here.device.segue("bridge", "disable", "libreoffice")
    there.device.no_offer(OFFICE)
    wait_for(lambda: not list(here.helpers()), "the end of the helper")
    assert here.shows(text)


def test_oneThatIsKilledIsGoneAndNotStartedAgain(offices, text):
    here, there = offices
    here.start(text)
    there.device.offer(OFFICE, title=text.name)
    here.kill()
    there.device.no_offer(OFFICE)
    # Its lock stays behind, and says nothing.
    here.device.segue("bridge", "disable", "libreoffice")
    here.device.segue("bridge", "enable", "libreoffice")
    wait_for(lambda: not list(here.helpers()), "the end of the helper")
    assert not list(here.processes())


@pytest.mark.parametrize("page", [-1, 10 ** 9, 1.5, float("nan")])
def O5_aPageThatIsNoneIsClamped(new_device, new_peer, text, page):
    with screen() as display:
        lap = new_device("lap")
        give_screen(lap, display)
        enable(lap, "libreoffice")
        there = Office(lap)
        mallory = new_peer("mallory", lap)
        link = mallory.login(lap)
        activity = messages.identifier()
        link.offer({**messages.offer(OFFICE, activity), "type": "org.segue.open.Reading"})
        command = lap.take(lap.offer(OFFICE))
        link.next_request().answer(
            messages.snapshot(activity, "org.segue.open.Reading", {"uri": text.as_uri(), "page": page}))
        command.succeeded()
        there.listen()
        assert there.page() in (1, PAGES)
        there.kill()
        mallory.unpair(lap)
