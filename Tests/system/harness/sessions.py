"""A user's sessions of segue-shell, and what is said to their sockets."""

import contextlib
import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile

from .bounds import SECONDS
from .terminal import Terminal
from .device import PASSED_ON
from .tree import SEGUE_SHELL as SHELL
from .waiting import wait_for

#: A shell without a user's own settings.
SH = ["/bin/sh"]


class Sessions:
    """A user with sessions of their own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="sg-", dir="/tmp")
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder, "XDG_RUNTIME_DIR": self.folder, "SHELL": "/bin/sh",
            "LANG": "C.UTF-8", "TERM": "xterm", "PS1": "$ ", "VIMINIT": "set nocp noswapfile",
            **{name: os.environ[name] for name in PASSED_ON if name in os.environ}}
        self.terminals = []

    def terminal(self, *arguments, **size):
        self.terminals.append(Terminal([SHELL, *arguments], self.environment, **size))
        return self.terminals[-1]

    @contextlib.contextmanager
    def begun(self, *program):
        """A session whose first viewer is the test: the connection to it."""
        ours, theirs = socket.socketpair()
        ours.settimeout(SECONDS)
        # The session expects it as this number.
        command = f"exec {SHELL} --session 24 80 private '' -- \"$@\" 3<&0 0</dev/null"
        session = subprocess.Popen(
            ["/bin/sh", "-c", command, "sh", *program], env=self.environment, stdin=theirs, start_new_session=True)
        theirs.close()
        with ours:
            yield ours
        assert session.wait(SECONDS) == 0

    def start(self, *program, **size):
        return self.terminal("--", *(program or SH), **size).until("$")

    def attach(self, *name, **size):
        return self.terminal("attach", *name, **size)

    def run(self, *arguments):
        return subprocess.run(
            [SHELL, *arguments], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def list(self):
        return [line.split("\t") for line in self.run("list").stdout.splitlines() if "\t" in line]

    def connect(self, name="1"):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(SECONDS)

        def is_connected():
            # While those before it are not accepted there may be no room.
            with contextlib.suppress(BlockingIOError):
                connection.connect(f"{self.folder}/segue-shell/{name}")
                return True

        wait_for(is_connected, "room at the socket")
        return connection

    def pid(self, name="1"):
        """The session's process."""
        with self.connect(name) as connection:
            return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]

    def close(self):
        for name in sorted(os.listdir(f"{self.folder}/segue-shell") if self.terminals else []):
            try:
                os.kill(self.pid(name), signal.SIGKILL)
            except OSError:
                pass
        for terminal in self.terminals:
            terminal.close()
        shutil.rmtree(self.folder)


def shared(name, title="x"):
    """That the session is shared, as it tells the service."""
    payload = b"".join(text(value) for value in [name, 32 * "0", "", title]) + bytes(4)
    return b"\x81" + struct.pack(">I", len(payload)) + payload


def hello(rows=24, columns=80, name=b"lap", version=1):
    payload = bytes([version]) + struct.pack(">HH", rows, columns) + bytes([len(name)]) + name + b"\0"
    return bytes([1]) + struct.pack(">I", len(payload)) + payload


def frame(kind, payload=b""):
    return bytes([kind]) + struct.pack(">I", len(payload)) + payload


def text(value):
    return bytes([len(value)]) + value.encode()


def listens(path):
    """Whether somebody can be reached at a socket: it is there a moment before."""
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(path)) == 0


class HostileSession:
    """A shared session that the test plays, of a user with such an environment: it does with viewers what it likes."""

    def __init__(self, environment):
        folder = f"{environment['XDG_RUNTIME_DIR']}/segue-shell"
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{folder}/1")
        self.listener.listen()
        self.listener.settimeout(SECONDS)
        self.serve = subprocess.Popen([SHELL, "--serve"], env=environment, stdin=subprocess.DEVNULL)
        wait_for(lambda: listens(f"{folder}/service"), "the service")
        self.service = socket.socket(socket.AF_UNIX)
        self.service.connect(f"{folder}/service")
        self.service.sendall(shared("1"))

    def viewer(self):
        """The next viewer of another device: (what it says, where it is answered)."""
        connection = self.listener.accept()[0]
        with connection:
            connection.settimeout(SECONDS)
            data, descriptors, _, _ = socket.recv_fds(connection, 65536, 2)
        assert data[0] == 7 and len(descriptors) == 2
        return open(descriptors[0], "rb", buffering=0), open(descriptors[1], "wb", buffering=0)

    def close(self):
        self.service.close()
        self.listener.close()
        self.serve.kill()
        self.serve.wait()
