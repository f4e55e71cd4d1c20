"""An observer in the network: what he learns of a device, and for how long he can follow it."""

import getpass
import re
import socket

from harness.finding import befriend, online
from harness.mdns import A, AAAA, SERVICE, SRV, TXT, contains, packet
from harness.tree import SEGUED


def epochs(capture, device):
    """{name: what was announced under it} of the device, over IPv4."""
    found = {}
    for source, record in capture.records():
        if source != device.host.address:
            continue
        label = record.name.partition(".")[0]
        if record.name.endswith(SERVICE) and record.name != SERVICE or record.type in (A, AAAA):
            values = found.setdefault(label, set())
            if record.type == TXT:
                values.update(string for string in record.data if string != b"v=1")
            elif record.type == SRV:
                values.add(record.data[1])
    return {label: values for label, values in found.items() if len(values) == 2}


def called(device, name):
    """The device's daemon runs on a machine with this name."""
    script = device.folder / "daemon"
    script.write_text(f"#!/bin/sh\nhostname {name} && exec {SEGUED}\n")
    script.chmod(0o755)
    device.install_daemon(f"/usr/bin/unshare --uts {script}")
    device.reload()


def test_attack20_nobodyIsFollowedByWhatIsAnnounced(new_finder, application, install):
    machine, title = "machine-of-somebody", "A-title-to-look-for"
    desk, lap = (new_finder(f"{name}-of-somebody", daemon=False, AnnouncementTime=2000) for name in ["desk", "lap"])
    for device in (desk, lap):
        called(device, machine)
    with new_finder.network.capture(desk.host) as capture:
        befriend(desk, lap)
        online(desk, lap)
        origin = install(desk, application).start()
        origin.do(f"activity a {application.type}", f"title a {title}", "delegate a", "put a page int 7", "current a")
        target = install(lap, application).start()
        lap.take(lap.offer(application)).succeeded()
        target.expect("continue")
        capture.until(lambda _: all(len(epochs(capture, one)) > 3 for one in (desk, lap)), "three rotations")
        frames = capture.read()
        for device in (desk, lap):
            known = epochs(capture, device)
            values = [value for found in known.values() for value in found]
            assert len(values) == len(set(values)) == 2 * len(known)
        # No two devices have a value in common either.
        assert not set(epochs(capture, desk)) & set(epochs(capture, lap))
    open_to_all = [frame for frame in frames if packet(frame)[0] == socket.IPPROTO_UDP]
    assert contains(open_to_all, "_segue")
    words = [application.id, application.type, title, machine, desk.name, lap.name]
    for device in (desk, lap):
        words += re.findall(".{4}-.{4}", device.json("identity")["device-id"])
    for word in words:
        assert not contains(frames, word), word
    # Too short for what is encrypted: it may stand there by chance.
    for word in [getpass.getuser(), "desk", "lap", "machine"]:
        assert not contains(open_to_all, word), word
