"""The private door under load: what one message, one connection and one process may take of the daemon."""

import contextlib
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time

import pytest
from dbus_fast import Message
from harness.bounds import SECONDS
from harness.lines import Lines
from harness.process import descriptors, memory
from harness.tree import HERE, SEGUED
from harness.waiting import wait_for
from harness.wire import BusError, Door, Wire

#: Limits.swift: bytes of a message before Hello and after it.
BEFORE_HELLO = 4 * 1024
AFTER_HELLO = 256 * 1024
#: Connections of one process, and those that are told why they are refused.
SEATS = 8
REFUSALS = 8
#: The cap of the daemon's unit, MemoryMax, in KiB, and what an allocator may keep of what was freed.
CAP = 256 * 1024
SLACK = 4096


def begin_message(door, length):
    """The start of a call with a body of so many bytes, which do not follow."""
    fields = door_call_fields()
    padding = b"\0" * (-len(fields) % 8)
    door.send_bytes(b"l\1\0\1" + struct.pack("<III", length, 1, len(fields)) + fields + padding)


def door_call_fields():
    """Path, member and signature of a call of one string."""
    def field(code, signature, text):
        data = struct.pack("<BB2s", code, 1, signature + b"\0")
        if signature == b"g":
            return data + struct.pack("<B", len(text)) + text + b"\0"
        return data + struct.pack("<I", len(text)) + text + b"\0"

    data = b""
    for part in [field(1, b"o", b"/org/segue/Door1"), field(3, b"s", b"Register"), field(8, b"g", b"s")]:
        data = data.ljust((len(data) + 7) // 8 * 8, b"\0") + part
    return data


def fill(connection, count):
    """Sends bytes for as long as the other side is there; how many it took."""
    taken = 0
    piece = bytes(65536)
    try:
        while taken < count:
            taken += connection.socket.send(piece[:count - taken])
    except OSError:
        pass
    return taken


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ, reason="a sanitizer has no cap")
def test_attack36_halfSentMessagesBeforeHello(new_device):
    """Four times 100 MiB ended a daemon under its unit's cap."""
    device = new_device("desk", daemon=False)
    device.install_daemon(f"/usr/bin/prlimit --data={CAP * 1024} {SEGUED}")
    device.json("status")
    pid = device.pid()
    held = memory(pid)
    with device.bus() as bus:
        doors = [Door(bus, greets=False) for _ in range(4)]
    for door in doors:
        begin_message(door, 100 << 20)
        assert fill(door, (100 << 20) - 1) < 1 << 20
        assert door.is_closed()
        door.close()
    device.json("status")
    assert device.pid() == pid
    assert memory(pid) <= held + SLACK


@pytest.mark.parametrize("is_greeted", [False, True], ids=["beforeHello", "afterHello"])
def test_attack36_aMessageMayBeSoLongAndNoLonger(new_device, is_greeted):
    device = new_device("desk")
    limit = AFTER_HELLO if is_greeted else BEFORE_HELLO
    overhead = 16 + (len(door_call_fields()) + 7) // 8 * 8
    with device.bus() as bus:
        for length, is_taken in [(limit, True), (limit + 1, False)]:
            with Door(bus, greets=is_greeted) as door:
                body = struct.pack("<I", length - overhead - 5)
                begin_message(door, length - overhead)
                try:
                    door.send_bytes(body + b"x" * (length - overhead - 5) + b"\0")
                except OSError:
                    assert not is_taken
                if is_taken:
                    # One string is no Register: it is read, and answered.
                    with pytest.raises(BusError):
                        door.body(door.reply(1))
                else:
                    with pytest.raises(ConnectionError):
                        door.reply(1)


#: A call that anybody may make, and how many of them each caller makes.
PING = Message(path="/", interface="org.freedesktop.DBus.Peer", member="Ping", serial=1)
PINGS = 50_000


def call_and_never_read(doors, watching):
    """Calls on each for as long as it is taken. Answers of another caller tell that the daemon has had its turns."""
    calls = memoryview(bytes(PING._marshall(False)) * PINGS)
    left = {door: calls for door in doors}
    for door in doors:
        door.socket.setblocking(False)
    rounds = 0
    # More turns than it takes to read what the system holds.
    while left and rounds < 100:
        rounds += 1
        for door, rest in list(left.items()):
            try:
                left[door] = rest[door.socket.send(rest[:65536]):]
                rounds = 0
            except BlockingIOError:
                pass
            except OSError:
                left[door] = b""
            if not left[door]:
                del left[door]
        watching.control("GetStatus")


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ or "TSAN_OPTIONS" in os.environ, reason="a sanitizer has no cap")
def test_attack36_whoCallsAndTakesNoAnswersWaits(new_device):
    """Sixteen such connections ended a daemon under its unit's cap."""
    device = new_device("desk", daemon=False)
    device.install_daemon(f"/usr/bin/prlimit --data={CAP * 1024} {SEGUED}")
    device.json("status")
    pid = device.pid()
    held = memory(pid)
    with device.bus() as bus, device.door() as watching, contextlib.ExitStack() as ends:
        doors = [ends.enter_context(Door(bus, greets=number < SEATS - 1)) for number in range(SEATS - 1 + REFUSALS)]
        call_and_never_read(doors, watching)
        device.json("status")
        assert memory(pid) <= held + 4 * SLACK
        # The daemon reads on from a client that reads its replies at last.
        first = doors[0]
        assert first.receive().reply_serial == 1
        first.socket.close()
    device.json("status")
    assert device.pid() == pid


def test_attack37_noDescriptorsBeforeHello(new_device):
    """A half-sent message would hold them for as long as its sender may say nothing."""
    device = new_device("desk")
    device.json("status")
    pid = device.pid()
    held = descriptors(pid)
    null = os.open("/dev/null", os.O_RDONLY)
    with device.bus() as bus, Door(bus, greets=False) as door:
        with pytest.raises(ConnectionError):
            door.tell("Hello", "uusa{sv}h", [1, 1, door.token, {}, 0], [null])
    os.close(null)
    device.json("status")
    # That the command has left too is seen a little later.
    wait_for(lambda: descriptors(pid) <= held, "the end of what was sent")


class Crowd:
    """Processes that sit at the door, with a parent each."""

    def __init__(self, device, processes, connections):
        program = [sys.executable, HERE / "crowd.py", device.folder / "bus", connections]
        # A shell that waits is the parent, so that they are no group.
        self.processes = [
            subprocess.Popen(["/bin/sh", "-c", '"$@"; exit', "sh", *map(str, program)], env=device.environment,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
        self.lines = [Lines(process.stdout.fileno()) for process in self.processes]
        #: Of each: how many connections got in, and why the first of the others did not.
        self.said = [lines.next().split(" ", 1) for lines in self.lines]

    def close(self):
        for process in self.processes:
            process.stdin.close()
            process.wait(SECONDS)
            process.stdout.close()


def test_attack38_fiveProcessesDoNotKeepTheOthersOut(new_device, application, install):
    device = new_device("desk")
    installed = install(device, application)
    crowd = Crowd(device, 5, 32)
    assert crowd.said == [["8", "This process has 8 connections to segued."]] * 5
    # A user interface, and an application.
    device.json("status")
    installed.start()
    crowd.close()


def test_onlySoManyAreToldThatThereIsNoRoom(new_device):
    """The oldest of those who have not asked yet is closed without a word."""
    device = new_device("desk")
    with device.bus() as bus, contextlib.ExitStack() as ends:
        def come(**options):
            return ends.enter_context(Door(bus, **options))

        for _ in range(SEATS):
            come()
        waiting = [come(greets=False) for _ in range(REFUSALS)]
        with pytest.raises(BusError, match="connections to segued"):
            waiting.pop(0).greet()
        waiting += [come(greets=False), come(greets=False)]
        with pytest.raises(ConnectionError):
            waiting.pop(0).greet()
        for door in waiting:
            with pytest.raises(BusError, match="connections to segued"):
                door.greet()


def test_attack38_aFullDoorIsSharedFairly(new_device, application, install):
    """Thirty groups: whoever comes gets a slot of one that has many, and an application keeps it."""
    device = new_device("desk")
    installed = install(device, application)
    first = installed.start()
    pid = device.pid()
    crowd = Crowd(device, 24, 8)
    device.json("status")
    first.do(f"activity a {application.type}", "current a")
    device.activity(application)
    assert device.pid() == pid
    crowd.close()


def test_attack38_whoAsksForManyTokensMakesNobodyElsesVoid(new_device):
    device = new_device("desk")
    with device.bus() as bus:
        honest = subprocess.run(
            [sys.executable, "-c", TOKEN, str(HERE.parent), str(device.folder / "bus")], env=device.environment,
            stdout=subprocess.PIPE, text=True, timeout=SECONDS)
        token = honest.stdout.strip()
        assert len(token) == 32, honest
        for _ in range(140):
            with device.bus() as other:
                other.call("org.segue.Daemon1", "/org/segue/Daemon1", "org.segue.Daemon1", "OpenDoor")
        with Door(bus, greets=False) as door:
            door.token = token
            door.greet()


#: Asks for a token as another process, and says it.
TOKEN = """
import sys
import time
sys.path.insert(0, sys.argv[1])
from harness.wire import Bus
print(Bus(sys.argv[2]).call("org.segue.Daemon1", "/org/segue/Daemon1", "org.segue.Daemon1", "OpenDoor")[1])
"""


def cpu_time(pid):
    """Seconds of the processor that a process has used."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_attack37_withoutADescriptorNobodyTurnsOnTheSpot(new_device):
    """The daemon drops clients that wait, at the door and at the link, and serves those that are connected."""
    device = new_device("desk", daemon=False)
    device.install_daemon(f"/usr/bin/prlimit --nofile=48 {SEGUED}")
    host, port = device.json("status")["addresses"][0].rsplit(":", 1)
    with device.door() as watching, device.bus() as bus:
        pid = bus.pid_of("org.segue.Daemon1")
        opened = bus.reply(bus.call_later("org.segue.Daemon1", "/org/segue/Daemon1", "org.segue.Daemon1", "OpenDoor"))
        held = [knock(opened.unix_fds[0]) for _ in range(60)] + [
            socket.create_connection((f"127.0.0.{number % 200 + 2}" if host != "127.0.0.1" else host, int(port)))
            for number in range(60)]
        before, start = cpu_time(pid), time.monotonic()
        turned_away = 0
        while time.monotonic() < start + 2:
            watching.control("GetStatus")
            readable = select.select(held, [], [], 0.05)[0]
            turned_away += len(readable)
            for one in readable:
                held.remove(one)
                one.close()
        assert turned_away > 0
        assert cpu_time(pid) - before < 1, "the daemon turns on the spot"
        for one in held:
            one.close()
        os.close(opened.unix_fds[0])
    device.json("status")
    assert device.pid() == pid


def knock(door):
    """A connection to the door that says nothing."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(f"/proc/self/fd/{door}")
    return connection


def attack40_aCallerThatIsGoneIsRefused(new_device, new_peer):
    """The daemon does not do what it asked for: it cannot learn any more who asked."""
    device = new_device("desk")
    peer = new_peer("other", device)
    pid = device.pid()
    os.kill(pid, signal.SIGSTOP)
    with device.bus() as bus:
        name = "org.segue.Control1"
        bus.call_later(name, "/org/segue/Control1", name, "RemoveDevice", "s", [peer.key.id])
        # The bus has taken it.
        bus.ask("GetId")
    os.kill(pid, signal.SIGCONT)
    settled(device)
    assert [item["name"] for item in device.json("devices")] == [peer.name]


def attack40_whoTakesTheNumberOfACallerIsNotTakenForIt(new_device):
    """A process connects, leaves the connection to another, and ends; one that began later has its number."""
    device = new_device("desk")
    with device.bus() as bus:
        opened = bus.reply(bus.call_later("org.segue.Daemon1", "/org/segue/Daemon1", "org.segue.Daemon1", "OpenDoor"))
        door, token = opened.unix_fds[0], bus.body(opened)[1]
        own, other = socket.socketpair()
        caller = subprocess.Popen(
            [sys.executable, "-c", HANDS_ON, str(door), str(other.fileno())], pass_fds=[door, other.fileno()])
        _, descriptors_, *_ = socket.recv_fds(own, 1, 1)
        assert caller.wait(SECONDS) == 0
        # The daemon has accepted it by the time that it answers this.
        settled(device)
        with successor(caller.pid), Wire.over(socket.socket(fileno=descriptors_[0])) as wire:
            with pytest.raises(BusError, match="AccessDenied"):
                wire.call(None, Door.PATH, Door.INTERFACE, "Hello", "uusa{sv}", [1, 1, token, {}])
            with pytest.raises(BusError):
                wire.call(None, "/org/segue/Control1", "org.segue.Control1", "ListDevices")
        for end in (own, other):
            end.close()
        os.close(door)


#: Connects to the door, sends the connection to another process, and ends.
HANDS_ON = """
import socket
import sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(f"/proc/self/fd/{sys.argv[1]}")
with socket.socket(fileno=int(sys.argv[2])) as other:
    socket.send_fds(other, [b"x"], [connection.fileno()])
"""


@contextlib.contextmanager
def successor(pid):
    """A process with the number of one that has ended; the kernel gives the next one after that which is written."""
    for _ in range(1000):
        with open("/proc/sys/kernel/ns_last_pid", "w") as last:
            last.write(str(pid - 1))
        process = subprocess.Popen(["/bin/sleep", "1000"])
        if process.pid == pid:
            break
        process.kill()
        process.wait()
    assert process.pid == pid, "other processes took the number"
    try:
        yield
    finally:
        process.kill()
        process.wait()


def settled(device):
    for _ in range(2):
        device.json("status")
