#!/usr/bin/python3
"""What a user meets, in a fresh system: install, pair, continue, upgrade, purge. scripts/test-packages runs it as root in
a root of its own, with its own processes; never run it on a machine that is used.

scenario.py FORMER NEW: two folders of packages, of the version before and of this one.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys

sys.path.insert(0, "/segue-test")

from harness.waiting import wait_for  # noqa: E402
from people import COMMAND_TIME, Reader, User, daemons, pair  # noqa: E402

APT = ["apt-get", "-q", "-y", "--no-install-recommends", "-o", "Dpkg::Use-Pty=0"]
#: One operation of apt, with what it downloads.
APT_TIME = 600
#: What is installed, without debug information.
PACKAGES = ["libsegue0", "libsegue-dev", "segue", "segue-desktop", "python3-segue", "webext-segue",
            "webext-segue-thunderbird"]


def apt(*words):
    done = subprocess.run([*APT, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=APT_TIME,
                          env={**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"})
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}:\n{done.stdout}")
    return done.stdout


def install(folder):
    return apt("install", *(str(path) for path in sorted(pathlib.Path(folder).glob("*.deb"))))


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
