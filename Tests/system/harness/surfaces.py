"""What a desktop asks the daemon: its overview, its runner, its panel; and logind, which knows whether its screen is
locked."""

import os
import subprocess

from dbus_fast import Variant

from .bounds import SECONDS
from .lines import Lines
from .waiting import wait_for
from .wire import Bus

NAME = "org.segue.Control1"


class Overview:
    """GNOME's overview: it searches on a connection of its own."""

    PATH, INTERFACE = "/org/segue/Search", "org.gnome.Shell.SearchProvider2"

    def __init__(self, bus):
        self.bus = bus

    def call(self, member, signature, *body):
        return self.bus.call(NAME, self.PATH, self.INTERFACE, member, signature, body)

    def ids(self, *terms):
        """The names of what is found."""
        return self.call("GetInitialResultSet", "as", list(terms))[0]

    def search(self, *terms):
        """What is found, as it is shown: a list of (id, title, description)."""
        ids = self.ids(*terms)
        again, = self.call("GetSubsearchResultSet", "asas", ["former"], list(terms))
        assert again == ids
        metas, = self.call("GetResultMetas", "as", ids)
        assert [meta["id"] for meta in metas] == ids and all(meta["gicon"] for meta in metas)
        return [(meta["id"], meta["name"], meta["description"]) for meta in metas]

    def choose(self, id_, *terms):
        # A headless shell says 0 for the time.
        assert self.call("ActivateResult", "sasu", id_, list(terms), 0) == []


class Runner:
    """KRunner."""

    PATH, INTERFACE = "/org/segue/Runner", "org.kde.krunner1"

    def __init__(self, bus):
        self.bus = bus

    def call(self, member, signature="", *body):
        return self.bus.call(NAME, self.PATH, self.INTERFACE, member, signature, body)

    def search(self, query):
        """What is found: a list of (id, title, relevance, properties)."""
        matches, = self.call("Match", "s", query)
        return [(id_, text, relevance, properties) for id_, text, _, _, relevance, properties in matches]

    def choose(self, id_, token):
        self.call("SetActivationToken", "s", token)
        self.call("Run", "ss", id_, "")
        self.call("Teardown")


class Panel:
    """A panel, as the daemon sees one: a watcher to which items say that they are there."""

    WATCHER, ITEM, MENU = "org.kde.StatusNotifierWatcher", "org.kde.StatusNotifierItem", "com.canonical.dbusmenu"

    def __init__(self, device):
        self.bus = device.bus()
        self.bus.own(self.WATCHER)
        self.name = None

    def item(self):
        """The name of the item, once it has said that it is there."""
        while True:
            call = self.bus.next_call(SECONDS)
            if call.member == "RegisterStatusNotifierItem":
                self.name, = call.body
                return self.name

    def until_gone(self):
        """Waits until the item has left."""
        self.bus.match(f"type='signal',member='NameOwnerChanged',arg0='{self.name}'")
        while self.bus.ask("NameHasOwner", "s", [self.name])[0]:
            self.bus.next_signal("NameOwnerChanged")

    def property(self, name):
        return self.bus.call(
            self.name, "/StatusNotifierItem", "org.freedesktop.DBus.Properties", "Get", "ss", [self.ITEM, name])[0]

    def menu(self, member, signature, *body):
        return self.bus.call(self.name, "/MenuBar", self.MENU, member, signature, body)

    def entries(self):
        """The menu: a list of (number, label)."""
        _, (number, properties, below) = self.menu("GetLayout", "iias", 0, -1, [])
        assert number == 0 and properties == {"children-display": "submenu"}
        return [(number, properties.get("label")) for number, properties, _ in below]

    def click(self, number):
        self.menu("Event", "isvu", number, "clicked", Variant("i", 0), 0)

    def close(self):
        self.bus.close()


class Logind:
    """A system bus of a device's own, with as much of logind as says whether a screen is locked."""

    NAME = "org.freedesktop.login1"
    SESSION = f"/{NAME.replace('.', '/')}/session/_31"

    def __init__(self, device):
        configuration = device.folder / "system-bus.conf"
        text = (device.folder / "bus.conf").read_text()
        configuration.write_text(text.replace(f"{device.folder}/bus", f"{device.folder}/system-bus"))
        self.process = subprocess.Popen(
            ["dbus-daemon", "--nofork", "--print-address", f"--config-file={configuration}"], stdout=subprocess.PIPE,
            env=device.environment)
        Lines(self.process.stdout.fileno()).next()
        self.bus = Bus(str(device.folder / "system-bus"))
        self.is_locked = False
        self.type = "wayland"

    def come(self):
        """Takes logind's name."""
        self.bus.own(self.NAME)

    def until_awaited(self):
        """Waits until the daemon is on this bus."""
        wait_for(lambda: len([name for name in self.bus.ask("ListNames")[0] if name[0] == ":"]) > 1, "the daemon on the bus")

    def serve(self):
        """Answers the daemon's questions, until it has asked how the session is."""
        while True:
            call = self.bus.next_call()
            if call.member == "ListSessions":
                rows = [["1", os.getuid(), "user", "seat0", self.SESSION], ["2", 4711, "other", "", "/other"]]
                self.bus.answer(call, "a(susso)", [rows])
            elif call.member == "GetAll":
                assert call.path == self.SESSION, "another user's session was looked at"
                fields = {"Type": self.type, "Class": "user"}
                fields = {key: Variant("s", value) for key, value in fields.items()}
                self.bus.answer(call, "a{sv}", [{**fields, "LockedHint": Variant("b", self.is_locked)}])
                return

    def lock(self, is_locked):
        self.is_locked = is_locked
        self.bus.emit(
            self.SESSION, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
            [f"{self.NAME}.Session", {"LockedHint": Variant("b", is_locked)}, []])
        self.serve()

    def close(self):
        self.bus.close()
        self.process.kill()
        self.process.wait()
