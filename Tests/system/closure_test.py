"""Closures (include/segue/closure.h) where memory that can be written must not be executed."""

import errno
import os
import subprocess

import pytest
from harness.tree import HERE, LIBRARY, PREFIX

PLUGIN = HERE.parent.parent / "abi" / "plugin"
ID = "org.segue.abi-test"
#: Of docs/limits.md.
LIMITS = {"pluginClosures": 64, "pluginInstances": 4096, "plugins": 64}


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A program that makes a closure through a plugin of its own prefix; gives its status and its lines."""
    tree = tmp_path_factory.mktemp("closures")
    folder = tree / "lib" / "segue" / "plugins"
    folder.mkdir(parents=True)
    # Its folders are nobody else's to change.
    for made in (tree, *list(folder.parents)[:3], folder):
        made.chmod(0o755)
    compiler = [os.environ.get("CC", "cc"), "-std=c99", "-D_DEFAULT_SOURCE", f"-I{PREFIX / 'include'}"]
    plugin = folder / f"{ID}.so"
    subprocess.run(
        [*compiler, "-shared", "-fPIC", "-fvisibility=hidden", "-o", plugin, *sorted(PLUGIN.glob("*.c"))], check=True)
    metadata = (PLUGIN / f"{ID}.plugin").read_text()
    (folder / f"{ID}.plugin").write_text(metadata)
    # The same under ids as long as its own, which stand in the library too.
    for number in range(1, LIMITS["plugins"] + 1):
        other = ID.replace("test", f"n{number:03}")
        (folder / f"{other}.so").write_bytes(plugin.read_bytes().replace(f"{ID}\0".encode(), f"{other}\0".encode()))
        (folder / f"{other}.plugin").write_text(metadata.replace(f"Id={ID}\n", f"Id={other}\n"))
    program = tree / "host"
    subprocess.run(
        [*compiler, "-Wall", "-Wextra", "-Werror", "-o", program, HERE.parent / "closures" / "host.c",
         f"-L{LIBRARY.parent}", "-lsegue", f"-Wl,-rpath,{LIBRARY.parent}"], check=True)

    def run(mode):
        done = subprocess.run(
            [program, tree, plugin, mode], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=60)
        return done.returncode, done.stdout.splitlines()

    return run


def test_aClosureIsCalled(host):
    assert host("free") == (0, ["42"])


def test_aClosureIsMadeWhereNoWritableMemoryBecomesExecutable(host):
    status, lines = host("guarded")
    if status == 77:
        pytest.skip(lines[0])
    assert (status, lines) == (0, ["42"])


def test_aClosureIsRefusedWithTheReasonWhereNothingBecomesExecutable(host):
    status, lines = host("none")
    assert status == 0
    assert lines[-1] == "-95"  # ENOTSUP
    assert lines[0].startswith("log: org.segue.abi-test, guest: a closure: no function can be made at run time")


def test_thereAreBoundsForClosuresObjectsAndPlugins(host):
    too_many = -errno.E2BIG
    assert host("many") == (0, [
        f"{LIMITS['pluginClosures']} closures, then {too_many}", "0",
        f"{LIMITS['pluginInstances']} objects, then {too_many}", f"{LIMITS['plugins']} plugins, then {too_many}"])
