"""segue-bridge with real players on two devices. scripts/test-bridges runs it."""

import os
import shutil

import pytest

from harness.device import pair
from harness.peer import messages
from harness.players import MPRIS, Player, enable, end_all, install_players, make_film
from harness.waiting import wait_for

pytestmark = pytest.mark.skipif(
    not os.environ.get("SEGUE_BRIDGES") or not shutil.which("vlc") or not os.path.exists(MPRIS),
    reason="scripts/test-bridges runs it")


@pytest.fixture
def devices(new_device, tmp_path, monkeypatch):
    install_players(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    yield desk, lap
    for device in [desk, lap]:
        end_all(device)


@pytest.fixture
def film(tmp_path):
    return make_film(tmp_path / "a film.wav")


def take(here, there):
    """Goes on `there` with what is on offer from `here`'s player."""
    offer = there.device.offer(here.application)
    there.device.start("continue", offer["id"], "--app", there.application.id).succeeded()


def at_the_same_place(here, there):
    return abs(here.at() - there.at()) < 1


def O4_aFilmGoesOnInVLCAndPausesHere(devices, film):
    desk, lap = devices
    enable(desk, "vlc")
    enable(lap, "vlc")
    here, there = Player(desk, "vlc"), Player(lap, "vlc")
    here.start()
    here.open(film)
    here.go(61)
    # VLC does not run there yet.
    take(here, there)
    wait_for(lambda: there.plays(film) and there.at() > 60, "the film there")
    wait_for(here.is_paused, "the pause here")
    assert there.at() - here.at() < 5


def test_aFilmGoesToMpvAndBack(devices, film):
    desk, lap = devices
    enable(desk, "vlc")
    enable(lap, "mpv")
    here, there = Player(desk, "vlc"), Player(lap, "mpv")
    here.start()
    there.start()
    here.open(film)
    here.pause_at(30)
    take(here, there)
    wait_for(lambda: at_the_same_place(here, there), "the place there")
    assert there.url() == film.as_uri()
    wait_for(there.is_paused, "the pause there")
    there.pause_at(90)
    take(there, here)
    wait_for(lambda: here.is_at(90), "the place here")
    assert at_the_same_place(here, there)


def O2_nobodyIsTakenBackSilently(devices, film):
    desk, lap = devices
    enable(desk, "vlc")
    enable(lap, "vlc")
    here, there = Player(desk, "vlc"), Player(lap, "vlc")
    for player, place in [(here, 30), (there, 120)]:
        player.start()
        player.open(film)
        player.pause_at(place)
    place = there.at()
    take(here, there)
    assert there.at() == place


def test_nothingIsBridgedUntilTheUserSaysSo(devices, film):
    desk, lap = devices
    player = Player(desk, "vlc")
    player.start()
    player.open(film)
    assert desk.json("bridge", "list")[0]["enabled"] is False
    assert lap.json("activities")["offers"] == []
    enable(desk, "vlc")
    lap.any_offer(player.application)
    desk.segue("bridge", "disable", "vlc")
    lap.no_offer(player.application)
    assert not (desk.data / "applications/org.segue.Bridge.Vlc.desktop").exists()
