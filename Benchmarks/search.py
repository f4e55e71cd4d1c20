"""The desktop's search: what GNOME's overview and KRunner wait for, over as many stored activities as a device keeps."""

import sqlite3
import time

from devices import APP, TYPE, Device
from rows import Row, p50, p99

SAMPLES = 500
#: As many as a device stores in all, and of one application (docs/limits.md).
STORED, EACH = 2048, 256
#: The number of the aim. A device stores fewer, so that the time for so many is reckoned from theirs.
MANY = 10_000
#: The store of version 3 (Sources/SegueDaemon/Store/StoreTable.swift).
TABLE = """
CREATE TABLE copy (
  device TEXT NOT NULL, activity TEXT NOT NULL, kind TEXT NOT NULL, app TEXT NOT NULL, type TEXT NOT NULL,
  revision INTEGER NOT NULL, title TEXT, host TEXT, version INTEGER NOT NULL, tier INTEGER NOT NULL, team TEXT,
  persistent TEXT, stored INTEGER NOT NULL, expires INTEGER NOT NULL, size INTEGER NOT NULL,
  url TEXT, target TEXT, keywords BLOB NOT NULL, files BLOB NOT NULL, userinfo BLOB NOT NULL,
  PRIMARY KEY (device, activity, kind)) STRICT;
CREATE INDEX copy_by_end ON copy (expires);
CREATE INDEX copy_by_age ON copy (stored, size);
PRAGMA application_id = 1397049173;
PRAGMA user_version = 3;
"""


def fill(device, count=STORED):
    """Stores so many activities, 256 of an application, each with a title of several words and two keywords."""
    folder = device.folder / "state/segue"
    folder.mkdir(mode=0o700, exist_ok=True)
    now = int(time.time())
    with sqlite3.connect(folder / "store.sqlite") as store:
        store.executescript("PRAGMA auto_vacuum = FULL;" + TABLE)
        for number in range(count):
            app = f"{APP}.N{number // EACH}"
            title = f"Chapter {number} of a book about the sea and its ships"
            # CBOR: an array of two words, an empty array, an empty map.
            store.execute(
                "INSERT INTO copy VALUES (?, ?, 'search', ?, ?, 1, ?, NULL, 0, 2, NULL, NULL, ?, ?, 600, NULL, NULL, ?, ?, ?)",
                ("here", f"{number:032x}", app, TYPE, title, now, now + 86400, b"\x82\x65story\x66harbor", b"\x80", b"\xa0"))
    for number in range(-(-count // EACH)):
        (device.data / f"applications/{APP}.N{number}.desktop").write_text(
            f"[Desktop Entry]\nType=Application\nName=Reader {number}\nExec=true\nX-Segue-ActivityTypes={TYPE};\n")


def measure(folder, prefix):
    import gi

    gi.require_version("Gio", "2.0")
    from gi.repository import Gio, GLib

    device = Device(folder, "alone", prefix)
    fill(device)
    with device:
        bus = Gio.DBusConnection.new_for_address_sync(
            device.address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION,
            None, None)

        def call(path, interface, method, values=None):
            # A process may search so often, and no more.
            time.sleep(0.025)
            start = time.perf_counter()
            reply = bus.call_sync("org.segue.Control1", path, interface, method, values, None, 0, 10_000, None)
            return (time.perf_counter() - start) * 1000, reply.unpack()

        def search(word):
            return call(
                "/org/segue/Search", "org.gnome.Shell.SearchProvider2", "GetInitialResultSet", GLib.Variant("(as)", ([word],)))

        found = search("ships")[1][0]
        if len(found) != 32:
            raise RuntimeError(f"{len(found)} were found: {device.log.read_text()}")
        ping = [call("/org/segue/Search", "org.freedesktop.DBus.Peer", "Ping")[0] for _ in range(SAMPLES)]
        rows, slowest = [], 0
        for what, word in (("all fit", "ships"), ("one fits", "2047"), ("none fits", "desert"), ("none, not ASCII", "wüste")):
            ours = [search(word)[0] for _ in range(SAMPLES)]
            rows.append(Row(
                f"search of {STORED:,} stored activities, {what} (baseline: a ping)", "ms", p50(ours), p99(ours), p50(ping),
                "< 5 ms", p50(ours) < 5))
            slowest = max(slowest, p50(ours) - p50(ping))
    many = p50(ping) + slowest * MANY / STORED
    rows.append(Row(f"the slowest of them over {MANY:,}, reckoned (baseline: a ping)", "ms", many, None, p50(ping), "< 5 ms", many < 5))
    return rows
