"""A terminal session that is looked at from another device, beside one of ssh, over the loopback."""

import contextlib
import fcntl
import os
import pathlib
import pty
import select
import shutil
import signal
import socket
import struct
import subprocess
import termios
import time

from devices import PATIENCE, Device, link
from rows import Row, p50, p99
from streams import wait_for_offer

KEYS = 1000
RUNS = 3
TEXT = 100 * 1024 * 1024
SSHD = shutil.which("sshd", path="/usr/sbin:/usr/bin:/sbin")
# The programs of the sessions: one echoes keys by its terminal, the other writes the text each time it is told to.
ECHOES = "stty raw echo; echo re''ady; exec cat >/dev/null"
WRITES = "stty -echo; echo re''ady; while read line; do cat '{text}'; echo wri''tten; done"


def measure(folder, prefix):
    text = folder / "text"
    line = b"The quick brown fox jumps over the lazy dog, and nothing else happens in all of this text.\n"
    text.write_bytes(line * (TEXT // len(line)))
    writes = WRITES.format(text=text)
    with moved(folder, prefix, ECHOES) as terminal:
        echo = keys(terminal)
    with moved(folder, prefix, writes) as terminal:
        seconds = texts(terminal)
    theirs, theirs_seconds = None, None
    if SSHD:
        with logged_in(folder, ECHOES) as terminal:
            theirs = keys(terminal)
        with logged_in(folder, writes) as terminal:
            theirs_seconds = texts(terminal)
    else:
        print("bench: no sshd to compare with: Debian's openssh-server")
    return [
        Row("segue-shell on another device, a key's echo (baseline: ssh)", "ms", p50(echo), p99(echo),
            p50(theirs) if theirs else None, "<= 1.0x", p50(echo) <= p50(theirs) if theirs else None),
        Row("ssh, a key's echo: its p99", "ms", baseline=p99(theirs) if theirs else None),
        Row("segue-shell on another device, cat of 100 MiB (baseline: ssh)", "s", p50(seconds), max(seconds),
            p50(theirs_seconds) if theirs_seconds else None),
    ]


def seconds_each(terminal, runs, says, answer):
    """Seconds from what is typed to what it brings."""
    samples = []
    for _ in range(runs):
        begun = time.monotonic()
        terminal.type(says)
        terminal.until(answer)
        samples.append(time.monotonic() - begun)
    return samples


def keys(terminal):
    """Milliseconds from a key to its echo."""
    return [seconds * 1000 for seconds in seconds_each(terminal, KEYS, b"x", b"x")]


def texts(terminal):
    """Seconds until the whole text has been written."""
    return seconds_each(terminal, RUNS, b"\r", b"written")


class Terminal:
    """A terminal of 24 lines and a program in it. It shows nothing: what has come is looked through, and forgotten."""

    def __init__(self, command, environment):
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe(str(command[0]), [str(word) for word in command], environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def type(self, keys):
        os.write(self.fd, keys)

    def until(self, text):
        while (place := self.seen.find(text)) < 0:
            self.seen = self.seen[-len(text):]
            if not select.select([self.fd], [], [], 6 * PATIENCE)[0]:
                raise RuntimeError(f"{text!r} does not come")
            self.seen += os.read(self.fd, 65536)
        self.seen = self.seen[place + len(text):]

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


@contextlib.contextmanager
def moved(folder, prefix, program):
    """A terminal on one device that looks at a session of the other."""
    place = folder / "moved"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    origin, continuing = (Device(place, name, prefix) for name in ("origin", "continuing"))
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(place / "opened"))
    listener.listen()
    # Called as xterm is, with -e; what it would run is run here.
    opens = place / "terminal"
    opens.write_text(
        "#!/usr/bin/python3\nimport socket, sys\ns = socket.socket(socket.AF_UNIX)\n"
        f"s.connect({str(place / 'opened')!r})\ns.sendall('\\0'.join(sys.argv[2:]).encode())\n")
    opens.chmod(0o755)
    for device in (origin, continuing):
        device.environment |= {"TERM": "xterm", "SHELL": "/bin/sh", "TERMINAL": str(opens)}
    with origin, continuing, listener, contextlib.ExitStack() as ends:
        link(origin, continuing)
        shell = prefix / "bin/segue-shell"
        here = Terminal([shell, "--share", "--", "/bin/sh", "-c", program], origin.environment)
        # The session ends with its program, whose terminal's end it is not.
        ends.callback(end_sessions, origin)
        ends.callback(end_sessions, continuing)
        ends.callback(here.close)
        here.until(b"ready")
        wait_for_offer(continuing)
        continuing.segue("continue", "--latest")
        listener.settimeout(PATIENCE)
        with listener.accept()[0] as connection:
            command = b"".join(iter(lambda: connection.recv(65536), b"")).decode().split("\0")
        there = Terminal(command, continuing.environment)
        ends.callback(there.close)
        there.until(b"ready")
        # No other viewer looks: its drawing would be measured too.
        yield there


def end_sessions(device):
    """Ends the device's sessions and what offers them: they outlive what has started them."""
    mark = f"XDG_RUNTIME_DIR={device.folder}/run".encode()
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if entry.isdigit() and pathlib.Path(f"/proc/{entry}/comm").read_text().strip() == "segue-shell":
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if mark in file.read().split(b"\0"):
                        os.kill(int(entry), signal.SIGKILL)


@contextlib.contextmanager
def logged_in(folder, program):
    """A terminal in which ssh runs it, by a server with keys and settings of its own."""
    place = folder / "ssh"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", place / name], check=True)
    shutil.copy(place / "user.pub", place / "authorized")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (place / "sshd.conf").write_text(
        f"ListenAddress 127.0.0.1:{port}\nHostKey {place}/host\nAuthorizedKeysFile {place}/authorized\nPidFile none\n"
        "StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPrintMotd no\nPrintLastLog no\n")
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
    with subprocess.Popen([SSHD, "-D", "-e", "-f", place / "sshd.conf"], stderr=subprocess.PIPE, text=True) as server:
        try:
            while "listening" not in (line := server.stderr.readline()):
                if not line:
                    raise RuntimeError("sshd does not start")
            terminal = Terminal(
                ["ssh", "-F", "none", "-tt", "-p", port, "-i", place / "user", "-o", "StrictHostKeyChecking=no", "-o",
                 "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "127.0.0.1", program],
                {**os.environ, "TERM": "xterm"})
            try:
                terminal.until(b"ready")
                yield terminal
            finally:
                terminal.close()
        finally:
            server.terminate()
