"""Teams of applications: their keys, and the manifests that devices install."""

import os
import re

DEVELOPER = ["[Developer]", "Teams=true"]
TYPE = "org.segue.test.shared"


def team_of(device, key="team.key"):
    """Makes a key in the device's home folder; the team's id."""
    out = device.segue("team", "new", device.folder / key)
    assert os.stat(device.folder / key).st_mode & 0o777 == 0o600
    return re.search(r"^([a-z2-7]{32})$", out, re.MULTILINE)[1]


def sign(signer, *devices, key="team.key", options=()):
    """Signs a manifest on one device, and installs it on others; its path there."""
    draft = signer.folder / "manifest"
    draft.mkdir(exist_ok=True)
    signer.segue("team", "sign", signer.folder / key, draft, *options)
    manifest, = draft.glob("*.manifest")
    for device in devices:
        put(device, manifest.name, manifest.read_bytes())
    return manifest


def put(device, name, content):
    folder = device.data / "segue/teams"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "draft").write_bytes(content)
    os.replace(folder / "draft", folder / name)
