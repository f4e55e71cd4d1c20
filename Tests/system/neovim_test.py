"""The Neovim plugin with the real Neovim on two devices. scripts/test-bridges runs it."""

import json
import os
import shutil

import pytest

from harness.device import pair
from harness.editors import NEOVIM, Neovim
from harness.waiting import wait_for

pytestmark = pytest.mark.skipif(
    not os.environ.get("SEGUE_BRIDGES") or not shutil.which("nvim"), reason="scripts/test-bridges runs it, with Neovim")
LINES = [f"line {number} of the text" for number in range(1, 101)]


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


def O2_aRunningOneOpensItAndIsNotTakenBackSilently(editors):
    here, there, text = editors
    here.start(text)
    here.move(10)
    there.start(text)
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
    "file:///proc/self/pagemap", "file:///sys/kernel/notes",
    "file:///nowhere/at/all", "file:///etc/hostname%0a", "file:///etc/host%2e%2e/../hostname"])
def O5_nothingElseIsOpened(editors, address):
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
