"""Users of one fresh system, each with a session bus, and the example application that they read a text with."""

import json
import os
import pathlib
import pwd
import re
import subprocess

from harness.lines import Lines

TEXT = "/usr/share/common-licenses/GPL-3"
COMMAND_TIME = 60


class User:
    """A user with a session bus of their own, as a login makes it."""

    def __init__(self, name):
        subprocess.run(["useradd", "-m", name], check=True)
        self.entry = pwd.getpwnam(name)
        runtime = pathlib.Path(f"/run/user/{self.entry.pw_uid}")
        runtime.mkdir(parents=True, mode=0o700)
        os.chown(runtime, self.entry.pw_uid, self.entry.pw_gid)
        self.home = pathlib.Path(self.entry.pw_dir)
        self.environment = {
            "HOME": self.entry.pw_dir, "USER": name, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(runtime), "DBUS_SESSION_BUS_ADDRESS": f"unix:path={runtime}/bus"}
        self.bus = self.start(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address=unix:path={runtime}/bus",
             "--print-address=1"], stdout=subprocess.PIPE, stderr=open(f"/segue-test/{name}.log", "wb"))
        Lines(self.bus.stdout.fileno()).next()
        # Users of one machine have one host name.
        settings = self.home / ".config/segue"
        self.run("mkdir", "-p", str(settings))
        (settings / "segue.conf").write_text(f"[Link]\nName=device of {name}\n")

    def start(self, command, **options):
        return subprocess.Popen(
            command, env=self.environment, user=self.entry.pw_uid, group=self.entry.pw_gid, extra_groups=[],
            cwd=self.home, text="stdin" in options, start_new_session=True, **options)

    def run(self, *command, status=0):
        process = self.start(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said, _ = process.communicate(timeout=COMMAND_TIME)
        if process.returncode != status:
            raise AssertionError(f"{' '.join(command)} as {self.entry.pw_name}: {process.returncode}\n{said}")
        return said

    def status(self):
        return json.loads(self.run("segue", "status", "--json"))

    def daemon(self):
        """The daemon's process."""
        found = [process for process in daemons() if os.stat(f"/proc/{process}").st_uid == self.entry.pw_uid]
        return found[0] if found else None

    def offers(self):
        return json.loads(self.run("segue", "activities", "--json"))["offers"]


class Reader:
    """The example application that reads a text, on lines in the place of keys."""

    def __init__(self, user):
        self.process = user.start(
            ["segue-reader", "--script", TEXT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.lines = Lines(self.process.stdout.fileno())
        self.until("at line")

    def do(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self):
        self.do("quit")
        self.process.wait(COMMAND_TIME)

    def until(self, start):
        while not (line := self.lines.next(COMMAND_TIME)).startswith(start):
            pass
        return line


def daemons():
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            name = pathlib.Path(f"/proc/{process}/comm").read_text().strip()
        except OSError:
            continue
        # One that has ended and that nobody waits for still has its name.
        if name == "segued" and os.path.exists(f"/proc/{process}/exe"):
            found.append(int(process))
    return found


def pair(first, second):
    showing = first.start(["segue", "pair", "--code"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    lines = Lines(showing.stdout.fileno())
    while not (code := re.search(r"SEGUE:[A-Z2-7]+", lines.next(COMMAND_TIME))):
        pass
    said = second.run("segue", "pair", code.group(0))
    assert "Paired with" in said, said
    assert showing.wait(COMMAND_TIME) == 0
