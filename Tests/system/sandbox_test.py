"""Sandboxed callers (attack 41): bubblewrap with a .flatpak-info, as Flatpak makes it."""

import os
import subprocess
import sys

import pytest
from harness.tree import HERE, methods
from harness.unharmed import unharmed

#: Attempts one call after the other, and says what came of each: sys.argv[3:] are the application's own id and another.
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
door = Door(bus)
attempt(door.tell, "Register", "sa{sv}", [sys.argv[4], {}])
attempt(door.tell, "Register", "sa{sv}", [sys.argv[3], {}])
way = bus.reply(bus.call_later("org.segue.Daemon1", "/org/segue/Daemon1", "org.segue.Daemon1", "OpenDoor")).unix_fds[0]
try:
    os.open("..", os.O_PATH, dir_fd=way)
    print("outside")
except NotADirectoryError:
    print("nowhere")
"""


#: Calls every method of the control interface, on the bus and at the door, with arguments of the right types:
#: sys.argv[3:] are "member:signature".
CONTROL = """
import sys
sys.path.insert(0, sys.argv[1])
from harness.wire import Bus, BusError, Door
bus = Bus(sys.argv[2])
door = Door(bus)
values = {"s": "x", "b": True, "t": 0, "as": [], "a{sv}": {}}
def arguments(signature):
    while signature:
        type_ = next(type_ for type_ in values if signature.startswith(type_))
        yield values[type_]
        signature = signature[len(type_):]
for word in sys.argv[3:]:
    member, signature = word.split(":")
    for way in [bus, door]:
        try:
            way.control(member, signature, list(arguments(signature)))
            print(member, "allowed")
        except BusError as error:
            print(member, error.name.rpartition(".")[2])
"""


#: Searches as the overview and the runner do.
SEARCH = """
import sys
sys.path.insert(0, sys.argv[1])
from harness.surfaces import Overview, Runner
from harness.wire import Bus, BusError
bus = Bus(sys.argv[2])
for call in [lambda: Overview(bus).ids("a"), lambda: Runner(bus).search("a"), lambda: Runner(bus).choose("a", "token")]:
    try:
        call()
        print("allowed")
    except BusError as error:
        print(error.name.rpartition(".")[2])
"""


def run(device, name, script, *arguments):
    """The script's words, from inside of a sandbox of that application."""
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
                sys.executable, "-c", script, tests, str(device.folder / "bus"), *arguments]
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
    with unharmed(desk):
        outcome = run(desk, own, SCRIPT, own, other.id)
    assert outcome[:2] == ["AccessDenied", "allowed"]
    # The descriptor leads to the door and nowhere else: one of a directory would lead out of the sandbox.
    assert outcome[2] == "nowhere"


def attack41_noMethodOfTheControlInterfaceIsForASandbox(both, desk):
    """Refused on the bus, whatever it is asked for, and not there at the door."""
    own = both[0].application.id
    members = dict(methods("Control1"))
    assert {"Continue", "AddDevice", "RemoveDevice", "Pair"} < members.keys()
    before = [item["id"] for item in desk.json("devices")]
    with unharmed(desk):
        words = run(desk, own, CONTROL, *(f"{member}:{signature}" for member, signature in members.items()))
    assert words[::4] == list(members) and words[1::4] == ["AccessDenied"] * len(members)
    assert set(words[3::4]) <= {"UnknownObject", "UnknownMethod", "UnknownInterface"}
    assert [item["id"] for item in desk.json("devices")] == before


def attack41_noSearchIsForASandbox(both, desk):
    with unharmed(desk):
        assert run(desk, both[0].application.id, SEARCH) == ["AccessDenied"] * 3
