"""The declarations of the C API for Python, which the C preprocessor makes from the headers, so that they cannot drift.
"""

from __future__ import annotations

import os
import pathlib
import re
import shlex
import subprocess
from typing import Any

# A line of the preprocessor that names the file of the next lines.
_ORIGIN = re.compile(r'# \d+ "(?P<path>[^"]*)"')
# An object-like macro that is a number: a literal, or a sum of others. The API has functions for its texts.
_NUMBER = re.compile(r"#define (?P<name>SEGUE_\w+) (?=.*\d)(?:[\s()+*\d]|u?int\d+_t|SEGUE_\w+)+$")


class Missing(Exception):
    """A package that the build needs is not installed."""


def pkg_config(*arguments: str) -> list[str]:
    command = [os.environ.get("PKG_CONFIG", "pkg-config"), *arguments, "segue"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        raise Missing("pkg-config is not installed") from None
    if done.returncode != 0:
        raise Missing(
            "Segue's library is not installed where pkg-config looks: run `make install` in its source tree, or set "
            f"PKG_CONFIG_PATH to PREFIX/lib/pkgconfig.\n{done.stderr}")
    return shlex.split(done.stdout)


def _preprocess(flags: list[str]) -> list[str]:
    compiler = shlex.split(os.environ.get("CC", "cc"))
    # Without __clang__: for clang the headers mark what may be NULL with words that cffi's parser does not know.
    command = [*compiler, "-E", "-dD", "-U__clang__", *flags, "-x", "c", "-"]
    done = subprocess.run(command, input="#include <segue/segue.h>\n", stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.splitlines()


def read(flags: list[str]) -> str:
    """The declarations of <segue/segue.h>, without those of other headers, and the macros that are numbers."""
    root = None
    own = False
    kept = []
    for line in _preprocess(flags):
        if origin := _ORIGIN.match(line):
            path = pathlib.Path(origin["path"])
            if root is None and path.name == "segue.h":
                root = path.parent
            own = root is not None and root in path.parents
        elif own and (number := _NUMBER.match(line)):
            kept.append(f"#define {number['name']} ...")
        elif own and line.strip() and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept)


def callbacks(ffi: Any) -> str:
    """Declares a Python function for each callback of the C API: "struct_member" for a member, the type's name else."""
    functions = []
    for name in ffi.list_types()[0]:
        kind = ffi.typeof(name)
        if kind.kind == "function":
            functions.append((re.sub("_function$", "", name), kind))
        elif kind.kind == "struct":
            for member, field in kind.fields or ():
                if field.type.kind == "function":
                    functions.append((f"{name}_{member}", field.type))
    lines = []
    for name, kind in functions:
        arguments = ", ".join(argument.cname for argument in kind.args)
        lines.append(f"  {kind.result.cname} python_{name}({arguments});")
    return 'extern "Python" {\n' + "\n".join(lines) + "\n}\n"
