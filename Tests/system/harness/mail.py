"""Thunderbirds made by hand: each starts the host of the extension, and speaks with it as the extension does."""

import os
import socket
import subprocess
import sys

from .application import Application, Installed
from .bounds import SECONDS
from .native import Native
from .python_package import environment
from .tree import HERE, SOURCES

HOST = SOURCES / "bridges/thunderbird/host/segue-thunderbird"
TYPE = "org.segue.open.Mail"
THUNDERBIRD = Application("org.segue.Thunderbird", "Thunderbird", [TYPE])
ARGUMENTS = ["/usr/lib/mozilla/native-messaging-hosts/org.segue.thunderbird.json", "thunderbird@segue.org"]
DRAFT = {"to": ["A B <a@example.org>"], "cc": [], "bcc": ["c@example.org"], "from": "Me <me@example.org>",
         "subject": "Pancakes", "body": "Whisk the eggs.\n\nThen wait.", "isPlainText": True}


class Host(Native):
    """A host that runs, and the extension's answers to it."""

    def __init__(self, device, arguments=None):
        self.process = subprocess.Popen(
            [HOST, *(ARGUMENTS if arguments is None else arguments)], env={**device.environment, **environment()},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        descriptors = [os.dup(pipe.fileno()) for pipe in (self.process.stdin, self.process.stdout, self.process.stderr)]
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()
        super().__init__(*descriptors, os.pidfd_open(self.process.pid))
        #: The content of each draft.
        self.drafts = {}

    def hello(self):
        self.send("hello", version=1)
        while "reason" in self.next("ready"):
            pass
        return self

    def draft(self, key, **entries):
        """The user is in this draft now."""
        self.drafts[key] = {**DRAFT, **entries}
        self.send("draft", key=key, subject=self.drafts[key]["subject"])

    def answer(self):
        """The question for what stands in a draft, answered."""
        question = self.skip_to("where")
        self.send("details", request=question["request"], **self.drafts[question["key"]])
        return question

    def end(self):
        self.close_input()
        self.wait_for_end()
        return self.process.wait(SECONDS)

    def close(self):
        self.process.kill()
        self.process.wait()
        super().close()


class Mailer:
    """A device on which Thunderbird is installed. The bus starts one, which the test takes part in."""

    def __init__(self, device):
        self.device = device
        self.hosts = []
        self.address = device.folder / "thunderbird.socket"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.address))
        self.listener.listen(8)
        program = device.folder / "bin/thunderbird"
        Installed.write(program, f"#!/bin/sh\nexec {sys.executable} -I {HERE}/native_browser.py {self.address} \"$@\"\n")
        program.chmod(0o755)
        for name, folder in [("desktop", "applications"), ("Segue.service", "dbus-1/services")]:
            text = (SOURCES / f"bridges/thunderbird/data/org.segue.Thunderbird.{name}").read_text()
            Installed.write(device.data / f"{folder}/org.segue.Thunderbird.{name}",
                            text.replace("exec thunderbird", f"exec {program}").replace("=thunderbird\n", f"={program}\n"))
        device.reload()

    def start(self):
        self.hosts.append(Host(self.device))
        return self.hosts[-1].hello()

    def launched(self):
        """The Thunderbird that the bus has started: its extension starts the host."""
        self.listener.settimeout(SECONDS)
        connection = self.listener.accept()[0]
        assert connection.recv(65536) == b"[]"
        connection.close()
        return self.start()

    def close(self):
        for host in self.hosts:
            host.close()
        self.listener.close()
