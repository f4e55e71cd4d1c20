"""What of the store survives a daemon that dies at any step of storing, a full disk, and a file that says odd things
(attack 49)."""

import contextlib
import sqlite3

from harness.encoding import decode
from harness.storing import needs_strace, stored, trace_storing, until_stored
from harness.waiting import wait_for
from harness.wire import BusError


@needs_strace
def attack49_aDeathAtAnyStepOfStoringLeavesTheOldOrTheNew(new_device, application, install):
    device = new_device("desk", SnapshotInterval=1)
    place = install(device, application)
    place.start().do(f"activity a {application.type}", "persistent a page", "search a 1", "current a")
    until_stored(device, "search")
    for probe in place.probes:
        probe.quit()
    step = 0
    while True:
        step += 1
        device.stop_daemon()
        trace_storing(device, f"signal=KILL:when={step}")
        # The daemon may die before it is ready.
        probe = place.start(ready=False)
        probe.do(f"activity a {application.type}", "persistent a page", "search a 1", "current a")
        # The journal goes last.
        wait_for(lambda: any(word in device.trace() for word in ["killed by", "unlink("]), "the store")
        is_hit = "killed by" in device.trace()
        # First: it would start the daemon again.
        probe.kill()
        device.install_daemon()
        device.reload()
        try:
            device.stop_daemon(9)
        except BusError:
            pass
        copies = stored(device, "search")
        assert len(copies) == 1, f"step {step}: {copies}"
        assert not (device.folder / "state/segue/store.sqlite.broken").exists(), f"step {step}"
        if not is_hit:
            break
    assert step > 5, "the store was not touched"


@needs_strace
def attack49_aFullDiskKeepsWhatWasThere(new_device, application, install):
    device = new_device("desk", SnapshotInterval=1)
    place = install(device, application)
    probe = place.start()
    probe.do(f"activity a {application.type}", "persistent a page", "put a page int 7", "search a 1", "current a")
    copy = until_stored(device, "search")
    probe.quit()
    device.stop_daemon()
    trace_storing(device, "error=ENOSPC:when=1+")
    probe = place.start()
    probe.do(f"activity b {application.type}", "persistent b page", "search b 1", "current b")
    wait_for(lambda: "INJECTED" in device.trace(), "the store")
    # It can be read, and used, where nothing can be written.
    assert [item["id"] for item in stored(device, "search")] == [copy["id"]]
    command = device.take(copy)
    assert decode(probe.expect("continue")[1]) == {"page": 7}
    command.succeeded()
    # The application that asked for a deletion is notified that it failed.
    probe.do("delete-all all")
    assert probe.expect("deleted all")[0] != "0"
    probe.kill()
    device.install_daemon()
    device.reload()
    device.stop_daemon(9)
    assert [item["id"] for item in stored(device, "search")] == [copy["id"]]


@needs_strace
def attack49_aFullDiskHidesNothingBehindWhatHasExpired(new_device, application, install):
    device = new_device("desk", SnapshotInterval=1)
    place = install(device, application)
    probe = place.start()
    for name, page in [("a", 7), ("b", 8)]:
        probe.do(
            f"activity {name} {application.type}", f"title {name} {name}", f"persistent {name} {name}",
            f"put {name} page int {page}", f"search {name} 1", f"current {name}")
    until_stored(device, "search", count=2)
    kept, gone = (until_stored(device, "search", title=title) for title in "ab")
    probe.quit()
    device.stop_daemon()
    with contextlib.closing(sqlite3.connect(device.folder / "state/segue/store.sqlite")) as database, database:
        database.execute("UPDATE copy SET expires = stored, stored = stored - 1 WHERE title = 'b'")
    trace_storing(device, "error=ENOSPC:when=1+")
    probe = place.start()
    # An expired copy cannot be removed, and is not listed.
    assert [item["id"] for item in stored(device, "search")] == [kept["id"]]
    assert "INJECTED" in device.trace()
    command = device.take(kept)
    assert decode(probe.expect("continue")[1]) == {"page": 7}
    command.succeeded()
    device.take(gone).failed()


def attack49_timesInTheFileThatSegueNeverWrites(new_device, application, install):
    device = new_device("desk", SnapshotInterval=1)
    probe = install(device, application).start()
    probe.do(f"activity a {application.type}", "search a 1", "current a")
    until_stored(device, "search")
    probe.quit()
    device.stop_daemon()
    with contextlib.closing(sqlite3.connect(device.folder / "state/segue/store.sqlite")) as database, database:
        database.execute("UPDATE copy SET expires = 9223372036854775807")
    copy, = stored(device, "search")
    assert copy["time-left"] <= 30 * 86400 * 1000
    pid = device.pid()
    assert len(stored(device, "search")) == 1 and device.pid() == pid
