"""A peer's words become no argument, no variable and no message here, and start no other program (attacks 30, 31)."""

import pytest
from dbus_fast import Variant
from harness.encoding import decode
from harness.monitor import Monitor
from harness.peer import messages
from harness.wire import BusError

#: In everything that a device can say. As words of a shell and of a desktop file they would do something.
MARK = "s3cret"
WORDS = f"--{MARK} %u `touch {MARK}` $({MARK}); @@u {MARK} @@"


@pytest.fixture
def mallory(lap, new_peer):
    peer = new_peer(f"mallory {MARK}", lap)
    yield peer
    peer.unpair(lap)


def environment(pid):
    with open(f"/proc/{pid}/environ", "rb") as file:
        return dict(entry.split(b"=", 1) for entry in file.read().rstrip(b"\0").split(b"\0"))


def arguments(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read().decode().rstrip("\0").split("\0")


def attack30_noWordOfAPeerReachesTheProcessThatIsLaunched(lap, mallory, application, install):
    """The bus launches it as its service file says, with the bus's environment; the ticket alone leads to the words."""
    place = install(lap, application)
    activity = messages.identifier()
    mallory.answers = lambda channel: channel.answer(messages.snapshot(
        activity, application.type, {WORDS: WORDS}, title=WORDS, target=WORDS, url=f"https://{MARK}.example/{MARK}"))
    with mallory.login(lap, name=f"lap {WORDS}") as link, Monitor(lap) as monitor:
        link.offer(messages.offer(application, activity, title=WORDS, host=f"{MARK}.example"))
        offer = lap.offer(application)
        assert MARK in offer["title"] and MARK in offer["device-name"]
        command = lap.take(offer)
        target = place.launched()
        assert decode(target.expect("continue")[1]) == {WORDS: WORDS}
        command.succeeded()
        # The arguments after the launcher's own two words, and its program.
        assert arguments(target.pid) == place.exec.split()[3:]
        found = environment(target.pid)
        assert not [entry for entry in found.items() if MARK.encode() in b"=".join(entry)]
        # So does the bus alone name itself to what it starts.
        assert found[b"DBUS_STARTER_ADDRESS"].startswith(f"unix:path={lap.folder}/bus".encode())
        # The peer's words reach the application only through the door.
        seen = monitor.seen()
        assert "WillContinue" in {message.member for message, _ in seen}
        assert not [content for _, content in seen if MARK in content]
        place.probes.pop().close()


@pytest.mark.parametrize("offered", ["type", "app", "team"])
def attack31_whatNobodyHereDeclaresStartsNothing(lap, mallory, application, new_application, install, offered):
    """Chosen all the same, by who does not ask what can be continued here."""
    place = install(lap, application)
    stranger = new_application()
    changes = {
        # The application is here, and declares another type.
        "type": {"type": stranger.type},
        # The type is declared here, by another application of no team, or of another team.
        "app": {"app": stranger.id}, "team": {"app": stranger.id, "team": "m" * 52}}[offered]
    activity = messages.identifier()
    with mallory.login(lap) as link, Monitor(lap) as monitor:
        link.offer({**messages.offer(application, activity, title="Page"), **changes})
        offer = lap.any_offer(application if offered == "type" else stranger)
        assert not offer["local-app"]
        monitor.seen()
        assert "No application on this device" in lap.take(offer).failed()
        # Nor by its words to the interface itself.
        with lap.bus() as bus, pytest.raises(BusError):
            bus.control("Continue", "sa{sv}", [offer["id"], {"app": Variant("s", application.id)}])
        seen = monitor.seen()
        assert "Continue" in {message.member for message, _ in seen}
        assert not {"WillContinue", "StartServiceByName"} & {message.member for message, _ in seen}
        assert not [content for _, content in seen if ".Segue'" in content]
        assert not place.was_launched() and not link.requests
