"""Files that a user sends to another device: the service of both, a server that shows what comes, and the folders."""

import pytest

from .application import Installed
from .device import pair
from .notifications import Scripted
from .tree import SEGUE_FILES

FILES = "org.segue.Files"
MEBIBYTE = 1024 * 1024


def install(device, *options):
    """segue-files, as `make install` installs it; `options` are those of tests."""
    Installed.write(
        device.data / f"applications/{FILES}.desktop",
        "[Desktop Entry]\nType=Application\nName=Segue Files\nX-Segue-ActivityTypes=org.segue.files;\n")
    Installed.write(
        device.data / f"dbus-1/services/{FILES}.Segue.service",
        f"[D-BUS Service]\nName={FILES}.Segue\nExec={' '.join(map(str, [SEGUE_FILES, '--serve', *options]))}\n")
    device.reload()


@pytest.fixture
def devices(new_device):
    desk, lap = new_device("desk"), new_device("lap", settings=["[Notifications]", "Offers=false"])
    for device in (desk, lap):
        install(device)
    pair(desk, lap)
    return desk, lap


@pytest.fixture
def server(devices):
    server = Scripted(devices[1])
    yield server
    server.close()


def made(device, name, content=b"text"):
    path = device.folder / "home" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def downloads(device):
    return device.folder / "home" / "Downloads"


def names(device):
    folder = downloads(device)
    return sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []


def tells_of_files(arguments):
    """Whether a notification says that files have come, or have not."""
    return str(arguments[6].get("category")).startswith("transfer.")


def card(server):
    """The card of what was sent: (number, arguments)."""
    while "Sent from" not in (shown := server.show())[1][4]:
        pass
    return shown


def take(server):
    """Clicks that card; its text."""
    number, arguments = card(server)
    server.signal("ActionInvoked", "us", number, "default")
    return arguments[4]


def came(server):
    """The notification of segue-files: (number, arguments)."""
    while not tells_of_files((shown := server.show())[1]):
        pass
    return shown
