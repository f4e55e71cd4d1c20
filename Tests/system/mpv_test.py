"""The plugin of mpv with the real mpv on two devices. scripts/test-bridges builds and runs it."""

import functools
import http.server
import json
import os
import shutil
import socket
import subprocess
import threading

import pytest

from harness.application import Application
from harness.bounds import SECONDS
from harness.device import pair
from harness.peer import messages
from harness.players import make_film
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
        position = self.get("time-pos")
        return position is not None and abs(position - seconds) < 1

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
    make_film(film)
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


def test_aPathThatClimbsIsOnOfferAsTheFileThatItIs(players):
    here, there, film = players
    here.start("--pause", f"../{film.parent.name}/.//{film.name}", folder=film.parent)
    wait_for(lambda: here.get("time-pos") is not None, "the film")
    take(there)
    wait_for(lambda: there.get("path") == str(film), "the film there")


def O2_nobodyIsTakenBackSilently(players):
    here, there, film = players
    here.start("--pause", "--start=30", film)
    there.start("--pause", "--start=120", film)
    wait_for(lambda: there.is_at(120) and here.is_at(30), "both films")
    take(there)
    assert there.is_at(120)


@pytest.fixture
def send(new_device, new_peer):
    """Sends a state to a running mpv, and gives the command by which its user has taken it."""
    lap = new_device("lap")
    player = Player(lap)
    mallory = new_peer("mallory", lap)

    def take_state(state):
        link = mallory.login(lap)
        activity = messages.identifier()
        link.offer({**messages.offer(MPV, activity), "type": MPV.types[0]})
        command = lap.take(lap.offer(MPV))
        link.next_request().answer(messages.snapshot(activity, MPV.types[0], state))
        return command

    yield player, take_state
    mallory.unpair(lap)
    player.close()


def start_idle(player, *arguments):
    player.start(*arguments)
    wait_for(lambda: player.get("idle-active"), "mpv")


@pytest.mark.parametrize("uri", [
    "ftp://example.org/a", "file://other/a", "file:///a/../etc/hostname", "file:///dev/zero", "file:///tmp", "edl://x",
    "file:///nowhere", "file:///etc/hostname?x", "file:///etc/%0ahostname", "lavf://file:/etc/hostname", "-", "--script=x",
    "file:///proc/self/pagemap", "file:///proc/kmsg", "file:///sys/kernel/notes", "file:///dev/../proc/version",
    "file:///etc/./hostname", "file:////etc/hostname", "file:///etc%2Fhostname",
    "http://user:password@127.0.0.1:9/a", "http://user@127.0.0.1:9/a", "http://@127.0.0.1:9/a", "https:///a", "http://",
    "http://127.0.0.1:0/a", "http://127.0.0.1:65536/a", "http://127.0.0.1:9\\@other/a", "http://127%2e0.0.1:9/a",
    "http://127..0.1:9/a", "http://[::1:9/a", "http://127.0.0.1:9/\u202ea", "http://127.0.0.1:9/a.m3u?x",
    "http://127.0.0.1:9/a.PLS"])
def O5_nothingElseIsOpened(send, uri):
    player, take_state = send
    start_idle(player)
    assert take_state({"uri": uri, "position": 1e308}).failed()
    assert player.get("idle-active") is True and player.get("path") is None


@pytest.mark.parametrize("uri", ["http://127.0.0.1:9/a", "HTTP://127.0.0.1:9/a", "http://[::1]:9/a?b#c", "http://localhost./"])
def test_anAddressOfTheWebIsOpened(send, uri):
    player, take_state = send
    start_idle(player, "--ytdl=no")
    take_state({"uri": uri}).succeeded()
    assert [entry["filename"] for entry in player.get("playlist")] == [uri]


@pytest.mark.parametrize("name", ["a.m3u", "a.M3U8", "a.pls", "a.edl", "a.cue"])
def test_aListIsDeclined(send, tmp_path, name):
    player, take_state = send
    (tmp_path / name).write_text("#EXTM3U\n/etc/hostname\n")
    start_idle(player)
    assert take_state({"uri": (tmp_path / name).as_uri()}).failed()
    assert player.get("idle-active") is True and player.get("path") is None


@pytest.mark.parametrize("text", [
    "#EXTM3U\n#EXTINF:1,a\n{film}\nhttp://127.0.0.1:9/a\n", "[playlist]\nFile1={film}\nNumberOfEntries=1\n",
    "# mpv EDL v0\n{film},0,1\n", "ffconcat version 1.0\nfile {film}\n",
    "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-VERSION:3\n#EXTINF:1,\n{film}\n#EXT-X-ENDLIST\n"],
    ids=["m3u", "pls", "edl", "concat", "hls"])
def test_aListUnderAnotherNameOpensNothingFurther(send, tmp_path, text):
    player, take_state = send
    film = make_film(tmp_path / "other.wav", 1)
    list_ = tmp_path / "a film.wav"
    list_.write_text(text.format(film=film))
    log = tmp_path / "log"
    # The user's own lists may do it.
    start_idle(player, "--load-unsafe-playlists=yes", f"--log-file={log}")
    take_state({"uri": list_.as_uri()}).succeeded()
    wait_for(lambda: "finished playback" in log.read_text(), "the end of the list")
    assert [entry["filename"] for entry in player.get("playlist")] == [str(list_)]
    assert f"Opening {film}" not in log.read_text() and "127.0.0.1" not in log.read_text()


def test_aFilmHasOptionsOfItsOwnAndTheNextOneThoseOfTheUser(send, tmp_path):
    player, take_state = send
    film = make_film(tmp_path / "a film.wav")
    start_idle(player, "--load-unsafe-playlists=yes")
    take_state({"uri": film.as_uri(), "position": 30, "playing": False}).succeeded()
    wait_for(lambda: player.is_at(30), "the whole number of seconds")
    assert player.get("load-unsafe-playlists") is False and player.get("access-references") is False
    player.tell("loadfile", str(make_film(tmp_path / "another.wav")))
    wait_for(lambda: player.get("filename") == "another.wav" and player.get("time-pos") is not None, "the user's film")
    assert player.get("load-unsafe-playlists") is True and player.get("access-references") is True


@pytest.mark.parametrize("state, speed, at", [
    ({"position": 1e308, "duration": 100.0, "rate": 2.0}, 2, 100), ({"position": 1e308, "rate": 2.0}, 2, None),
    ({"position": -5.0, "rate": 1e300}, 10, 0), ({"position": 50.0, "live": True, "rate": -1}, 0.1, 0),
    ({"position": "30", "rate": "2"}, 1, 0)], ids=["behind the end", "far", "before the beginning", "live", "no numbers"])
def test_senselessNumbersAreClamped(send, tmp_path, state, speed, at):
    player, take_state = send
    film = make_film(tmp_path / "a film.wav")
    start_idle(player, "--keep-open=yes")
    take_state({"uri": film.as_uri(), "playing": False, **state}).succeeded()
    wait_for(lambda: player.get("path") == str(film) and player.get("time-pos") is not None, "the film")
    assert player.get("speed") == speed and player.get("pause") is True
    if at is not None:
        wait_for(lambda: player.is_at(at), "the place")


@pytest.mark.parametrize("user, is_there", [("user:password@", False), ("", True)], ids=["a user", "none"])
def test_anAddressWithAUserIsNotOnOffer(send, tmp_path, user, is_there):
    player, take_state = send
    make_film(tmp_path / "film.wav")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            player.start("--pause", f"http://{user}127.0.0.1:{server.server_port}/film.wav")
            wait_for(lambda: player.get("time-pos") is not None, "the film")
            # The plugin has seen the film before it declines, and says both to the daemon in this order.
            assert take_state({"uri": "ftp://example.org/a"}).failed()
            assert bool(player.device.json("activities")["activities"]) is is_there
        finally:
            server.shutdown()
