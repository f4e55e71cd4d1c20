"""Conversations with an assistant in a terminal, between two devices with clones at different paths."""

import hashlib
import json
import os
import threading

import pytest

from harness.conversations import (
    CODEX, START, Codex, Model, Talker, codex, install_stand_in, lines)
from harness.device import pair
from harness.peer import messages
from harness.sharing import url
from harness.waiting import wait_for

ID = "01a2201a-5121-7700-9cff-a14a3f6c6f5a"
FIRST, SECOND, THIRD = ((f"2026-11-28T03:0{number}:00.000Z", f"word {number}") for number in (3, 4, 5))
needs_codex = pytest.mark.skipif(not codex(), reason="Codex is not installed")


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    install_stand_in(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")


@pytest.fixture
def talkers(new_device):
    """Somebody on desk and lap, each with a clone at another path."""
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    made = Talker(desk, "source/project"), Talker(lap, "tasks/here/project")
    yield made
    for talker in made:
        talker.close()


def take(there):
    offer = there.device.offer(CODEX)
    return there.device.start("continue", offer["id"], "--app", CODEX.id)


def ours(there, folder=None):
    """The command that resumes it."""
    folder = str(folder or there.project)
    return ["/usr/bin/env", "-C", folder, codex(), "resume", "--cd", folder, "--sandbox", "read-only",
            "--ask-for-approval", "on-request", "--config", 'approvals_reviewer="user"', ID]


# With a program that stands for it


def test_aConversationGoesOnInTheOtherCloneAndBack(stand_in, talkers):
    here, there = talkers
    here.write(ID, lines(ID, here.project, FIRST))
    here.say(ID)
    assert there.device.offer(CODEX)["title"] == "Codex: project"
    take(there).succeeded()
    assert there.command() == ours(there)
    # Its folder is the one of this device.
    assert there.path(ID).read_text() == lines(ID, there.project, FIRST)
    assert there.path(ID).stat().st_mode & 0o777 == 0o600
    there.write(ID, lines(ID, there.project, FIRST, SECOND))
    there.say(ID)
    take(here).succeeded()
    assert here.command() == ours(here)
    assert here.path(ID).read_text() == lines(ID, here.project, FIRST, SECOND)


def test_itIsOnOfferOnceItWasLeft(stand_in, talkers):
    here, there = talkers
    terminal = here.run(["codex"])
    terminal.until("it runs")
    here.write(ID, lines(ID, here.project, FIRST))
    here.say(ID)
    for _ in range(2):
        there.device.json("status")
    assert not there.device.offers_of(CODEX)
    terminal.type("\n")
    assert terminal.ended() == 0
    there.device.offer(CODEX)


def O2_aNewerOneHereStays(stand_in, talkers):
    here, there = talkers
    here.write(ID, lines(ID, here.project, FIRST))
    newer = lines(ID, there.project, FIRST, SECOND)
    there.write(ID, newer)
    here.say(ID)
    take(there).succeeded()
    assert there.path(ID).read_text() == newer and there.command() == ours(there)
    there.told("goes on as it is here")
    there.device.no_offer(CODEX)
    # One that went on in two ways is nobody's to decide.
    here.write(ID, lines(ID, here.project, FIRST, THIRD))
    here.say(ID)
    take(there).failed()
    assert there.path(ID).read_text() == newer and not there.opened.exists()
    there.told("it went on here too, and is not overwritten")


def test_foldersOfTheOtherDeviceAreTold(stand_in, talkers):
    here, there = talkers
    other = json.dumps({"timestamp": START, "type": "turn_context", "payload": {"cwd": "/srv/other"}}) + "\n"
    here.write(ID, lines(ID, here.project, FIRST) + other)
    here.say(ID)
    take(there).succeeded()
    there.told("is about folders of the other device too, such as \"/srv/other\"")


class Mallory:
    """A device that sends a conversation of its own making."""

    def __init__(self, peer, talker, transcript, **state):
        self.peer, self.talker = peer, talker
        self.transcript = transcript if isinstance(transcript, bytes) else transcript.encode()
        self.activity = messages.identifier()
        self.state = {
            "program": "codex", "session": ID, "transcript": url("/home/m/.codex/x.jsonl"),
            "folder": url(talker.project),
            **state}
        self.size = len(self.transcript)
        self.asked = threading.Event()
        peer.answers = self.answers
        link = peer.login(talker.device)
        link.offer({**messages.offer(CODEX, self.activity), "type": CODEX.types[0]})

    def answers(self, channel):
        if channel.request["kind"] == "fetch":
            return channel.answer(messages.snapshot(self.activity, CODEX.types[0], self.state))
        self.asked.set()
        head = messages.answer({"kind": "file", "size": self.size, "version": b"v", "offset": 0})
        channel.answer(head + self.transcript + hashlib.sha256(self.transcript).digest())


@pytest.fixture
def lap(stand_in, new_device):
    device = new_device("lap")
    talker = Talker(device, "tasks/project")
    yield talker
    talker.close()


@pytest.fixture
def send(lap, new_peer):
    peer = new_peer("mallory", lap.device)
    yield lambda transcript, **state: Mallory(peer, lap, transcript, **state)
    peer.unpair(lap.device)


def good(lap):
    return lines(ID, lap.project, FIRST)


def test_whatTheOthersRefuseIsGoodOtherwise(lap, send):
    send(good(lap))
    take(lap).succeeded()
    assert lap.path(ID).read_text() == good(lap) and lap.command() == ours(lap)


@pytest.mark.parametrize("state", [
    {"session": "--resume"}, {"session": "../../../01234567"}, {"session": "0123"}, {"program": "claude-code"},
    {"program": "/bin/sh"}, {"session": ID + "\n"}, {"session": "--last"}])
def O5_anIDIsNoOptionAndNoPath(lap, send, state):
    mallory = send(good(lap), **state)
    take(lap).failed()
    assert not mallory.asked.is_set() and not lap.opened.exists()
    assert not list(lap.codex.rglob("*.jsonl"))


@pytest.mark.parametrize("text, said", [
    ("no JSON", "is not a conversation’s"), ("", "is of another conversation"),
    (lines("99999999", "/srv", FIRST), "is of another conversation"),
    (lines(ID, "/srv", FIRST).replace(START, "../../x"), "does not say when it began"),
    (b"\xff" * 100, "is not a conversation’s"), ("[" * 100_000, "is not a conversation’s"),
])
def O5_whatIsNoTranscriptIsNotWritten(lap, send, text, said):
    send(text)
    take(lap).failed()
    lap.told(said.replace("’", "'"))
    assert not list(lap.codex.rglob("*.jsonl")) and not lap.opened.exists()


def O5_aTranscriptOf100MiBIsNotBrought(lap, send):
    mallory = send("")
    mallory.size = 100 * 1024 * 1024
    take(lap).failed()
    assert not list(lap.codex.rglob("*.jsonl")) and not lap.opened.exists()


def O5_itsFolderIsTheOneHereWhateverItSays(lap, send):
    send(lines(ID, "/etc", FIRST))
    take(lap).succeeded()
    assert lap.command() == ours(lap)
    assert json.loads(lap.path(ID).read_text().splitlines()[0])["payload"]["cwd"] == str(lap.project)


@pytest.mark.parametrize("folder", ["/proc/self", "/nothing/here"])
def O5_aFolderThatIsNotHereStartsNothing(lap, send, folder):
    send(good(lap), folder=url(folder))
    take(lap).failed()
    lap.told("there is not the folder below your home folder")
    assert not lap.opened.exists()


def test_withoutACloneTheUserIsTold(lap, send):
    mallory = send(good(lap), repository="example.org/team/another")
    take(lap).failed()
    lap.told("there is not a clone of example.org/team/another below your home folder")
    assert not mallory.asked.is_set() and not lap.opened.exists()


@pytest.mark.parametrize("place", ["file", "folder"])
def O5_noLinkIsFollowed(lap, send, tmp_path, place):
    other = tmp_path / "outside"
    other.mkdir()
    (other / "mine").write_text("mine")
    lap.path(ID).parent.parent.mkdir(parents=True)
    if place == "folder":
        lap.path(ID).parent.symlink_to(other)
    else:
        lap.path(ID).parent.mkdir()
        lap.path(ID).symlink_to(other / "mine")
    send(good(lap))
    take(lap).failed()
    assert [path.name for path in other.iterdir()] == ["mine"] and (other / "mine").read_text() == "mine"
    assert not lap.opened.exists()


# With the real Codex, and a model on this machine


@pytest.fixture
def model():
    server = Model()
    yield server
    server.shutdown()
    server.server_close()


@needs_codex
def test_aConversationWithCodexGoesOnAndComesBack(talkers, model):
    here, there = talkers
    for talker in talkers:
        (talker.codex / "config.toml").write_text(model.settings(talker.project))
    program = Codex(here, ["codex"])
    program.say("the first words")
    program.until(Model.ANSWER)
    program.leave()
    take(there).succeeded()
    program = Codex(there, there.command()[1:])
    program.until("the first words")
    assert "~/tasks/here/project" in program.terminal.text
    assert program.permissions() == "Read Only (Ask for approval)"
    program.say("the second words")
    wait_for(lambda: (program.read(), program.terminal.text.count(Model.ANSWER) > 1)[1], "the answer")
    program.leave()
    take(here).succeeded()
    # It says that the conversation is open in another application while its own process in the background has it.
    end_codex(here.device)
    program = Codex(here, here.command()[1:])
    program.until("the second words")
    assert "~/source/project" in program.terminal.text
    program.leave()


@needs_codex
def O5_codexTakesNoPermissionFromATranscript(new_device, new_peer, model):
    """It would: its sandbox, who is asked, and who answers stand in the transcript."""
    device = new_device("lap")
    lap = Talker(device, "tasks/project")
    (lap.codex / "config.toml").write_text(model.settings(lap.project))
    program = Codex(lap, ["codex"])
    program.say("words")
    program.until(Model.ANSWER)
    program.leave()
    path = next(lap.codex.rglob("rollout-*.jsonl"))
    id_ = path.stem[-36:]

    def altered(value):
        if isinstance(value, list):
            return [altered(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "approval_policy" in value:
            value = {**value, "approval_policy": "never", "approvals_reviewer": "auto_review",
                     "sandbox_policy": {"type": "danger-full-access"}, "permission_profile": {"type": "disabled"},
                     "active_permission_profile": {"id": ":danger-full-access"}}
            value.pop("file_system_sandbox_policy", None)
        return {key: altered(item) for key, item in value.items()}

    said = [json.dumps(altered(json.loads(line))) for line in path.read_text().splitlines()]
    end_codex(device)
    path.unlink()
    for left in lap.codex.glob("*.sqlite*"):
        left.unlink()
    peer = new_peer("mallory", device)
    Mallory(peer, lap, "\n".join(said) + "\n", session=id_)
    take(lap).succeeded()
    words = lap.command()
    # Without our arguments it would have them all, which shows that the transcript is one that it follows.
    program = Codex(lap, ["codex", "resume", id_])
    assert program.permissions() == "Full Access"
    program.leave()
    end_codex(device)
    program = Codex(lap, words[1:])
    assert program.permissions() == "Read Only (Ask for approval)"
    program.leave()
    lap.close()
    peer.unpair(device)


def end_codex(device):
    """Ends the processes that it leaves in the background."""
    for pid in device.processes():
        if os.path.basename(os.readlink(f"/proc/{pid}/exe")).startswith("codex"):
            os.kill(pid, 9)
