"""The costs of the Python package: next to the C API, and to other ways to speak D-Bus from Python."""

import collections
import os
import pathlib
import shutil
import subprocess

from devices import APP, link
from measures import COLD_SAMPLES, devices, drive, fifo
from rows import Row, p50, p99

HERE = pathlib.Path(__file__).resolve().parent
IMPORT_SAMPLES = 40
ECHO = "org.segue.bench.Python"
TIMED = "import time; start = time.perf_counter_ns(); import {0}; print((time.perf_counter_ns() - start) / 1e6)"


def install(folder, prefix):
    """The package in an environment of its own, as scripts/test-python does it; the environment's Python."""
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    sources = folder / "sources"
    shutil.copytree(HERE.parent / "python", sources, ignore=shutil.ignore_patterns("build", "*.egg-info"))
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--system-site-packages", folder / "environment"], check=True)
    command = [folder / "environment/bin/pip", "install", "-q", "--disable-pip-version-check", "--no-build-isolation"]
    subprocess.run([*command, sources], env=environment, check=True)
    return folder / "environment/bin/python"


def package(folder, prefix, programs):
    python = install(folder, prefix)
    return callbacks(python, programs) + imports(python) + cold(folder, prefix, programs, python)


def callbacks(python, programs):
    ours, bare = numbers(python, HERE / "python/callbacks.py"), numbers(programs / "callbacks")
    return [
        Row(
            "Python: a restore callback that reads an entry (baseline: in C)", "us", p50(ours) / 1000,
            p99(ours) / 1000, p50(bare) / 1000,
        )
    ]


def numbers(*command):
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [float(line.split()[1]) for line in output.splitlines()]


def imports(python):
    modules = {"segue": "segue", "gi": "gi.repository.Gio", "dbus_fast": "dbus_fast"}
    samples = collections.defaultdict(list)
    for _ in range(IMPORT_SAMPLES + 1):
        for key, module in modules.items():
            command = [python, "-c", TIMED.format(module)]
            samples[key].append(float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout))
    # The first of each has warmed the page cache.
    times = {key: values[1:] for key, values in samples.items()}
    return [
        Row(
            f"Python: import segue (baseline: {name})", "ms", p50(times["segue"]), p99(times["segue"]), p50(times[key]),
            "< 30 ms", p50(times["segue"]) < 30,
        )
        for key, name in (("gi", "GIO by PyGObject"), ("dbus_fast", "dbus_fast"))
    ]


def cold(folder, prefix, programs, python):
    """As measures.cold, and both sides are in Python."""
    origin, continuing = devices(folder, prefix, programs)
    continuing.install(python, HERE / "python/continuing.py", fifo(continuing))
    continuing.install_service(ECHO, f"{python} {HERE}/python/echo.py {ECHO}")
    with origin, continuing:
        link(origin, continuing)
        running = origin.spawn(programs / "origin", fifo(origin))
        try:
            samples = drive(programs / "cold", origin, continuing, ECHO, COLD_SAMPLES)
        finally:
            running.terminate()
            running.wait()
            continuing.end_owner(f"{APP}.Segue")
    bare, ours = samples["activated"], samples["restored"]
    return [
        Row("D-Bus activation of the smallest PyGObject service", "ms", baseline=p50(bare)),
        Row(
            "Python: cold continuation, call to restore callback", "ms", p50(ours), p99(ours), p50(bare),
            "p50 <= 70 ms, <= 1.3x", p50(ours) <= 70 and p50(ours) <= 1.3 * p50(bare),
        ),
    ]
