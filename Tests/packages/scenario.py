#!/usr/bin/python3
"""What a user meets, in a fresh system: install, pair, continue, upgrade, purge. scripts/test-packages runs it as root in
a root of its own, with its own processes; never run it on a machine that is used.

scenario.py FORMER NEW: two folders of packages, of the version before and of this one.
"""

import json
import os
import pathlib
import pwd
import re
import signal
import subprocess
import sys

sys.path.insert(0, "/segue-test")

from harness.lines import Lines  # noqa: E402
from harness.waiting import wait_for  # noqa: E402

TEXT = "/usr/share/common-licenses/GPL-3"
APT = ["apt-get", "-q", "-y", "--no-install-recommends", "-o", "Dpkg::Use-Pty=0"]
#: One operation of apt, with what it downloads.
APT_TIME = 600
COMMAND_TIME = 60
#: What is installed, without debug information.
PACKAGES = ["libsegue0", "libsegue-dev", "segue", "python3-segue", "webext-segue"]


def apt(*words):
    done = subprocess.run([*APT, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=APT_TIME,
                          env={**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"})
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}:\n{done.stdout}")
    return done.stdout


def install(folder):
    return apt("install", *(str(path) for path in sorted(pathlib.Path(folder).glob("*.deb"))))


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


def move(origin, reader, target, place, word):
    """A text moves from one user's reader to the other's, to the line of the word."""
    reader.do(f"search {word}")
    at = re.search(r"at line (\d+) of", reader.until("at line")).group(1)
    wait_for(target.offers, "an offer")
    assert "Continued." in target.run("segue", "continue", "--latest")
    line = place.until("continued")
    assert line.endswith(f"line {at}"), (line, at)


def files():
    """Everything of ours that is in the system, outside of homes and of what tests have put there."""
    found = subprocess.run(
        ["find", "/", "-xdev", "(", "-path", "/home", "-o", "-path", "/segue-test", "-o", "-path", "/proc", "-o",
         "-path", "/run/user", "-o", "-path", "/usr/share/icons", "-o", "-path", "/tmp", ")", "-prune", "-o", "-iname", "*segue*",
         "-print"], stdout=subprocess.PIPE, text=True, check=True, timeout=COMMAND_TIME).stdout.split("\n")
    reader = ("segue-reader", "org.segue.Reader")
    return sorted(path for path in found if path and not any(word in path for word in reader))


def kept(user):
    """The names of the user's files of Segue, and the key that the device is."""
    folder = user.home / ".local/state/segue"
    names = {str(path) for path in folder.rglob("*") if path.is_file()}
    return names, (folder / "identity.pem").read_bytes()


def main():
    former, new = sys.argv[1:]
    before = files()
    assert before == [], before

    install(former)
    print("installed with one command")
    a, b = User("a"), User("b")
    assert a.status()["version"] and b.status()["devices"] == 0
    pair(a, b)
    wait_for(lambda: all(user.status()["online"] == 1 for user in (a, b)), "a link")
    print("paired by a code")

    # `segue continue` asks which of several to take, so only one of the two has something on offer.
    reader, place = Reader(a), Reader(b)
    move(a, reader, b, place, "Limitation")
    move(b, place, a, reader, "Preamble")
    print("a text went on, and back")

    old = {user: user.daemon() for user in (a, b)}
    install(new)
    for user in old:
        wait_for(lambda: user.daemon() not in (None, old[user]), "the new daemon")
    assert reader.process.poll() is None and place.process.poll() is None
    wait_for(lambda: all(user.status()["online"] == 1 for user in (a, b)), "a link")
    move(a, reader, b, place, "Termination")
    print("upgraded while an application ran: the daemons are new ones, and the text goes on")

    assert "segue.conf" in a.run("man", "-w", "segue.conf") if os.path.exists("/usr/bin/man") else True
    assert a.run("python3", "-c", "import segue; print(segue.__name__)").strip() == "segue"
    installed = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${Installed-Size} KiB\n", *PACKAGES], stdout=subprocess.PIPE, text=True,
        check=True).stdout
    print("".join(f"  {line}\n" for line in installed.splitlines()), end="")

    data = {user: kept(user) for user in (a, b)}
    for each in (reader, place):
        each.do("quit")
        each.process.wait(COMMAND_TIME)
    said = apt("purge", *PACKAGES)
    for user in (a, b):
        assert f"{user.home}/.local/state/segue is kept" in said, said
        names, key = kept(user)
        assert key == data[user][1] and names >= {name for name in data[user][0] if "-wal" not in name and "-shm" not in name}
    left = files()
    assert left == [], left
    wait_for(lambda: daemons() == [], "the end of the daemons")
    # The bus knows nothing of it any more, and the command line is gone.
    assert not os.path.exists("/usr/bin/segue")
    print("purged: nothing of the system's is left, users' data is kept and named")
    without_root(User("c"))
    for user in (a, b):
        user.bus.send_signal(signal.SIGTERM)


def without_root(user):
    """The tarball, in the home of a user who is not root, in a system without the packages."""
    tarball, = pathlib.Path("/segue-test").glob("segue-*.tar.xz")
    user.run("tar", "-xf", str(tarball))
    folder = str(next(user.home.glob("segue-*")))
    user.run(f"{folder}/install")
    segue = str(user.home / ".local/bin/segue")
    status = json.loads(user.run(segue, "status", "--json"))
    assert status["device-name"] == "device of c", status
    # There is no system bus, and so no Avahi, in this root: all else is there.
    findings = json.loads(user.run(segue, "doctor", "--json"))
    assert all("Avahi" in each["message"] for each in findings if each["severity"] != "note"), findings
    program = os.readlink(f"/proc/{user.daemon()}/exe")
    assert program.startswith(str(user.home / ".local/libexec/")), program
    user.run(f"{folder}/install", "--remove")
    wait_for(lambda: user.daemon() is None, "the end of the daemon")
    left = [path for path in (user.home / ".local").rglob("*") if not path.is_dir()]
    assert left and all(path.parent == user.home / ".local/state/segue" for path in left), left
    print("installed without root from the tarball, and removed")


if __name__ == "__main__":
    main()
