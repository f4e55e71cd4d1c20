"""A repository of Flatpaks that are made of files of this machine: a runtime, and applications that use the library."""

import os
import platform
import re
import shutil
import subprocess

from harness.tree import PREFIX, SOURCES

RUNTIME = "org.segue.test.Platform"
BRANCH = "1"
#: The runtime's programs: Flatpak itself runs ldconfig, and a test runs dbus-send.
PROGRAMS = ["/sbin/ldconfig", "/usr/bin/dbus-send"]
TALK = "--talk-name=org.segue.Daemon1"


def flatpak(*arguments, environment, **more):
    """Runs Flatpak for the user of that environment, and returns what it prints."""
    done = subprocess.run(
        ["flatpak", *map(str, arguments)], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, **more)
    assert done.returncode == 0, f"flatpak {' '.join(map(str, arguments))}: {done.stdout}"
    return done.stdout


def libraries(*programs):
    """The paths of the libraries that these programs need, with the loader."""
    for program in programs:
        listed = subprocess.run(["ldd", program], stdout=subprocess.PIPE, text=True).stdout
        yield from re.findall(r"(/\S+) \(0x", listed)


class Repository:
    """The repository is in a folder, whose home is that of a developer who makes Flatpaks."""

    def __init__(self, folder):
        self.folder = folder
        self.path = folder / "repository"
        home = folder / "home"
        home.mkdir()
        self.environment = {
            "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "XDG_CACHE_HOME": str(home / "cache"),
            "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        self.programs = folder / "programs"
        self.programs.mkdir()
        subprocess.run(
            ["make", "-s", "-C", SOURCES / "Tests/abi", f"{self.programs}/segue-probe", f"BUILD={self.programs}",
             "LDFLAGS=-Wl,-rpath,/app/lib"],
            check=True, env={**os.environ, "PKG_CONFIG_PATH": str(PREFIX / "lib/pkgconfig")})
        subprocess.run(
            ["cc", "-Wall", "-Wextra", "-Werror", "-o", self.programs / "launch", SOURCES / "Tests/flatpak/launch.c"],
            check=True)
        self.library = PREFIX / "lib/libsegue.so.0"
        self.make_runtime()

    def make_runtime(self):
        place = self.folder / "runtime"
        for part in ["usr/bin", "usr/lib64", "files", "var"]:
            (place / part).mkdir(parents=True)
        for program in PROGRAMS:
            shutil.copy(program, place / "usr/bin")
        probe = self.programs / "segue-probe"
        for library in set(libraries(*PROGRAMS, probe, self.library)):
            target = place / "usr" / library.removeprefix("/usr").lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            if PREFIX not in target.parents and not target.exists():
                shutil.copy(library, target)
        name = f"{RUNTIME}/{platform.machine()}/{BRANCH}"
        (place / "metadata").write_text(f"[Runtime]\nname={RUNTIME}\nruntime={name}\nsdk={name}\n")
        self.flatpak("build-export", "--runtime", self.path, place, BRANCH)
        # Applications are made for a runtime that is installed.
        self.install_on(self.environment, RUNTIME)

    def add(self, application, *permissions):
        """Makes an application of the probe, as a developer does, with these permissions."""
        place = self.folder / application.id
        self.flatpak("build-init", place, application.id, RUNTIME, RUNTIME, BRANCH)
        files = place / "files"
        for part in ["bin", "lib", "share/applications", "share/dbus-1/services"]:
            (files / part).mkdir(parents=True, exist_ok=True)
        for program in ["segue-probe", "launch"]:
            shutil.copy(self.programs / program, files / "bin")
        shutil.copy(self.library, files / "lib")
        probe = f"launch /app/bin/segue-probe {application.id}"
        (files / f"share/applications/{application.id}.desktop").write_text(
            application.desktop_file() + f"Exec={probe}\n")
        (files / f"share/dbus-1/services/{application.id}.Segue.service").write_text(
            f"[D-BUS Service]\nName={application.id}.Segue\nExec={probe}\n")
        self.flatpak("build-finish", place, "--command=launch", *permissions)
        self.flatpak("build-export", self.path, place, BRANCH)
        return application

    def flatpak(self, *arguments):
        return flatpak(*arguments, environment=self.environment)

    def install_on(self, environment, *ids, where="--user"):
        """Installs what has these ids, for the user of that environment alone, or with `--system` for all users."""
        if "segue-test" not in flatpak(where, "remotes", environment=environment):
            flatpak(where, "remote-add", "--no-gpg-verify", "segue-test", self.path, environment=environment)
        flatpak(where, "install", "--noninteractive", "segue-test", *ids, environment=environment)
