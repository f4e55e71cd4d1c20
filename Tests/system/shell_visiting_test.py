"""segue-shell from here to there: sessions of other devices in this terminal, and what a user can do about visitors."""

import os
import signal

from harness.shells import APPLICATION, moved
from harness.terminal import Terminal
from harness.tree import SEGUE, SEGUE_SHELL
from harness.waiting import wait_for


def shared(user, *options):
    """A terminal on a shared session of the user's, in which something has been done."""
    terminal = user.terminal("--share", *options, "--", "/bin/sh").until("$")
    terminal.type("echo st''arted\r")
    return terminal.until("started")


def test_theEndOfTheViewingDaemonEndsNoTerminal(shells):
    desk, lap = shells
    here, there = moved(desk, lap)
    lap.device.stop_daemon(signal.SIGKILL)
    there.until("Enter ~ . leaves")
    here.type("echo mean''while\r")
    there.until("meanwhile").until_gone("Enter ~ . leaves")
    there.type("echo goes o''n\r")
    here.until("goes on")


def test_neitherDoesThatOfTheServiceToo(shells):
    desk, lap = shells
    here, there = moved(desk, lap)
    os.kill(lap.service(), signal.SIGKILL)
    lap.device.stop_daemon(signal.SIGKILL)
    here.type("echo mean''while\r")
    there.until("meanwhile")
    there.type("exit 5\r")
    assert (there.ended(), here.ended()) == (5, 5)


def test_theOriginsServiceMayEndAndAnotherSessionIsNotTakenForTheFirst(shells):
    desk, lap = shells
    here, there = moved(desk, lap)
    # It has ended when the line is back, and another one has its name.
    os.kill(here.pid, signal.SIGKILL)
    here.ended()
    os.kill(desk.service(), signal.SIGKILL)
    os.kill(lap.device.pid(), signal.SIGSTOP)
    desk.signal_session("1", signal.SIGKILL)
    other = shared(desk)
    lap.device.stop_daemon(signal.SIGKILL)
    assert there.ended() == 255
    assert '"desk" says: "the session has ended, or is not shared any more"' in there.text
    other.type("echo untouch''ed\r")
    other.until("untouched")


def test_theSessionThatWasUsedLastIsOnOfferAfterTheServicesEnd(shells):
    desk, lap = shells
    shared(desk)
    shared(desk)
    # A session that is named counts as used.
    for number, name in [("2", "second"), ("1", "first")]:
        assert desk.terminal("name", number, name).ended() == 0
    title = f"first: sh in {os.path.basename(os.getcwd())}"
    lap.device.offer(APPLICATION, title=title)
    # The other session reaches the next service last.
    desk.signal_session("2", signal.SIGSTOP)
    os.kill(desk.service(), signal.SIGKILL)
    lap.terminal("attach", "desk:first").until("started")
    desk.signal_session("2", signal.SIGCONT)
    wait_for(lambda: desk.connected() == 2, "the second session at the service")
    assert [activity["title"] for activity in desk.device.json("activities")["activities"]] == [title]


def test_attachToADevice(shells):
    desk, lap = shells
    here = shared(desk)
    lap.device.offer(APPLICATION)
    there = lap.terminal("attach", "desk").until("started")
    # Each is called as its device is.
    there.until(lambda: there.screen.title.startswith("[shared with desk]"))
    here.until(lambda: here.screen.title.startswith("[shared with lap]"))
    there.type("echo from the l''ap\r")
    here.until("from the lap")
    # A second one too, though what was continued is not on offer now.
    second = lap.terminal("attach", "desk:1").until("from the lap")
    for terminal in (second, there):
        terminal.type("\r~.")
        assert terminal.ended() == 0 and terminal.is_as_before
    here.until(lambda: "shared" not in here.screen.title)


def test_attachToAnotherSessionOfADevice(shells):
    desk, lap = shells
    first = shared(desk, "--name", "build")
    first.type("echo the fi''rst\r")
    first.until("the first")
    # Whichever reaches the service last is on offer.
    lap.device.offer(APPLICATION)
    second = shared(desk)
    assert lap.device.offer(APPLICATION, title="sh in " + os.path.basename(os.getcwd()))
    there = lap.terminal("attach", "desk:build").until("the first")
    there.type("exit 3\r")
    assert (there.ended(), first.ended()) == (3, 3)
    none = lap.terminal("attach", "desk:build")
    assert none.ended() == 255
    assert '"desk" says: "no shared session is called \'build\'; there are 2"' in none.text
    second.type("exit\r")
    second.ended()


def test_attachTakesWhatTheDeviceHasOnOfferByThen(shells):
    desk, lap = shells
    first = shared(desk, "--name", "build")
    first.type("echo the fi''rst\r")
    first.until("the first")
    assert lap.device.offer(APPLICATION)["title"].startswith("build: ")
    # The viewer has found the device, and lap's service has not heard it when another session is what desk offers.
    shared(lap)
    service = wait_for(lap.service, "the service")
    os.kill(service, signal.SIGSTOP)
    there = lap.terminal("attach", "desk:build")
    there.until(lambda: not there.is_as_before)
    shared(desk)
    lap.device.offer(APPLICATION, title="sh in " + os.path.basename(os.getcwd()))
    os.kill(service, signal.SIGCONT)
    there.until("the first")


def test_whatIsNotSharedIsNotReached(shells):
    desk, lap = shells
    desk.terminal("--name", "private", "--", "/bin/sh").until("$")
    shared(desk)
    lap.device.offer(APPLICATION)
    for name in ["private", "1"]:
        none = lap.terminal("attach", f"desk:{name}")
        assert none.ended() == 255 and "no shared session" in none.text


def test_aDeviceThatIsNotThere(shells):
    _, lap = shells
    none = lap.terminal("attach", "attic")
    assert none.ended() == 1 and 'no session and no paired device called "attic"' in none.text


def test_theListHasWhatOtherDevicesOffer(shells):
    desk, lap = shells
    shared(desk, "--name", "build")
    title = lap.device.offer(APPLICATION)["title"]
    assert title.startswith("build: sh in ")
    listing = lap.terminal("list")
    assert listing.ended() == 0
    assert listing.raw.decode().splitlines() == [f"desk:\t{title}\ton offer"]


def test_sharingBeginsAndEndsLater(shells):
    desk, lap = shells
    here = desk.terminal("--", "/bin/sh").until("$")
    lap.device.no_offer(APPLICATION)
    # In the session itself it is that one.
    here.type(f"{SEGUE_SHELL} share\r")
    here.until("shared")
    there = lap.took().until("share")
    here.until(lambda: here.screen.title.startswith("[shared with lap]"))
    unshared = desk.terminal("unshare", "1")
    assert unshared.ended() == 0
    assert there.ended() == 255 and there.is_as_before
    assert '"desk" says: "it is not shared any more"' in there.text
    lap.device.no_offer(APPLICATION)
    here.type("echo goes o''n\r")
    here.until("goes on")


def test_aViewerIsPutOut(shells):
    desk, lap = shells
    here, there = moved(desk, lap)
    here.until(lambda: here.screen.title.startswith("[shared with lap]"))
    none = desk.terminal("detach", "1", "attic")
    assert none.ended() == 1 and '"lap"' in none.text
    assert desk.terminal("detach", "1", "lap").ended() == 0
    assert there.ended() == 255 and '"desk" says: "it was detached there"' in there.text
    here.until(lambda: "shared" not in here.screen.title)
    here.type("echo st''ill here\r")
    here.until("still here")
    # It may come again, as long as the session is shared.
    lap.took().until("still here")


def test_continueInATerminalWhereNoWindowCanBeOpened(shells):
    desk, lap = shells
    here = shared(desk)
    lap.device.offer(APPLICATION)
    environment = {name: value for name, value in lap.environment.items()
                   if name not in ["TERMINAL", "DISPLAY", "WAYLAND_DISPLAY"]}
    lap.terminals.append(Terminal([SEGUE, "continue"], environment))
    there = lap.terminals[-1].until("started")
    assert b"No program that opens a terminal's window was found" in there.raw
    there.type("echo from the l''ap\r")
    here.until("from the lap")
    there.type("\r~.")
    assert there.ended() == 0


def test_whatIsTypedWhileTheLineIsCutIsSaid(far):
    desk, lap = far
    here, there = moved(desk, lap)
    desk.device.host.unplug()
    there.until("is not reached")
    there.type("rm -r *\r")
    there.until("8 bytes typed are not sent")
    desk.device.host.plug()
    there.until("8 bytes typed while the line was cut were not sent")
    there.type("echo ag''ain\r")
    there.until("again").until_gone("were not sent")
    here.until("again")
    assert "rm -r" not in here.text
