"""segue-shell, and what does not keep to what it says: sessions, viewers, and who connects to them."""

import contextlib
import os
import socket
import struct
import subprocess
import time

import pytest
from harness.bounds import SECONDS
from harness.sessions import SHELL, HostileSession, frame, hello, listens, text
from harness.shells import APPLICATION
from harness.waiting import wait_for

#: The times that a viewer waits for a session that breaks each stream: 100 ms at first, twice as long each time.
WAITS = [0.1, 0.2, 0.4, 0.8]


@pytest.fixture
def hostile(shells):
    """(a session of desk's, the terminal on lap that looks at it)."""
    desk, lap = shells
    with contextlib.closing(HostileSession(desk.environment)) as session:
        lap.device.take(lap.device.offer(APPLICATION)).succeeded()
        yield session, lap.opened()


def test_attack33_aSessionThatBreaksEachStream(hostile):
    session, _ = hostile
    begun = None
    for _ in range(len(WAITS) + 1):
        for end in session.viewer():
            end.close()
        begun = begun or time.monotonic()
    assert time.monotonic() - begun >= sum(WAITS)


def test_attack25_whatAnotherDeviceRefusesIsQuoted(hostile):
    session, there = hostile
    heard, said = session.viewer()
    assert heard.read(1) == b"\x01"
    said.write(frame(69, text('Out of date." Run: curl evil\x1b[2J')))
    heard.close()
    said.close()
    assert there.ended() == 255 and there.is_as_before
    assert '"desk" says: "Out of date.\' Run: curl evil[2J"' in there.text


def test_aSessionOfAnotherVersionIsLeft(hostile):
    session, there = hostile
    heard, said = session.viewer()
    with heard, said:
        said.write(frame(65, bytes([9]) + text("1")) + frame(66, b"new"))
        assert there.ended() == 255
    assert "version 9" in there.text and "new" not in there.text


def test_whatIsNotUnderstoodIsNotSaidToBeOutOfReach(hostile):
    session, there = hostile
    heard, said = session.viewer()
    with heard, said:
        said.write(b"\x42\xff\xff\xff\xff")
        there.until('what "desk" sends is not understood')
    there.type("~.")
    assert there.ended() == 0


def test_aViewerOfAnotherVersionIsToldSo(sessions):
    sessions.start()
    with sessions.connect() as connection:
        connection.sendall(hello(version=9))
        answer = b""
        while part := connection.recv(65536):
            answer += part
    assert answer[0] == 69 and b"version 1, not 9" in answer


def test_attack33_descriptorsThatNobodyAskedFor(sessions):
    first = sessions.start()
    pid = sessions.pid()
    with sessions.connect() as connection, open("/dev/null") as null:
        connection.sendall(hello())
        typed = b"echo a''ll of it\r"
        connection.sendall(bytes([2]) + struct.pack(">I", 300 + len(typed)))
        before = len(os.listdir(f"/proc/{pid}/fd"))
        # With each byte of a line two come, 600 in all.
        for _ in range(300):
            socket.send_fds(connection, [b" "], [null.fileno()] * 2)
        connection.sendall(typed)
        first.until("all of it")
        assert len(os.listdir(f"/proc/{pid}/fd")) < before + 20


def brought(sessions, *said):
    """The answer to a viewer that is brought to session 1, as one of another device, after it has sent these bytes."""
    ours, theirs = socket.socketpair()
    with ours:
        with sessions.connect() as connection, theirs:
            socket.send_fds(connection, [frame(7)], [theirs.fileno()] * 2)
        ours.settimeout(SECONDS)
        with contextlib.suppress(ConnectionError):
            ours.sendall(b"".join(said))
            return ours.recv(65536)
    return b""


def test_whatIsNotSharedIsLookedAtByNobody(sessions):
    sessions.start()
    assert brought(sessions, hello()) == b""
    sessions.run("share", "1")
    assert brought(sessions, hello())[0] == 65


@pytest.mark.parametrize(
    "said", [frame(8, b"\0"), frame(9, text("mine")), frame(10, text("")), frame(5, b"\1"), frame(7)],
    ids=["share", "name", "detach", "ask", "bring"])
def test_attack33_anotherDeviceCanLookAndNothingElse(sessions, said):
    first = sessions.terminal("--share", "--", "/bin/sh").until("$")
    assert brought(sessions, said) == b""
    assert brought(sessions, hello())[0] == 65
    assert brought(sessions, hello(), said)[0] == 65
    line = sessions.list()[0]
    assert line[0] == "1" and line[-1] == "shared"
    first.type("echo st''ill\r")
    first.until("still")


def test_theServiceDoesNotWaitForWhoSaysNothing(sessions):
    environment = {**sessions.environment, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={sessions.folder}/no-bus"}
    with subprocess.Popen([SHELL, "--serve"], env=environment) as service, contextlib.ExitStack() as ends:
        ends.callback(service.kill)
        wait_for(lambda: listens(f"{sessions.folder}/segue-shell/service"), "its socket")
        silent = [ends.enter_context(sessions.connect("service")) for _ in range(16)]
        one = ends.enter_context(sessions.connect("service"))
        assert one.recv(1) == b""
        # One that leaves makes room.
        silent.pop().close()

        def is_heard():
            with sessions.connect("service") as other:
                with contextlib.suppress(ConnectionError):
                    other.sendall(frame(132, text("x")))
                    return other.recv(1) == b"\x87"

        wait_for(is_heard, "an answer")
