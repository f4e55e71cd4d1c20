"""Sandboxed callers (attack 41): bubblewrap with a .flatpak-info, as Flatpak makes it."""

import os
import subprocess
import sys

import pytest
from harness.tree import HERE

SCRIPT = """
import os
import sys
sys.path.insert(0, sys.argv[1])
from harness.wire import Bus, BusError, Door
bus = Bus(sys.argv[2])
def attempt(call, *arguments):
    try:
        call(*arguments)
        print("allowed")
    except BusError as error:
        print(error.name.rpartition(".")[2])
control = ("org.segue.Control1", "/org/segue/Control1", "org.segue.Control1", "ListOffers")
attempt(bus.call, *control)
door = Door(bus)
attempt(door.control, "ListOffers")
attempt(door.tell, "Register", "sa{sv}", [sys.argv[4], {}])
attempt(door.tell, "Register", "sa{sv}", [sys.argv[3], {}])
way = bus.reply(bus.call_later("org.segue.Daemon1", "/org/segue/Daemon1", "org.segue.Daemon1", "OpenDoor")).unix_fds[0]
try:
    os.open("..", os.O_PATH, dir_fd=way)
    print("outside")
except NotADirectoryError:
    print("nowhere")
"""


def run(device, name, own, other):
    """The script's lines, from inside of a sandbox of that application."""
    reader, writer = os.pipe()
    os.write(writer, f"[Application]\nname={name}\n\n[Instance]\ninstance-id=17\n".encode())
    os.close(writer)
    # A fresh root: binding onto the real one would leave an empty file there.
    command = ["bwrap", "--unshare-user", "--tmpfs", "/"]
    for folder in ["/usr", "/lib", "/lib64", "/bin"]:
        if os.path.islink(folder):
            command += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            command += ["--ro-bind", folder, folder]
    tests = str(HERE.parent)
    command += ["--ro-bind", tests, tests, "--bind", str(device.folder), str(device.folder), "--proc", "/proc",
                "--dev", "/dev", "--ro-bind-data", str(reader), "/.flatpak-info",
                sys.executable, "-c", SCRIPT, tests, str(device.folder / "bus"), own, other]
    done = subprocess.run(
        command, pass_fds=[reader], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**device.environment, "PYTHONDONTWRITEBYTECODE": "1"})
    os.close(reader)
    if done.returncode and done.stderr.startswith("bwrap:"):
        pytest.skip(f"bubblewrap does not work here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def attack41_aSandboxedCallerIsOnlyItself(both, desk, new_application, install):
    other = new_application()
    install(desk, other)
    own = both[0].application.id
    desk.segue("status")
    outcome = run(desk, own, own, other.id)
    # The control interface: refused on the bus, and not there at the door.
    assert outcome[0] == "AccessDenied"
    assert outcome[1] in ["UnknownObject", "UnknownMethod", "UnknownInterface"]
    assert outcome[2] == "AccessDenied"
    assert outcome[3] == "allowed"
    # What leads to the door leads nowhere else: a folder would lead out of the sandbox.
    assert outcome[4] == "nowhere"
