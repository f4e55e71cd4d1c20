"""The extension of GNOME Files, loaded as Files loads it, with a stand-in for what Files brings along."""

from __future__ import annotations

import types
from typing import Any

import gi.repository
import pytest
from support import ROOT


class Item:
    def __init__(self, **properties: str) -> None:
        self.properties = properties
        self.menu: Any = None
        self._chosen: Any = None

    def connect(self, signal: str, act: Any) -> None:
        assert signal == "activate"
        self._chosen = act

    def choose(self) -> None:
        self._chosen(self)

    def set_submenu(self, menu: Any) -> None:
        self.menu = menu


class Menu:
    def __init__(self) -> None:
        self.items: list[Item] = []

    def append_item(self, item: Item) -> None:
        self.items.append(item)


class File:
    def __init__(self, path: str, scheme: str = "file", is_folder: bool = False) -> None:
        self.path, self.scheme, self.is_folder = path, scheme, is_folder

    def is_directory(self) -> bool:
        return self.is_folder

    def get_uri_scheme(self) -> str:
        return self.scheme

    def get_location(self) -> File:
        return self

    def get_path(self) -> str:
        return self.path


@pytest.fixture
def extension(monkeypatch: pytest.MonkeyPatch) -> Any:
    stand_in = types.SimpleNamespace(MenuItem=Item, Menu=Menu, MenuProvider=object)
    monkeypatch.setattr(gi.repository, "Nautilus", stand_in, raising=False)
    text = (ROOT / "desktop/file-managers/segue-nautilus.py.in").read_text()
    module = types.ModuleType("segue_nautilus")
    exec(compile(text.replace("@PREFIX@", "/usr"), "segue-nautilus.py", "exec"), module.__dict__)
    monkeypatch.setattr(module, "Devices", lambda: types.SimpleNamespace(found=[]))
    started: list[list[str]] = []
    monkeypatch.setattr(module, "Gio", types.SimpleNamespace(
        Subprocess=types.SimpleNamespace(new=lambda words, _: started.append(words)),
        SubprocessFlags=types.SimpleNamespace(NONE=0)))
    module.started = started  # type: ignore[attr-defined]
    return module


def test_withoutDevicesTheWindowAsks(extension: Any) -> None:
    item, = extension.SegueMenu().get_file_items([File("/a b"), File("/c")])
    assert item.menu is None and item.properties["label"] == "Send to…"
    item.choose()
    assert extension.started == [["/usr/bin/segue-desktop", "--send", "/a b", "/c"]]


@pytest.mark.parametrize("window", [(), (None,)])
def test_theMenuHasTheDevices(extension: Any, window: tuple[Any, ...]) -> None:
    """Older versions pass the window before the files."""
    menu = extension.SegueMenu()
    menu._devices.found = [("id1", "lap_top"), ("id2", "pad")]
    item, = menu.get_file_items(*window, [File("/a")])
    # A low line would be a key's mark.
    assert [entry.properties["label"] for entry in item.menu.items] == ["lap__top", "pad"]
    item.menu.items[1].choose()
    assert extension.started == [["/usr/bin/segue-desktop", "--send", "--device", "id2", "/a"]]


def test_onlyFilesOfThisMachineAreSent(extension: Any) -> None:
    menu = extension.SegueMenu()
    for files in ([], [File("/a", is_folder=True)], [File("/a"), File("/b", scheme="sftp")], [File("/a")] * 65):
        assert menu.get_file_items(files) == []
    assert menu.get_background_items() == []
