"""Real players of MPRIS 2 on a device, without picture and sound, and segue-bridge for them."""

import os
import shutil
import signal
import subprocess
import wave

from .application import Application, Installed
from .bounds import SECONDS
from .tree import PREFIX, SOURCES
from .waiting import wait_for
from .wire import BusError

INTERFACE = "org.mpris.MediaPlayer2.Player"
PATH = "/org/mpris/MediaPlayer2"
#: The script by which mpv is a player of MPRIS 2, as Debian has it.
MPRIS = "/usr/lib/mpv-mpris/mpris.so"
#: Without a window.
UNSEEN_VLC = "-I dummy --vout=dummy"
UNSEEN_MPV = "--vo=null"


def make_film(path, seconds=200):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\x80" * 8000 * seconds)
    return path


def install_players(folder, vlc_options=UNSEEN_VLC, mpv_options=UNSEEN_MPV):
    """Programs of the players' names that start the real ones as a test can: put the folder in front of PATH."""
    vlc = shutil.which("vlc")
    if os.geteuid() == 0:
        # VLC refuses to run as root, by the name of the function that it asks.
        copy = folder / "real-vlc"
        with open(vlc, "rb") as file:
            copy.write_bytes(file.read().replace(b"geteuid", b"getppid"))
        copy.chmod(0o755)
        vlc = copy
    for name, command in [
            ("vlc", f"{vlc} {vlc_options} --aout=dummy --no-video-title-show"),
            ("mpv", f"{shutil.which('mpv')} {mpv_options} --no-config --ao=null --no-terminal --script={MPRIS} --idle=yes")]:
        launcher = folder / name
        # The bridge starts mpv so that it shows a window.
        launcher.write_text(f'#!/bin/sh\n[ "$1" != --idle ] || shift 2\nexec {command} "$@"\n')
        launcher.chmod(0o755)


class Player:
    """A player on one device, as its user sees and drives it."""

    def __init__(self, device, program):
        self.device = device
        self.program = program
        self.name = f"org.mpris.MediaPlayer2.{program}"
        self.application = Application(f"org.segue.Bridge.{program.capitalize()}", program, ["org.segue.open.Media"])

    def start(self, *files):
        subprocess.Popen([self.program, *map(str, files)], env=self.device.environment, stdin=subprocess.DEVNULL,
                         stdout=self.device.log, stderr=self.device.log)
        wait_for(self.answers, f"{self.program} on the bus")

    def is_there(self):
        with self.device.bus() as bus:
            return bus.ask("NameHasOwner", "s", [self.name]) == [True]

    def answers(self):
        """A call that comes while VLC begins waits in it until the next one comes."""
        if not self.is_there():
            return False
        with self.device.bus() as bus:
            for _ in range(3):
                bus.call_later(self.name, PATH, "org.freedesktop.DBus.Peer", "Ping")
            bus.call(self.name, PATH, "org.freedesktop.DBus.Properties", "GetAll", "s", [INTERFACE])
        return True

    def get(self, name):
        """A property; None where it does not run."""
        if not self.is_there():
            return None
        with self.device.bus() as bus:
            try:
                return bus.call(self.name, PATH, "org.freedesktop.DBus.Properties", "Get", "ss", [INTERFACE, name])[0]
            except BusError:
                # It has nothing open.
                return None

    def tell(self, member, signature="", *values):
        with self.device.bus() as bus:
            bus.call(self.name, PATH, INTERFACE, member, signature, list(values))

    def open(self, path):
        self.tell("OpenUri", "s", path.as_uri())
        # VLC says that it plays before it does.
        wait_for(lambda: self.plays(path) and self.at() > 0, "the film")

    def url(self):
        return (self.get("Metadata") or {}).get("xesam:url")

    def plays(self, path):
        return self.url() == path.as_uri() and self.get("PlaybackStatus") == "Playing"

    def at(self):
        position = self.get("Position")
        return -9 if position is None else position / 1_000_000

    def is_at(self, seconds):
        return abs(self.at() - seconds) < 1

    def go(self, seconds):
        track = (self.get("Metadata") or {})["mpris:trackid"]
        self.tell("SetPosition", "ox", track, int(seconds * 1_000_000))
        wait_for(lambda: seconds - 1 < self.at() < seconds + SECONDS, f"{seconds} s")

    def pause_at(self, seconds):
        self.tell("Pause")
        wait_for(self.is_paused, "the pause")
        self.go(seconds)
        wait_for(lambda: self.is_at(seconds), f"{seconds} s")

    def stop(self):
        """It answers nothing any more."""
        with self.device.bus() as bus:
            os.kill(bus.pid_of(self.name), signal.SIGSTOP)

    def is_paused(self):
        return self.get("PlaybackStatus") == "Paused"


def enable(device, *programs):
    """As a user does. The device has the service file that an installation brings."""
    name = "org.segue.Bridge.service"
    text = (SOURCES / f"data/dbus-1/services/{name}.in").read_text()
    Installed.write(device.data / "dbus-1/services" / name, text.replace("@LIBEXECDIR@", f"{PREFIX}/libexec"))
    device.reload()
    device.segue("bridge", "enable", *programs)


def end_all(device):
    for pid in device.processes():
        name = os.path.basename(os.readlink(f"/proc/{pid}/exe"))
        if name in ("vlc", "real-vlc", "mpv"):
            os.kill(pid, signal.SIGKILL)
