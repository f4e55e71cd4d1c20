"""The plugin of mpv with the real mpv on two devices. scripts/test-bridges builds and runs it."""

import json
import os
import shutil
import socket
import subprocess
import wave

import pytest

from harness.application import Application
from harness.bounds import SECONDS
from harness.device import pair
from harness.peer import messages
from harness.tree import PREFIX, SOURCES
from harness.waiting import wait_for

PLUGIN = os.environ.get("SEGUE_MPV")
DATA = SOURCES / "bridges/mpv/data"
pytestmark = pytest.mark.skipif(not PLUGIN or not shutil.which("mpv"), reason="scripts/test-bridges builds and runs it")
MPV = Application("org.segue.Mpv", "mpv", ["org.segue.open.Media"])


class Player:
    """mpv on one device, without picture and sound; the bus starts it too."""

    def __init__(self, device):
        self.device = device
        self.process = None
        self.socket = device.folder / "mpv"
        self.command = ["mpv", "--no-config", "--idle", "--vo=null", "--ao=null", "--no-terminal", f"--script={PLUGIN}",
                        f"--input-ipc-server={self.socket}"]
        self.environment = {**device.environment, "LD_LIBRARY_PATH": f"{PREFIX}/lib"}
        launcher = device.folder / "segue-mpv"
        launcher.write_text(f"#!/bin/sh\nLD_LIBRARY_PATH={PREFIX}/lib exec {' '.join(self.command)}\n")
        launcher.chmod(0o755)
        service = (DATA / "org.segue.Mpv.Segue.service").read_text()
        for path, text in [("applications/org.segue.Mpv.desktop", (DATA / "org.segue.Mpv.desktop").read_text()),
                           ("dbus-1/services/org.segue.Mpv.Segue.service",
                            service.replace('/bin/sh -c "exec mpv --idle --force-window"', str(launcher)))]:
            file = device.data / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def start(self, *arguments, folder=None):
        self.process = subprocess.Popen(
            [*self.command, *map(str, arguments)], env=self.environment, cwd=folder, stdin=subprocess.DEVNULL,
            stdout=self.device.log, stderr=self.device.log)
        # Before, the bus would launch another one.
        with self.device.bus() as bus:
            wait_for(lambda: bus.ask("NameHasOwner", "s", [f"{MPV.id}.Segue"]) == [True], "mpv's name on the bus")

    def tell(self, *command):
        """mpv's answer; nil where it does not run yet, or has none."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(SECONDS)
            try:
                connection.connect(str(self.socket))
            except OSError:
                return None
            connection.sendall(json.dumps({"command": command, "request_id": 7}).encode() + b"\n")
            rest = b""
            while part := connection.recv(65536):
                rest += part
                for line in rest.split(b"\n")[:-1]:
                    answer = json.loads(line)
                    if answer.get("request_id") == 7 and "error" in answer:
                        return answer.get("data")
                rest = rest.rpartition(b"\n")[2]
        return None

    def get(self, name):
        return self.tell("get_property", name)

    def is_at(self, seconds):
        """A seek arrives at the packet before."""
        return abs((self.get("time-pos") or -9) - seconds) < 1

    def close(self):
        self.tell("quit")
        if self.process:
            self.process.wait(SECONDS)


@pytest.fixture
def players(new_device, tmp_path):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    made = [Player(desk), Player(lap)]
    film = tmp_path / "a film.wav"
    with wave.open(str(film), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\x80" * 8000 * 200)
    yield *made, film
    for player in made:
        player.close()


def take(player):
    player.device.take(player.device.offer(MPV)).succeeded()


def O4_aFilmGoesOnAtItsPlaceAndPausesHere(players):
    here, there, film = players
    # A path of mpv's is relative to its folder.
    here.start("--start=61", "--speed=1.5", film.name, folder=film.parent)
    wait_for(lambda: (here.get("time-pos") or 0) > 61, "the film")
    take(there)
    wait_for(lambda: (there.get("time-pos") or 0) >= 60, "the film there")
    assert there.get("path") == str(film) and there.get("speed") == 1.5 and there.get("pause") is False
    assert abs(there.get("time-pos") - here.get("time-pos")) < 10
    wait_for(lambda: here.get("pause") is True, "the pause")


def test_aPausedFilmIsPausedThereAndComesBack(players):
    here, there, film = players
    here.start("--pause", "--start=30", film)
    wait_for(lambda: here.is_at(30), "the film")
    there.start()
    take(there)
    wait_for(lambda: there.is_at(30), "the place there")
    assert there.get("pause") is True
    there.tell("seek", 90, "absolute")
    wait_for(lambda: there.is_at(90), "the place")
    take(here)
    wait_for(lambda: here.is_at(90), "the place here")


def O2_nobodyIsTakenBackSilently(players):
    here, there, film = players
    here.start("--pause", "--start=30", film)
    there.start("--pause", "--start=120", film)
    wait_for(lambda: there.is_at(120) and here.is_at(30), "both films")
    take(there)
    assert there.is_at(120)


@pytest.mark.parametrize("uri", [
    "ftp://example.org/a", "file://other/a", "file:///a/../etc/hostname", "file:///dev/zero", "file:///tmp", "edl://x",
    "file:///nowhere", "file:///etc/hostname?x", "file:///etc/%0ahostname", "lavf://file:/etc/hostname", "-", "--script=x"])
def O5_nothingElseIsOpened(new_device, new_peer, uri):
    lap = new_device("lap")
    player = Player(lap)
    player.start()
    wait_for(lambda: player.get("idle-active"), "mpv")
    mallory = new_peer("mallory", lap)
    link = mallory.login(lap)
    activity = messages.identifier()
    link.offer({**messages.offer(MPV, activity), "type": MPV.types[0]})
    command = lap.take(lap.offer(MPV))
    channel = link.next_request()
    channel.answer(messages.snapshot(activity, MPV.types[0], {"uri": uri, "position": 1e308}))
    assert command.failed()
    assert player.get("idle-active") is True and player.get("path") is None
    mallory.unpair(lap)
    player.close()
