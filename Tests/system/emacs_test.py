"""Emacs's package with the real Emacs, and between it and Neovim. scripts/test-bridges builds and runs it."""

import json
import os
import shutil

import pytest

from harness.device import pair
from harness.editors import EMACS, NEOVIM, Emacs, Neovim
from harness.waiting import wait_for

pytestmark = pytest.mark.skipif(
    not os.environ.get("SEGUE_EMACS") or not shutil.which("emacs") or not shutil.which("nvim"),
    reason="scripts/test-bridges builds and runs it")
LINES = [f"line {number} of the text" for number in range(1, 101)]


@pytest.fixture
def devices(new_device):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    return desk, lap


@pytest.fixture
def editors(devices):
    made = []

    def make(here, there):
        made.extend([here(devices[0]), there(devices[1])])
        return made

    yield make
    for editor in made:
        editor.close()


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a text.txt"
    path.write_text("\n".join(LINES) + "\n")
    return path


def take(application, there, path):
    there.device.take(there.device.offer(application, title=path.name)).succeeded()


def test_aTextGoesOnWhereThePointStood(editors, text):
    here, there = editors(Emacs, Emacs)
    here.start(text)
    here.move(42, 8)
    take(EMACS, there, text)
    wait_for(lambda: there.at() == [str(text), 42, 8], "the place")


def O2_itGoesOnInARunningOneAndAsksBeforeItGoesBack(editors, text):
    here, there = editors(Emacs, Emacs)
    here.start(text)
    here.move(10)
    there.start(text)
    there.move(60)
    there.ask("(progn (setq segue-confirm (lambda (question) (setq asked question) nil)) t)")
    here.move(11)
    take(EMACS, there, text)
    assert there.ask("asked") == "Go back from line 60 to 11? " and there.at()[1] == 60
    there.ask("(progn (setq segue-confirm (lambda (_) t)) t)")
    here.move(12)
    take(EMACS, there, text)
    wait_for(lambda: there.at()[1] == 12, "the line that was agreed to")


@pytest.mark.parametrize("here, there", [(Neovim, Emacs), (Emacs, Neovim)], ids=["to Emacs", "to Neovim"])
def O1_oneEditorGoesOnInTheOtherInATextThatWasEditedAboveIt(editors, text, here, there):
    here, there = editors(here, there)
    here.start(text)
    here.move(42, 6)
    application = NEOVIM if isinstance(here, Neovim) else EMACS
    offer = there.device.offer(application, title=text.name)
    text.write_text("\n".join(["new"] * 7 + LINES) + "\n")
    there.device.take(offer).succeeded()
    wait_for(lambda: there.at() == [str(text), 49, 6], "the line further down")


@pytest.mark.parametrize("address", [
    "http://example.org/a", "file://other/etc/hostname", "file:///etc/../etc/hostname", "file:///dev/null", "file:///tmp",
    "file:///proc/self/pagemap", "file:///sys/kernel/notes",
    "file:///nowhere/at/all", "file:///etc/hostname%0a", "file:///ssh:host:/etc/hostname", "/etc/hostname", ""])
def O5_nothingElseIsOpened(editors, text, address):
    here, _ = editors(Emacs, Emacs)
    here.start(text)
    assert here.ask(f"(segue--resume {json.dumps(address)} 1 1 nil nil)") is None
    assert here.at()[0] == str(text)


def test_senselessPlacesAreClamped(editors, text):
    here, _ = editors(Emacs, Emacs)
    here.start(text)
    here.ask("(progn (setq segue-confirm (lambda (_) t)) t)")
    uri = f"file://{text}".replace(" ", "%20")
    for line, column, expected in [("1000000000000", "5", 101), ("-5", "-5", 1), ("nil", "nil", 1), ('"x"', "3", 1)]:
        assert here.ask(f"(segue--resume {json.dumps(uri)} {line} {column} nil nil)") is True
        assert here.at()[1] == expected
