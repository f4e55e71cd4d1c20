"""Real editors on a device, without a terminal; the bus starts them too."""

import json
import os
import signal
import subprocess

from .application import Application
from .bounds import SECONDS
from .tree import PREFIX, SOURCES
from .waiting import wait_for

TYPE = "org.segue.open.Text"
NEOVIM = Application("org.segue.Neovim", "Neovim", [TYPE])
EMACS = Application("org.segue.Emacs", "Emacs", [TYPE])


def install(device, folder, name, command):
    """An editor's desktop file and service file, as they are in the tree, with a program that starts it for the test."""
    launcher = device.folder / name
    quoted = " ".join(f"'{word}'" for word in command)
    launcher.write_text(f"#!/bin/sh\nLD_LIBRARY_PATH={PREFIX}/lib HOME={device.folder} exec {quoted}\n")
    launcher.chmod(0o755)
    for file in folder.glob("org.segue.*"):
        place = device.data / ("applications" if file.suffix == ".desktop" else "dbus-1/services") / file.name
        place.parent.mkdir(parents=True, exist_ok=True)
        lines = file.read_text().splitlines()
        place.write_text("".join(
            f"Exec={launcher}\n" if line.startswith("Exec=") else f"{line}\n" for line in lines))


class Editor:
    """What both have in common. A subclass has `command`, `application` and `ask`."""

    def __init__(self, device, folder, name):
        self.device = device
        self.name = name
        self.environment = {**device.environment, "LD_LIBRARY_PATH": f"{PREFIX}/lib", "HOME": str(device.folder)}
        install(device, folder, f"segue-{name}", self.command)

    def start(self, *files):
        subprocess.Popen(
            [*self.command, *map(str, files)], env=self.environment, stdin=subprocess.DEVNULL, stdout=self.device.log,
            stderr=self.device.log)
        with self.device.bus() as bus:
            wait_for(lambda: bus.ask("NameHasOwner", "s", [f"{self.application.id}.Segue"]) == [True], f"{self.name}'s name")

    def run(self, *command):
        """The standard output, as JSON; None where the editor does not answer yet."""
        done = subprocess.run(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def close(self):
        for pid in self.device.processes():
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")).startswith((self.name, "emacs")):
                os.kill(pid, signal.SIGKILL)


class Neovim(Editor):
    application = NEOVIM
    plugin = SOURCES / "bridges/neovim"

    def __init__(self, device):
        self.socket = device.folder / "nvim"
        self.command = ["nvim", "--clean", "--headless", "--listen", str(self.socket), "--cmd", f"set rtp^={self.plugin}",
                        "-c", "runtime plugin/segue.lua"]
        super().__init__(device, self.plugin / "data", "nvim")

    def ask(self, expression):
        """What an expression of Vim's is there."""
        return self.run(
            "nvim", "--clean", "--headless", "--server", self.socket, "--remote-expr", f"json_encode({expression})")

    def lua(self, code):
        return self.ask(f"luaeval({json.dumps(code)})")

    def send(self, keys):
        """As if the user had typed them."""
        subprocess.run(["nvim", "--clean", "--headless", "--server", self.socket, "--remote-send", keys],
                       env=self.environment, stdout=subprocess.DEVNULL, timeout=SECONDS, check=True)

    def move(self, line, column=1):
        self.ask(f"cursor({line}, {column})")
        # As if the user had typed.
        self.ask("execute('doautocmd CursorMoved')")

    def at(self):
        """The file, the line and the column that the user sees."""
        return self.ask("[expand('%:p'), line('.'), col('.')]")


class Emacs(Editor):
    application = EMACS
    package = SOURCES / "bridges/emacs"

    def __init__(self, device):
        self.socket = device.folder / "emacs"
        self.command = ["emacs", "-Q", f"--fg-daemon={self.socket}", "-L", str(self.package), "-L",
                        os.environ.get("SEGUE_EMACS", ""), "-l", "segue", "-l", "json", "--eval", "(segue-mode 1)"]
        super().__init__(device, self.package / "data", "emacs")

    def start(self, *files):
        super().start()
        for file in files:
            self.ask(f"(progn (find-file {json.dumps(str(file))}) t)")
            # A command, after which its hooks run.
            self.keys("C-a")

    def ask(self, expression):
        """What an expression of Lisp's is there."""
        said = self.run("emacsclient", "-s", self.socket, "--eval", f"(json-encode {expression})")
        return None if said is None else json.loads(said)

    def keys(self, keys):
        self.ask(f'(progn (execute-kbd-macro (kbd "{keys}")) t)')

    def move(self, line, column=1):
        # What is evaluated has a buffer of its own.
        place = f"(goto-char (point-min)) (forward-line {line - 1}) (forward-char {column - 1}) (point)"
        self.ask(f"(progn (set-window-point nil (with-current-buffer (window-buffer) {place})) t)")
        # A command, after which its hooks run.
        self.keys("C-f C-b")

    def at(self):
        """The file, the line and the column that the user sees."""
        return self.ask(
            "(with-current-buffer (window-buffer) (save-excursion (goto-char (window-point)) "
            "(list buffer-file-name (line-number-at-pos) (1+ (current-column)))))")
