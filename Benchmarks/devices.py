"""Devices on this machine: a folder, a session bus and a daemon each, linked over the loopback by TLS."""

import contextlib
import json
import os
import pathlib
import select
import signal
import subprocess
import time

APP = "org.segue.Bench"
TYPE = "org.segue.bench.state"
# Only what a device has itself is launched, whatever this machine has installed: it would run in the way of what is
# measured.
BUS_CONFIGURATION = """<busconfig>
  <type>session</type>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{data}/dbus-1/services</servicedir>
  <servicedir>{prefix}/share/dbus-1/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
# Seconds until something that ought to happen at once counts as never.
PATIENCE = 20


class Device:
    """One user on one machine, as far as Segue can tell. Its daemon is started by its bus, as users' are."""

    def __init__(self, folder, name, prefix, settings="", listen="127.0.0.1:0", within=(), processor=None):
        """`within`: what runs a command on its host, where that is not this one. `processor`: the one for all that runs
        on the device, as two devices share none; any, without."""
        self.name = name
        self.prefix = prefix
        self.folder = folder / name
        self.data = self.folder / "data"
        self.within = within
        self.processor = processor
        self.pid = None
        for part in ("run", "home", "config/segue", "state", "cache", "data/applications", "data/dbus-1/services"):
            (self.folder / part).mkdir(parents=True, mode=0o700)
        (self.folder / "config/segue/segue.conf").write_text(f"[Link]\nName={name}\nListen={listen}\n{settings}")
        configuration = BUS_CONFIGURATION.format(folder=self.folder, data=self.data, prefix=prefix)
        (self.folder / "bus.conf").write_text(configuration)
        self.address = f"unix:path={self.folder}/bus"
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "DBUS_", "SEGUE_"))},
            "HOME": str(self.folder / "home"),
            "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "XDG_DATA_HOME": str(self.data),
            "XDG_DATA_DIRS": f"{prefix}/share",
            "DBUS_SESSION_BUS_ADDRESS": self.address,
        }
        self.bus = None
        self.log = self.folder / "log"

    def install(self, *command, app=APP):
        """Declares the application, with the command that launches it."""
        line = " ".join(str(word) for word in command)
        (self.data / f"applications/{app}.desktop").write_text(
            f"[Desktop Entry]\nType=Application\nName=Segue Bench\nExec={line}\nX-Segue-ActivityTypes={TYPE};\n"
        )
        self.install_service(f"{app}.Segue", line)

    def install_service(self, name, line):
        path = self.data / f"dbus-1/services/{name}.service"
        path.write_text(f"[D-BUS Service]\nName={name}\nExec={line}\n")

    def placed(self):
        """What is started meanwhile runs on the device's processor, where there are several."""
        return placed(self.processor)

    def start(self):
        """The bus, and through it the daemon."""
        command = [*self.within, "dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile"]
        with open(self.log, "wb") as log, self.placed():
            self.bus = subprocess.Popen(
                [*command, "--print-address"], env=self.environment, stdout=subprocess.PIPE, stderr=log
            )
        if not self.bus.stdout.readline():
            raise RuntimeError(f"the bus of {self.name} did not start: {self.log.read_text()}")
        self.status()
        self.pid = self.owner("org.segue.Daemon1")

    def run(self, *command):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr}{self.log.read_text()}")
        return done.stdout

    def segue(self, *arguments):
        return self.run(self.prefix / "bin/segue", *arguments)

    def json(self, *arguments):
        return json.loads(self.segue(*arguments, "--json"))

    def status(self):
        return self.json("status")

    def owner(self, name):
        """The process that owns a name on the bus."""
        bus = "org.freedesktop.DBus"
        answer = self.run(
            "dbus-send", "--session", "--print-reply=literal", f"--dest={bus}", "/org/freedesktop/DBus",
            f"{bus}.GetConnectionUnixProcessID", f"string:{name}",
        )
        return int(answer.split()[-1])

    def end_owner(self, name):
        """Ends what the bus has launched, if it did: an application outlives its bus."""
        try:
            end(self.owner(name))
        except RuntimeError:
            pass

    def spawn(self, *command):
        with open(self.log, "ab") as log, self.placed():
            return subprocess.Popen(command, env=self.environment, stderr=log)

    def stop(self):
        if self.pid is not None:
            end(self.pid)
        if self.bus is not None:
            self.bus.terminate()
            self.bus.wait()
            self.bus.stdout.close()

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()


@contextlib.contextmanager
def placed(processor):
    """What is started meanwhile runs on that processor, where there are several; None: on any."""
    all_of_them = os.sched_getaffinity(0)
    if processor is not None:
        os.sched_setaffinity(0, {sorted(all_of_them)[processor % len(all_of_them)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_of_them)


def end(pid):
    """Ends a process that is not our child, and returns when it is gone."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        signal.pidfd_send_signal(process, signal.SIGTERM)
        if not select.select([process], [], [], PATIENCE)[0]:
            signal.pidfd_send_signal(process, signal.SIGKILL)
    except ProcessLookupError:
        pass
    finally:
        os.close(process)


def link(first, second, count=1):
    """Pairs two devices, and returns when their link is up, with which the first has so many."""
    for here, there in ((first, second), (second, first)):
        status = there.status()
        here.segue("device", "add", status["device-id"], *status["addresses"], "--name", there.name)
    give_up = time.monotonic() + PATIENCE
    while first.status()["online"] != count or second.status()["online"] != 1:
        if time.monotonic() > give_up:
            raise RuntimeError("the devices did not link: " + first.log.read_text() + second.log.read_text())


def make_fifo(path):
    os.mkfifo(path, 0o600)
    return pathlib.Path(path)
