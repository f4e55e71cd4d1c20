"""Programs in Swift on two devices: the example's terminal, and the listings of Apple's guide. scripts/test-swift builds them,
and names them in SEGUE_OUTLINE and SEGUE_LISTINGS."""

import os
import signal

import pytest

from harness.application import Application
from harness.device import pair
from harness.swift_programs import SwiftProgram
from harness.tree import SOURCES

PROGRAM, LISTINGS = os.environ.get("SEGUE_OUTLINE"), os.environ.get("SEGUE_LISTINGS")
FILES = SOURCES / "examples/swift/outline"
pytestmark = pytest.mark.skipif(not (PROGRAM and LISTINGS), reason="scripts/test-swift builds the programs in Swift")
OUTLINE = Application("org.segue.Outline", "Segue Outline", ["org.segue.outline.writing", "org.segue.outline.document"])
BROWSING, READING = "com.example.browser.browsing", "com.example.mail.reading-list"
#: Depends on a version of the package, as other people's do.
GUIDE = Application("org.segue.test.Listings", "Listings", [BROWSING, READING])


def outline(device):
    return SwiftProgram(
        device, OUTLINE.id, "segue-outline", PROGRAM, (FILES / "org.segue.Outline.desktop").read_text(),
        (FILES / "org.segue.Outline.Segue.service.in").read_text())


def listings(device):
    return SwiftProgram(
        device, GUIDE.id, "listings", LISTINGS, GUIDE.desktop_file(),
        f"[D-BUS Service]\nName={GUIDE.id}.Segue\nExec=@bindir@/listings\n")


@pytest.fixture
def pairs(new_device):
    """Makes a program of the kind on each of two devices."""
    made = []

    def make(kind, **limits):
        desk, lap = new_device("desk", **limits), new_device("lap")
        pair(desk, lap)
        made.extend([kind(desk), kind(lap)])
        return made

    yield make
    for program in made:
        program.close()


def begin(outline):
    outline.start()
    for command in ["write Shopping", "change 3 butter", "select 2", "type br"]:
        outline.type(command)


def goes_on(here, there, command):
    """Everything is there as it was here."""
    assert there.until("coming: ") == "coming: Shopping from desk"
    assert there.until("lines: ") == "lines: first | second | butter"
    assert there.until("selection: ") == "selection: 2, draft: br, caret: 2"
    assert there.until("history: ") == "history: 3: third"
    here.until("continued elsewhere")
    command.succeeded()


def take(program, application, **wanted):
    return program.device.take(program.device.offer(application, **wanted))


def test_anOutlineLaunchesTheProgramThere(pairs):
    here, there = pairs(outline)
    begin(here)
    goes_on(here, there, take(there, OUTLINE, title="Shopping"))


def test_anOutlineGoesOnInARunningProgramAndBack(pairs):
    here, there = pairs(outline)
    begin(here)
    there.start()
    goes_on(here, there, take(there, OUTLINE, title="Shopping"))
    there.type("type ead")
    there.type("select 1")
    command = take(here, OUTLINE, title="Shopping")
    assert here.until("selection: ") == "selection: 1, draft: bread, caret: 5"
    there.until("continued elsewhere")
    command.succeeded()


def test_aDocumentIsOpenedThere(new_device):
    """Its lines are in the file, which both devices have; the selection and the draft travel."""
    desk, lap = (new_device(name, containers=["notes"]) for name in ("desk", "lap"))
    pair(desk, lap)
    here, there = outline(desk), outline(lap)
    for device in (desk, lap):
        (device.containers["notes"] / "list.txt").write_text("Milk\nBread\n")
    here.start()
    here.type(f"open {desk.containers['notes']}/list.txt")
    here.until("document: org.segue.outline.document")
    for command in ["select 2", "type Rye"]:
        here.type(command)
    command = take(there, OUTLINE)
    assert there.until("lines: ") == "lines: Milk | Bread"
    assert there.until("selection: ") == "selection: 2, draft: Rye, caret: 3"
    command.succeeded()
    there.type("put")
    there.type("show")
    assert there.until("lines: ") == "lines: Milk | Rye"
    assert (lap.containers["notes"] / "list.txt").read_text() == "Milk\nRye\n"
    here.close()
    there.close()


def test_whatNobodyUnderstandsIsSaid(pairs):
    here, _ = pairs(outline)
    here.start()
    for command in ["", "fly", "change x", "open /nowhere/at/all"]:
        here.type(command)
    assert [here.until(start).split(" ")[0] for start in ["write", "write", "write", "error"]] == ["write"] * 3 + ["error:"]


def test_aBlockedMainActorAnswersNobodyAndGoesOnAfterwards(pairs):
    """A trap that docs/swift.md names: the device that asks is told, and nothing is lost."""
    here, there = pairs(outline, SaveTime=300)
    begin(here)
    there.start()
    offer = there.device.offer(OUTLINE, title="Shopping")
    here.signal(signal.SIGSTOP)
    there.device.take(offer).failed()
    assert there.until("failed: ").startswith("failed: Shopping: ")
    here.signal(signal.SIGCONT)
    goes_on(here, there, take(there, OUTLINE, title="Shopping"))


def test_listing2_6_anActivityIsRestoredThroughTheRestorationHandler(pairs):
    """With 2-3, 2-4 and 2-5: the list follows its user, and its title and userInfo are written at the last moment."""
    here, there = pairs(listings)
    here.start()
    here.type("list inbox 0.25")
    here.type("list sent 0.75")
    # The second list has replaced the first one.
    command = take(there, GUIDE, type=READING, title="Reading sent")
    assert there.until("restored: ") == "restored: sent 0.75"
    command.succeeded()


def test_listing2_6_aSceneContinues(pairs):
    """The same as UIKit has it, in a program that runs already."""
    here, there = pairs(listings)
    here.start()
    here.type("list drafts 0.5")
    there.start()
    there.type("scene")
    command = take(there, GUIDE, type=READING, title="Reading drafts")
    assert there.until("scene: will") == f"scene: will {READING}"
    assert there.until("scene: ") == "scene: drafts 0.5"
    command.succeeded()


def test_listing2_10_bothSidesTalkOverStreams(pairs):
    """With 2-2 and 2-9: an activity with a delegate that supports streams; the bus launches the side that asks."""
    here, there = pairs(listings)
    here.start()
    here.type("browse")
    command = take(there, GUIDE, type=BROWSING, title="Browsing")
    assert there.until("answer: ") == "answer: draft of page 3"
    here.until("was continued")
    command.succeeded()
