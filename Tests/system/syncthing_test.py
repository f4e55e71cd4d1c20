"""A folder that Syncthing keeps the same on two devices (semantics R8)."""

import copy
import re
import shutil
import subprocess
import xml.etree.ElementTree as Tree

import pytest
from harness.device import pair
from harness.lines import Lines
from harness.sharing import Shared, url

OPTIONS = {
    # The loopback only, and nobody else is asked or told of anything.
    "listenAddress": "tcp://127.0.0.1:0", "globalAnnounceEnabled": "false", "localAnnounceEnabled": "false",
    "relaysEnabled": "false", "natEnabled": "false", "stunServer": "", "announceLANAddresses": "false",
    "urAccepted": "-1", "crashReportingEnabled": "false", "autoUpgradeIntervalH": "0", "startBrowser": "false",
    "reconnectionIntervalS": "5",
}


class Syncthing:
    """A real Syncthing on a device, as its user has it."""

    def __init__(self, device):
        self.device = device
        home = device.folder / "config/syncthing"
        subprocess.run(
            ["syncthing", "generate", "--no-default-folder", f"--home={home}"], env=device.environment, check=True,
            stdout=device.log, stderr=device.log)
        self.path = home / "config.xml"
        self.id = Tree.parse(self.path).getroot().find("device").get("id")

    def configure(self, other, address):
        """Shares ~/Notes with the other one, which is at an address."""
        tree = Tree.parse(self.path)
        root = tree.getroot()
        options = root.find("options")
        for name, text in OPTIONS.items():
            option = options.find(name)
            option = Tree.SubElement(options, name) if option is None else option
            option.text = text
        root.find("gui").set("enabled", "false")
        device = Tree.SubElement(root, "device", id=other.id, name=other.device.name)
        Tree.SubElement(device, "address").text = address
        folder = copy.deepcopy(root.find("defaults/folder"))
        folder.attrib.update(id="notes-of-both", label="Notes", path="~/Notes", fsWatcherDelayS="1")
        root.insert(0, folder)
        for old in folder.findall("device"):
            folder.remove(old)
        for id_ in [self.id, other.id]:
            Tree.SubElement(folder, "device", id=id_)
        tree.write(self.path)

    def start(self):
        """Its lines from then on; it ends with the device."""
        self.process = subprocess.Popen(
            ["syncthing", "serve", "--no-browser", "--no-restart"], env=self.device.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.lines = Lines(self.process.stdout.fileno())

    def said(self, pattern):
        """Waits for a line of its log; what of it matches."""
        while True:
            found = re.search(pattern, self.lines.next())
            if found:
                return found

    def close(self):
        self.process.kill()
        # Shown where a test failed.
        self.lines.until_end()
        print("\n".join(self.lines.transcript))
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def synchronised(new_device):
    """Two devices whose folder Notes is kept the same by Syncthing."""
    if shutil.which("syncthing") is None:
        pytest.skip("syncthing is not installed, so no folder is synchronised by it")
    desk, lap = new_device("desk"), new_device("lap")
    one, other = Syncthing(desk), Syncthing(lap)
    started = []
    try:
        for device in [desk, lap]:
            device.containers["notes"] = device.folder / "home/Notes"
            device.containers["notes"].mkdir()
        one.configure(other, "dynamic")
        one.start()
        started.append(one)
        port = one.said(r"TCP listener.*127\.0\.0\.1:(\d+)")[1]
        other.configure(one, f"tcp://127.0.0.1:{port}")
        other.start()
        started.append(other)
        pair(desk, lap)
        for side in started:
            side.said("Established secure connection")
        yield desk, lap
    finally:
        for side in started:
            side.close()


def R8_aFileThatSyncthingBrings(synchronised, new_application, install):
    shared = Shared(*synchronised, new_application(), install)
    file = shared.here / "a b/deep/é.txt"
    file.parent.mkdir(parents=True)
    file.write_text("written on desk")
    command = shared.take({"files": [url(file)]})
    assert shared.arrived(command) == {"files": [url(shared.there / "a b/deep/é.txt")]}
    assert (shared.there / "a b/deep/é.txt").read_text() == "written on desk"
    # And back.
    back = Shared(*reversed(synchronised), new_application(), install)
    (back.here / "answer.txt").write_text("written on lap")
    command = back.take({"file": url(back.here / "answer.txt")})
    assert back.arrived(command) == {"file": url(back.there / "answer.txt")}
    assert (back.there / "answer.txt").read_text() == "written on lap"
