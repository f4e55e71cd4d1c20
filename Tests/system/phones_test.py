"""Phones that other programs reach: they get the link of a page, and nothing is started for them (X13)."""

import glob
import json
import os
import subprocess
import time

import pytest
from dbus_fast import Message, Variant, unpack_variants
from harness.application import Installed
from harness.bounds import SECONDS
from harness.device import pair
from harness.encoding import hexadecimal
from harness.notifications import Scripted
from harness.surfaces import Panel
from harness.tree import SOURCES
from harness.waiting import wait_for
from harness.wire import BusError

#: Where scripts/dependencies unpacks packages.
UNPACKED = SOURCES / ".build-packages"
KDE_CONNECT = "org.kde.kdeconnect"
GS_CONNECT = "org.gnome.Shell.Extensions.GSConnect"
VALENT = "ca.andyholmes.Valent"
LINK = "https://films.example/seven?t=90"


@pytest.fixture
def desk(new_device):
    return new_device("desk")


@pytest.fixture
def page(desk, new_application, install):
    """A page that is on offer."""
    application = new_application(name="Reader")
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "title a Film", "delegate a", f"url a {LINK}",
              f"info a {hexadecimal({'place': 7})}", "current a")
    desk.activity(application)
    return application


class Program:
    """A program that reaches phones, as far as the daemon asks it: on the device's bus, by this process."""

    def __init__(self, device, name):
        self.name = name
        self.bus = device.bus()
        self.bus.own(name)

    def answer(self, phones):
        """Answers one call for the list: of (id, name)."""
        call = self.bus.next_call()
        if self.name == KDE_CONNECT:
            assert (call.path, call.interface, call.member) == (
                "/modules/kdeconnect", "org.kde.kdeconnect.daemon", "deviceNames")
            assert call.body == [True, True]
            self.bus.answer(call, "a{ss}", [dict(phones)])
        else:
            assert call.member == "GetManagedObjects"
            self.bus.answer(call, "a{oa{sa{sv}}}", [{
                f"/{self.name.replace('.', '/')}/Device/{id_}": {f"{self.name}.Device": self.properties(id_, name)}
                for id_, name in phones}])

    def properties(self, id_, name):
        common = {"Id": Variant("s", id_), "Name": Variant("s", name)}
        if self.name == VALENT:
            return {**common, "State": Variant("u", 3)}
        return {**common, "Connected": Variant("b", True), "Paired": Variant("b", True)}

    def shared(self):
        """The link that a phone gets; which phone; and the call, which is not answered yet."""
        call = self.bus.next_call()
        if self.name == KDE_CONNECT:
            assert (call.interface, call.member) == ("org.kde.kdeconnect.device.share", "shareUrl")
            return call.body[0], call.path.split("/")[-2], call
        action, parameters, _ = unpack_variants(call.body)
        assert (call.interface, call.member) == ("org.gtk.Actions", "Activate")
        assert action == ("share.uri" if self.name == VALENT else "shareUri")
        return parameters[0], call.path.split("/")[-1], call

    def close(self):
        self.bus.close()


@pytest.fixture(params=[KDE_CONNECT, GS_CONNECT, VALENT])
def program(request, desk):
    program = Program(desk, request.param)
    yield program
    program.close()


def X13_aPhoneGetsTheLinkOfAPage(desk, page, program):
    command = desk.start("send", "Pixel")
    for _ in range(2):
        program.answer([("abc", "Pixel"), ("def", "Tablet")])
    link, phone, call = program.shared()
    assert (link, phone) == (LINK, "abc")
    program.bus.answer(call)
    assert "as a link, without its state" in command.succeeded()


def X13_phonesAreListed(desk, program, new_device):
    lap = new_device("lap")
    pair(desk, lap)
    command = desk.start("send", "--list")
    program.answer([("abc", "Pixel")])
    lines = command.succeeded().splitlines()
    assert lines[0].startswith("lap") and lines[1].startswith("Pixel") and "links, with" in lines[1]
    command = desk.start("send", "--list", "--json")
    program.answer([("abc", "Pixel")])
    listed = json.loads(command.succeeded())
    assert [phone["id"].partition(":")[2] for phone in listed["phones"]] == ["abc"]
    assert [device["name"] for device in listed["devices"]] == ["lap"]


def X13_nothingIsStartedForAPhone(desk, page):
    """Each of the programs could be started by the bus."""
    marks = []
    for name in [KDE_CONNECT, GS_CONNECT, VALENT]:
        mark = desk.folder / name
        marks.append(mark)
        Installed.write(
            desk.data / f"dbus-1/services/{name}.service", f"[D-BUS Service]\nName={name}\nExec=/usr/bin/touch {mark}\n")
    desk.reload()
    assert desk.json("send", "--list")["phones"] == []
    assert "No paired device is called Pixel" in desk.start("send", "Pixel").failed()
    assert "No paired device" in desk.start("send", "kdeconnect:abc").failed()
    assert not any(mark.exists() for mark in marks)


def X13_ownDevicesComeFirst(desk, page, program, new_device):
    """Nobody is asked for phones where one of our own devices is meant."""
    lap = new_device("lap")
    pair(desk, lap)
    desk.start("send", "lap", "--text", "a").succeeded()
    command = desk.start("send", "--list")
    program.answer([("abc", "lap")])
    command.succeeded()
    assert not program.bus.calls


def X13_onlyLinksGoToAPhone(desk, page, program):
    for arguments in [("--text", "a"), ("--file", "/etc/hostname")]:
        command = desk.start("send", "Pixel", *arguments)
        program.answer([("abc", "Pixel")])
        assert "only gets the link of a page" in command.failed()


def X13_whatHasNoPageIsNotSent(desk, new_application, install, program):
    application = new_application(name="Writer")
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "title a Text", "delegate a", "current a")
    number = desk.activity(application)["id"]
    for arguments, sentence in [((), "Nothing on this device is on offer that has a page"),
                                (("--offer", number[:8]), "has no page whose link")]:
        command = desk.start("send", "Pixel", *arguments)
        program.answer([("abc", "Pixel")])
        assert sentence in command.failed()


def X13_aProgramThatRefusesIsSaid(desk, page, program):
    command = desk.start("send", "Pixel")
    for _ in range(2):
        program.answer([("abc", "Pixel")])
    _, _, call = program.shared()
    reply = Message.new_error(call, "org.example.No", "not now")
    reply.destination = call.sender
    program.bus.send(reply)
    assert "has not sent the link" in command.failed()


def X13_aPhoneThatHasGoneIsSaid(desk, page, program):
    command = desk.start("send", "Pixel")
    program.answer([("abc", "Pixel")])
    program.answer([])
    assert "reaches no such phone" in command.failed()


def X13_aProgramThatHangsIsNotWaitedForLong(desk, program):
    command = desk.start("send", "--list")
    program.bus.next_call()
    assert "No device is online" in command.succeeded()


def X13_aPauseSendsNothing(desk, page, program):
    desk.segue("pause")
    command = desk.start("send", "Pixel")
    program.answer([("abc", "Pixel")])
    assert "paused" in command.failed()


# The panel

def X13_thePanelsMenuHasPhonesForAPage(desk, page, program, new_device, new_application, install):
    # Something of lap's is on offer, so that desk's panel has the item.
    lap = new_device("lap")
    pair(desk, lap)
    writer = new_application(name="Writer")
    install(desk, writer)
    origin = install(lap, writer).start()
    origin.do(f"activity a {writer.type}", "title a Letter", "delegate a", "put a page int 7", "current a")
    desk.offer(writer)
    notifications = Scripted(desk)
    panel = Panel(desk)
    panel.item()
    program.answer([("abc", "Pixel_7")])

    def receivers():
        _, (_, _, below) = panel.menu("GetLayout", "iias", 0, -1, [])
        menus = [children for _, properties, children in below if properties.get("label") == 'Send "Film" to']
        return {properties["label"]: number for number, properties, _ in (menus or [[]])[0]}

    listed = wait_for(lambda: len(receivers()) == 2 and receivers(), "the phone in the menu")
    label = next(label for label in listed if label.startswith("Pixel__7 - link only, with "))
    assert listed.keys() == {"lap", label}
    panel.click(listed[label])
    program.answer([("abc", "Pixel_7")])
    link, phone, call = program.shared()
    assert (link, phone) == (LINK, "abc")
    program.bus.answer(call)
    # A notification tells that a click in a menu has failed.
    panel.click(listed[label])
    program.answer([])
    while "reaches no such phone" not in notifications.show()[1][4]:
        pass
    # It is asked anew when the menu is about to be seen.
    panel.menu("AboutToShow", "i", 0)
    program.answer([])
    wait_for(lambda: receivers().keys() == {"lap"}, "the phone's end in the menu")
    panel.close()
    notifications.close()


# The real program

def daemon():
    found = [path for folder in ["", UNPACKED] for path in glob.glob(f"{folder}/usr/lib/*/libexec/kdeconnectd")]
    if not found:
        pytest.skip("KDE Connect is not installed")
    return found[0]


class User:
    """A user with the program. Its name there is of this run: others may use the program in this network."""

    def __init__(self, device):
        self.device = device
        self.name = f"{device.name}-{os.getpid()}"
        self.process = None
        (device.folder / "config/kdeconnect").mkdir(parents=True, exist_ok=True)
        (device.folder / "config/kdeconnect/config").write_text(f"[General]\nname={self.name}\n")

    def start(self):
        environment = {**self.device.environment, "QT_QPA_PLATFORM": "offscreen"}
        self.process = subprocess.Popen(
            [daemon()], env=environment, stdin=subprocess.DEVNULL, stdout=self.device.log, stderr=self.device.log)
        with self.device.bus() as bus:
            bus.wait_for_owner(KDE_CONNECT)

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def call(self, member, signature="", body=(), phone=None):
        """Calls the program: as a whole, or for a phone."""
        path = "/modules/kdeconnect" + (f"/devices/{phone}" if phone else "")
        with self.device.bus() as bus:
            return bus.call(
                KDE_CONNECT, path, KDE_CONNECT + (".device" if phone else ".daemon"), member, signature, body)

    def seen(self, other, is_paired=False):
        """The id of the other one, as the program reaches it; None."""
        names = self.call("deviceNames", "bb", [True, is_paired])[0]
        return next((id_ for id_, name in names.items() if name == other.name), None)


@pytest.fixture
def couple(new_device):
    """Two users with KDE Connect; the second stands for a phone."""
    daemon()
    users = [User(new_device("desk")), User(new_device("phone"))]
    try:
        for user in users:
            user.start()
        yield users
    finally:
        for user in users:
            user.end()


class Pairing:
    """Pairs two of the program, one step at a time. The second announces itself when it starts, and is connected to. Were
    both to announce themselves, they would connect twice, and the program may then lose the other one's object, for good:
    after a while without a pairing the second is started anew."""

    AGAIN = 3
    ANEW = 10

    def __init__(self, desk, phone):
        self.desk, self.phone = desk, phone
        self.started = time.monotonic()
        self.said = {"forceOnNetworkChange": self.started}

    def now_and_then(self, user, member, phone=None):
        if time.monotonic() > self.said.get(member, 0) + self.AGAIN:
            self.said[member] = time.monotonic()
            user.call(member, phone=phone)

    def begin_anew(self):
        self.phone.end()
        with self.phone.device.bus() as bus:
            wait_for(lambda: not bus.ask("NameHasOwner", "s", [KDE_CONNECT])[0], "the end of its name")
        self.phone.start()
        self.__init__(self.desk, self.phone)

    def step(self):
        """The phone's id once that is done."""
        if time.monotonic() > self.started + self.ANEW:
            self.begin_anew()
        try:
            number, other = self.desk.seen(self.phone), self.phone.seen(self.desk)
            if not number or not other:
                self.now_and_then(self.desk, "forceOnNetworkChange")
            elif not self.desk.seen(self.phone, True):
                if self.phone.call("hasPairingRequests", phone=other)[0]:
                    self.phone.call("acceptPairing", phone=other)
                else:
                    self.now_and_then(self.desk, "requestPair", number)
            return self.desk.seen(self.phone, True)
        except BusError:
            # It has its name before its objects, and a device's object comes after the device.
            return None


def X13_aRealProgramGetsTheLink(couple, new_application, install):
    number = wait_for(Pairing(*couple).step, "the pairing", seconds=3 * SECONDS)
    desk, phone = (user.device for user in couple)
    application = new_application(name="Reader")
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "title a Film", "delegate a", f"url a {LINK}", "current a")
    desk.activity(application)
    found, = desk.json("send", "--list")["phones"]
    assert found["id"] == f"kdeconnect:{number}" and found["program"] == "KDE Connect"
    with phone.bus() as bus:
        bus.match("type='signal',interface='org.kde.kdeconnect.device.share',member='shareReceived'")
        assert "as a link" in desk.segue("send", found["name"])
        assert bus.next_signal("shareReceived").body == [LINK]
