"""`make release-check` finds what is in the way of a release."""

import re
import shutil
import subprocess

import pytest
from harness.tree import SOURCES

PARTS = ["scripts", "debian", "include", "docs", "data/packaging", "python/pyproject.toml", "CHANGELOG.md", "Makefile",
         "README.md", "Package.swift", "Sources/SegueCore/Names/Version.swift", "Sources/segue/LinkedPackages.swift"]


@pytest.fixture
def tree(tmp_path):
    for part in PARTS:
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        if (SOURCES / part).is_dir():
            shutil.copytree(SOURCES / part, tmp_path / part)
        else:
            shutil.copy(SOURCES / part, tmp_path / part)
    return tmp_path


def check(tree):
    done = subprocess.run([tree / "scripts/release-check", "--always"], stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout


def change(tree, file, pattern, text):
    path = tree / file
    changed, count = re.subn(pattern, text, path.read_text(), count=1, flags=re.MULTILINE)
    assert count == 1
    path.write_text(changed)


def test_aTreeWithoutFaults(tree):
    status, said = check(tree)
    assert status == 0 and said.endswith("nothing is in the way so far\n"), said


@pytest.mark.parametrize("file, pattern, text, says", [
    ("python/pyproject.toml", r'^version = ".*"', 'version = "9.9"', "python/pyproject.toml has version 9.9"),
    ("debian/changelog", r"^segue \(.*?\)", "segue (9.9-1)", "debian/changelog has version 9.9"),
    ("data/packaging/segue.spec", r"^Version: .*", "Version: 9.9", "data/packaging/segue.spec has version 9.9"),
    ("data/packaging/segue.nix", r'^  version = ".*"', '  version = "9.9"', "data/packaging/segue.nix has version 9.9"),
    ("include/segue/version.h", r"VERSION_MINOR \d+", "VERSION_MINOR 99", "include/segue/version.h has version 0.99"),
    ("debian/libsegue0.symbols", r"^ segue_activity_new@.*\n", "", "symbols lacks segue_activity_new"),
    ("debian/libsegue0.symbols", r"^ segue_activity_new@", " segue_activity_neww@SEGUE_0 0.1.0\n segue_activity_new@",
     "symbols has segue_activity_neww, which no header declares"),
    ("debian/copyright", r"^Files: vendor/swift-log/\*\n", "Files: vendor/other/*\n", "does not name swift-log"),
    ("Package.swift", r'(swift-nio\.git", exact: )"[^"]*"', r'\1"1.0.0"', "swift-nio"),
    ("README.md", r"^    make deb", "    make debs", "`make debs`"),
    ("docs/packaging.md", r"scripts/test-packages", "scripts/test-package", "scripts/test-package, which is not there"),
])
def test_whatIsInTheWay(tree, file, pattern, text, says):
    change(tree, file, pattern, text)
    status, said = check(tree)
    assert status == 1 and says in said and "no  " in said, said
