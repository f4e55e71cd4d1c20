"""What `make demo` is played on: devices, what runs on them, and what is printed of it."""

import json
import os
import select
import shlex
import subprocess
import textwrap
import time

STEP_BOUND = 30  # seconds; each bound of Segue itself is shorter


class Failed(Exception):
    """A step was not as it should be."""


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
    """For what the code before has waited for."""
    print(f"  ✓ {what}", flush=True)


def until(condition, what):
    """For what nobody tells of: looks again and again, within the bound. Gives what the condition gave."""
    end = time.monotonic() + STEP_BOUND
    while not (result := condition()):
        if time.monotonic() > end:
            raise Failed(f"this did not happen within {STEP_BOUND} seconds: {what}")
        time.sleep(0.02)
    return result


class Lines:
    """What a program prints, line by line, as it comes."""

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
    """`segue watch --json`: what a device knows, and waiting for it to change."""

    def __init__(self, device):
        self.lines = Lines(device.start(["segue", "watch", "--json"]), f"segue watch on the {device.name}")
        self.known = {"offer": {}, "activity": {}, "device": {}}

    def until(self, subject, condition, what):
        """Waits until a thing of that kind is so; gives it."""
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
        """`host`: of a network, where it listens as usual; without one, it listens here."""
        self.name = name
        self.host = host
        root = self.home = folder / name
        # Paths of sockets have 108 bytes at most: the names are short.
        self.runtime = root / "run"
        data = dict.fromkeys([reader_prefix / "share", segue_prefix / "share"])
        programs = dict.fromkeys([reader_prefix / "bin", segue_prefix / "bin"])
        # Nothing of the person who runs the demo: no display, where the reader would open a window; no configuration.
        self.environment = {
            "PATH": ":".join([*map(str, programs), "/usr/local/bin:/usr/bin:/bin"]),
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
            # The machine's own has no part in it.
            "DBUS_SYSTEM_BUS_ADDRESS": host.machine.address if host else f"unix:path={self.runtime}/system-bus",
        }
        (root / "config" / "segue").mkdir(parents=True, mode=0o700)
        self.runtime.mkdir(mode=0o700)
        listen = "" if host else "Listen=127.0.0.1:0;\n"
        (root / "config" / "segue" / "segue.conf").write_text(f"[Link]\nName={name}\n{listen}")
        self.log = open(root / "log", "wb")
        # What the bus starts is where the bus is.
        bus = self.start(
            [*(host.prefix if host else []), "dbus-daemon", "--session", "--nofork", "--nopidfile", "--nosyslog", "--print-address",
             f"--address={self.environment['DBUS_SESSION_BUS_ADDRESS']}"])
        Lines(bus, f"the bus of the {name}").next("its address, when it is up")

    def start(self, command):
        return subprocess.Popen(
            command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log)

    def run(self, command, status=0):
        """Runs what a person types, and shows it with its output. Gives the output, standard error included."""
        return self.finish(self.begin(command), status)

    def begin(self, command):
        """What a person types, and does not wait for yet."""
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
        """What stands on the reader's screen."""
        return self.tmux("capture-pane", "-p").stdout

    def in_reader(self):
        print(f"\n{self.name}, in the reader:", flush=True)

    def press(self, *keys):
        """Types into the reader's screen."""
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
    """A program that takes its commands a line each, and says in a line what else a screen would show."""

    def __init__(self, device, command, name):
        typed(device, shlex.join(command))
        self.process = device.start(command)
        self.lines = Lines(self.process, f"the {name} on the {device.name}")

    def until(self, start):
        while True:
            line = self.lines.next(start + " …")
            # How registration goes comes at its own time; the transcript is the same in each run without it.
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
