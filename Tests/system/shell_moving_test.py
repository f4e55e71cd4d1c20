"""segue-shell between devices: a session that is continued elsewhere, and its way back."""

import os
import signal

from harness.shells import APPLICATION, moved
from harness.waiting import wait_for


def test_aSessionIsContinuedOnAnotherDevice(shells):
    desk, lap = shells
    here, there = moved(desk, lap, rows=30, columns=100)
    there.type("stty size; pwd\r")
    here.until("30 100")
    here.until(lambda: "shared with" in here.screen.title)
    here.type("echo from the d''esk\r")
    there.until("from the desk")
    # The end of its terminal is none of the session's.
    there.kill()
    here.until(lambda: "shared" not in here.screen.title)
    # It is on offer again, and is taken again.
    lap.device.take(lap.device.offer(APPLICATION)).succeeded()
    again = lap.opened().until("from the desk")
    again.type("exit 5\r")
    assert (again.ended(), here.ended()) == (5, 5)
    lap.device.no_offer(APPLICATION)


def test_whatIsNotSharedIsNotOffered(shells):
    desk, lap = shells
    desk.terminal("--", "/bin/sh").until("$").type("echo private\r")
    desk.terminal("--share", "--", "/bin/sh", "-c", "cd /; exec sh").until("$").type("echo\r")
    assert lap.device.offer(APPLICATION)["title"] == "sh in /"
    assert len(lap.device.offers_of(APPLICATION)) == 1


def test_withoutATerminalsProgram(shells):
    desk, lap = shells
    with lap.device.bus() as bus:
        bus.ask("UpdateActivationEnvironment", "a{ss}", [{"TERMINAL": "", "PATH": "/nowhere"}])
    here = desk.terminal("--share", "--", "/bin/sh").until("$")
    here.type("echo\r")
    lap.device.take(lap.device.offer(APPLICATION)).failed()


def test_theEndOfTheServiceEndsNoSession(shells):
    desk, lap = shells
    here, there = moved(desk, lap)
    old = desk.service()
    os.kill(old, signal.SIGKILL)
    there.type("echo goes o''n\r")
    here.until("goes on")
    there.type("~.")
    there.ended()
    # Another one offers the session.
    wait_for(lambda: desk.service() not in (None, old), "a new service")


def test_aVimSessionMovesThereAndBackWhileTheCableIsPulled(far, tmp_path):
    desk, lap = far
    text = tmp_path / "letter"
    here = desk.terminal("--share", "--", "/bin/sh").until("$")
    here.type(f"vim.tiny {text}\r")
    here.until("[New]")
    here.type("iWritten on the desk.\x1b")
    here.until("Written on the desk.")
    lap.device.take(lap.device.offer(APPLICATION)).succeeded()
    there = lap.opened(rows=30, columns=100).until("Written on the desk.")
    there.type("oWritten on the lap.\x1b")
    here.until("Written on the lap.")
    desk.device.host.unplug()
    there.until("is not reached")
    # Here it goes on meanwhile.
    here.type("oWritten in between.\x1b")
    here.until("Written in between.")
    assert "in between" not in there.text
    desk.device.host.plug()
    there.until("Written in between.").until_gone("is not reached")
    there.type("oWritten there again.\x1b:w\r")
    here.until("Written there again.")
    there.type("\r~.")
    assert there.ended() == 0
    here.type(":q\r")
    here.until("$")
    assert text.read_text() == (
        "Written on the desk.\nWritten on the lap.\nWritten in between.\nWritten there again.\n")
