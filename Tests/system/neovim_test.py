"""The Neovim plugin with the real Neovim on two devices. scripts/test-bridges runs it."""

import json
import os
import shutil
import signal
import subprocess

import pytest

from harness.application import Application
from harness.bounds import SECONDS
from harness.device import pair
from harness.tree import PREFIX, SOURCES
from harness.waiting import wait_for

pytestmark = pytest.mark.skipif(
    not os.environ.get("SEGUE_BRIDGES") or not shutil.which("nvim"), reason="scripts/test-bridges runs it, with Neovim")
PLUGIN = SOURCES / "bridges/neovim"
NEOVIM = Application("org.segue.Neovim", "Neovim", ["org.segue.open.Text"])
LINES = [f"line {number} of the text" for number in range(1, 101)]


class Neovim:
    """Neovim on one device, without a terminal; the bus starts it too."""

    def __init__(self, device):
        self.device = device
        self.socket = device.folder / "nvim"
        self.environment = {**device.environment, "LD_LIBRARY_PATH": f"{PREFIX}/lib", "HOME": str(device.folder)}
        self.command = ["nvim", "--clean", "--headless", "--listen", str(self.socket), "--cmd", f"set rtp^={PLUGIN}",
                        "-c", "runtime plugin/segue.lua"]
        quoted = " ".join(f"'{word}'" for word in self.command)
        launcher = device.folder / "segue-neovim"
        launcher.write_text(f"#!/bin/sh\nLD_LIBRARY_PATH={PREFIX}/lib HOME={device.folder} exec {quoted}\n")
        launcher.chmod(0o755)
        service = (PLUGIN / "data/org.segue.Neovim.Segue.service").read_text()
        for path, text in [("applications/org.segue.Neovim.desktop", (PLUGIN / "data/org.segue.Neovim.desktop").read_text()),
                           ("dbus-1/services/org.segue.Neovim.Segue.service",
                            service.replace('/bin/sh -c "exec segue-neovim"', str(launcher)))]:
            file = device.data / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def start(self, *files):
        self.process = subprocess.Popen(
            [*self.command, *map(str, files)], env=self.environment, stdin=subprocess.DEVNULL, stdout=self.device.log,
            stderr=self.device.log)
        wait_for(self.socket.exists, "Neovim's socket")

    def ask(self, expression):
        """What an expression of Vim's is there."""
        done = subprocess.run(
            ["nvim", "--clean", "--headless", "--server", self.socket, "--remote-expr", f"json_encode({expression})"],
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def lua(self, code):
        return self.ask(f"luaeval({json.dumps(code)})")

    def move(self, line, column=1):
        self.ask(f"cursor({line}, {column})")
        # As if the user had typed.
        self.ask("execute('doautocmd CursorMoved')")

    def at(self):
        """The file, the line and the column that the user sees."""
        return self.ask("[expand('%:p'), line('.'), col('.')]")

    def close(self):
        for pid in self.device.processes():
            if (os.path.basename(os.readlink(f"/proc/{pid}/exe"))) == "nvim":
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def editors(new_device, tmp_path):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    made = [Neovim(desk), Neovim(lap)]
    text = tmp_path / "a text.txt"
    text.write_text("\n".join(LINES) + "\n")
    yield *made, text
    for editor in made:
        editor.close()


def take(here, there, path):
    command = there.device.take(there.device.offer(NEOVIM, title=path.name))
    command.succeeded()


def test_aTextGoesOnWhereItsCursorStood(editors):
    here, there, text = editors
    here.start(text)
    here.move(42, 8)
    take(here, there, text)
    wait_for(lambda: there.at() == [str(text), 42, 8], "the place")


def test_theContextFindsThePlaceInATextThatWasEditedAboveIt(editors):
    here, there, text = editors
    here.start(text)
    here.move(42, 6)
    offer = there.device.offer(NEOVIM, title=text.name)
    text.write_text("\n".join(["new"] * 7 + LINES) + "\n")
    there.device.take(offer).succeeded()
    wait_for(lambda: there.at() == [str(text), 49, 6], "the line further down")


def test_aRunningOneOpensItAndIsNotTakenBackSilently(editors):
    here, there, text = editors
    here.start(text)
    here.move(10)
    there.start(text)
    wait_for(lambda: there.ask("exists('g:loaded_segue')") == 1, "the plugin")
    there.move(60)
    asked = "execute(\"lua require('segue').confirm = function(q) vim.g.asked = q return 2 end\")"
    there.ask(asked)
    here.move(11)
    offers = there.device.offers_of(NEOVIM)
    take(here, there, text)
    assert there.ask("g:asked") == "Go back from line 60 to 11?" and there.at()[1] == 60, offers
    there.ask(asked.replace("return 2", "return 1"))
    here.move(12)
    take(here, there, text)
    wait_for(lambda: there.at()[1] == 12, "the line that was agreed to")


@pytest.mark.parametrize("address", [
    "http://example.org/a", "file://other/etc/hostname", "file:///etc/../etc/hostname", "file:///dev/null", "file:///tmp",
    "file:///nowhere/at/all", "file:///etc/hostname%0a", "file:///etc/host%2e%2e/../hostname"])
def test_O5_nothingElseIsOpened(editors, address):
    here, _, text = editors
    here.start(text)
    said = here.lua(f"{{require('segue.file').path({json.dumps(address)})}}")
    assert said is None or said[0] in (None, ""), said


def test_aRemoteIsOneNameForOneRepository(editors):
    here, _, text = editors
    here.start(text)
    for remote, name in [("https://me@Example.org/a/b.git", "example.org/a/b"), ("git@example.org:a/b.git", "example.org/a/b"),
                         ("ssh://git@example.org:22/a/b/", "example.org/a/b"), ("/srv/git/a", None), ("file:///srv/a", None)]:
        assert here.lua(f"require('segue.file').repository({json.dumps(remote)})") == name
