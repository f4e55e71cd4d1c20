"""Where containers come from: segue.conf, Syncthing's configuration and Nextcloud's (semantics R8)."""

import pytest
from harness import sharing
from harness.application import Installed
from harness.device import pair
from harness.sharing import Shared, url, write

own = sharing.own


def R8_segueConfIsFollowed(own, application, install):
    desk, lap = own(containers=[])
    lap.make_container("notes")
    lap.containers["bad"] = "relative"
    shared = Shared(desk, lap, application, install)
    write(shared.here / "a.txt")
    write(shared.there / "a.txt")
    info = {"file": url(shared.here / "a.txt")}
    assert "which this device does not have" in shared.failed(shared.take(info))[1]
    lap.configure()
    command = shared.take(info)
    assert shared.arrived(command) == {"file": url(shared.there / "a.txt")}
    assert '"relative" cannot be the folder of the container bad' in lap.report()
    # The former settings stay while the file is broken.
    Installed.write(lap.folder / "config/segue/segue.conf", "[Link\n")
    lap.segue("status")
    assert "Line 1: not a group's name" in lap.report()
    assert shared.arrived(shared.take(info)) == {"file": url(shared.there / "a.txt")}
    # The folder moves.
    moved = shared.there.rename(shared.there.with_name("moved"))
    lap.make_container("notes", moved)
    lap.configure()
    assert shared.arrived(shared.take(info)) == {"file": url(moved / "a.txt")}


SYNCTHING = """<configuration version="36">
    <folder id="{id}" label="Notes" path="{path}" type="sendreceive" rescanIntervalS="3600">
        <filesystemType>basic</filesystemType>
        <device id="A" introducedBy=""></device>
    </folder>
    <folder id="secret" label="" path="{path}/secret" type="receiveencrypted"></folder>
    <defaults>
        <folder id="" label="" path="~" type="sendreceive"></folder>
    </defaults>
</configuration>
"""

NEXTCLOUD = r"""[General]
clientVersion=3.7.3

[Accounts]
0\Folders\1\localPath={path}/
0\Folders\1\targetPath=/{target}
0\Folders\1\paused=false
0\dav_user=alice
0\url=https://cloud.example.org
version=2
"""


@pytest.mark.parametrize("program", ["Syncthing", "Syncthing before 1.27", "Nextcloud"])
def R8_foldersOfOtherPrograms(new_device, application, install, program):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    for device in [desk, lap]:
        # Below ~, which Syncthing writes so, and the other one beyond.
        device.containers["notes"] = device.folder / ("home/Shared" if device is desk else "elsewhere")
        device.containers["notes"].mkdir()
    shared = Shared(desk, lap, application, install)
    write(shared.here / "a.txt")
    write(shared.there / "a.txt")
    info = {"file": url(shared.here / "a.txt")}
    assert shared.arrived(shared.take(info)) == info

    def configure(device, path, name):
        if program == "Nextcloud":
            Installed.write(
                device.folder / "config/Nextcloud/nextcloud.cfg", NEXTCLOUD.format(path=path, target=name))
        else:
            folder = "state" if program == "Syncthing" else "config"
            Installed.write(
                device.folder / folder / "syncthing/config.xml", SYNCTHING.format(path=path, id=name))

    configure(desk, shared.here if program == "Nextcloud" else "~/Shared", "one")
    configure(lap, shared.there, "other")
    command = shared.take(info)
    folder = "nextcloud:alice@cloud.example.org#/one" if program == "Nextcloud" else "syncthing:one"
    _, _, message = shared.target.expect("fail")
    assert message == f'"a.txt" is in the shared folder "{folder}", which this device does not have.'
    command.failed()
    configure(lap, shared.there, "one")
    assert shared.arrived(shared.take(info)) == {"file": url(shared.there / "a.txt")}
