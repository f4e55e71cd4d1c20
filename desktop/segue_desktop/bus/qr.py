"""The picture of a code (a QR code), by libqrencode, which Segue's command line uses, too."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

LIBRARY = "libqrencode.so.4"
#: The lowest of the library's QRecLevel: a screen is clean, and a small picture is read from farther away.
LOW_CORRECTION = 0
#: The library's QRencodeMode for any bytes. The library itself finds that capitals and digits take less.
BYTES = 2
#: The white edge that readers need, in modules.
QUIET = 4


class _Code(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("width", ctypes.c_int), ("data", ctypes.POINTER(ctypes.c_ubyte))]


@functools.cache
def _library() -> Any:
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError:
        return None
    library.QRcode_encodeString.restype = ctypes.POINTER(_Code)
    library.QRcode_encodeString.argtypes = [
        ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int]
    library.QRcode_free.argtypes = [ctypes.POINTER(_Code)]
    return library


def modules(text: str) -> list[list[bool]] | None:
    """The rows of the picture, true where it is dark, with its quiet edge; None if the library is not there or the text
    is too long."""
    library = _library()
    if library is None or "\0" in text:
        return None
    code = library.QRcode_encodeString(text.encode(), 0, LOW_CORRECTION, BYTES, 1)
    if not code:
        return None
    try:
        width = code.contents.width
        data = code.contents.data[:width * width]
    finally:
        library.QRcode_free(code)
    edge = [[False] * (width + 2 * QUIET)] * QUIET
    side = [False] * QUIET
    # The lowest bit of each byte is the module's colour.
    inner = [side + [bool(byte & 1) for byte in data[row * width:(row + 1) * width]] + side for row in range(width)]
    return edge + inner + edge
