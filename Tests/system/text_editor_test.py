"""segue-bridge with GNOME's real text editor, which continues what Neovim has. scripts/test-bridges runs it."""

import os

import pytest

from harness.device import pair
from harness.editors import NEOVIM, Neovim
from harness.peer import messages
from harness.players import enable
from harness.readers import are_here, give_screen, screen
from harness.text_editor import TEXT_EDITOR, TextEditor
from harness.waiting import wait_for

pytestmark = pytest.mark.skipif(
    not os.environ.get("SEGUE_BRIDGES") or not are_here("gnome-text-editor", "gio", "openbox", "xdotool"),
    reason="scripts/test-bridges runs it, with GNOME Text Editor")
LINES = [f"line {number} of the text" for number in range(1, 101)]


@pytest.fixture
def lap(new_device):
    """A device with the editor, bridged and not running."""
    with screen() as display:
        lap = new_device("lap")
        give_screen(lap, display)
        enable(lap, "gnome-text-editor")
        yield lap


@pytest.fixture
def editors(new_device, lap):
    if not are_here("nvim"):
        pytest.skip("Neovim is not installed")
    desk = new_device("desk")
    pair(desk, lap)
    here = Neovim(desk)
    yield here, TextEditor(lap)
    here.close()


def make_text(path):
    path.write_text("\n".join(LINES) + "\n")
    return path


def take(here, there, path):
    offer = there.device.offer(NEOVIM, title=path.name)
    there.device.start("continue", offer["id"], "--app", TEXT_EDITOR.id).succeeded()


def test_aTextGoesOnFromNeovimInAColdAndInARunningEditor(editors, tmp_path):
    here, there = editors
    one, other = make_text(tmp_path / "one.txt"), make_text(tmp_path / "other.txt")
    here.start(one)
    here.move(42, 8)
    assert not there.is_running()
    take(here, there, one)
    assert there.place(one, "X") == (42, 8)
    here.ask(f"execute('edit {other}')")
    here.move(60, 3)
    take(here, there, other)
    assert there.place(other, "Y") == (60, 3)


def test_theWordsFindThePlaceInATextThatWasEditedAboveIt(editors, tmp_path):
    here, there = editors
    text = make_text(tmp_path / "text.txt")
    here.start(text)
    here.move(42, 6)
    offer = there.device.offer(NEOVIM, title=text.name)
    text.write_text("\n".join(["new"] * 7 + LINES) + "\n")
    there.device.start("continue", offer["id"], "--app", TEXT_EDITOR.id).succeeded()
    assert there.place(text, "X") == (49, 6)


def O2_aTextThatIsOpenStaysWhereItIs(editors, tmp_path):
    here, there = editors
    text = make_text(tmp_path / "text.txt")
    there.start(text)
    there.go_to_end(text)
    here.start(text)
    here.move(42, 8)
    take(here, there, text)
    assert there.place(text, "X") == (100, 21)


@pytest.mark.parametrize("uri", [
    "file:///etc/../etc/hostname", "file:///proc/self/status", "file:///dev/zero", "file:///tmp", "file:///nowhere",
    "https://example.org/a.txt", "--new-window"])
def O5_nothingElseIsOpened(lap, new_peer, uri):
    there = TextEditor(lap)
    mallory = new_peer("mallory", lap)
    link = mallory.login(lap)
    activity = messages.identifier()
    link.offer({**messages.offer(TEXT_EDITOR, activity), "type": "org.segue.open.Text"})
    command = lap.take(lap.offer(TEXT_EDITOR))
    link.next_request().answer(messages.snapshot(activity, "org.segue.open.Text", {"uri": uri, "line": 3}))
    assert command.failed()
    assert not there.is_running()
    mallory.unpair(lap)


def test_aTextThatCannotBeMarkedIsOpenedAllTheSame(lap, new_peer, tmp_path):
    """The service of metadata is not there."""
    there = TextEditor(lap)
    (lap.data / "dbus-1/services/org.gtk.vfs.Metadata.service").unlink()
    lap.reload()
    text = make_text(tmp_path / "text.txt")
    mallory = new_peer("mallory", lap)
    link = mallory.login(lap)
    activity = messages.identifier()
    link.offer({**messages.offer(TEXT_EDITOR, activity), "type": "org.segue.open.Text"})
    command = lap.take(lap.offer(TEXT_EDITOR))
    link.next_request().answer(
        messages.snapshot(activity, "org.segue.open.Text", {"uri": text.as_uri(), "line": 42}))
    command.succeeded()
    wait_for(there.is_running, "the editor")
    there.is_in_front(text)
    mallory.unpair(lap)
