"""Many applications that are installed at once: the daemon reads some of them, and then hears whoever calls."""

import os
import pathlib
import signal

from harness.waiting import wait_for

#: More than the daemon reads in a few turns of its loop.
COUNT = 2000
CONTROL = ("org.segue.Control1", "/org/segue/Control1", "org.segue.Control1")


def test_callsAreAnsweredBetweenTheFilesOfManyApplications(new_device, new_application):
    device = new_device("desk")
    aside = device.folder / "aside"
    aside.mkdir(mode=0o755)
    application = new_application()
    for number in range(COUNT):
        (aside / f"org.example.n{number}.desktop").write_text(application.desktop_file())
    with device.bus() as bus:
        def installed():
            return bus.control("GetStatus")[0]["installed"]

        before = installed()
        pid = device.pid()
        os.kill(pid, signal.SIGSTOP)
        try:
            aside.rename(device.data / "applications/many.d")
            # The daemon has this call before it when it goes on, and the news of the folder as well.
            serial = bus.call_later(*CONTROL, "GetStatus")
            bus.ask("GetId")
        finally:
            os.kill(pid, signal.SIGCONT)
        answered = bus.body(bus.reply(serial))[0]["installed"]
        assert before <= answered < before + COUNT
        seen = set()
        wait_for(lambda: seen.add(installed()) or before + COUNT in seen, "all of them")
        assert len(seen) > 1
    assert device.pid() == pid


def test_aDaemonAtRestHasOneThread(new_device):
    """Others are for work that blocks, and end with it: no timer of a pool of threads wakes the process."""
    device = new_device("desk")
    with device.bus() as bus:
        bus.control("GetStatus")
    threads = pathlib.Path(f"/proc/{device.pid()}/task")
    wait_for(lambda: len(list(threads.iterdir())) == 1, "the end of the threads that read at the start")
