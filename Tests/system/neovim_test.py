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
    asked = "execute(\"lua require('segue').confirm = function(q, a) vim.g.asked = q a(false) end\")"
    there.ask(asked)
    here.move(11)
    offers = there.device.offers_of(NEOVIM)
    take(here, there, text)
    wait_for(lambda: there.ask("get(g:, 'asked', '')") == "Go back from line 60 to 11?", f"the question: {offers}")
    assert there.at()[1] == 60
    there.ask(asked.replace("a(false)", "a(true)"))
    here.move(12)
    take(here, there, text)
    wait_for(lambda: there.at()[1] == 12, "the line that was agreed to")


def is_asked(editor):
    return "Go back from line 60" in editor.ask("getline(1)")


@pytest.mark.parametrize("key, line", [("y", 11), ("n", 60), ("<Esc>", 60), (":wincmd w<CR>", 60)])
def test_aQuestionThatNobodyAnswersHoldsUpNothingElse(editors, key, line):
    here, there, text = editors
    here.start(text)
    there.start(text)
    there.move(60)
    here.move(11)
    take(here, there, text)
    wait_for(lambda: is_asked(there), "the question")
    # The text there goes on here meanwhile, for which its place is asked for.
    take(there, here, text)
    wait_for(lambda: here.at()[1] == 60, "the place of the one that asks")
    there.send(key)
    wait_for(lambda: there.at() == [str(text), line, 1], "the answer")
    assert len(there.ask("nvim_list_wins()")) == 1


def test_aWindowOfAnotherTabPageIsGoneTo(editors, tmp_path):
    here, there, text = editors
    here.start(text)
    here.move(42, 8)
    other = tmp_path / "other"
    other.write_text("one\n")
    there.start(text)
    there.move(7, 3)
    there.ask(f"execute('tabnew {other}')")
    assert there.ask("tabpagenr()") == 2
    take(here, there, text)
    wait_for(lambda: there.at() == [str(text), 42, 8], "the place")
    assert there.ask("tabpagenr()") == 1 and len(there.ask("nvim_list_wins()")) == 2


def test_thePlaceOfATextInAnotherTabPageIsThatOfItsWindow(editors, tmp_path):
    here, there, text = editors
    here.start(text)
    here.move(42, 8)
    offer = there.device.offer(NEOVIM, title=text.name)
    # A buffer without a file is not on offer.
    here.ask("execute('tabnew')")
    there.device.take(offer).succeeded()
    wait_for(lambda: there.at() == [str(text), 42, 8], "the place")


def test_stoppedItIsGoneAndStartedAgainItIsThere(editors, tmp_path):
    here, there, text = editors
    here.start(text)
    other = tmp_path / "other"
    other.write_text("one\ntwo\n")
    there.device.offer(NEOVIM, title=text.name)
    here.lua("require('segue').stop()")
    there.device.no_offer(NEOVIM)
    # Nothing looks at the buffers any more.
    here.ask(f"execute('edit {other}')")
    assert here.ask("v:errmsg") == "" and here.lua("require('segue').offered()") in (None, "")
    assert here.lua("require('segue').start()") is True
    there.device.offer(NEOVIM, title=other.name)


def test_aFileThatIsTooLargeIsDeclinedWithASentence(editors, tmp_path):
    here, _, text = editors
    here.start(text)
    large = tmp_path / "large"
    large.write_bytes(b"")
    size = here.lua("require('segue.file').LARGEST")
    os.truncate(large, size + 1)
    assert here.lua(f"select(2, require('segue.file').path('file://{large}'))") == "the file is larger than 64 MiB"
    os.truncate(large, size)
    assert here.lua(f"require('segue.file').path('file://{large}')") == str(large)


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
