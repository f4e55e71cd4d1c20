"""Browsers made by hand: they start segue-browser, and speak with it as the extension does."""

import contextlib
import json
import os
import pathlib
import select
import signal
import socket
import struct
import subprocess
import sys
import time

from .application import Installed
from .bounds import SECONDS
from .device import Device
from .tree import HERE, PREFIX, SEGUE_BROWSER, SOURCES

#: Each browser's name, its command, and the arguments with which it starts the host.
KINDS = {
    "firefox": (
        "Firefox", "firefox-esr",
        ["/usr/lib/mozilla/native-messaging-hosts/org.segue.browser.json", "segue@segue.org"]),
    "chromium": ("Chromium", "chromium", ["chrome-extension://nbbjfdlggaeecmhbjlegjnkcigfmcpib/"]),
}


class Native:
    """The extension's end of a host: messages to its standard input, and from its standard output."""

    def __init__(self, to_host, from_host, errors, handle=None):
        """`handle`: the host's process."""
        self.to_host, self.from_host, self.errors, self.handle = to_host, from_host, errors, handle
        self.buffer = b""
        self.early = []

    def send(self, type, **members):
        self.send_bytes(json.dumps({"type": type, **members}).encode())

    def send_bytes(self, content):
        self.write(struct.pack("=I", len(content)) + content)

    def write(self, data):
        while data:
            data = data[os.write(self.to_host, data):]

    def read(self, count, deadline):
        while len(self.buffer) < count:
            left = deadline - time.monotonic()
            assert left > 0 and select.select([self.from_host], [], [], left)[0], "the host says nothing"
            read = os.read(self.from_host, 65536)
            if not read:
                raise EOFError(f"the host has ended: {self.said()}")
            self.buffer += read
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def receive(self):
        deadline = time.monotonic() + SECONDS
        length, = struct.unpack("=I", self.read(4, deadline))
        return json.loads(self.read(length, deadline))

    def next(self, type=None):
        """The next message; with a type, the next that is not of a kind that may come again at any time."""
        while True:
            message = self.early.pop(0) if self.early else self.receive()
            if type is None or message["type"] == type:
                return message
            assert message["type"] in ("ready", "receivers"), message

    def skip_to(self, type):
        """The next message of this type, whatever comes before."""
        while (message := self.next())["type"] != type:
            pass
        return message

    def hello(self, browser):
        """Says hello, waits until the host is ready, and returns this device's name. A page may come before that."""
        self.send("hello", version=1, browser=browser)
        while True:
            message = self.receive()
            if message["type"] == "open":
                self.early.append(message)
            elif "device" in message:
                break
            else:
                assert message["type"] == "ready" and message["reason"], message
        assert message["version"] == 1
        return message["device"]

    def error(self, of):
        message = self.next("error")
        assert message["of"] == of, message
        return message["reason"]

    def page(self, key, url, title="Page", **more):
        self.send("page", key=key, url=url, title=title, **more)

    def wait_for_end(self):
        """Waits until the host's process has ended."""
        assert select.select([self.handle], [], [], SECONDS)[0], "the host does not end"

    def said(self):
        """The text on standard error, until the host's end."""
        text = b""
        while select.select([self.errors], [], [], SECONDS)[0] and (read := os.read(self.errors, 65536)):
            text += read
        return text.decode()

    def close_input(self):
        if self.to_host is not None:
            os.close(self.to_host)
            self.to_host = None

    def close(self):
        self.close_input()
        for descriptor in [self.from_host, self.errors, self.handle]:
            if descriptor is not None:
                os.close(descriptor)


class Browser:
    """A browser on a device, the user's default, with the files that are installed for it."""

    def __init__(self, device, kind):
        self.device = device
        self.kind = kind
        name, program, self.arguments = KINDS[kind]
        self.app_id = f"org.segue.Browser.{name}"
        self.natives = []
        self.processes = []
        self.files = []
        for source in [f"applications/{self.app_id}.desktop.in", f"dbus-1/services/{self.app_id}.Segue.service.in"]:
            text = (SOURCES / "data" / source).read_text().replace("@LIBEXECDIR@", str(PREFIX / "libexec"))
            self.put(device.data / source.removesuffix(".in"), text)
        self.address = device.folder / f"{kind}.socket"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.address))
        self.listener.listen(8)
        self.program = device.folder / "bin" / program
        self.put(self.program, f"#!/bin/sh\nexec {sys.executable} -I {HERE}/native_browser.py {self.address} \"$@\"\n")
        self.program.chmod(0o755)
        self.put(
            device.data / f"applications/{program}.desktop",
            f"[Desktop Entry]\nType=Application\nName={name}\nExec={self.program} %u\n"
            "MimeType=x-scheme-handler/https;\n")
        self.put(device.folder / "config/mimeapps.list",
                 f"[Default Applications]\nx-scheme-handler/https={program}.desktop;\n")
        self.files.append(self.address)
        with device.bus() as bus:
            bus.ask("ReloadConfig")
            path = f"{device.folder}/bin:{device.environment['PATH']}"
            bus.ask("UpdateActivationEnvironment", "a{ss}", [{"PATH": path}])

    def put(self, path, text):
        Installed.write(path, text)
        self.files.append(path)

    @property
    def id(self):
        return self.app_id

    def started(self):
        """The next one that somebody started: a connection to it, which says nothing yet, and its arguments."""
        self.listener.settimeout(SECONDS)
        connection = self.listener.accept()[0]
        connection.settimeout(SECONDS)
        return connection, json.loads(connection.recv(65536))

    def launched(self, arguments=None):
        """The next one; it starts the host, with what this browser says to it, and the extension says hello."""
        native = self.connected(arguments)
        native.hello(self.kind)
        return native

    def connected(self, arguments=None):
        connection, given = self.started()
        assert given == []
        with connection:
            connection.sendall(json.dumps([str(SEGUE_BROWSER), *(self.arguments if arguments is None else arguments)]).encode())
            _, descriptors, _, _ = socket.recv_fds(connection, 64, 4)
        self.natives.append(Native(*descriptors))
        return self.natives[-1]

    def start_program(self):
        """Starts the browser's program as its user does."""
        self.processes.append(subprocess.Popen(
            [self.program], env=self.device.environment, stdin=subprocess.DEVNULL, stdout=self.device.log,
            stderr=self.device.log))
        return self.processes[-1]

    def start(self, arguments=None):
        self.start_program()
        return self.launched(arguments)

    def close(self):
        for native in self.natives:
            native.close()
        for process in self.processes:
            process.kill()
            process.wait()
        self.listener.close()
        with contextlib.suppress(AssertionError):
            for pid in list(self.device.processes()):
                with contextlib.suppress(OSError):
                    if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == SEGUE_BROWSER.name:
                        handle = os.pidfd_open(pid)
                        os.kill(pid, signal.SIGKILL)
                        Device.wait_for_end(handle)
        for path in self.files:
            path.unlink(missing_ok=True)
        with self.device.bus() as bus:
            bus.ask("UpdateActivationEnvironment", "a{ss}", [{"PATH": self.device.environment["PATH"]}])
