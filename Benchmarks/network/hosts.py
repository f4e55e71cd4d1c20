"""Hosts on a switch, each a network namespace; and on each a user with a session bus, who runs Segue or KDE Connect."""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

from devices import PATIENCE, Device, link
from harness.wire import Bus, BusError

CONTROL = "org.segue.Control1"
KDE = "org.kde.kdeconnect"
KDE_DAEMON = next(pathlib.Path("/usr").glob("lib*/**/libexec/kdeconnectd"), None)
HAS_KDE = KDE_DAEMON is not None
BUS_CONFIGURATION = """<busconfig>
  <type>session</type>
  <listen>{address}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


def ip(*arguments):
    return subprocess.run(
        ["ip", *map(str, arguments)], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


class Network:
    """A switch, which is a bridge in a namespace of its own."""

    def __init__(self):
        self.name = f"sgbench{os.getpid()}"
        self.hosts = []
        ip("netns", "add", self.name)
        self.inside("link", "add", "switch", "type", "bridge")
        self.bring_up("switch")

    def inside(self, *arguments):
        ip("-n", self.name, *arguments)

    def bring_up(self, interface):
        self.inside("link", "set", interface, "addrgenmode", "none")
        self.inside("link", "set", interface, "up")

    def host(self):
        self.hosts.append(Host(self, len(self.hosts) + 1))
        return self.hosts[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for name in [self.name, *(host.name for host in self.hosts)]:
            ip("netns", "delete", name)


class Host:
    def __init__(self, network, number):
        self.number = number
        self.network = network
        self.name = f"{network.name}h{number}"
        self.port = f"port{number}"
        self.address = f"10.77.0.{number}"
        ip("netns", "add", self.name)
        # Only the daemons' packets are counted.
        subprocess.run(
            [*self.prefix, "sh", "-c", "echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6"], check=True)
        network.inside("link", "add", self.port, "type", "veth", "peer", "name", "eth0", "netns", self.name)
        network.bring_up(self.port)
        ip("-n", self.name, "link", "set", "lo", "up")
        ip("-n", self.name, "address", "add", f"{self.address}/24", "brd", "+", "dev", "eth0")
        ip("-n", self.name, "link", "set", "eth0", "up")
        # Packets to 255.255.255.255 need a route.
        ip("-n", self.name, "route", "add", "default", "dev", "eth0")
        self.plug()

    @property
    def prefix(self):
        return ["nsenter", f"--net=/run/netns/{self.name}", "--"]

    def plug(self):
        self.network.inside("link", "set", self.port, "master", "switch")

    def unplug(self):
        """At the switch's end: the interface stays up, and what is sent is lost without a word."""
        self.network.inside("link", "set", self.port, "nomaster")

    def lose_carrier(self):
        self.network.inside("link", "set", self.port, "down")

    def find_carrier(self):
        self.network.inside("link", "set", self.port, "up")

    def traffic(self):
        """Bytes and packets that came and went."""
        command = [*self.prefix, "cat", "/proc/net/dev"]
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        line, = (line for line in lines if line.strip().startswith("eth0:"))
        counts = [int(word) for word in line.split(":")[1].split()]
        return counts[0] + counts[8], counts[1] + counts[9]


def until(found, what, patience=PATIENCE):
    """Asks again and again, often enough for milliseconds to count; seconds since the call, and what was found."""
    start = time.monotonic()
    while not (result := found()):
        if time.monotonic() - start > patience:
            raise RuntimeError(f"{what} did not come about")
        time.sleep(0.0005)
    return time.monotonic() - start, result


class SegueSide(Device):
    """A user of Segue. `machine` is the system bus of the host, with Avahi on it."""

    def __init__(self, folder, name, prefix, host, machine=None, processor=None):
        super().__init__(
            folder, name, prefix, listen=f"{host.address}:0", within=host.prefix, processor=processor)
        self.host = host
        # The machine's own Avahi and logind are none of this network's.
        self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = machine.address if machine else f"unix:path={self.folder}/none"
        self.wire = None

    def start(self):
        super().start()
        self.wire = Bus(str(self.folder / "bus"))

    def run_for(self, seconds, *command):
        """Runs a program that takes so long at most; what it prints."""
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, text=True, timeout=seconds)
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]} failed: {self.log.read_text()}")
        return done.stdout

    def control(self, member, signature="", *body):
        return self.wire.control(member, signature, list(body))

    def control_later(self, member, signature="", *body):
        """Returns the call's serial, and does not wait for the reply."""
        return self.wire.call_later(CONTROL, "/org/segue/Control1", CONTROL, member, signature, list(body))

    def online(self):
        """How many devices are linked; without a daemon none."""
        try:
            return sum(device["online"] for device in self.control("ListDevices")[0])
        except BusError:
            return 0

    def begin_daemon(self):
        """Has the bus start it, which a user's next click does; at once, whether it is there yet or not."""
        self.control_later("GetStatus")

    def end_daemon(self):
        os.kill(self.owner("org.segue.Daemon1"), signal.SIGTERM)
        until(lambda: not self.wire.ask("NameHasOwner", "s", ["org.segue.Daemon1"])[0], "the end of the daemon")
        self.pid = None

    def stop(self):
        try:
            self.pid = self.owner("org.segue.Daemon1")
        except RuntimeError:
            self.pid = None
        if self.wire is not None:
            self.wire.close()
        super().stop()


class KDESide:
    """A user of KDE Connect."""

    def __init__(self, folder, name, host):
        self.folder = folder / f"kde-{name}"
        self.name = name
        self.host = host
        self.address = f"unix:path={self.folder}/run/bus"
        for part in ("run", "home", "config", "data", "cache"):
            (self.folder / part).mkdir(parents=True, mode=0o700)
        self.environment = {
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": f"{self.folder}/home",
            "XDG_RUNTIME_DIR": f"{self.folder}/run",
            "XDG_CONFIG_HOME": f"{self.folder}/config", "XDG_DATA_HOME": f"{self.folder}/data",
            "XDG_CACHE_HOME": f"{self.folder}/cache", "QT_QPA_PLATFORM": "offscreen",
            "QT_LOGGING_RULES": "*.debug=false",
            "DBUS_SESSION_BUS_ADDRESS": self.address, "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.folder}/none",
        }
        self.bus = self.daemon = self.wire = self.id = None

    def spawn(self, *command):
        with open(self.folder / "log", "ab") as log:
            # It leaves the texts that it gets in its working folder.
            return subprocess.Popen(
                [*self.host.prefix, *command], env=self.environment, cwd=self.folder, stdout=log, stderr=log)

    def __enter__(self):
        # It starts nothing by itself: only one daemon is measured.
        (self.folder / "bus.conf").write_text(BUS_CONFIGURATION.format(address=self.address))
        self.bus = self.spawn("dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile")
        self.wire = until(self.connect, "the bus")[1]
        self.begin_daemon()
        self.id = until(self.self_id, "KDE Connect")[1]
        return self

    def begin_daemon(self):
        self.daemon = self.spawn(KDE_DAEMON)

    def connect(self):
        try:
            return Bus(str(self.folder / "run/bus"))
        except OSError:
            return None

    @property
    def pid(self):
        return self.daemon.pid

    def end_daemon(self):
        self.daemon.terminate()
        self.daemon.wait()

    def call(self, path, interface, member, signature="", *body):
        return self.wire.call(KDE, path, interface, member, signature, list(body))

    def self_id(self):
        try:
            return self.call("/modules/kdeconnect", f"{KDE}.daemon", "selfId")[0]
        except BusError:
            return None

    def refresh(self):
        self.call("/modules/kdeconnect", f"{KDE}.daemon", "forceOnNetworkChange")

    @staticmethod
    def path(other):
        return f"/modules/kdeconnect/devices/{other.id}"

    def device(self, other, member, *arguments):
        """A call on the other's device; None where there is no such object, or it does not like it."""
        try:
            return self.call(self.path(other), f"{KDE}.device", member, *arguments) or True
        except BusError:
            return None

    def property(self, other, name):
        try:
            return self.call(self.path(other), "org.freedesktop.DBus.Properties", "Get", "ss", f"{KDE}.device", name)[0]
        except BusError:
            return None

    def reaches(self, other):
        return bool(self.property(other, "isReachable"))

    def trusts(self, other):
        return bool(self.property(other, "isTrusted"))

    def __exit__(self, *_):
        if self.wire is not None:
            self.wire.close()
        for process in (self.daemon, self.bus):
            if process is not None:
                process.terminate()
                process.wait()


def meet(one, other):
    """Returns when both have found each other, and the second link that they make has taken the first one's place."""
    for side in (one, other, one, other):
        side.refresh()
        time.sleep(3)
        if one.reaches(other) and other.reaches(one):
            return
    raise RuntimeError(f"KDE Connect's devices do not find each other: {(one.folder / 'log').read_text()}")


def pair_kde(one, other):
    """Pairs, and returns how long that took from the request to both trusting each other, in seconds."""
    meet(one, other)
    start = time.monotonic()
    one.device(other, "requestPair")
    until(lambda: other.property(one, "hasPairingRequests"), "the request")
    other.device(one, "acceptPairing")
    until(lambda: one.trusts(other) and other.trusts(one), "the pairing")
    return time.monotonic() - start


@contextlib.contextmanager
def hosted(folder, prefix):
    """Two users of Segue on hosts of their own, each with a processor of its own, linked."""
    with Network() as network, contextlib.ExitStack() as ends:
        yield two_of_ours(ends, folder, prefix, network, (0, 1))


@contextlib.contextmanager
def pairs(folder, prefix):
    """(two users of Segue, two of KDE Connect), each pair linked. The latter is None where it is not installed."""
    with Network() as network, contextlib.ExitStack() as ends:
        ours = two_of_ours(ends, folder, prefix, network)
        theirs = None
        if HAS_KDE:
            theirs = [ends.enter_context(KDESide(folder, name, network.host())) for name in ("one", "other")]
            pair_kde(*theirs)
        yield ours, theirs


def two_of_ours(ends, folder, prefix, network, processors=(None, None)):
    sides = zip(("origin", "continuing"), processors)
    ours = [
        ends.enter_context(SegueSide(folder, name, prefix, network.host(), processor=processor))
        for name, processor in sides]
    link(*ours)
    return ours
