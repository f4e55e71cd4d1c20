"""The tmux helper (bridges/tmux) with the real tmux on two devices."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from harness.application import Application as Declared
from harness.bounds import SECONDS
from harness.device import Device, pair
from harness.peer import messages
from harness.peer.device import Peer
from harness.terminal import Terminal
from harness.tree import SOURCES
from harness.waiting import wait_for

pytestmark = pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")
TYPE = "org.segue.open.Shell"
TMUX = Declared("org.segue.Tmux", "tmux", [TYPE])
FOLDER = SOURCES / "bridges/tmux"


class User:
    """Somebody who uses tmux on a device, with the helper in tmux.conf."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self.terminals: list[Terminal] = []
        self.environment = {
            **device.environment, "TERM": "xterm", "TMUX_TMPDIR": str(device.folder / "run"), "SHELL": "/bin/sh",
            "PS1": "$ ", "TERMINAL": str(device.folder / "terminal")}
        # As an emulator does, with -e: the session is attached to by the test instead.
        (device.folder / "terminal").write_text(f'#!/bin/sh\necho "$@" >{device.folder}/opened\n')
        (device.folder / "terminal").chmod(0o755)
        (device.folder / "home/.tmux.conf").write_text(f"run-shell {FOLDER}/segue.tmux\n")
        launcher = device.folder / "segue-tmux"
        launcher.write_text(f"#!/bin/sh\nexec {FOLDER}/segue-tmux\n")
        launcher.chmod(0o755)
        (device.data / "applications/org.segue.Tmux.desktop").write_text(
            (FOLDER / "data/org.segue.Tmux.desktop").read_text())
        service = (FOLDER / "data/org.segue.Tmux.Segue.service").read_text().replace("exec segue-tmux", f"exec {launcher}")
        (device.data / "dbus-1/services/org.segue.Tmux.Segue.service").write_text(service)
        device.reload()
        with device.bus() as bus:
            wanted = {key: self.environment[key] for key in ("TERM", "TMUX_TMPDIR", "SHELL", "TERMINAL", "PATH")}
            bus.ask("UpdateActivationEnvironment", "a{ss}", [wanted])

    def terminal(self, *words: str) -> Terminal:
        self.terminals.append(Terminal(["/usr/bin/env", "tmux", *words], self.environment))
        return self.terminals[-1]

    def tmux(self, *words: str) -> str:
        return subprocess.run(
            ["tmux", *words], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            timeout=SECONDS, check=False).stdout.rstrip("\n")

    def folders(self) -> dict[str, str]:
        rows = self.tmux("list-sessions", "-F", "#{session_name}\t#{pane_current_path}").splitlines()
        return dict(row.split("\t", 1) for row in rows)

    def close(self) -> None:
        self.tmux("kill-server")
        for terminal in self.terminals:
            terminal.close()


@pytest.fixture
def users() -> Iterator[list[User]]:
    devices = [Device(name) for name in ("desk", "lap")]
    made: list[User] = []
    try:
        pair(*devices)
        made += [User(device) for device in devices]
        yield made
    finally:
        for user in made:
            user.close()
        for device in devices:
            device.close()


def test_aSessionGoesOnInItsFolder(users: list[User], tmp_path: Any) -> None:
    here, there = users
    (tmp_path / "a project").mkdir()
    here.terminal("new-session", "-s", "work")
    offer = there.device.offer(TMUX, title="tmux: work")
    # Nothing tells of this: it is asked for.
    here.tmux("send-keys", "-t", "work", f"cd '{tmp_path}/a project'", "Enter")
    wait_for(lambda: here.folders()["work"] == f"{tmp_path}/a project", "the folder here")
    # tmux does not run there yet.
    there.device.take(offer).succeeded()
    wait_for(lambda: there.folders() == {"work": f"{tmp_path}/a project"}, "the session there")
    wait_for((there.device.folder / "opened").exists, "its terminal")
    assert "attach-session -t $" in (there.device.folder / "opened").read_text()


def test_itGoesOnInATerminalThatIsThere(users: list[User], tmp_path: Any) -> None:
    here, there = users
    here.terminal("new-session", "-s", "work", "-c", str(tmp_path))
    there.terminal("new-session", "-s", "work")
    there.device.take(there.device.offer(TMUX, title="tmux: work", **{"local-app": TMUX.id})).succeeded()
    # A name that is there is another session's.
    wait_for(lambda: len(there.folders()) == 2, "a second session there")
    assert str(tmp_path) in there.folders().values()
    shown = "#{pane_current_path}"
    wait_for(lambda: there.tmux("list-clients", "-F", shown) == str(tmp_path), "the session in the terminal")


def test_theOneInFrontIsOnOffer(users: list[User]) -> None:
    here, there = users
    here.terminal("new-session", "-s", "one")
    there.device.offer(TMUX, title="tmux: one")
    here.tmux("new-session", "-d", "-s", "two")
    here.tmux("switch-client", "-t", "two")
    there.device.offer(TMUX, title="tmux: two")
    here.tmux("rename-session", "-t", "two", "three")
    there.device.offer(TMUX, title="tmux: three")
    here.tmux("kill-server")
    there.device.no_offer(TMUX)


@pytest.fixture
def send(users: list[User]) -> Iterator[Callable[[dict[str, str]], Any]]:
    """Lets the user of lap take what another device says."""
    lap = users[1].device
    mallory = Peer("mallory")
    mallory.pair(lap)

    def take(state: dict[str, str]) -> Any:
        link = mallory.login(lap)
        activity = messages.identifier()
        link.offer({**messages.offer(TMUX, activity), "type": TYPE})
        command = lap.take(lap.offer(TMUX))
        link.next_request().answer(messages.snapshot(activity, TYPE, state))
        return command

    yield take
    mallory.unpair(lap)
    mallory.close()


@pytest.mark.parametrize("change", [
    {"folder": "file:///proc/self"}, {"folder": "file:///nothing/here"}, {"folder": "https://example.org/"},
    {"folder": "file:///tmp/../etc"}, {}])
def test_nothingButAFolderIsOpened(users: list[User], send: Any, change: dict[str, str]) -> None:
    send(change).failed()
    assert not users[1].folders()


def test_aFolderAndASessionAreNoCommands(users: list[User], send: Any, tmp_path: Any) -> None:
    lap = users[1]
    folder = tmp_path / "#(touch ran)"
    folder.mkdir()
    send({"folder": folder.as_uri(), "session": "-x;kill-server"}).succeeded()
    wait_for(lambda: list(lap.folders().values()) == [str(folder)], "the folder")
    assert list(lap.folders()) == ["0"]
    assert not any(place.exists() for place in (tmp_path / "ran", folder / "ran", lap.device.folder / "home/ran"))
