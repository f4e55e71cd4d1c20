"""The Python package against the installed library, for programs of a test that import it."""

import functools
import os
import pathlib
import shutil
import subprocess
import tempfile

from .tree import PREFIX, SOURCES


@functools.cache
def build():
    """The folder for PYTHONPATH. It is made once in each process of the tests, and is removed with that."""
    work = tempfile.TemporaryDirectory(prefix="sg-python-", dir="/tmp")
    build.work = work
    # setuptools leaves its files beside the sources.
    source = pathlib.Path(work.name) / "source"
    shutil.copytree(SOURCES / "python", source, ignore=shutil.ignore_patterns("build", "*.egg-info"))
    environment = dict(os.environ, PKG_CONFIG_PATH=str(PREFIX / "lib/pkgconfig"), CFLAGS="-O0")
    subprocess.run(
        ["/usr/bin/python3", "-W", "ignore", "setup.py", "-q", "build", "--build-lib", f"{work.name}/lib"], cwd=source,
        env=environment, check=True, stdout=subprocess.DEVNULL)
    return pathlib.Path(work.name) / "lib"


def environment():
    """What a program needs to import it."""
    return {"PYTHONPATH": str(build()), "LD_LIBRARY_PATH": f"{PREFIX}/lib"}
