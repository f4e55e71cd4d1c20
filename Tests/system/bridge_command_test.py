"""`segue bridge`, and the process behind it, without any of the programs."""

import os

import pytest

from harness.players import enable
from harness.waiting import wait_for


@pytest.fixture
def device(new_device, tmp_path, monkeypatch):
    """Of the programs Videos is there, as a name in PATH: nothing here starts it."""
    (tmp_path / "totem").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "totem").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return new_device("desk")


def row(device, name):
    return next(row for row in device.json("bridge", "list") if row["name"] == name)


def has_name(device, name):
    with device.bus() as bus:
        return bus.ask("NameHasOwner", "s", [name]) == [True]


def files(device):
    return sorted(str(path.relative_to(device.folder)) for path in device.folder.rglob("org.segue.Bridge.*")
                  if path.name != "org.segue.Bridge.service")


def test_aProgramIsBridgedUntilTheUserSaysOtherwise(device):
    assert row(device, "totem")["enabled"] is False and files(device) == []
    enable(device, "totem")
    assert row(device, "totem") == {
        "name": "totem", "title": "Videos", "type": "org.segue.open.Media", "app": "org.segue.Bridge.Totem",
        "enabled": True, "installed": True, "reads": True, "restores": True, "files": False, "missing": ""}
    assert files(device) == [
        "config/autostart/org.segue.Bridge.desktop", "data/applications/org.segue.Bridge.Totem.desktop",
        "data/dbus-1/services/org.segue.Bridge.Totem.Segue.service"]
    wait_for(lambda: has_name(device, "org.segue.Bridge.Totem.Segue"), "the application")
    device.segue("bridge", "disable", "totem")
    wait_for(lambda: not has_name(device, "org.segue.Bridge"), "the end of segue-bridge")
    assert files(device) == [] and row(device, "totem")["enabled"] is False


def test_whatIsNotInstalledClaimsNothing(device, tmp_path):
    enable(device, "totem")
    (tmp_path / "totem").unlink()
    command = device.start("bridge", "enable", "totem")
    assert command.result()[0] == 0
    assert files(device) == ["config/autostart/org.segue.Bridge.desktop"]
    assert row(device, "totem")["missing"] == "Install totem here."


def test_whatAProgramNeedsIsSaid(device, tmp_path):
    """LibreOffice without the module by which it is read and driven."""
    (tmp_path / "soffice").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "soffice").chmod(0o755)
    row = next(row for row in device.json("bridge", "list") if row["name"] == "libreoffice")
    assert row["installed"] is True and row["missing"].startswith("Install python3-uno, without which")
    assert f"libreoffice: {row['missing']}" in device.segue("bridge", "list")
    # The text editor continues, and says nothing of itself.
    assert {row["name"] for row in device.json("bridge", "list") if not row["reads"]} == {"gnome-text-editor"}


@pytest.mark.parametrize("words", [["enable", "what"], ["enable"], ["disable", "../vlc"], ["what"],
                                   ["enable", "totem", "--files"], ["disable", "totem", "--files"]])
def test_whatIsNoNameOfAProgramIsRefused(device, words):
    assert device.start("bridge", *words).result()[0] == 64
    assert files(device) == []


def test_aFileOfChoicesThatIsNoneIsSaid(device):
    path = device.folder / "config/segue/bridges.conf"
    path.write_text("what\n")
    status, _, said = device.start("bridge", "enable", "totem").result()
    assert status == 1 and "bridges.conf" in said and path.read_text() == "what\n"
