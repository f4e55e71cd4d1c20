"""What one device's user sends to another: the card, the click, and who is told why not (semantics X11)."""

import subprocess

import pytest
from dbus_fast import unpack_variants
from harness import pairs
from harness.bounds import SECONDS
from harness.device import unpair
from harness.notifications import Scripted
from harness.peer import messages
from harness.surfaces import Logind, Panel
from harness.tree import SEGUE
from harness.unharmed import unharmed
from harness.waiting import wait_for

WINDOW = "org.segue.Desktop"

devices = pairs.quiet_devices


@pytest.fixture
def server(devices):
    server = Scripted(devices[1])
    yield server
    server.close()


@pytest.fixture
def reader(new_application):
    return new_application(name="Reader")


@pytest.fixture
def places(devices, reader, install):
    return install(devices[0], reader), install(devices[1], reader)


def opened(place, lap, title="Page"):
    """An application on desk that has something on offer."""
    origin = place.start()
    origin.do(f"activity a {place.application.type}", f"title a {title}", "delegate a", "put a page int 7", "current a")
    lap.offer(place.application)
    return origin


def body(arguments):
    return arguments[4].splitlines()


class Window:
    """Segue's window, as the daemon sees it."""

    def __init__(self, device):
        self.bus = device.bus()
        self.bus.own(WINDOW)

    def shown(self):
        """The text that it is asked to show, and with which token."""
        call = self.bus.next_call()
        assert (call.member, call.path) == ("ActivateAction", "/org/segue/Desktop")
        action, parameters, platform = unpack_variants(call.body)
        assert action == "text"
        self.bus.answer(call)
        return parameters[0], platform

    def close(self):
        self.bus.close()


# Activities

def X11_whatIsSentIsShownAtOnceAndAClickContinuesIt(devices, server, places):
    desk, lap = devices
    origin = opened(places[0], lap)
    # No notification shows offers here, but what is sent is meant for this user.
    assert desk.segue("send", "lap").startswith('Sent to "lap"')
    number, arguments = server.show()
    assert body(arguments) == ["Page", "Sent from desk"] and arguments[5] == ["default", "", "continue", "Continue"]
    assert arguments[6]["urgency"] == 1, "GNOME would show no banner"
    server.signal("ActivationToken", "us", number, "token")
    server.signal("ActionInvoked", "us", number, "default")
    places[1].launched().expect("continue")
    origin.expect("was-continued a")
    server.until_closed(number)


def X11_theChosenOneIsSent(devices, server, places, new_application, install):
    desk, lap = devices
    opened(places[0], lap, "First")
    other = new_application(name="Writer")
    install(lap, other)
    opened(install(desk, other), lap, "Second")
    first = desk.activity(places[0].application)["id"]
    desk.segue("send", "lap", "--offer", first[:8])
    assert body(server.show()[1])[0] == "First"
    desk.segue("send", "lap")
    assert body(server.show()[1])[0] == "Second"


def X11_theCardGoesWithTheOffer(devices, server, places):
    desk, lap = devices
    origin = opened(places[0], lap)
    desk.segue("send", "lap")
    number, _ = server.show()
    origin.do("invalidate a")
    server.until_closed(number)
    # One that was clicked in the same moment says what is wrong.
    server.signal("ActionInvoked", "us", number, "default")
    with unharmed(lap):
        assert "Nothing on this device is on offer" in desk.start("send", "lap").failed()


def X11_theCardGoesWithTheDevice(devices, server, places):
    desk, lap = devices
    opened(places[0], lap)
    desk.segue("send", "lap")
    desk.segue("send", "lap", "--text", "Platform 7")
    numbers = [server.show()[0], server.show()[0]]
    unpair(lap, desk)
    for number in numbers:
        server.until_closed(number)
    assert lap.json("received") == []


def X11_itOpensWithoutAClickOnlyWhereThatIsAllowed(devices, server, places):
    desk, lap = devices
    origin = opened(places[0], lap)
    assert "is shown, and opens when you click it" in lap.segue("receive", "desk")
    lap.segue("receive", "desk", "open")
    assert lap.json("devices")[0]["receive"] == "open"
    assert "opens at once" in lap.segue("devices")
    desk.segue("send", "lap")
    places[1].launched().expect("continue")
    origin.expect("was-continued a")
    # It outlives the daemon, and can be taken back.
    lap.stop_daemon()
    assert "opens at once" in lap.segue("receive", "desk")
    lap.segue("receive", "desk", "ask")
    lap.online(desk)
    desk.online(lap)
    desk.segue("send", "lap", "--text", "a")
    server.show()


def X11_whoRefusesIsLeftAlone(devices, server, places):
    desk, lap = devices
    opened(places[0], lap)
    lap.segue("receive", "desk", "refuse")
    for arguments in [(), ("--text", "a")]:
        assert "takes nothing that is sent from this device" in desk.start("send", "lap", *arguments).failed()
    assert lap.json("received") == []
    lap.segue("receive", "desk", "ask")
    desk.segue("send", "lap")
    assert body(server.show()[1]) == ["Page", "Sent from desk"]


def X11_whoCannotContinueItIsToldAsSuch(devices, reader, install):
    desk, lap = devices
    origin = install(desk, reader).start()
    origin.do(f"activity a {reader.type}", "title a Page", "current a")
    lap.any_offer(reader)
    assert '"lap" has no application that can continue this.' in desk.start("send", "lap").failed()


def X11_aLockedScreenShowsNothing(devices, server, places):
    desk, lap = devices
    logind = Logind(lap)
    try:
        logind.until_awaited()
        logind.come()
        logind.serve()
        opened(places[0], lap)
        logind.lock(True)
        # The sender is not told whether somebody is there.
        assert desk.segue("send", "lap").startswith("Sent to")
        assert desk.segue("send", "lap", "--text", "a").startswith("Sent to")
        logind.lock(False)
        # A server that has said nothing yet may be asked for both at once, in either order.
        shown = sorted(body(server.show()[1]) for _ in range(2))
        assert shown == [["Page", "Sent from desk"], ["a", "Sent from desk"]]
    finally:
        logind.close()


def X11_whoIsNotThereOrDoesNotExist(devices, places):
    desk, lap = devices
    assert "No paired device is called nobody" in desk.start("send", "nobody").failed()
    assert "Nothing on this device is on offer" in desk.start("send", "lap").failed()
    lap.stop_daemon()
    desk.online(lap, is_online=False)
    assert '"lap" is not online.' in desk.start("send", "lap", "--text", "a").failed()


def X11_anOlderDeviceIsToldAsSuch(devices, new_peer, places):
    desk, lap = devices
    opened(places[0], lap)
    old = new_peer("old", desk)
    link = old.login(desk)
    link.tell(messages.offers(1, []))
    link.round_trip()
    for arguments in [(), ("--text", "a")]:
        error = desk.start("send", "old", *arguments).failed()
        assert '"old" runs a Segue that does not take proposals.' in error, error
    # It was sent nothing that it does not know.
    link.round_trip()
    assert not [message for message in link.messages if message["kind"] in ("propose", "proposed")]
    assert {row["name"]: row["takes"] for row in desk.json("devices")} == {"lap": ["activity", "text"], "old": []}
    old.unpair(desk)


def X11_aDeviceThatDoesNotAnswerIsNotWaitedForEver(devices, new_peer):
    desk, _ = devices
    silent = new_peer("silent", desk)
    link = silent.login(desk)
    link.tell({**messages.offers(1, []), "takes": ["text", "picture"]})
    link.round_trip()
    assert '"silent" has not answered.' in desk.start("send", "silent", "--text", "a").failed()
    assert link.next_message("propose")["text"] == "a"
    silent.unpair(desk)


# Texts

def X11_aTextIsShownAndReadByAClick(devices, server):
    desk, lap = devices
    window = Window(lap)
    desk.segue("send", "lap", "--text", "Platform 7\n18:04")
    number, arguments = server.show()
    assert body(arguments) == ["Platform 7 18:04", "Sent from desk"] and arguments[5] == ["default", "", "read", "Read"]
    server.signal("ActivationToken", "us", number, "token")
    server.signal("ActionInvoked", "us", number, "default")
    text, platform = window.shown()
    assert platform["activation-token"] == "token"
    (row,) = lap.json("received")
    assert row["id"] == text and row["text"] == "Platform 7\n18:04" and row["device-name"] == "desk"
    assert lap.segue("received") == "Platform 7\n18:04\n"
    # Anybody could listen on the session bus.
    with lap.bus() as bus:
        rows, = bus.call("org.segue.Control1", "/org/segue/Control1", "org.segue.Control1", "ListTexts")
        assert [sorted(row) for row in rows] == [["age", "device-id", "device-name", "id"]]
    lap.segue("receive", "desk", "open")
    desk.segue("send", "lap", "--text", "now")
    assert window.shown()[0] == lap.json("received")[0]["id"]
    window.close()


def X11_withoutAWindowTheUserIsToldHowToReadIt(devices, server):
    desk, lap = devices
    assert "No text was sent here" in lap.start("received").failed()
    desk.segue("send", "lap", "--text", "a")
    number, _ = server.show()
    server.signal("ActionInvoked", "us", number, "read")
    assert "Read it with: segue received" in server.show()[1][4]


def X11_aTextComesFromStandardInput(devices):
    desk, lap = devices

    def pipe(text):
        return subprocess.run(
            [SEGUE, "send", "lap", "--text", "-"], env=desk.environment, input=text, capture_output=True, timeout=SECONDS)

    assert pipe(b"one\ttwo\r\n\x1b[2Jthree\n").stdout.startswith(b"Sent")
    assert lap.segue("received") == "one\ttwo\n[2Jthree\n"
    for wrong, sentence in [(b"x" * (16 * 1024 + 1), "at most 16384 bytes"), (b"\xff", "not UTF-8 text"), (b" \n", "is empty")]:
        done = pipe(wrong)
        assert done.returncode == 1 and sentence in done.stderr.decode()


# Devices that have gone bad

def attack34_aThousandCardsAreAsManyAsMayBe(devices, server, new_peer):
    _, lap = devices
    mallory = new_peer("mallory", lap)
    link = mallory.login(lap)
    with unharmed(lap):
        for number in range(40):
            link.tell({"kind": "propose", "proposal": messages.identifier(), "text": f"<b>{number}</b>"})
        answers = [link.next_message("proposed") for _ in range(40)]
    assert [answer["taken"] for answer in answers] == [True] * 6 + [False] * 34
    assert {answer.get("code") for answer in answers[6:]} == {9005}
    texts = [row["text"] for row in lap.json("received")]
    assert texts == [f"<b>{number}</b>" for number in reversed(range(6))]
    mallory.unpair(lap)
    assert lap.json("received") == []


def attack35_whatIsNoProposalChangesNothing(devices, new_peer):
    _, lap = devices
    mallory = new_peer("mallory", lap)
    link = mallory.login(lap)
    with unharmed(lap):
        for wrong in [{}, {"text": ""}, {"text": 7}, {"text": "x" * (16 * 1024 + 1)}, {"activity": "a"}, {"text": "\x01"}]:
            link.tell({"kind": "propose", "proposal": messages.identifier(), **wrong})
        link.tell({"kind": "propose", "text": "a"})
        for wrong in [{"taken": 1}, {"taken": True}, {"taken": False, "code": 7}]:
            link.tell({"kind": "proposed", "proposal": messages.identifier(), **wrong})
        link.tell({"kind": "propose", "proposal": messages.identifier(), "activity": messages.identifier()})
        assert link.next_message("proposed")["code"] == 9002
    assert lap.json("received") == []
    mallory.unpair(lap)


# The panel

def X11_thePanelsMenuSendsTheNewest(devices, server, places, new_application, install):
    desk, lap = devices
    # Something of desk's is on offer, so that lap's panel has the item; and lap has something itself.
    opened(places[0], lap, "Page")
    writer = new_application(name="Writer")
    install(desk, writer)
    origin = install(lap, writer).start()
    origin.do(f"activity a {writer.type}", "title a My_letter", "delegate a", "put a page int 7", "current a")
    desk.offer(writer)
    there = Scripted(desk)
    panel = Panel(lap)
    panel.item()

    def menu():
        _, (_, _, below) = panel.menu("GetLayout", "iias", 0, -1, [])
        return [(label.get("label"), children) for _, label, children in below]

    wait_for(lambda: any(label == 'Send "My__letter" to' for label, _ in menu()), "the menu of devices")
    (number, properties, _), = next(children for label, children in menu() if label == 'Send "My__letter" to')
    assert properties["label"] == "desk"
    panel.click(number)
    texts = []
    # Desk shows the offer by itself, and then as what was sent.
    while "Sent from lap" not in texts:
        texts = body(there.show()[1])
    panel.close()
    there.close()
