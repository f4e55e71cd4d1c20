"""The first minutes with the ten lines: what is forgotten is said where its author looks."""

import os
import pty
import subprocess

import pytest
from harness.device import pair
from harness.example import Example
from harness.lines import Ended, Lines
from harness.tree import PREFIX
from harness.waiting import wait_for

ID = "org.segue.Notes"
TYPE = "org.segue.notes.editing"
SLOW = """static void slow(segue_application *app, segue_activity *activity, void *data) {
  (void)app, (void)activity, (void)data;
  struct timespec pause = {1, 200000000};
  nanosleep(&pause, NULL);
}

int main("""


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Builds the ten lines, with some of them replaced; each once."""
    built = {}

    def make(*changes):
        if changes not in built:
            example = Example("c/ten-lines", tmp_path_factory.mktemp("lines"))
            source = example.folder / "notes.c"
            text = source.read_text()
            for old, new in changes:
                assert old in text
                text = text.replace(old, new)
            source.write_text("#define _POSIX_C_SOURCE 200809L\n#include <time.h>\n" + text)
            example.make("all")
            built[changes] = example
        return built[changes]

    return make


class Program:
    """The ten lines, run by hand: with a terminal as standard error, or without."""

    def __init__(self, device, example, *arguments, terminal=False, **environment):
        environment = {**device.environment, "LD_LIBRARY_PATH": str(PREFIX / "lib"), **environment}
        reader, writer = pty.openpty() if terminal else os.pipe()
        self.process = subprocess.Popen(
            [example.folder / "segue-notes", *arguments], env=environment, stdin=subprocess.DEVNULL, stderr=writer,
            stdout=subprocess.DEVNULL)
        os.close(writer)
        self.lines = Lines(reader)

    def says(self, words):
        while words not in (line := self.lines.next()):
            pass
        return line

    def close(self):
        """Ends it; what it has said that was not read."""
        self.process.kill()
        self.process.wait()


@pytest.fixture
def run():
    programs = []

    def start(*arguments, **options):
        programs.append(Program(*arguments, **options))
        return programs[-1]

    yield start
    for program in programs:
        program.close()


def install(example, device):
    example.make("install", f"PREFIX={device.folder}", f"datadir={device.data}")


def is_refused(device):
    return any(row["app-id"] == ID and row["reason"] == "refused" for row in device.json("explain"))


@pytest.mark.parametrize("options", [{"terminal": True}, {"SEGUE_LOG": "1"}], ids=["terminal", "SEGUE_LOG"])
def test_withoutADesktopFileTheAuthorIsTold(new_device, build, run, options):
    device = new_device("desk")
    program = run(device, build(), "42", **options)
    line = program.says("not registered")
    assert line.startswith(f"segue: {ID}: ") and f"No installed desktop file declares {ID}. Install " in line
    assert f"{ID}.desktop" in line and "start the program again" in line
    # In a list where nobody has to know the name.
    said = device.segue("explain")
    assert f"A program that says it is {ID} was refused: No installed desktop file declares {ID}. Install " in said
    # The cure.
    install(build(), device)
    wait_for(lambda: "One does now: start it again" in device.segue("explain"), "the desktop file")
    program.close()
    run(device, build(), "42", **options)
    wait_for(lambda: any(item["app-id"] == ID for item in device.json("activities")["activities"]), "the activity")
    assert not is_refused(device)


def test_aProgramWithoutATerminalPrintsNothing(new_device, build, run):
    device = new_device("desk")
    program = run(device, build(), "42")
    wait_for(lambda: is_refused(device), "the refusal")
    program.process.kill()
    program.process.wait()
    with pytest.raises((Ended, OSError)):
        program.lines.next()


def test_aTerminalIsToldOnce(new_device, build, run):
    device = new_device("desk", daemon=False)
    program = run(device, build(), "42", terminal=True)
    assert "not registered" in program.says("not registered")
    # Another reason, at the same terminal.
    device.kill_bus()
    device.start_bus()
    device.install_daemon()
    device.reload()
    wait_for(lambda: is_refused(device), "the refusal")
    program.process.kill()
    program.process.wait()
    with pytest.raises((Ended, OSError)):
        program.lines.next()


def test_withoutReadyTheAuthorIsTold(new_device, build, run):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    for device in (desk, lap):
        install(build(), device)
    run(desk, build(), "42")
    program = run(lap, build(("  segue_application_ready(app);\n", "")), terminal=True)
    offer = lap.until(lambda watch: next(iter(watch.items["offer"].values()), None), "the offer")
    lap.take(offer)
    line = program.says("segue_application_ready")
    assert f"a continuation of {TYPE} waits until segue_application_ready is called" in line


def test_aSaveThatBlocksIsToldToItsAuthor(new_device, build, run):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    for device in (desk, lap):
        install(build(), device)
    slow = build(("int main(", SLOW), ("delegate.continue_activity = resume;",
                                       "delegate.continue_activity = resume;\n  delegate.did_update = slow;"),
                 ('"line", atoi(arguments[1]));', '"line", atoi(arguments[1]));\n'
                  '    segue_activity_set_needs_save(activity, true);'))
    program = run(desk, slow, "42", SEGUE_LOG="1")
    line = program.says("saving ")
    assert TYPE in line and " ms in the callbacks of the application" in line


def test_aSaveThatNeverComesIsInTheDaemonsLog(new_device, application, install):
    desk, lap = new_device("desk", SaveTime=300), new_device("lap")
    pair(desk, lap)
    install(lap, application)
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "current a")
    offer = lap.offer(application)
    origin.do("stop-dispatch")
    lap.take(offer).failed()
    assert f"{application.id} has not saved {application.type} within 300 ms" in desk.report()
    origin.do("resume-dispatch")
