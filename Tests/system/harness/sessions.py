"""A user's sessions of segue-shell, and what is said to their sockets."""

import os
import shutil
import signal
import socket
import struct
import subprocess
import tempfile

from .bounds import SECONDS
from .terminal import Terminal
from .tree import PREFIX

SHELL = PREFIX / "bin" / "segue-shell"
#: A shell without a user's own settings.
SH = ["/bin/sh"]


class Sessions:
    """A user with sessions of their own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="sg-", dir="/tmp")
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder, "XDG_RUNTIME_DIR": self.folder, "SHELL": "/bin/sh",
            "LANG": "C.UTF-8", "TERM": "xterm", "PS1": "$ ", "VIMINIT": "set nocp noswapfile"}
        self.terminals = []

    def terminal(self, *arguments, **size):
        self.terminals.append(Terminal([SHELL, *arguments], self.environment, **size))
        return self.terminals[-1]

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
        connection.connect(f"{self.folder}/segue-shell/{name}")
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
    payload = b"".join(bytes([len(text)]) + text.encode() for text in [name, title])
    return b"\x81" + struct.pack(">I", len(payload)) + payload
