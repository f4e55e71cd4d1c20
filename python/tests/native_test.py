"""The package and the headers agree."""

from __future__ import annotations

import enum
import pathlib
import re
import subprocess
import sys
from typing import Any

import pytest
import segue
from segue import _native
from support import ROOT

ffi, lib = _native.ffi, _native.lib

sys.path.insert(0, str(ROOT / "python" / "native"))

import declarations  # noqa: E402


def headers() -> dict[str, str]:
    folder = pathlib.Path(declarations.pkg_config("--variable=includedir")[0]) / "segue"
    included = re.findall(r'#include "(\w+\.h)"', (folder / "segue.h").read_text())
    assert len(included) > 8
    return {name: (folder / name).read_text() for name in included}


def test_everyFunctionOfTheHeadersIsThere() -> None:
    text = "\n".join(headers().values())
    functions = set(re.findall(r"^[a-z][\w ]*?[ *](?:SEGUE_NULLABLE )?(segue_\w+)\(", text, re.MULTILINE))
    assert len(functions) > 100
    assert functions <= set(dir(lib))


def test_oneModuleServesEveryPython() -> None:
    assert str(_native.__file__).endswith("_native.abi3.so")


STRUCTS: list[tuple[str, tuple[str, ...]]] = [
    ("segue_application_delegate", segue.Application._MEMBERS), ("segue_activity_delegate", segue.Activity._MEMBERS),
    ("segue_responder_methods", segue.Responder._MEMBERS), ("segue_window_methods", segue.Window._MEMBERS),
    ("segue_document_methods", segue.Document._MEMBERS),
    ("segue_plugin_object_methods", segue.PluginObject._MEMBERS),
]


@pytest.mark.parametrize(("struct", "members"), STRUCTS, ids=[struct for struct, _ in STRUCTS])
def test_everyCallbackHasAMethod(struct: str, members: tuple[str, ...]) -> None:
    fields = ffi.typeof(struct).fields
    assert [name for name, field in fields if field.type.kind == "function"] == list(members)


def test_everyCallbackHasItsFunction() -> None:
    """Each callback does nothing if it is called with NULL; cffi reports one without a function to standard error."""
    program = """
import segue
from segue._native import ffi, lib
for name in dir(lib):
    if name.startswith("python_"):
        function = getattr(lib, name)
        kinds = [argument.kind for argument in ffi.typeof(function).args]
        function(*[ffi.NULL if kind in ("pointer", "function") else 0 for kind in kinds])
        print(name)
"""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0 and len(done.stdout.split()) >= 23
    assert "no code was attached" not in done.stderr


@pytest.mark.parametrize(("kind", "start"), [
    (segue.ErrorCode, "SEGUE_ERROR_"), (segue.ApplicationState, "SEGUE_APPLICATION_"),
    (segue.SaveReason, "SEGUE_SAVE_REASON_"), (segue.CurrentReason, "SEGUE_CURRENT_"),
    (segue.VersionVerdict, "SEGUE_VERSION_")], ids=lambda value: str(value))
def test_everyNumberHasItsName(kind: type[enum.IntEnum], start: str) -> None:
    constants = {name[len(start):]: getattr(lib, name) for name in dir(lib) if name.startswith(start)}
    for other in ("OWN_APP_ID", "MAJOR", "MINOR", "PATCH", "NUMBER"):
        constants.pop(other, None)
    assert constants == {member.name: member.value for member in kind}


@pytest.mark.parametrize("code", segue.ErrorCode)
def test_everyCodeHasItsException(code: segue.ErrorCode) -> None:
    from segue.errors import _CLASSES

    assert issubclass(_CLASSES[code], segue.Error)


def test_theLibrarySaysItsVersion() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", segue.__version__)
    assert lib.segue_version_number() == lib.SEGUE_VERSION_NUMBER


def test_anErrorHasEverything() -> None:
    with pytest.raises(segue.InvalidArgumentError) as raised:
        segue.Application("no id")
    error: Any = raised.value
    assert error.code == segue.ErrorCode.INVALID_ARGUMENT and error.name == "org.segue.Error.InvalidArgument"
    assert error.message and error.advice and str(error) == f"{error.message} {error.advice}"
    assert error.errno > 0 and isinstance(error, ValueError)


def test_importingIsCheap() -> None:
    """Modules that take longer to import than this package are imported when they are needed."""
    program = "import sys; before = set(sys.modules); import segue; print(*set(sys.modules) - before)"
    imported = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "segue._native" in imported.split()
    assert not {"asyncio", "cffi", "datetime", "gi", "re", "typing", "uuid"} & set(imported.split())
