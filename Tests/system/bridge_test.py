"""segue-bridge with real players on two devices. scripts/test-bridges runs it."""

import os
import shutil
import subprocess

import pytest

from harness.application import Application
from harness.bounds import SECONDS
from harness.device import pair
from harness.peer import messages
from harness.players import MPRIS, Player, enable, end_all, install_players, make_film
from harness.tree import PREFIX, SEGUE_BRIDGE, SOURCES
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


def test_aPlayerThatAnswersNothing(devices, film):
    desk, lap = devices
    enable(desk, "vlc")
    enable(lap, "mpv")
    here, there = Player(desk, "vlc"), Player(lap, "mpv")
    here.start()
    here.open(film)
    there.start()
    there.device.offer(here.application)
    here.stop()
    # What it plays was known before; where it is, only it knows.
    take(here, there)
    wait_for(lambda: there.url() == film.as_uri() and there.at() > 0, "the film there")


def test_aPlayerThatDoesNotStart(devices, film, tmp_path):
    desk, lap = devices
    enable(desk, "vlc")
    enable(lap, "mpv")
    here, there = Player(desk, "vlc"), Player(lap, "mpv")
    here.start()
    here.open(film)
    (tmp_path / "mpv").write_text("#!/bin/sh\nexec sleep 60\n")
    offer = lap.offer(here.application)
    lap.start("continue", offer["id"], "--app", there.application.id).failed()


def test_aSecondProcessGivesWay(devices):
    desk, _ = devices
    enable(desk, "vlc")
    second = subprocess.run([SEGUE_BRIDGE], env=desk.environment, timeout=SECONDS)
    assert second.returncode == 0


def O6_aPluginInsideAPlayerComesFirst(devices, film):
    plugin = os.environ.get("SEGUE_MPV")
    if not plugin:
        pytest.skip("scripts/test-bridges builds the plugin")
    desk, lap = devices
    enable(desk, "mpv")
    enable(lap, "mpv")
    here = Player(desk, "mpv")
    desk.environment["LD_LIBRARY_PATH"] = f"{PREFIX}/lib"
    shutil.copy(SOURCES / "bridges/mpv/data/org.segue.Mpv.desktop", desk.data / "applications")
    here.start(f"--script={plugin}", film)
    lap.any_offer(Application("org.segue.Mpv"))
    lap.no_offer(here.application)
    # What acts for mpv there is the same program.
    offer = lap.any_offer(Application("org.segue.Mpv"))
    lap.start("continue", offer["id"]).succeeded()
    there = Player(lap, "mpv")
    wait_for(lambda: there.url() == film.as_uri() and there.at() > 0, "the film there")


@pytest.mark.parametrize("uri", [
    "ftp://example.org/a", "file://other/a", "file:///a/../etc/hostname", "file:///dev/zero", "file:///tmp", "edl://x",
    "file:///nowhere", "file:///etc/hostname?x", "-", "--script=x", "vlc://quit", "https://me@example.org/a"])
def O5_nothingElseIsOpened(new_device, new_peer, tmp_path, monkeypatch, uri):
    install_players(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    lap = new_device("lap")
    enable(lap, "vlc")
    player = Player(lap, "vlc")
    player.start()
    mallory = new_peer("mallory", lap)
    link = mallory.login(lap)
    activity = messages.identifier()
    link.offer({**messages.offer(player.application, activity), "type": "org.segue.open.Media"})
    command = lap.take(lap.offer(player.application))
    channel = link.next_request()
    channel.answer(messages.snapshot(activity, "org.segue.open.Media", {"uri": uri, "position": 1e308}))
    assert command.failed()
    assert player.url() is None
    mallory.unpair(lap)
    end_all(lap)
