"""Real players of MPRIS 2 on a device, without picture and sound, and segue-bridge for them."""

import os
import shutil
import signal
import subprocess
import wave

from .application import Application
from .bounds import SECONDS
from .tree import SEGUE_BRIDGE
from .waiting import wait_for

INTERFACE = "org.mpris.MediaPlayer2.Player"
PATH = "/org/mpris/MediaPlayer2"
#: The script by which mpv is a player of MPRIS 2, as Debian has it.
MPRIS = "/usr/lib/mpv-mpris/mpris.so"


def make_film(path, seconds=200):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\x80" * 8000 * seconds)
    return path


def install_players(folder):
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
            ("vlc", f"{vlc} -I dummy --aout=dummy --vout=dummy --no-video-title-show"),
            ("mpv", f"{shutil.which('mpv')} --no-config --vo=null --ao=null --no-terminal --script={MPRIS} --idle=yes")]:
        launcher = folder / name
        # What the bridge starts a program with asks for a window.
        launcher.write_text(f'#!/bin/sh\nfor file; do case $file in --*) shift ;; esac; done\nexec {command} "$@"\n')
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
        wait_for(self.is_there, f"{self.program} on the bus")

    def is_there(self):
        with self.device.bus() as bus:
            return bus.ask("NameHasOwner", "s", [self.name]) == [True]

    def get(self, name):
        """A property; None where it does not run."""
        if not self.is_there():
            return None
        with self.device.bus() as bus:
            answer = bus.call(self.name, PATH, "org.freedesktop.DBus.Properties", "Get", "ss", [INTERFACE, name])
            return answer[0].value if answer else None

    def tell(self, member, signature="", *values):
        with self.device.bus() as bus:
            bus.call(self.name, PATH, INTERFACE, member, signature, list(values))

    def open(self, path):
        self.tell("OpenUri", "s", path.as_uri())
        wait_for(lambda: self.plays(path), "the film")

    def url(self):
        found = (self.get("Metadata") or {}).get("xesam:url")
        return found.value if found else None

    def plays(self, path):
        return self.url() == path.as_uri() and self.get("PlaybackStatus") == "Playing"

    def at(self):
        position = self.get("Position")
        return -9 if position is None else position / 1_000_000

    def is_at(self, seconds):
        return abs(self.at() - seconds) < 1

    def go(self, seconds):
        track = (self.get("Metadata") or {})["mpris:trackid"].value
        self.tell("SetPosition", "ox", track, int(seconds * 1_000_000))
        wait_for(lambda: seconds - 1 < self.at() < seconds + SECONDS, f"{seconds} s")

    def is_paused(self):
        return self.get("PlaybackStatus") == "Paused"


def enable(device, *programs):
    device.segue("bridge", "enable", *programs)


def end_all(device):
    for pid in device.processes():
        name = os.path.basename(os.readlink(f"/proc/{pid}/exe"))
        if name in ("vlc", "real-vlc", "mpv"):
            os.kill(pid, signal.SIGKILL)
