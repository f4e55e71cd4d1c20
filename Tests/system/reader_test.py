"""The reader (examples/c/reader), and the plugin that it keeps its place in."""

import os
import shutil
import subprocess

import pytest
from harness.application import Application, Installed
from harness.editors import NEOVIM, Neovim
from harness.lines import Lines
from harness.terminal import Terminal
from harness.tree import LIBRARY, PREFIX, SOURCES
from harness.waiting import wait_for

PLUGIN = "org.segue.text-position"
READER = SOURCES / "examples" / "c" / "reader"


class Reader:
    """`segue-reader --script` on a device."""

    def __init__(self, prefix, device, *arguments):
        self.process = subprocess.Popen(
            [prefix / "bin" / "segue-reader", "--script", *arguments], env=device.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines = Lines(self.process.stdout.fileno())

    def do(self, command):
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()

    def until(self, start):
        """The rest of the next line that begins so."""
        while not (line := self.lines.next()).startswith(start):
            pass
        return line[len(start):]

    def quit(self):
        """Its status, and what it wrote to standard error."""
        _, error = self.process.communicate(b"quit\n")
        return self.process.returncode, error.decode()

    def close(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """The reader, installed with a library of its own, beside which there are no plugins."""
    prefix = tmp_path_factory.mktemp("reader")
    # A user who could write to a directory of the path could put a plugin there.
    prefix.chmod(0o755)
    source = prefix / "source"
    shutil.copytree(READER, source)
    (prefix / "lib").mkdir()
    shutil.copy(LIBRARY, prefix / "lib" / "libsegue.so.0")
    # The debug library has no other name.
    (prefix / "lib" / "libsegue.so").symlink_to("libsegue.so.0")
    subprocess.run(
        ["make", "-s", "-C", source, "clean", "install", f"PREFIX={prefix}", f"LDFLAGS=-Wl,-rpath,{prefix}/lib"],
        env={**os.environ, "PKG_CONFIG_PATH": str(PREFIX / "lib" / "pkgconfig")}, check=True)
    return prefix


@pytest.fixture
def plugin(prefix):
    """The plugin, in the reader's own prefix."""
    folder = prefix / "lib" / "segue" / "plugins"
    folder.mkdir(parents=True)
    for suffix in ["so", "plugin"]:
        shutil.copy(PREFIX / "lib" / "segue" / "plugins" / f"{PLUGIN}.{suffix}", folder)
    yield
    shutil.rmtree(folder.parent)


@pytest.fixture
def new_reader(prefix):
    made = []

    def start(device, *arguments):
        made.append(Reader(prefix, device, *arguments))
        return made[-1]

    yield start
    for reader in made:
        reader.close()


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("".join(f"line {number}\n" for number in range(1, 100)))
    return path


@pytest.fixture
def known(desk, lap):
    """The reader as the daemons know it."""
    desktop = "applications/org.segue.Reader.desktop"
    for device in (desk, lap):
        Installed.write(device.data / desktop, (READER / "data" / "org.segue.Reader.desktop").read_text())
    yield Application("org.segue.Reader")
    for device in (desk, lap):
        (device.data / desktop).unlink(missing_ok=True)


def test_withoutItsPluginTheReaderReadsAndSaysSo(desk, known, new_reader, text):
    reader = new_reader(desk, text)
    why = reader.until("state off: ")
    assert PLUGIN in why and "not installed" in why
    reader.until("at line 1 of 99: line 1")
    reader.do("line 42")
    reader.until("at line 42 of 99: line 42")
    assert reader.quit() == (0, "")
    desk.activity_gone(known)


def test_launchedWithoutItsPluginTheReaderEnds(desk, new_reader):
    status, error = new_reader(desk, "--service").quit()
    assert status == 1 and PLUGIN in error


def test_thePlaceIsRestoredByThePluginOfTheReadersOwnPrefix(plugin, known, desk, lap, new_reader, text):
    there = new_reader(lap)
    there.until("state registered")
    here = new_reader(desk, text)
    here.until("at line 1 ")
    here.do("line 42")
    here.until("at line 42 ")
    offer = lap.offer(known, title="a.txt")
    command = lap.take(offer)
    there.until(f"continued {text} line 42")
    command.succeeded()
    here.until("was-continued")
    # And back, from a line further down.
    there.do("down 8")
    there.until("at line 50 ")
    command = desk.take(desk.offer(known, title="a.txt"))
    here.until(f"continued {text} line 50")
    command.succeeded()


@pytest.fixture
def new_screen(prefix):
    """The reader in a terminal of a device, as its user sees it."""
    made = []

    def start(device, *arguments, **size):
        environment = {**device.environment, "TERM": "xterm", "LANG": "C.UTF-8"}
        made.append(Terminal([prefix / "bin" / "segue-reader", *arguments], environment, **size))
        return made[-1]

    yield start
    for terminal in made:
        terminal.close()


def top(terminal):
    return terminal.text.splitlines()[0]


def test_theSameLineStandsAtTheTopOfBothScreens(plugin, known, desk, lap, new_screen, text):
    # The readers of the tests before have gone.
    for device in (desk, lap):
        device.no_offer(known)
    other = text.with_name("b.txt")
    other.write_text("something else\n")
    there = new_screen(lap, other, rows=40, columns=100).until("something else")
    here = new_screen(desk, text, rows=20).until("line 1/99")
    here.type(":30\rjj")
    here.until("line 32/99")
    for origin, target, device in [(here, there, lap), (there, here, desk)]:
        line = top(origin)
        assert line not in ("line 1", top(target))
        command = device.take(device.offer(known, title="a.txt"))
        target.until(lambda: top(target) == line, line)
        command.succeeded()
        # Further down, and back. The line of the cursor must fit the smaller screen too.
        target.type(":70\r:35\r")
        target.until("line 35/99")


def test_aPlaceThatIsNoneLeavesWhatIsOpen(plugin, known, desk, lap, new_reader, text, install):
    there = new_reader(lap, text)
    there.until("state registered")
    there.do("line 7")
    there.until("at line 7 ")
    # As another version of the reader may have written it.
    origin = install(desk, Application(known.id, types=["org.segue.reader.reading"])).start()
    origin.do("activity a org.segue.reader.reading", "title a Old", "put a line int 42", "current a")
    command = lap.take(lap.offer(known, title="Old"))
    there.until("missing ")
    there.do("show")
    there.until("at line 7 of 99: line 7")
    command.succeeded()


def test_aTextOfAnotherApplicationGoesOnAtItsWords(plugin, known, desk, lap, new_reader, text, install):
    there = new_reader(lap)
    there.until("state registered")
    editor = Application("org.example.Editor", types=["org.segue.open.Text"])
    origin = install(desk, editor).start()
    origin.do(
        "activity a org.segue.open.Text", "title a a.txt", f"put a uri url {text.as_uri()}", "put a line int 42",
        "put a before string line", "put a after string 5", "current a")
    command = lap.take(lap.offer(editor, title="a.txt"))
    # Where both words stand nowhere, it is the line; a digest that is not there says nothing.
    there.until(f"continued {text} line 42")
    command.succeeded()
    # It is the reader's now, and of the same type.
    there.do("line 50")
    there.until("at line 50 ")
    lap.activity(known, type="org.segue.open.Text")


@pytest.mark.parametrize("number, uri", enumerate([
    "file:///proc/self/status", "file:///dev/zero", "file://other/etc/hostname", "file:///nowhere"]))
def O5_theReaderOpensNothingElse(plugin, known, desk, lap, new_reader, text, install, number, uri):
    there = new_reader(lap, text)
    there.until("state registered")
    editor = Application(f"org.example.Other{number}", types=["org.segue.open.Text"])
    origin = install(desk, editor).start()
    origin.do("activity a org.segue.open.Text", "title a Other", f"put a uri url {uri}", "current a")
    command = lap.take(lap.offer(editor, title="Other"))
    there.until("missing ")
    there.do("show")
    there.until("at line 1 of 99: line 1")
    command.succeeded()


@pytest.mark.skipif(
    not os.environ.get("SEGUE_BRIDGES") or not shutil.which("nvim"), reason="scripts/test-bridges runs it, with Neovim")
def test_aTextGoesOnFromNeovimInTheReaderAndBack(plugin, known, desk, lap, new_reader, text):
    # The readers of the tests before have gone.
    for device in (desk, lap):
        device.no_offer(known)
    here = Neovim(desk)
    text = text.rename(text.with_name("b.txt"))
    try:
        here.start(text)
        here.move(42, 3)
        there = new_reader(lap)
        there.until("state registered")
        offer = lap.offer(NEOVIM, title="b.txt")
        command = lap.start("continue", offer["id"], "--app", known.id)
        there.until(f"continued {text} line 42")
        command.succeeded()
        there.do("line 50")
        there.until("at line 50 ")

        offer = desk.offer(known, title="b.txt", type="org.segue.open.Text")
        desk.start("continue", offer["id"], "--app", NEOVIM.id).succeeded()
        wait_for(lambda: here.at()[:2] == [str(text), 50], "the line in Neovim")
    finally:
        here.close()
