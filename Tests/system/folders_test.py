"""segue-bridge with the real Nautilus on two devices. scripts/test-bridges runs it."""

import os
import pathlib
import shutil

import pytest

from harness.device import pair
from harness.folders import NAUTILUS, Nautilus
from harness.peer import messages
from harness.players import enable
from harness.readers import are_here, give_screen, screen

pytestmark = pytest.mark.skipif(
    not os.environ.get("SEGUE_BRIDGES") or not are_here("nautilus"),
    reason="scripts/test-bridges runs it, with Nautilus")


@pytest.fixture
def desktops(new_device):
    """Nautilus on desk and lap, bridged and not running."""
    with screen() as one, screen() as other:
        devices = new_device("desk"), new_device("lap")
        pair(*devices)
        for device, display in zip(devices, [one, other]):
            give_screen(device, display)
            enable(device, "nautilus")
        yield [Nautilus(device) for device in devices]


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "a folder"
    folder.mkdir()
    (folder / "one").touch()
    return folder


def take(here, there, title):
    """Goes on `there` with the folder that is on offer from here."""
    offer = there.device.offer(NAUTILUS, title=title)
    there.device.start("continue", offer["id"], "--app", NAUTILUS.id).succeeded()


def test_aFolderGoesOnInAColdAndInARunningNautilus(desktops, folder):
    here, there = desktops
    here.start(folder)
    assert not there.is_running()
    take(here, there, "a folder")
    assert there.shown() == [folder.as_uri()]
    # It runs now.
    other = folder / "below"
    other.mkdir()
    here.show(other)
    take(here, there, "below")
    assert other.as_uri() in there.shown()
    # And back: the last one that came there is on offer.
    back = folder.parent / "back"
    back.mkdir()
    there.show(back)
    take(there, here, "back")
    assert back.as_uri() in here.shown()


def test_aFolderThatIsOpenIsShownAndNotOpenedTwice(desktops, folder):
    here, there = desktops
    here.start(folder)
    there.start(folder)
    take(here, there, "a folder")
    assert there.shown() == [folder.as_uri()]


def test_theOfferGoesWithTheWindow(desktops, folder):
    here, there = desktops
    here.start(folder)
    there.device.offer(NAUTILUS, title="a folder")
    here.close()
    there.device.no_offer(NAUTILUS)


def test_switchedOffItIsNotRead(desktops, folder):
    here, there = desktops
    here.start(folder)
    there.device.offer(NAUTILUS, title="a folder")
    here.device.segue("bridge", "disable", "nautilus")
    there.device.no_offer(NAUTILUS)
    desktop = pathlib.Path(here.device.data / "applications/org.segue.Bridge.Nautilus.desktop")
    assert not desktop.exists() and here.shown() == [folder.as_uri()]


def test_aFolderThatIsNotHereIsDeclined(desktops, folder):
    here, there = desktops
    here.start(folder)
    offer = there.device.offer(NAUTILUS, title="a folder")
    shutil.rmtree(folder)
    there.device.start("continue", offer["id"], "--app", NAUTILUS.id).failed()
    assert not there.is_running()


@pytest.mark.parametrize("uri", [
    "file:///etc/hostname", "file:///proc/self", "file:///sys", "file:///nowhere", "file:///etc/../tmp", "trash:///",
    "file://other/tmp", "sftp://me@example.org/", "https://example.org/", "--quit"])
def O5_nothingButAFolderIsShown(new_device, new_peer, uri):
    with screen() as display:
        lap = new_device("lap")
        give_screen(lap, display)
        enable(lap, "nautilus")
        there = Nautilus(lap)
        mallory = new_peer("mallory", lap)
        link = mallory.login(lap)
        activity = messages.identifier()
        link.offer({**messages.offer(NAUTILUS, activity), "type": "org.segue.open.Folder"})
        command = lap.take(lap.offer(NAUTILUS))
        link.next_request().answer(messages.snapshot(activity, "org.segue.open.Folder", {"uri": uri}))
        assert command.failed()
        assert not there.is_running()
        mallory.unpair(lap)
