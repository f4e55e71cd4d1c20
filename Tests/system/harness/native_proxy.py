"""org.freedesktop.NativeMessagingProxy, version 1, on a session bus: starts native hosts for browsers that cannot, and
passes the hosts' standard descriptors on to them.

native_proxy.py SOCKET-OF-THE-BUS PREFIX
"""

import json
import os
import pathlib
import select
import subprocess
import sys

from dbus_fast import Message

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from harness.wire import Bus  # noqa: E402

NAME = "org.freedesktop.NativeMessagingProxy"
PATH = "/org/freedesktop/nativemessagingproxy"
#: The directories in which each kind of browser looks for manifests.
FOLDERS = {"mozilla": "lib/mozilla/native-messaging-hosts", "chromium": "etc/chromium/native-messaging-hosts"}


class Proxy:
    def __init__(self, address, prefix):
        self.bus = Bus(address)
        self.prefix = prefix
        #: The native hosts, by their handles.
        self.hosts = {}
        self.bus.own(NAME)

    def manifest(self, host, mode):
        return f"{self.prefix}/{FOLDERS[mode]}/{host}.json"

    def answer(self, call):
        if call.member == "GetManifest":
            with open(self.manifest(*call.body[:2])) as file:
                self.bus.answer(call, "s", [file.read()])
        elif call.member == "Start":
            self.start(call, *call.body[:3])
        elif call.member == "Close":
            self.hosts[call.body[0]].kill()
            self.bus.answer(call)

    def start(self, call, name, caller, mode):
        path = self.manifest(name, mode)
        with open(path) as file:
            manifest = json.load(file)
        if caller not in manifest["allowed_extensions" if mode == "mozilla" else "allowed_origins"]:
            error = Message.new_error(call, "org.freedesktop.DBus.Error.AccessDenied", f"{caller} is not allowed")
            error.destination = call.sender
            self.bus.send(error)
            return
        host = subprocess.Popen(
            [manifest["path"], *([path] if mode == "mozilla" else []), caller],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        handle = f"{PATH}/{host.pid}"
        self.hosts[handle] = host
        pipes = [host.stdin, host.stdout, host.stderr]
        self.bus.answer(call, "hhho", [0, 1, 2, handle], [pipe.fileno() for pipe in pipes])
        for pipe in pipes:
            pipe.close()

    def run(self):
        while True:
            ends = {os.pidfd_open(host.pid): handle for handle, host in self.hosts.items()}
            readable = [] if self.bus.calls else select.select([self.bus.socket, *ends], [], [])[0]
            for end, handle in ends.items():
                if end in readable:
                    self.hosts.pop(handle).wait()
                    self.bus.emit(PATH, NAME, "Closed", "oa{sv}", [handle, {}])
                os.close(end)
            if self.bus.socket in readable:
                self.bus.sort(60)
            while self.bus.calls:
                self.answer(self.bus.calls.popleft())


Proxy(*sys.argv[1:]).run()
