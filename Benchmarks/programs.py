"""The C programs of the measurements."""

import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = {
    "echo": ("echo.c", "common.c"),
    "warm": ("warm.c", "common.c"),
    "cold": ("cold.c", "common.c"),
    "load": ("load.c",),
    "origin": ("origin.c", "common.c"),
    "continuing": ("continuing.c", "common.c"),
    "responders": ("responders.c", "common.c"),
    "callbacks": ("callbacks.c", "common.c"),
    "plugin-calls": ("plugin/calls.c", "common.c"),
    "plugin-load": ("plugin/load.c", "common.c"),
    "plugin-rounds": ("plugin/rounds.c", "common.c"),
    "stream-bare": ("streams/bare.c", "streams/bytes.c", "common.c"),
    "stream-origin": ("streams/origin.c", "streams/bytes.c", "common.c"),
    "stream-continuing": ("streams/continuing.c", "streams/bytes.c", "common.c"),
    "stream-crowd": ("streams/crowd.c", "streams/bytes.c", "common.c"),
    "offering": ("desktop/offering.c", "common.c"),
    "pace": ("growth/pace.c", "common.c"),
}
# The libraries that they use beyond libdbus.
PACKAGES = {
    "origin": ["segue"],
    "continuing": ["segue"],
    "responders": ["segue"],
    "callbacks": ["segue"],
    "plugin-calls": ["segue", "libffi", "gobject-2.0"],
    "plugin-load": ["segue"],
    "plugin-rounds": ["segue"],
    "stream-origin": ["segue"],
    "stream-continuing": ["segue"],
    "stream-crowd": ["segue"],
    "offering": ["segue"],
}


def build(prefix, folder, names=PROGRAMS):
    """Compiles the programs as an application would be: optimised, and linked with no more than they name."""
    for name in names:
        compile_one(prefix, folder / name, name)


def compile_one(prefix, out, name, *defines):
    """Compiles one of them to a file; `defines`: what stands in the place of the macros of common.h, as NAME=VALUE."""
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    flags = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-O2", *(f"-D{each}" for each in defines)]
    command = ["pkg-config", "--cflags", "--libs", "dbus-1", *PACKAGES.get(name, [])]
    found = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    paths = [str(HERE / source) for source in PROGRAMS[name]]
    link = ["-Wl,--as-needed", f"-Wl,-rpath,{prefix}/lib"]
    subprocess.run(["gcc", *flags, *link, "-o", str(out), *paths, *found], check=True)
