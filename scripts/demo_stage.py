"""The stage of `make demo`: devices, the programs on them, and the printed transcript."""

import json
import os
import select
import shlex
import subprocess
import textwrap
import time

STEP_BOUND = 30  # seconds; each bound of Segue itself is shorter


class Failed(Exception):
    """A step of the demo has failed."""


def explain(text):
    print("\n" + textwrap.fill(" ".join(text.split()), 78, initial_indent="# ", subsequent_indent="# "), flush=True)


def typed(device, command):
    print(f"\n{device.name}$ {command}", flush=True)


def show(text, indent="    "):
    print(textwrap.indent(text.rstrip("\n"), indent), flush=True)


def verify(condition, what):
    if not condition:
        raise Failed(what)
    verified(what)


def verified(what):
    """Prints a passed check, after the code before has waited for its condition."""
    print(f"  ✓ {what}", flush=True)


def until(condition, what):
    """Polls a condition that no event reports, within the time limit. Returns the condition's value."""
    end = time.monotonic() + STEP_BOUND
    while not (result := condition()):
        if time.monotonic() > end:
            raise Failed(f"this did not happen within {STEP_BOUND} seconds: {what}")
        time.sleep(0.02)
    return result


class Lines:
    """The output of a program, line by line, as it comes."""

    def __init__(self, process, name):
        self.process, self.name = process, name
        self.buffer = b""

    def next(self, what):
        end = time.monotonic() + STEP_BOUND
        while b"\n" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Failed(f"{self.name} did not say within {STEP_BOUND} seconds: {what}")
            some = os.read(self.process.stdout.fileno(), 4096)
            if not some:
                raise Failed(f"{self.name} ended before it said: {what}")
            self.buffer += some
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode()


class Watch:
    """`segue watch --json`: the state that a device knows, and waiting for its changes."""

    def __init__(self, device):
        self.lines = Lines(device.start(["segue", "watch", "--json"]), f"segue watch on the {device.name}")
        self.known = {"offer": {}, "activity": {}, "device": {}}

    def until(self, subject, condition, what):
        """Waits until a thing of that kind meets the condition, and returns it."""
        while not (found := next(filter(condition, self.known[subject].values()), None)):
            self.take(what)
        return found

    def until_none(self, subject, what):
        while self.known[subject]:
            self.take(what)

    def take(self, what):
        event = json.loads(self.lines.next(what))
        if event["event"] in self.known:
            thing = event[event["event"]]
            if event["change"] == "gone":
                self.known[event["event"]].pop(thing["id"], None)
            else:
                self.known[event["event"]][thing["id"]] = thing


class Device:
    def __init__(self, name, folder, segue_prefix, reader_prefix, host=None):
        """`host`: a host of a network, on which the daemon listens as usual; without one, it listens on loopback."""
        self.name = name
        self.host = host
        root = self.home = folder / name
        # The names are short, since a socket's path has at most 108 bytes.
        self.runtime = root / "run"
        data = dict.fromkeys([reader_prefix / "share", segue_prefix / "share"])
        programs = dict.fromkeys([reader_prefix / "bin", segue_prefix / "bin"])
        # The environment has nothing of the user's: no display, where the reader would open a window, and no settings.
        self.environment = {
            "PATH": ":".join([*map(str, programs), os.environ["PATH"]]),
            "HOME": str(root),
            "LANG": "C.UTF-8",
            "SHELL": "/bin/sh",
            "TERM": "xterm",
            "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_CONFIG_HOME": str(root / "config"),
            "XDG_STATE_HOME": str(root / "state"),
            "XDG_DATA_HOME": str(root / "data"),
            "XDG_CACHE_HOME": str(root / "cache"),
            "XDG_DATA_DIRS": ":".join(map(str, data)),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.runtime}/bus",
            # The machine's own system bus has no part in the demo.
            "DBUS_SYSTEM_BUS_ADDRESS": host.machine.address if host else f"unix:path={self.runtime}/system-bus",
        }
        (root / "config" / "segue").mkdir(parents=True, mode=0o700)
        self.runtime.mkdir(mode=0o700)
        listen = "" if host else "Listen=127.0.0.1:0;\n"
        (root / "config" / "segue" / "segue.conf").write_text(f"[Link]\nName={name}\n{listen}")
        self.log = open(root / "log", "wb")
        # The bus runs on the device's host, and so do the programs that it starts.
        bus = self.start(
            [*(host.prefix if host else []), "dbus-daemon", "--session", "--nofork", "--nopidfile", "--nosyslog", "--print-address",
             f"--address={self.environment['DBUS_SESSION_BUS_ADDRESS']}"])
        Lines(bus, f"the bus of the {name}").next("its address, when it is up")

    def start(self, command):
        return subprocess.Popen(
            command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log)

    def run(self, command, status=0):
        """Runs a command as if typed, and shows it with its output. Returns the output, standard error included."""
        return self.finish(self.begin(command), status)

    def begin(self, command):
        """Starts a command as if typed, without waiting for it yet."""
        typed(self, command)
        return subprocess.Popen(
            shlex.split(command), env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, encoding="utf-8")

    def finish(self, command, status=0):
        output, _ = command.communicate(timeout=STEP_BOUND * 3)
        show(output)
        if command.returncode != status:
            raise Failed(f"the exit status is {command.returncode}, not {status}")
        return output

    def tmux(self, *arguments):
        return subprocess.run(
            ["tmux", "-S", str(self.runtime / "segue-reader.tmux"), *arguments], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8",
            timeout=STEP_BOUND)

    def page(self):
        """The text on the reader's screen."""
        return self.tmux("capture-pane", "-p").stdout

    def in_reader(self):
        print(f"\n{self.name}, in the reader:", flush=True)

    def press(self, *keys):
        """Types keys into the reader's screen."""
        self.in_reader()
        print(f"  > {' '.join(keys)}", flush=True)
        self.tmux("send-keys", *keys)

    def show_page(self, condition, what):
        page = until(lambda: (page := self.page()) and condition(page) and page, what)
        typed(self, "tmux -S $XDG_RUNTIME_DIR/segue-reader.tmux attach")
        print("    ┌" + "─" * 80 + "┐")
        for line in page.splitlines():
            print(f"    │{line:80}│")
        print("    └" + "─" * 80 + "┘", flush=True)
        return page


class Scripted:
    """A program that takes a command a line, and prints a line for each event that a screen would show."""

    def __init__(self, device, command, name):
        typed(device, shlex.join(command))
        self.process = device.start(command)
        self.lines = Lines(self.process, f"the {name} on the {device.name}")

    def until(self, start):
        while True:
            line = self.lines.next(start + " …")
            # Lines about registration come at unpredictable times; without them the transcript is the same in each run.
            if not line.startswith("state "):
                show(line)
            if line.startswith(start):
                return line

    def type(self, command):
        print(f"  > {command}", flush=True)
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()


def scripted_reader(device, path):
    """The reader with its scriptable face."""
    return Scripted(device, ["segue-reader", "--script", path], "reader")


def status_line(page):
    return page.rstrip("\n").rsplit("\n", 1)[-1].strip()
