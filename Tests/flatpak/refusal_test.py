"""What a Flatpak may not do, and what it is told: once, and with the permission that is missing."""

import pytest
from devices import rests

NOT_REGISTERED = "it is not registered with Segue"


def refused(installed, id_=None):
    """The sentence with which the library gives up; it tries nothing again."""
    probe = installed.start("--env=SEGUE_LOG=1", id_=id_, ready=False)
    while NOT_REGISTERED not in (line := probe.said.next()):
        pass
    rests(probe.pid)
    assert probe.count("state 1") == 0 and probe.count("state 3") == 1, probe.seen
    return line


def test_aNameThatIsNotItsOwn(desk):
    line = refused(desk["Pages"], id_="org.segue.test.Other")
    assert "This Flatpak may not own the name org.segue.test.Other.Segue" in line
    assert "--own-name=org.segue.test.Other.Segue" in line


def test_anotherIdWhoseNameItMayOwn(desk):
    """The daemon knows by the kernel whose sandbox it is."""
    line = refused(desk["Named"], id_="org.segue.test.Other")
    assert "The sandbox of org.segue.test.Named is not org.segue.test.Other" in line


def test_withoutThePermissionToTalk(desk):
    line = refused(desk["Mute"])
    assert "This Flatpak may not talk to the Segue daemon" in line
    assert "--talk-name=org.segue.Daemon1" in line


def test_withThatPermissionByTheUsersOverride(desk):
    """As the sentence says."""
    desk["Mute"].start("--talk-name=org.segue.Daemon1")


CONTROL = [
    "--session", "--print-reply", "--dest=org.segue.Control1", "/org/segue/Control1", "org.segue.Control1.GetStatus"]


@pytest.mark.parametrize("name, error", [("Control", "org.segue.Error.AccessDenied"), ("Pages", "ServiceUnknown")])
def test_theControlInterface(desk, name, error):
    """Hidden; refused where the application was given the permission to talk to it."""
    status, said = desk[name].run("dbus-send", *CONTROL)
    assert status != 0 and error in said, said
