"""The interfaces that live objects answer with, against those that are written down in data/dbus-1/interfaces."""

import xml.etree.ElementTree as XML

import pytest
from harness.handmade import HandmadeDaemon
from harness.tree import INTERFACES


def described(node):
    """An interface's members, without comments and without what is only said once: directions' defaults."""
    members = set()
    for interface in node.iter("interface"):
        for member in interface:
            arguments = tuple(
                (argument.get("name"), argument.get("type"),
                 argument.get("direction", "out" if member.tag == "signal" else "in"))
                for argument in member.iter("arg"))
            members.add((interface.get("name"), member.tag, member.get("name"), arguments))
    return members


def written(name):
    return described(XML.parse(INTERFACES / f"{name}.xml").getroot())


def answered(xml, name):
    """The object's description of one interface; it must describe the standard ones, too."""
    root = XML.fromstring(xml)
    names = {interface.get("name") for interface in root.iter("interface")}
    assert {"org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Peer"} <= names
    assert {other for other in names if other.startswith("org.segue.")} == {name}
    return {member for member in described(root) if member[0] == name}


def introspect(wire, destination, path):
    return wire.call(destination, path, "org.freedesktop.DBus.Introspectable", "Introspect")[0]


@pytest.mark.parametrize("name", ["Daemon1", "Control1"])
def test_theDaemonOnTheBus(desk, name):
    with desk.bus() as bus:
        xml = introspect(bus, f"org.segue.{name}", f"/org/segue/{name}")
    assert answered(xml, f"org.segue.{name}") == written(f"org.segue.{name}")


@pytest.mark.parametrize("name", ["Door1", "Control1"])
def test_theDaemonAtTheDoor(desk, name):
    with desk.door() as door:
        xml = introspect(door, None, f"/org/segue/{name}")
    assert answered(xml, f"org.segue.{name}") == written(f"org.segue.{name}")


def test_theLibraryOnTheBus(page, desk, application):
    with desk.bus() as bus:
        xml = introspect(bus, f"{application.id}.Segue", "/org/segue/Application1")
        assert answered(xml, "org.segue.Application1") == written("org.segue.Application1")
        bus.call(f"{application.id}.Segue", "/org/segue/Application1", "org.freedesktop.DBus.Peer", "Ping")


def test_everyObjectOnTheWayToThemIsThere(desk):
    with desk.bus() as bus:
        for path in ["/", "/org", "/org/segue"]:
            assert "<node" in introspect(bus, "org.segue.Daemon1", path)
        assert "Daemon1" in introspect(bus, "org.segue.Daemon1", "/org/segue")


def test_theLibraryAtTheDoor(new_device, application, install):
    device = new_device("desk", daemon=False)
    daemon = HandmadeDaemon(device)
    install(device, application).start(ready=False)
    door = daemon.let_in()
    xml = introspect(door, None, "/org/segue/DoorApplication1")
    assert answered(xml, "org.segue.DoorApplication1") == written("org.segue.DoorApplication1")
    daemon.close()
