"""The composer of examples/c: a draft goes on elsewhere with its text, and its attachments follow through streams."""

import hashlib
import os
import shutil
import signal
import tempfile

import pytest
from harness.bounds import SECONDS
from harness.example import Example, InstalledExample

MEBIBYTE = 1024 * 1024


@pytest.fixture(scope="module")
def composer():
    folder = tempfile.mkdtemp(prefix="sg-", dir="/tmp")
    yield Example("c/composer", folder)
    shutil.rmtree(folder)


@pytest.fixture
def put(composer):
    """Installs the composer on a device, until the test is over."""
    made = []

    def put(device):
        made.append(InstalledExample(device, composer))
        return made[-1]

    yield put
    for installed in made:
        installed.device.installed.remove(installed)
        installed.close()


def write(place, files, subject):
    """Starts a composer with a draft of that subject, which is another one in each test."""
    program = place.start()
    assert program.lines.next() == "ready"
    program.send("to mum@example.org")
    program.send(f"subject {subject}")
    program.send("text Here they are: ä, 🍮.")
    for path in files:
        program.send(f"attach {path}")
        assert program.lines.next() == f"attached {path}"
    return program


def file(folder, name, size):
    path = folder / name
    with open(path, "wb") as made:
        made.write(os.urandom(size))
    return path


def digest(path):
    with open(path, "rb") as read:
        return hashlib.file_digest(read, "sha256").hexdigest()


def arrived(line):
    """The path of `arrived NAME, SIZE: PATH`."""
    assert line.startswith("arrived "), line
    return line.split(": ", 1)[1]


def shown(program):
    program.send("show")
    return [program.lines.next() for _ in range(3)]


def launched(target, subject):
    """The composer that the bus launches, once the text is there."""
    program = target.launched()
    assert program.lines.next() == "ready"
    assert program.lines.next().startswith(f"will-continue {subject} from ")
    assert program.lines.next() == f"continued {subject}"
    return program


def test_aDraftGoesOnWithItsAttachments(composer, put, desk, lap, tmp_path):
    files = [file(tmp_path, "beach.jpg", 3 * MEBIBYTE + 17), file(tmp_path, "empty", 0), file(tmp_path, ".hidden", 5)]
    origin = write(put(desk), files, "Pictures")
    target = put(lap)
    command = lap.take(lap.offer(composer, title="Pictures"))
    there = launched(target, "Pictures")
    paths = [arrived(there.lines.next()) for _ in files]
    assert there.lines.next() == "complete"
    command.succeeded()
    assert [digest(path) for path in paths] == [digest(path) for path in files]
    assert [os.path.basename(path) for path in paths] == ["beach.jpg", "empty", "file.hidden"]
    # The origin lets go of it once all of it is there.
    assert origin.lines.next() == "taken"
    assert shown(origin) == ["to ", "subject ", "text "]
    desk.activity_gone(composer)


def test_whatIsMissingIsSaidAndTheRestIsKept(composer, put, desk, lap, tmp_path):
    files = [file(tmp_path, "small", 1000), file(tmp_path, "large", 64 * MEBIBYTE), file(tmp_path, "last", 1)]
    origin = write(put(desk), files, "Films")
    target = put(lap)
    command = lap.take(lap.offer(composer, title="Films"))
    there = launched(target, "Films")
    small = arrived(there.lines.next())
    # The other file is on its way, or its first bytes are.
    os.kill(origin.process.pid, signal.SIGKILL)
    assert origin.process.wait(SECONDS) == -signal.SIGKILL
    assert there.lines.next().startswith("missing large, ")
    assert there.lines.next().startswith("missing last, ")
    assert there.lines.next() == "incomplete: 2 of 3 attachments are missing"
    command.succeeded()
    assert digest(small) == digest(files[0])


def test_anAttachmentThatIsGoneIsSaidAndTheDraftStays(composer, put, desk, lap, tmp_path):
    files = [file(tmp_path, "gone", 1000), file(tmp_path, "here", 1000)]
    origin = write(put(desk), files, "Letters")
    # The name now stands for a pipe, which would be read without an end.
    files[0].unlink()
    os.mkfifo(files[0])
    target = put(lap)
    command = lap.take(lap.offer(composer, title="Letters"))
    there = launched(target, "Letters")
    assert there.lines.next().endswith(": the file is not there any more")
    assert digest(arrived(there.lines.next())) == digest(files[1])
    assert there.lines.next() == "incomplete: 1 of 2 attachments are missing"
    command.succeeded()
    assert origin.lines.next() == "taken without all attachments: the draft stays here"
    assert shown(origin) == ["to mum@example.org", "subject Letters", "text Here they are: ä, 🍮."]
