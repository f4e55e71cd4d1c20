"""Where `make install` puts what other programs look for, and that `make uninstall` takes it away again."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest
from harness.tree import SEGUE, SEGUED, SOURCES

PROFILES = {
    # firewalld looks into /usr/lib and /etc (firewalld.dirs), ufw into /etc alone.
    "/usr": ["/etc/ufw/applications.d/segue", "/usr/lib/firewalld/services/segue.xml"],
    "/usr/local": ["/etc/ufw/applications.d/segue", "/etc/firewalld/services/segue.xml"],
    "/opt/segue": ["/opt/segue/etc/ufw/applications.d/segue", "/opt/segue/etc/firewalld/services/segue.xml"],
}


#: The directories in which browsers look for the manifests of native hosts, by prefix.
MANIFESTS = {
    "/usr": ["/etc/chromium", "/etc/opt/chrome", "/usr/lib/mozilla"],
    "/usr/local": ["/etc/chromium", "/etc/opt/chrome", "/usr/local/lib/mozilla"],
    "/opt/segue": ["/opt/segue/etc/chromium", "/opt/segue/etc/opt/chrome", "/opt/segue/lib/mozilla"],
}


EXTENSIONS = [
    "mozilla/extensions/{ec8030f7-c20a-464f-9b0e-13a3a9e97384}/segue@segue.org", "chromium/extensions/segue",
]


@pytest.mark.parametrize("words, status, said", [
    (["--help"], 0, "Usage: segued"), (["--version"], 0, "segued "), (["--nonsense\n"], 2, "is not understood")])
def test_whatTheDaemonIsToldOnACommandLine(words, status, said):
    done = subprocess.run([SEGUED, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    assert done.returncode == status and said in done.stdout and done.stdout.count("\n") <= 2


def test_theCommandLineNamesThePackagesThatItIsLinkedWith():
    done = subprocess.run([SEGUE, "--version", "--json"], stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    said = json.loads(done.stdout)
    named = re.findall(r'/([a-z-]+)\.git", exact: "([0-9.]+)"', (SOURCES / "Package.swift").read_text())
    assert named and set(named) <= set(said["packages"].items())
    plain = subprocess.run([SEGUE, "--version"], stdout=subprocess.PIPE, text=True, timeout=60, check=True)
    assert plain.stdout == f"segue {said['version']}\n"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The tree's scripts and data, with programs that only tell a help in the places of those that are built."""
    tree = tmp_path_factory.mktemp("tree")
    for part in ["scripts", "data", "include", "plugins", "bridges", "desktop", "docs"]:
        shutil.copytree(SOURCES / part, tree / part)
    names = "Sources/SegueCore/Names"
    (tree / names).mkdir(parents=True)
    for file in ["LinkAddress.swift", "Version.swift"]:
        shutil.copy(SOURCES / names / file, tree / names / file)
    program = tree / "program"
    (tree / "program.c").write_text(
        '#include <stdio.h>\n'
        'int main(void) { puts("{\\"command\\": {\\"commandName\\": \\"segue\\", \\"abstract\\": \\"Nothing.\\"}}"); }\n')
    subprocess.run(["cc", "-Wl,--build-id", "-o", program, tree / "program.c"], check=True)
    programs = ["segue-programs", "libsegue-associations.so"]
    built = [f".build-release/release/{name}" for name in programs]
    built.append(".build-embedded/release/libsegue.so")
    built += [f".build-{path.relative_to(tree).with_suffix('.so')}" for path in tree.glob("plugins/*/*.plugin")]
    for name in built:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(program, tree / name)
    shutil.copy(SOURCES / "LICENSE", tree)
    for package, carried in [("swift-nio-ssl", "CNIOBoringSSL"), ("swift-crypto", "CCryptoBoringSSL")]:
        source = tree / f".build-release/checkouts/{package}/Sources/{carried}/crypto/a.c"
        source.parent.mkdir(parents=True)
        source.write_text(f"// Copyright of {carried}\n\nint a;\n")
        (source.parents[3] / "LICENSE.txt").write_text("Shared words\n")
        (source.parents[3] / "NOTICE.txt").write_text(f"Notice of {package}\n")
    return tree


@pytest.fixture
def installed(tree, tmp_path):
    """Everything as it is installed in /opt/segue."""
    environment = {"PATH": os.environ["PATH"], "PREFIX": "/opt/segue", "DESTDIR": str(tmp_path)}
    subprocess.run([tree / "scripts/install"], env=environment, check=True, stdout=subprocess.DEVNULL)
    return tmp_path / "opt/segue"


def test_theLicencesOfWhatIsLinkedInAreInstalled(installed):
    assert (installed / "share/doc/segue/LICENSE").read_bytes() == (SOURCES / "LICENSE").read_bytes()
    text = (installed / "share/doc/segue/THIRD-PARTY").read_text()
    for word in ["Notice of swift-nio-ssl", "Notice of swift-crypto", "Copyright of CNIOBoringSSL",
                 "Copyright of CCryptoBoringSSL", "Shared words", "== Swift's standard library"]:
        assert text.count(word) == 1
    assert "(as swift-crypto)" in text


def test_aPackageWithoutALicenceIsNotInstalled(tree, tmp_path):
    package = tree / ".build-release/checkouts/swift-without"
    package.mkdir()
    environment = {"PATH": os.environ["PATH"], "PREFIX": "/opt/segue", "DESTDIR": str(tmp_path)}
    done = subprocess.run([tree / "scripts/install"], env=environment, stderr=subprocess.PIPE, text=True)
    package.rmdir()
    assert done.returncode != 0 and "swift-without has no licence" in done.stderr
    assert files(tmp_path) == []


def files(folder):
    return sorted("/" + str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


@pytest.mark.parametrize("prefix", PROFILES)
def D4_firewallsFindTheirProfiles(tree, tmp_path, prefix):
    kept = pathlib.Path(f"{tmp_path}/etc/ufw/applications.d/other")
    kept.parent.mkdir(parents=True)
    kept.write_text("[other]\n")
    environment = {"PATH": os.environ["PATH"], "PREFIX": prefix, "DESTDIR": str(tmp_path)}
    for _ in range(2):
        subprocess.run([tree / "scripts/install"], env=environment, check=True, stdout=subprocess.DEVNULL)
    installed = files(tmp_path)
    outside = [name for name in installed if "firewalld" in name or "ufw" in name]
    manifests = [name for name in installed if name.endswith("/native-messaging-hosts/org.segue.browser.json")]
    assert manifests == [f"{folder}/native-messaging-hosts/org.segue.browser.json" for folder in MANIFESTS[prefix]]
    for name in manifests:
        manifest = json.loads(pathlib.Path(f"{tmp_path}{name}").read_text())
        assert (manifest["name"], manifest["path"]) == ("org.segue.browser", f"{prefix}/libexec/segue-browser")
        assert manifest["type"] == "stdio"
        # The extension that the browser lets start the host is the one that the host accepts.
        allowed, = manifest.get("allowed_origins", []) + manifest.get("allowed_extensions", [])
        assert f'"{allowed}"' in (SOURCES / "Sources/SegueBrowser/Browser.swift").read_text()
        assert pathlib.Path(f"{tmp_path}{manifest['path']}").exists()
    # Both of Debian's browsers find the extension, whole, and under the id that its program answers to.
    extension = sorted("/" + str(path.relative_to(SOURCES / "bridges/web-extension"))
                       for path in (SOURCES / "bridges/web-extension").rglob("*") if path.is_file())
    for folder in EXTENSIONS:
        assert files(pathlib.Path(f"{tmp_path}{prefix}/share/{folder}")) == extension
    for part in ["extensions/{3550f703-e582-4d05-9a08-453d09bdfdc6}/thunderbird@segue.org/manifest.json",
                 "extensions/{3550f703-e582-4d05-9a08-453d09bdfdc6}/thunderbird@segue.org/icons/48.png"]:
        assert f"{prefix}/share/mozilla/{part}" in installed
    manifest, = [name for name in installed if name.endswith("/native-messaging-hosts/org.segue.thunderbird.json")]
    assert json.loads(pathlib.Path(f"{tmp_path}{manifest}").read_text())["path"] == f"{prefix}/libexec/segue-thunderbird"
    assert pathlib.Path(f"{tmp_path}{prefix}/libexec/segue-thunderbird").resolve().name == "segue-thunderbird"
    outside += manifests
    assert sorted(outside) == sorted([*PROFILES[prefix], *manifests, "/etc/ufw/applications.d/other"])
    for name in PROFILES[prefix]:
        assert "@" not in pathlib.Path(f"{tmp_path}{name}").read_text()
    assert all(name.startswith(prefix + "/") for name in installed if name not in outside)
    subprocess.run([tree / "scripts/uninstall"], env=environment, check=True)
    assert files(tmp_path) == ["/etc/ufw/applications.d/other"]


def install(tree, **environment):
    return subprocess.run([tree / "scripts/install"], env={"PATH": os.environ["PATH"], **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_everyProgramHasAManualPage(installed):
    pages = {path.name for path in (installed / "share/man").rglob("*.[158]")}
    programs = [f"{path.name}.1" for path in (installed / "bin").iterdir()]
    # A program is a link; the file behind all of them has no page of its own.
    programs += [f"{path.name}.8" for path in (installed / "libexec").rglob("*") if path.is_symlink()]
    assert pages == {*programs, "segue.conf.5"}
    window = (installed / "share/man/man1/segue-desktop.1").read_text()
    assert r"segue\-desktop \- shows what you can go on with here" in window and ".SH SYNOPSIS" in window
    settings = (installed / "share/man/man5/segue.conf.5").read_text()
    # The page of the configuration names each key that docs/configuration.md has.
    for key in re.findall(r"`([A-Z][A-Za-z]+)`", (SOURCES / "docs/configuration.md").read_text()):
        assert key in settings


def test_aManualPageHasAllThatTheHelpOfTheCommandLineHas(tmp_path):
    subprocess.run([SOURCES / "scripts/manual", "9.8.7", tmp_path, SEGUE], check=True)
    page = (tmp_path / "segue.1").read_text().replace(r"\-", "-")
    told = json.loads(subprocess.run(
        [SEGUE, "--experimental-dump-help"], stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout)
    commands = [each for each in told["command"]["subcommands"] if each.get("shouldDisplay", True)]
    assert len(commands) > 20
    for command in commands:
        if command["commandName"] != "help":
            assert f'.SS "segue {command["commandName"]}"' in page
            assert command["abstract"].replace("\n", " ")[:40] in page
    assert '"Segue 9.8.7"' in page


@pytest.mark.parametrize("shell", ["42", "43", "44", "45", "48", "none"])
def test_theExtensionIsTheOneThatTheShellTakes(tmp_path, shell):
    """GNOME's extensions changed form at 45. A package's own script makes the link when the shell is known."""
    done = subprocess.run(
        [SOURCES / "scripts/install-desktop"], check=True, stdout=subprocess.PIPE, text=True,
        env={"PATH": os.environ["PATH"], "PREFIX": "/usr", "DESTDIR": str(tmp_path), "GNOME_SHELL": shell})
    path = "/usr/share/gnome-shell/extensions/segue@segue.org"
    link = tmp_path / path[1:]
    assert (path in done.stdout.splitlines()) == link.is_symlink() == (shell != "none")
    for form in ("43", "45"):
        folder = tmp_path / "usr/share/segue-desktop/gnome-shell" / form
        metadata = json.loads((folder / "metadata.json").read_text())
        assert metadata["uuid"] == link.name and (folder / "extension.js").exists()
        if shell != "none":
            assert (shell in metadata["shell-version"]) == link.samefile(folder)


def test_anInstallationInAHome(tree, tmp_path):
    """`make install PREFIX=~/.local`: the user's systemd, bus and browsers find it, and none of it stays."""
    home = tmp_path / "home"
    (home / ".config/google-chrome").mkdir(parents=True)
    # A shell that has not replaced the tilde.
    assert install(tree, PREFIX="~/.local", HOME=str(home)).returncode == 0
    local = home / ".local"
    # A user's systemd and bus look into these of XDG_DATA_HOME.
    assert f"ExecStart={local}/libexec/segued" in (local / "share/systemd/user/segued.service").read_text()
    assert f"Exec={local}/libexec/segued" in (local / "share/dbus-1/services/org.segue.Daemon1.service").read_text()
    for folder in [".mozilla/native-messaging-hosts", ".config/chromium/NativeMessagingHosts",
                   ".config/google-chrome/NativeMessagingHosts"]:
        manifest = json.loads((home / folder / "org.segue.browser.json").read_text())
        assert manifest["path"] == f"{local}/libexec/segue-browser"
    manifest = json.loads((home / ".mozilla/native-messaging-hosts/org.segue.thunderbird.json").read_text())
    assert manifest["path"] == f"{local}/libexec/segue-thunderbird"
    kept = local / "share/dbus-1/services/org.example.Other.service"
    kept.write_text("[D-BUS Service]\n")
    subprocess.run([tree / "scripts/uninstall"], check=True,
                   env={"PATH": os.environ["PATH"], "PREFIX": str(local), "HOME": str(home)})
    assert files(home) == ["/.local/share/dbus-1/services/org.example.Other.service"]


@pytest.mark.parametrize("prefix", ["/opt/my segue", "relative", "/opt/$HOME"])
def test_aPrefixThatFilesOfTheBusCannotName(tree, tmp_path, prefix):
    done = install(tree, PREFIX=prefix, DESTDIR=str(tmp_path))
    assert done.returncode != 0 and files(tmp_path) == []
    assert done.stderr.strip() == f"install: {prefix} must be an absolute path of letters, digits and ._/+@-"


@pytest.fixture
def unpacked(tree, tmp_path):
    """The tarball of what is built, unpacked."""
    environment = {"PATH": os.environ["PATH"], "SOURCE_DATE_EPOCH": "1000000000"}
    subprocess.run([tree / "scripts/tarball"], env=environment, check=True, stdout=subprocess.DEVNULL)
    tarball, = (tree / ".build-dist").glob("segue-*.tar.xz")
    subprocess.run(["tar", "-xf", tarball, "-C", tmp_path], check=True)
    return next(tmp_path.glob("segue-*"))


def from_tarball(unpacked, home, *words):
    return subprocess.run([unpacked / "install", *words], env={"PATH": os.environ["PATH"], "HOME": str(home)},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_aTarballInstallsWhatTheSourcesInstall(tree, unpacked, tmp_path):
    home, other = tmp_path / "home", tmp_path / "other"
    for each in (home, other):
        each.mkdir()
    # Twice: what a former one had is replaced.
    for _ in range(2):
        done = from_tarball(unpacked, home)
        assert done.returncode == 0 and "segue doctor says whether anything is missing" in done.stdout, done.stderr
    assert install(tree, PREFIX=f"{other}/.local", HOME=str(other)).returncode == 0
    assert files(home) == [name for name in files(other) if "/lib/debug/" not in name]
    for name in files(home):
        ours, theirs = pathlib.Path(f"{home}{name}"), pathlib.Path(f"{other}{name}")
        # A compiled module names its place with the length of that.
        if name != "/.local/share/segue/installed" and not name.endswith(".pyc") and not ours.is_symlink():
            assert ours.read_bytes().replace(str(home).encode(), str(other).encode()) == theirs.read_bytes(), name
            assert ours.stat().st_mode == theirs.stat().st_mode, name
    done = from_tarball(unpacked, home, "--remove")
    assert done.returncode == 0 and "settings and keys are kept" in done.stdout
    assert files(home) == []


@pytest.mark.parametrize("prefix, says", [
    ("/opt/my segue", "must be an absolute path"), ("/usr", "is the system's"), ("/proc/1/segue", "")])
def test_whereATarballIsNotInstalled(unpacked, tmp_path, prefix, says):
    done = from_tarball(unpacked, tmp_path, prefix)
    assert done.returncode != 0 and says in done.stderr


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 64 KiB."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_aDiskThatIsTooSmallForATarball(unpacked, small_disk, tmp_path):
    done = from_tarball(unpacked, tmp_path, f"{small_disk}/segue")
    assert done.returncode == 1 and files(small_disk) == []
    assert re.fullmatch(r"install: \S+/segue has 0 MiB left, and Segue takes \d+ MiB: make space, then run this again\n",
                        done.stderr)


def test_aDiskThatBecomesFullInTheMiddle(tree, small_disk):
    done = install(tree, PREFIX=f"{small_disk}/segue")
    assert done.returncode != 0
    assert "install: it ended in the middle" in done.stderr and "run it again" in done.stderr
    # What was copied until then is taken away again: make uninstall knows of it.
    assert files(small_disk) == []
