"""segue-shell on one device: sessions, and the terminals that look at them."""

import contextlib
import os
import re
import select
import signal
import socket
import struct
import subprocess
import time

import pytest
from harness.bounds import SECONDS
from harness.process import memory
from harness.sessions import SHELL, frame, hello, shared
from harness.waiting import wait_for

#: Sessions that the service knows at once.
SESSIONS = 64
#: How long a viewer may take to say who it is, on a clock of whole milliseconds.
HELLO_SECONDS = 10 - 0.001
#: A program that writes much and ends.
BRIEF = ["sh", "-c", "seq 1 3000; : >~/written; exit 3"]
#: In a session: asks the terminal something, and prints what is typed in answer within a moment.
ASK = r"""
import os, select, sys, tty
tty.setraw(0)
os.write(1, sys.argv[1].encode().decode("unicode_escape").encode())
answer = b""
while select.select([0], [], [], 1 if answer else 60)[0]:
    answer += os.read(0, 100)
print(f"\r\nanswer: {answer!r}\r\n", end="")
"""


def test_aSessionOutlivesItsTerminal(sessions):
    first = sessions.start()
    first.type("seq 1 100; echo st''ays\r")
    first.until("stays")
    first.kill()
    second = sessions.attach().until("stays")
    assert "50" in second.history and second.history.count("50") == 1
    second.type("echo go''es on\r")
    second.until("goes on")


def test_aTerminalThatHangsUpEndsNoSession(sessions):
    first = sessions.start()
    os.kill(first.pid, signal.SIGHUP)
    assert first.ended() == 128 + signal.SIGHUP
    sessions.attach().until("$").type("exit\r")


def test_twoLookAtOnceAndTheOneThatTypedLastSetsTheSize(sessions):
    first = sessions.start(rows=20, columns=70)
    first.type("stty size\r")
    first.until("20 70")
    second = sessions.attach(rows=30, columns=100).until("20 70")
    second.type("stty size\r")
    second.until("30 100")
    # Its window is too small for all of it, and shows the part with the cursor.
    first.until("30 100")
    first.type("echo; stty size\r")
    second.until(lambda: second.text.count("20 70") == 2)
    second.resize(35, 90)
    second.type("stty size\r")
    first.until("35 90")


def test_whoIsLookedAtIsShown(sessions):
    first = sessions.start()
    second = sessions.attach().until("$")
    device = socket.gethostname()
    for terminal in (first, second):
        terminal.until(lambda: terminal.screen.title.startswith(f"[shared with {device}]"))
    second.type("\r~.")
    assert second.ended() == 0
    first.until(lambda: "shared" not in first.screen.title)


def test_theProgramsStatusIsEachViewers(sessions):
    first = sessions.start()
    second = sessions.attach().until("$")
    second.type("exit 7\r")
    assert (first.ended(), second.ended()) == (7, 7)
    assert sessions.list() == []
    killed = sessions.start()
    killed.type("kill -TERM $$; kill -KILL $$\r")
    assert killed.ended() == 128 + signal.SIGKILL


def is_over(sessions):
    """Whether BRIEF has ended, and its session with it."""
    return os.path.exists(f"{sessions.folder}/written") and not os.path.exists(f"{sessions.folder}/segue-shell/1")


def test_whatTheProgramWroteLastIsShown(sessions):
    terminal = sessions.terminal("--", *BRIEF)
    assert terminal.ended() == 3, terminal.text
    assert "3000" in terminal.text and "2500" in terminal.history


def test_aViewerMayComeAfterTheProgramsEnd(sessions):
    with sessions.begun(*BRIEF) as viewer:
        wait_for(lambda: is_over(sessions), "the program's end")
        viewer.sendall(hello(name=b""))
        said = viewer.makefile("rb").read()
    assert b"3000" in said and b"2500" in said
    assert said.endswith(frame(68, b"\3"))


def test_aTerminalMayTakeItsTimeForWhatIsWrittenLast(sessions):
    terminal = sessions.terminal("--", *BRIEF)
    # The test does not read its terminal.
    wait_for(lambda: is_over(sessions), "the program's end")
    assert terminal.ended() == 3, terminal.text
    assert "3000" in terminal.text and "2500" in terminal.history


def test_aProgramThatIsNotThere(sessions):
    terminal = sessions.terminal("--", "no-such-program")
    assert terminal.ended() == 127
    assert "no-such-program" in terminal.text
    assert terminal.is_as_before
    assert sessions.list() == []


def test_detachedAndBack(sessions):
    first = sessions.start()
    first.type("echo be''fore\r")
    first.until("before")
    first.type("~.")
    assert first.ended() == 0 and first.is_as_before
    assert "detached from session 1" in first.text
    assert [line[0] for line in sessions.list()] == ["1"] and "detached" in sessions.list()[0]
    second = sessions.attach("1").until("before")
    second.type("~?")
    second.until("~. detaches")
    second.type(" ")
    second.until_gone("~. detaches")
    second.type("echo '~~.'\r")
    second.until("\n~~.")


@pytest.mark.parametrize(
    "pasted",
    # Unmarked text comes at once; of text that the terminal marks each part may come by itself.
    [["one\r~.\rtwo\r"], ["\x1b[200~", "one\r", "~.", "\r", "two\r", "\x1b[201~"]], ids=["plain", "marked"])
def test_whatIsPastedDetachesNobody(sessions, pasted):
    first = sessions.start()
    first.type("cat\r")
    first.until("cat")
    repeated = {"one\r": "one", "\r": "~.", "two\r": "two"}
    for part in pasted:
        first.type(part)
        # The program repeats each line, and the echo of the next one must not come into that.
        if part in repeated:
            first.until(lambda line=repeated[part]: first.text.count(line) == 2)
        elif part == "~.":
            first.until(part)
    # Typed, and said again by the program.
    first.until(lambda: first.text.count("two") == 2)
    assert first.text.splitlines().count("~.") == 2
    first.type("\r~.")
    assert first.ended() == 0


def test_vimIsShownToWhoComesLater(sessions, tmp_path):
    (tmp_path / "text").write_text("".join(f"line {number} wörter 日本\n" for number in range(1, 100)))
    first = sessions.start()
    first.type(f"echo in the she''ll; vim.tiny {tmp_path}/text\r")
    first.until("line 1 wörter")
    first.type("50G")
    first.until("line 50 ")
    second = sessions.attach().until("line 50 wörter 日")
    assert "in the shell" not in second.text
    second.type("A and more\x1b:wq\r")
    # The usual screen, which it has not seen before.
    second.until("in the shell").until("$")
    assert "line 50 wörter 日本 and more" in (tmp_path / "text").read_text()
    first.type("\r~.")
    first.ended()
    sessions.attach().until("in the shell")


def test_keysAreAsTheProgramWantsThem(sessions, tmp_path):
    """A viewer that attaches gets the modes that were set before: application keys, bracketed paste, mouse."""
    first = sessions.start()
    first.type("printf '\\033[?1h\\033=\\033[?2004h\\033[?1002h\\033[?1006h'; echo d''one\r")
    first.until("done")
    second = sessions.attach().until("done")
    for mode in [b"\x1b[?1h", b"\x1b=", b"\x1b[?2004h", b"\x1b[?1002h", b"\x1b[?1006h"]:
        assert mode in second.raw
    second.type("\r~.")
    second.ended()
    # And leaves none of them behind.
    for mode in [b"\x1b[?1l", b"\x1b>", b"\x1b[?2004l", b"\x1b[?1002l", b"\x1b[?1006l"]:
        assert second.raw.rindex(mode) > second.raw.rindex(b"\x1b[?2004h")


@pytest.mark.parametrize("end", ["SIGTERM", "SIGINT", "SIGQUIT", "SIGSEGV", "SIGABRT"])
def test_theTerminalIsGivenBackByAViewerThatIsEnded(sessions, end):
    first = sessions.start()
    assert not first.is_as_before
    os.kill(first.pid, getattr(signal, end))
    first.ended()
    assert first.is_as_before
    sessions.attach().until("$")


def test_theTerminalIsGivenBackWhenTheSessionIsKilled(sessions):
    first = sessions.start()
    os.kill(sessions.pid(), signal.SIGKILL)
    assert first.ended() == 255
    assert first.is_as_before and "killed" in first.text
    assert sessions.list() == []
    # Its name is free again.
    sessions.start()
    assert [line[0] for line in sessions.list()] == ["1"]


def test_aViewerThatIsStoppedAndContinued(sessions):
    first = sessions.start()
    second = sessions.attach().until("$")
    os.kill(first.pid, signal.SIGTSTP)
    wait_for(lambda: open(f"/proc/{first.pid}/stat").read().split(") ")[1][0] == "T", "its stop")
    assert first.is_as_before
    second.type("echo mean''while\r")
    second.until("meanwhile")
    os.kill(first.pid, signal.SIGCONT)
    first.until("meanwhile")
    assert not first.is_as_before


def test_attack33_aViewerThatDoesNotRead(sessions):
    """The slow viewer gets the screen when it reads again; nobody waits for it, and the session does not grow."""
    first = sessions.start()
    with sessions.connect() as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.sendall(hello())
        pid = sessions.pid()
        before = memory(pid)
        # The other one does not look either.
        first.type("seq 1 600000; touch $HOME/written; echo f''in\r~.")
        assert first.ended() == 0
        wait_for(lambda: os.path.exists(f"{sessions.folder}/written"), "the end of the output")
        # Its backlog, the history and the screens; the output has 4 MiB.
        assert memory(pid) - before < 8 * 1024
        received = b""
        while b"fin\x1b" not in received:
            part = slow.recv(65536)
            assert part
            received += part
        assert len(received) < 2_000_000
        # The lines before the last ones were not lost, as far as they are kept.
        assert b"599000\x1b" in received and b"300000\x1b" not in received


@pytest.mark.parametrize(
    "question, answer",
    [(r"\x1b[6n", r"'\\x1b\[\d+;\d+R'"), (r"\x1b[c", r"'\\x1b\[\?[0-9;]+c'"),
     (r"\x1bP$qm\x1b\\", r"'\\x1bP1\$r[0-9;]*m\\x1b\\\\'"),
     # The session does not reveal the clipboard, the window's title, or its colour.
     (r"\x1b]52;c;?\x07\x1b[21t\x1b]10;?\x07\x1b[5n", r"'\\x1b\[0n'")])
def test_attack25_whatAsksTheTerminalIsAnsweredOnceByTheSession(sessions, tmp_path, question, answer):
    first = sessions.start()
    second = sessions.attach().until("$")
    first.type("PS1='> '\r")
    (tmp_path / "ask.py").write_text(ASK)
    first.type(f"python3 {tmp_path}/ask.py '{question}'\r")
    for terminal in (first, second):
        # The whole line: it may come in parts.
        terminal.until(lambda terminal=terminal: re.search("^answer: b'.*'$", terminal.text, re.MULTILINE))
        shown = next(line for line in terminal.text.splitlines() if line.startswith("answer: b"))
        assert re.fullmatch(answer, shown.removeprefix("answer: b"))
        for sequence in [b"\x1b[6n", b"\x1b[5n", b"\x1b[c", b"\x1b]52", b"\x1bP", b"\x1b[21t", b"\x1b]10"]:
            assert sequence not in terminal.raw


def test_attack25_aSessionThatSendsWhatNoneWould(sessions):
    """Another device's session may have gone bad: its viewer lets through what is harmless, and nothing else."""
    os.makedirs(f"{sessions.folder}/segue-shell", mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{sessions.folder}/segue-shell/1")
        listener.listen()
        viewer = sessions.terminal("attach", "1")
        # It asks first which sessions there are.
        listener.settimeout(SECONDS)
        while True:
            session = listener.accept()[0]
            session.settimeout(SECONDS)
            if session.recv(1) == b"\x01":
                break
            session.close()
        evil = [b"\x1b[c", b"\x1b[6n", b"\x1b]52;c;cm0=\x07", b"\x1b]0;title\x07", b"\x1b[21t", b"\x1bP+q544e\x1b\\",
                b"\x1b_Gx\x1b\\", b"\xc2\x9b6n", b"\x05", b"\x1b[5i", b"\x1bc"]
        output = b"".join(evil) + "\x1b[1mharmless ü\x1b[m".encode()
        session.sendall(b"\x42" + struct.pack(">I", len(output)) + output)
        title = "t\x1b]52;c;?\x07\u202e\n".encode()
        status = bytes([len(title)]) + title + bytes([1, 5]) + b"de\x1bsk"
        session.sendall(b"\x43" + struct.pack(">I", len(status)) + status)
        viewer.until("harmless ü")
        viewer.until(lambda: "shared with desk" in viewer.screen.title)
        for sequence in evil:
            assert sequence not in viewer.raw
        assert b"\x1b]52" not in viewer.raw
        # Bytes that are no frame end the connection.
        session.sendall(b"\x42\xff\xff\xff\xff")
        assert viewer.ended() == 255 and viewer.is_as_before
        session.close()


def test_attack27_garbageAtTheSocket(sessions):
    first = sessions.start()
    for data in [b"\xff" * 100, hello(version=9), b"\x01\xff\xff\xff\xff", b"\x02\0\0\0\x01x", hello() + hello(),
                 hello(name=b"\xff\xfe"), b"\x07\0\0\0\0", b"\x05\0\0\0\x01\x01" * 50]:
        with sessions.connect() as connection:
            connection.sendall(data)
            try:
                while connection.recv(65536):
                    pass
            except ConnectionResetError:
                pass
    first.type("echo st''ill\r")
    first.until("still")


def test_attack33_aProgramThatReadsNothing(sessions):
    first = sessions.start()
    first.type("stty raw -echo; echo d''eaf; sleep 1000\r")
    first.until("deaf")
    pid = sessions.pid()
    before = memory(pid)
    with sessions.connect() as busy:
        busy.sendall(hello())
        busy.settimeout(1)
        sent = 0
        frame = b"\x02" + struct.pack(">I", 60_000) + b"x" * 60_000
        # It is read until so much waits for the program; what the sockets hold comes to that.
        with pytest.raises(TimeoutError):
            while sent < 200 * len(frame):
                busy.sendall(frame)
                sent += len(frame)
        assert sent < 2_000_000 and memory(pid) - before < 4 * 1024
    # The others are still shown what there is.
    assert sessions.list()[0][0] == "1"


def test_whoSaysNothingIsNotWaitedFor(sessions):
    first = sessions.start()
    begun = time.monotonic()
    silent = [sessions.connect() for _ in range(16)]
    # There are no more places for such.
    with sessions.connect() as one:
        assert one.recv(1) == b""
    for connection in silent:
        assert connection.recv(1) == b""
        connection.close()
    # But until then it was.
    assert time.monotonic() - begun >= HELLO_SECONDS
    first.type("echo st''ill\r")
    first.until("still")
    sessions.attach().until("still")


def test_aSessionThatHangsIsLeftOut(sessions):
    first = sessions.start()
    first.type("~.")
    first.ended()
    pid = sessions.pid()
    os.kill(pid, signal.SIGSTOP)
    assert sessions.list() == []
    os.kill(pid, signal.SIGCONT)
    wait_for(lambda: len(sessions.list()) == 1, "the session")


def test_theServiceEndsWhenNobodyNeedsIt(sessions):
    environment = {**sessions.environment, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={sessions.folder}/no-bus"}
    service = subprocess.Popen([SHELL, "--serve"], env=environment)
    wait_for(lambda: os.path.exists(f"{sessions.folder}/segue-shell/service"), "its socket")
    # There is one.
    assert subprocess.run([SHELL, "--serve"], env=environment, timeout=60).returncode == 0
    for data in [b"\xff" * 99, b"\x84\0\0\0\x02\x01x", b"\x83\0\0\0\0", shared("../")]:
        with sessions.connect("service") as connection:
            connection.sendall(data)
            while connection.recv(1000):
                # That there is no such continuation.
                assert data[0] == 0x84
                connection.shutdown(socket.SHUT_RDWR)
    assert service.wait(60) == 0
    assert not os.path.exists(f"{sessions.folder}/segue-shell/service")


def test_soManySessionsAreShared(sessions):
    """Of those of other names than numbers, and one too many, the service wants to know nothing."""
    environment = {**sessions.environment, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={sessions.folder}/no-bus"}
    with subprocess.Popen([SHELL, "--serve"], env=environment) as service, contextlib.ExitStack() as taken:
        taken.callback(service.kill)

        def share(name):
            connection = taken.enter_context(sessions.connect("service"))
            connection.sendall(shared(name))
            # The answer about an unknown continuation shows that the service has read all earlier bytes.
            with sessions.connect("service") as other:
                other.sendall(b"\x84\0\0\0\x02\x01x")
                assert other.recv(1000)
            return connection

        def is_listening():
            # The socket has its name a moment before.
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                sessions.connect("service").close()
                return True

        wait_for(is_listening, "the service")
        kept = [share(str(number)) for number in range(1, SESSIONS + 1)]
        for name in ["0", str(SESSIONS + 1), "x", "1"]:
            assert share(name).recv(1) == b""
        assert select.select(kept, [], [], 0)[0] == []
        # Where one has left, there is room.
        kept.pop(0).close()
        kept.append(share("1"))
        assert select.select(kept, [], [], 0)[0] == []


def test_theFolderIsTheUsersAlone(sessions):
    os.mkdir(f"{sessions.folder}/segue-shell", mode=0o700)
    os.chmod(f"{sessions.folder}/segue-shell", 0o755)
    result = sessions.run("list")
    assert result.returncode == 1 and "Others can reach" in result.stderr


def test_aSessionInASessionIsRefused(sessions):
    first = sessions.start()
    first.type(f"{SHELL} || echo sta''tus $?\r")
    first.until("This is session 1 already").until("status 1")
    first.type(f"{SHELL} attach 1 || echo sta''tus $?\r")
    first.until(lambda: first.text.count("status 1") == 2)


def test_withoutATerminal(sessions):
    result = sessions.run()
    assert result.returncode == 1 and "not a terminal" in result.stderr
    assert sessions.run("--no-such-option").returncode == 64
    assert "attach [SESSION | DEVICE[:SESSION]]" in sessions.run("--help").stdout
    assert sessions.run("attach").returncode == 1


def test_eraseTakesWholeCharacters(sessions):
    first = sessions.start("sh", "-c", "stty -a | grep -o iutf8; printf '%s\\n' \"$TERM\"; PS1='$ ' exec sh")
    assert "iutf8" in first.text and "xterm-256color" in first.text
