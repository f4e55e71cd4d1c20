"""`segue plugin`: lists plugins, shows one, and makes a new one. Needs no daemon."""

import json

import pytest
from harness import plugins
from harness.plugins import ID, errors, run
from harness.tree import PREFIX

plugin = plugins.plugin


def test_list(plugin):
    path = plugin()
    plugin(name="org.example.broken", metadata="nonsense")
    done = run("list", "--folder", path.parent)
    assert done.returncode == 0 and done.stderr == ""
    first, second, third = done.stdout.splitlines()
    assert first.split() == ["ID", "VERSION", "NAME", "FILE"]
    assert second.split() == [ID, "1.0", "Place", str(path)]
    assert third.startswith("error: ") and "Line 1" in third
    items = json.loads(run("list", "--folder", path.parent, "--json").stdout)
    assert [item.get("id") for item in items] == [None, ID]
    assert "Line 1" in items[0]["error"] and items[1]["objects"][0]["properties"][1]["default"] == "1"


def test_whatIsInstalled():
    """By its ids; and it works, all of it."""
    names = sorted(path.stem for path in (PREFIX / "lib/segue/plugins").glob("*.plugin"))
    assert names, "no plugins are installed"
    items = json.loads(run("list", "--json").stdout)
    assert [item.get("id") for item in items] == names
    for name, item in zip(names, items):
        assert json.loads(run("show", name, "--json").stdout) == item
        assert errors(name) == []


def test_listOfAFolderWithoutPlugins(tmp_path):
    done = run("list", "--folder", tmp_path / "none")
    assert done.returncode == 1 and "No such file" in done.stderr
    assert run("list", "--folder", tmp_path).stdout == f"There are no plugins in {tmp_path}.\n"


def test_show(plugin):
    # It is not loaded.
    path = plugin(LOADED="CRASH")
    done = run("show", path)
    assert done.returncode == 0
    assert "integer, 0 to 4294967295 (u)" in done.stdout and "this device" in done.stdout
    assert json.loads(run("show", path.with_suffix(".plugin"), "--json").stdout)["id"] == ID
    done = run("show", "org.example.nowhere")
    assert done.returncode == 1 and "There is no plugin org.example.nowhere" in done.stderr


@pytest.mark.parametrize("name", ["place", "../a.b", "org.example.", "org example.place", "/org.example.place", ""])
def test_newWithANameThatIsNone(name, tmp_path):
    done = run("new", name, cwd=tmp_path)
    assert done.returncode == 1 and "is not an id of a plugin" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("language, own", [([], "org.example.my-counter.plugin"), (["--language", "swift"], "segue/calls.h")])
def test_new(language, own, tmp_path):
    """scripts/test-plugins builds one in each language, checks it, and has it save and restore in a host."""
    done = run("new", "org.example.my-counter", *language, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "org.example.my-counter"
    assert "make check" in done.stdout and str(folder.name) in done.stdout
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert (folder / "Makefile") in files and (folder / own) in files
    for file in files:
        assert "PLUGIN_ID" not in file.name + file.read_text() and "@PLUGIN_NAME@" not in file.read_text()
    again = run("new", "org.example.my-counter", cwd=tmp_path)
    assert again.returncode == 1 and "it is there" in again.stderr
    assert run("new", "org.example.my-counter", "--folder", tmp_path / "other").returncode == 0
    assert "'ada'" in run("new", "org.example.my-counter", "--language", "ada", cwd=tmp_path).stderr
