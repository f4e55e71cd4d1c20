"""Builds segue._native, the C API as Python sees it. setup.py runs this; it needs the installed library."""

from __future__ import annotations

import os
import pathlib
import sys

import cffi

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import declarations  # noqa: E402

# The directories that the loader searches by itself.
SYSTEM_FOLDERS = ("/lib", "/usr/lib", "/usr/local/lib")


def folders_to_remember(flags: list[str]) -> list[str]:
    """The library's directories, if the loader would not find it there."""
    # Where a package is built, pkg-config puts the folder of that build before each path.
    root = os.environ.get("PKG_CONFIG_SYSROOT_DIR", "")
    folders = [flag[2:].removeprefix(root) for flag in flags if flag.startswith("-L")]
    return [folder for folder in folders if not folder.startswith(SYSTEM_FOLDERS)]


def make() -> cffi.FFI:
    compile_flags = declarations.pkg_config("--cflags")
    link_flags = declarations.pkg_config("--libs")
    text = declarations.read(compile_flags)
    ffi = cffi.FFI()
    ffi.cdef(text)
    ffi.cdef(declarations.callbacks(ffi))
    ffi.set_source(
        "segue._native", "#include <segue/segue.h>", py_limited_api=True, extra_compile_args=compile_flags,
        extra_link_args=link_flags, runtime_library_dirs=folders_to_remember(link_flags))
    return ffi


builder = make()
