"""The daemon's log: silent when all is well."""

from harness.application import Installed
from harness.device import pair
from harness.waiting import wait_for


def lines(device):
    """The daemon's log, without the lines of the bus, which writes to the same file."""
    return [line for line in device.report().splitlines() if "dbus-daemon[" not in line]


#: Desktop files as other desktops and programs install them, by name. They have nothing to do with Segue.
OTHERS = {
    "org.kde.plain.desktop": "[Desktop Entry]\nType=Service\nX-KDE-Hidden=later\nHiddenWhen=never\nNotHidden\n",
    "org.kde.locales.desktop": "[Desktop Entry]\nName[sr@latin]=Ime\nHidden[de]=wahr\nName[x test]=x\nIcon[$e]=a\n",
    "org.example.unknown.desktop": "[Desktop Entry]\nHidden=perhaps\nX-GNOME-Über=1\nX+Odd Key?=1\n[Nobody's/Group]\n",
    "org.example.nogroup.desktop": "Hidden=true\n[Desktop Entry]\nType=Application\n",
    "org.example.latin1.desktop": b"[Desktop Entry]\nName=Caf\xe9\nHidden=true\n",
    "mimeinfo.desktop": "[Desktop Entry]\nType=Application\nHidden=true\n",
    "kde4/konsole.desktop": "[Desktop Entry]\nType=Application\nNoDisplay=true\nHidden=true\n",
}


def test_otherDesktopsFilesAreNoReasonForALine(new_device, application, new_application, install):
    desk = new_device("desk", daemon=False)
    for name, text in OTHERS.items():
        Installed.write(desk.data / "applications" / name, text)
    desk.install_daemon()
    desk.reload()
    place = install(desk, application)
    place.start().do(f"activity a {application.type}", "current a")
    desk.activity(application)
    assert lines(desk) == []
    # Again, while the daemon runs, which reads what comes last after what came before.
    for name, text in OTHERS.items():
        Installed.write(desk.data / "applications" / name.replace(".desktop", "-again.desktop"), text)
    other = new_application(name="Comes last")
    install(desk, other)
    wait_for(lambda: any(row["app-name"] == other.name for row in desk.json("explain", other.id)), "the last file")
    assert lines(desk) == []


def test_aFileOfOursThatIsWrongIsALine(new_device, application):
    desk = new_device("desk", daemon=False)
    Installed.write(
        desk.data / "applications" / f"{application.id}.desktop", application.desktop_file() + "no key at all\n")
    desk.install_daemon()
    desk.reload()
    desk.json("status")
    assert any("is malformed" in line for line in lines(desk)), lines(desk)


def test_aPairingInProgressIsNoReasonForALine(new_device):
    desk, lap = new_device("desk"), new_device("lap")
    line = lap.segue("identity").strip().splitlines()[-1].split()
    desk.segue(*line[1:])
    # The second dial: the first one was refused.
    wait_for(lambda: lap.report().count("An unauthenticated peer was refused") > 1, "two dials")
    line = desk.segue("identity").strip().splitlines()[-1].split()
    lap.segue(*line[1:])
    desk.online(lap)
    lap.online(desk)
    assert lines(desk) == []


def test_whoIsNotKnownThereIsToldWhatToDo(new_device):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    lap.segue("device", "remove", "desk")
    wait_for(lambda: any("add this device there too" in line for line in lines(desk)), "what to do")
