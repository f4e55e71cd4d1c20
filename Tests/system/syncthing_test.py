"""A folder that Syncthing keeps the same on two devices (semantics R8)."""

import re
import shutil
import subprocess

import pytest
from harness.device import pair
from harness.lines import Lines
from harness.sharing import Shared, url
from harness.syncthing import Syncthing


CONNECTED = re.compile("Established secure connection")


class Synchroniser(Syncthing):
    """Syncthing on a device of the tests, whose log is read line by line."""

    def __init__(self, device):
        super().__init__(device.name, device.environment, device.log)

    def begin(self):
        """Its lines from then on; it ends with the device."""
        self.process = self.start(subprocess.PIPE)
        self.lines = Lines(self.process.stdout.fileno())

    def said(self, pattern):
        """Waits for a line of its log; what of it matches."""
        while True:
            found = pattern.search(self.lines.next())
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
    one, other = Synchroniser(desk), Synchroniser(lap)
    started = []
    try:
        for device in [desk, lap]:
            device.containers["notes"] = device.folder / "home/Notes"
            device.containers["notes"].mkdir()
        one.configure(other, "dynamic", "~/Notes")
        one.begin()
        started.append(one)
        port = one.said(one.LISTENS)[1]
        other.configure(one, f"tcp://127.0.0.1:{port}", "~/Notes")
        other.begin()
        started.append(other)
        pair(desk, lap)
        for side in started:
            side.said(CONNECTED)
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
