"""A device: directories, a session bus and a daemon of its own."""

import hashlib
import json
import os
import pathlib
import select
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile

import cbor2

from .application import Installed
from .bounds import SECONDS
from .command import Command
from .lines import Ended, Lines
from .tree import SEGUE, SEGUED
from .waiting import wait_for
from .watch import Watch
from .wire import Bus, Door

#: The offset of the second place in the daemon's record of continuations (Limits.fileLength).
PLACE = 256 * 1024
#: Variables that the tests pass on to a daemon: how much it logs, the guard that it lacks, and where a sanitizer
#: reports.
PASSED_ON = ["SEGUE_LOG", "SEGUE_MUTATION", "ASAN_OPTIONS", "TSAN_OPTIONS", "SWIFT_BACKTRACE"]
BUS_CONFIGURATION = """<busconfig>
  <type>session</type>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{data}/dbus-1/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


class Device:
    """A device, whose daemon is started by its bus, as on a desktop."""

    #: The devices that run, for the report of a test that failed.
    live = []
    #: Marks every process that belongs to a device, however it was started.
    MARK = "SEGUE_TEST_DEVICE"
    #: The folder below which its own is made.
    PLACE = "/tmp"
    #: Listens as without any settings. For hosts of a network only: on this machine another daemon may listen so.
    USUALLY = "usually"

    def __init__(
            self, name, limits=None, daemon=True, containers=(), snapshots=(), settings=(), host=None,
            listen=None):
        # A socket's path has at most 108 bytes: a test runner's own directories are too deep.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sg-", dir=self.PLACE))
        self.name = name
        #: The host that it runs on, in a network of several hosts; None: this machine.
        self.host = host
        #: The address that it listens at, if not the host's alone.
        self.listen = listen
        self.data = self.folder / "data"
        self.installed = []
        self.watching = None
        for part in ["data/dbus-1/services", "data/applications", "state", "config/segue", "run", "home", "cache"]:
            (self.folder / part).mkdir(parents=True, mode=0o700)
        self.environment = {
            "HOME": f"{self.folder}/home", "XDG_DATA_HOME": f"{self.data}", "XDG_STATE_HOME": f"{self.folder}/state",
            "XDG_CONFIG_HOME": f"{self.folder}/config", "XDG_RUNTIME_DIR": f"{self.folder}/run",
            "XDG_CACHE_HOME": f"{self.folder}/cache", "XDG_DATA_DIRS": f"{self.folder}/nothing",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.folder}/bus",
            # A test must not use the machine's own system bus.
            "DBUS_SYSTEM_BUS_ADDRESS": host.machine.address if host else f"unix:path={self.folder}/system-bus",
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
            self.MARK: str(self.folder),
            **{key: os.environ[key] for key in PASSED_ON if key in os.environ},
        }
        self.limits = limits or {}
        #: The settings of "Share" and "Keep" that its user allows.
        self.snapshots = snapshots
        #: Further lines of segue.conf.
        self.settings = list(settings)
        self.containers = {}
        for id_ in containers:
            self.make_container(id_)
        self.configure()
        if daemon:
            self.install_daemon()
        (self.folder / "bus.conf").write_text(BUS_CONFIGURATION.format(folder=self.folder, data=self.data))
        self.log = open(self.folder / "log", "ab")
        self.bus_process = None
        self.start_bus()
        Device.live.append(self)

    def install_daemon(self, exec=SEGUED):
        for part in ["Daemon1", "Control1"]:
            Installed.write(
                self.data / f"dbus-1/services/org.segue.{part}.service",
                f"[D-BUS Service]\nName=org.segue.{part}\nExec={exec}\n")

    def install_traced_daemon(self, files, calls, inject):
        """As `install_daemon`, under strace, which injects something at one of the calls that touch these files."""
        paths = " ".join(f"-P {file}" for file in files)
        (self.folder / "trace").unlink(missing_ok=True)
        self.install_daemon(
            f"/usr/bin/strace -f -qq -y -o {self.folder}/trace {paths} -e trace={calls} -e inject={calls}:{inject} "
            f"{SEGUED}")
        self.reload()

    def reload(self):
        """Lets the bus read the service files again."""
        with self.bus() as bus:
            bus.ask("ReloadConfig")

    def trace(self):
        trace = self.folder / "trace"
        return trace.read_text(errors="replace") if trace.exists() else ""

    def configure(self):
        """Writes segue.conf, as an editor does: whole, then renamed."""
        lines = ["[Link]", f"Name={self.name}"]
        if self.listen != Device.USUALLY:
            address = self.listen or (self.host.address if self.host else "127.0.0.1")
            lines.append(f"Listen={address}:0;")
        lines.append("[Limits]")
        lines += [f"{key}={value}" for key, value in self.limits.items()]
        lines += ["[Snapshots]", *(f"{key}=true" for key in self.snapshots)]
        lines += self.settings
        for id_, path in self.containers.items():
            lines += [f"[Container {id_}]", f"Path={path}"]
        Installed.write(self.folder / "config/segue/segue.conf", "\n".join(lines) + "\n")

    def make_container(self, id_, path=None):
        """Makes a directory in the home directory, which `configure` then declares as a container; returns its path."""
        path = path or self.folder / "home" / id_
        path.mkdir(parents=True, exist_ok=True)
        self.containers[id_] = path
        return path

    def set(self, group, **keys):
        """Adds a group to segue.conf, for the daemon that starts next."""
        with open(self.folder / "config/segue/segue.conf", "a") as file:
            file.write(f"[{group}]\n" + "".join(f"{key}={value}\n" for key, value in keys.items()))

    # The bus

    def start_bus(self):
        # Programs that the bus launches run where the bus is: among them the daemon, which alone uses the network.
        prefix = self.host.prefix if self.host else []
        self.bus_process = subprocess.Popen(
            [*prefix, "dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile",
             "--print-address"],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log)
        Lines(self.bus_process.stdout.fileno()).next()

    def kill_bus(self):
        self.bus_process.kill()
        self.bus_process.wait()
        self.bus_process.stdout.close()
        (self.folder / "bus").unlink(missing_ok=True)

    def bus(self):
        return Bus(str(self.folder / "bus"))

    def door(self, app_id=None):
        with self.bus() as bus:
            return Door(bus, app_id)

    # The daemon

    def pid(self):
        with self.bus() as bus:
            return bus.pid_of("org.segue.Daemon1")

    def start_daemon(self):
        """Starts the daemon by asking it something."""
        self.json("status")

    def stop_daemon(self, number=signal.SIGTERM):
        """Ends the daemon and waits until it is gone."""
        pid = self.pid()
        handle = os.pidfd_open(pid)
        os.kill(pid, number)
        Device.wait_for_end(handle)
        self.end_watch()

    def end_watch(self):
        """Forgets what `watch` has shown: the daemon has ended."""
        if self.watching:
            self.watching.until_gone()
            self.watch_anew()

    @staticmethod
    def wait_for_end(handle):
        ended = select.select([handle], [], [], SECONDS)[0]
        os.close(handle)
        assert ended, "the process did not end"

    def recorded(self):
        """The daemon's record of continuations, which is the later of the file's two states; None without any."""
        file = self.folder / "state/segue/continuations"
        if not file.exists():
            return None
        data = file.read_bytes()
        # The daemon may write between the reading of the one place and of the other.
        while (again := file.read_bytes()) != data:
            data = again
        states = {}
        for place in [data[:PLACE], data[PLACE:]]:
            if len(place) < 12:
                continue
            number, length = struct.unpack_from(">QI", place)
            state = place[:12 + length]
            if place[12 + length:].startswith(f"# sha256 {hashlib.sha256(state).hexdigest()}\n".encode()):
                states[number] = state[12:]
        return cbor2.loads(states[max(states)]) if states else None

    def has_overwritten(self):
        """Whether only one of that file's two places holds a state."""
        data = (self.folder / "state/segue/continuations").read_bytes()
        return not (data[:PLACE].strip(b"\0") and data[PLACE:].strip(b"\0"))

    # The command line

    def start(self, *arguments):
        return Command([SEGUE, *map(str, arguments)], self.environment)

    def segue(self, *arguments):
        return self.start(*arguments).succeeded()

    def json(self, *arguments):
        return json.loads(self.segue(*arguments, "--json"))

    def take(self, offer):
        """Starts the continuation of an offer that the user has chosen."""
        return self.start("continue", offer["id"])

    # Lists and the watch

    @property
    def watch(self):
        if self.watching is None:
            self.watching = Watch(self.environment, self.log)
        return self.watching

    def until(self, found, what, timeout=SECONDS):
        try:
            return self.watch.until(found, what, timeout)
        except Ended:
            # The daemon has gone; a new watch waits for the next one.
            self.watch_anew()
            return self.watch.until(found, what, timeout)

    def until_asked(self, found, what, signal="OffersChanged"):
        """Waits for something that the lines of `watch` do not show: asks the daemon anew at each such signal. A signal
        follows every change, even one that `watch` has no line for, since the item has gone before it looked."""
        with self.bus() as bus:
            bus.match(f"type='signal',interface='org.segue.Control1',member='{signal}'")
            return wait_for(found, what, lambda left: bus.next_signal(signal, left))

    def watch_anew(self):
        """Starts `watch` anew: its lines until now, read or not, do not count any more."""
        if self.watching:
            self.watching.close()
            self.watching = None

    def offer(self, application, timeout=SECONDS, **wanted):
        """Waits for an offer of the application that can be continued here, with such attributes."""
        def found(watch):
            for offer in watch.items["offer"].values():
                if offer["app-id"] == application.id and offer["local-app"] and matches(offer, wanted):
                    return offer
            return None

        return self.until(found, f"an offer of {application.id} with {wanted}", timeout)

    def no_offer(self, application, timeout=SECONDS):
        self.until(lambda watch: not self.offers_of(application), f"the end of {application.id}'s offers", timeout)

    def any_offer(self, application):
        """Waits for an offer of the application, whether it can be continued here or not."""
        return self.until(lambda watch: self.offers_of(application), f"an offer of {application.id}")[0]

    def activity_gone(self, application):
        """Waits until the application has nothing on offer here."""
        self.until(
            lambda watch: all(item["app-id"] != application.id for item in watch.items["activity"].values()),
            f"the end of {application.id}'s activities")

    def offers_of(self, application):
        """The offers that `watch` showed last; no more lines are read until the next wait."""
        return [offer for offer in self.watch.items["offer"].values() if offer["app-id"] == application.id]

    def listed(self, application):
        """The application's offers here, as the daemon lists them now."""
        return [offer for offer in self.json("activities")["offers"] if offer["app-id"] == application.id]

    def activity(self, application, **wanted):
        """Waits until the application has such an activity on offer here."""
        def found(watch):
            for activity in watch.items["activity"].values():
                if activity["app-id"] == application.id and matches(activity, wanted):
                    return activity
            return None

        return self.until(found, f"an activity of {application.id} with {wanted}")

    def online(self, other, is_online=True):
        def found(watch):
            return any(
                item["name"] == other.name and item["online"] == is_online for item in watch.items["device"].values())

        self.until(found, f"{other.name} {'online' if is_online else 'offline'}")

    # Applications

    def install(self, application, probe, flags=(), types=None, service=True):
        installed = Installed(self, application, probe, flags, types, service)
        self.installed.append(installed)
        return installed

    def uninstall_all(self):
        for installed in self.installed:
            installed.close()

    # The end

    def processes(self):
        """Everything that was started for this device and still runs."""
        mark = f"{self.MARK}={self.folder}".encode()
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/environ", "rb") as file:
                        if mark in file.read().split(b"\0"):
                            yield int(entry)
                except OSError:
                    pass

    def report(self):
        lines = (self.folder / "log").read_text(errors="replace").splitlines()
        return "\n".join(line for line in lines if "Reloaded configuration" not in line)[-6000:]

    def close(self):
        Device.live.remove(self)
        self.uninstall_all()
        self.watch_anew()
        self.bus_process.kill()
        self.bus_process.wait()
        self.bus_process.stdout.close()
        for pid in self.processes():
            try:
                handle = os.pidfd_open(pid)
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            Device.wait_for_end(handle)
        self.log.close()
        shutil.rmtree(self.folder)


def matches(item, wanted):
    return all(item.get(key.replace("_", "-")) == value for key, value in wanted.items())


def pair(one, other):
    """Pairs two devices as two people do: each runs the line that the other's `segue identity` prints."""
    for reader, writer in [(one, other), (other, one)]:
        line = writer.segue("identity").strip().splitlines()[-1]
        words = shlex.split(line)
        assert words[0] == "segue"
        reader.segue(*words[1:])
    one.online(other)
    other.online(one)


def unpair(device, other):
    """Lets the device forget the other, which may not run."""
    for item in device.json("devices"):
        if item["name"] == other.name:
            device.segue("device", "remove", item["id"])
