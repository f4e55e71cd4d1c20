"""The examples that show a main loop or a language: each is built and run as by its reader, and goes on elsewhere."""

import shutil
import tempfile

import pytest
from harness.bounds import SECONDS
from harness.example import Example, InstalledExample
from harness.process import sleeps, wait_until_at_rest

LOOPS = ["c/loop-glib", "c/loop-epoll", "c/loop-libuv", "c/loop-qt"]
LANGUAGES = ["rust/notes", "lua/notes", "perl/notes"]


@pytest.fixture(scope="module", params=LOOPS + LANGUAGES)
def example(request):
    folder = tempfile.mkdtemp(prefix="sg-", dir="/tmp")
    made = Example(request.param, folder)
    made.reads = request.param in LOOPS
    yield made
    shutil.rmtree(folder)


@pytest.fixture
def put(example):
    """Installs the example on a device, until the test is over."""
    made = []

    def put(device):
        made.append(InstalledExample(device, example))
        return made[-1]

    yield put
    for installed in made:
        if installed in installed.device.installed:
            installed.device.installed.remove(installed)
            installed.close()


def offering(place, example, text):
    """Starts one that has such a note on offer: typed, or else as its argument."""
    if not example.reads:
        return place.start(text)
    program = place.start()
    program.send(text)
    return program


def end(program, example):
    """The end of input ends a loop, with everything given back; the others are ended by their user."""
    if not example.reads:
        program.close()
        return
    program.process.stdin.close()
    assert program.process.wait(SECONDS) == 0


def test_aNoteGoesOnWhereTheProgramRuns(example, put, desk, lap):
    origin = offering(put(desk), example, "milk")
    target = offering(put(lap), example, "bread")
    # The title of what was typed is set by a timer of the program's own.
    desk.offer(example, title="bread")
    lap.take(lap.offer(example, title="milk")).succeeded()
    assert target.lines.next() == "restored: milk"
    # The restored activity is on offer in its turn.
    end(origin, example)
    lap.activity(example, title="milk")
    end(target, example)
    lap.activity_gone(example)


def test_aNoteGoesOnWhereTheBusLaunchesTheProgram(example, put, desk, lap):
    origin, there = offering(put(desk), example, "crème brûlée 🍮"), put(lap)
    command = lap.take(lap.offer(example, title="crème brûlée 🍮"))
    target = there.launched()
    assert target.lines.next() == "restored: crème brûlée 🍮"
    command.succeeded()
    end(origin, example)
    desk.activity_gone(example)


def test_whatOthersDoDoesNotWakeIt(example, put, page, desk, lap, application):
    other, _ = page
    program = offering(put(lap), example, "milk")
    lap.activity(example, title="milk")

    def goes_on():
        other.do("needs-save a 1")
        lap.take(lap.offer(application)).succeeded()
        other.expect("was-continued a")

    # By the end of this everything that the program began is done.
    goes_on()
    wait_until_at_rest(program.pid)
    before = sleeps(program.pid)
    goes_on()
    assert sleeps(program.pid) == before
