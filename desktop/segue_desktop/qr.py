"""A code as a picture, by libqrencode, which Segue's command line uses too."""

import ctypes
import ctypes.util

from gi.repository import Gdk, GLib

#: Pixels of a module, and modules of white around the picture (ISO/IEC 18004).
SCALE, QUIET = 6, 4


class _Code(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("width", ctypes.c_int), ("data", ctypes.POINTER(ctypes.c_ubyte))]


def modules(text):
    """The rows of modules, True for a dark one; None where there is no library, or no room for the text."""
    name = ctypes.util.find_library("qrencode")
    if not name:
        return None
    library = ctypes.CDLL(name)
    library.QRcode_encodeString.restype = ctypes.POINTER(_Code)
    library.QRcode_encodeString.argtypes = [ctypes.c_char_p] + [ctypes.c_int] * 4
    library.QRcode_free.argtypes = [ctypes.POINTER(_Code)]
    # The smallest version, correction level M, eight bits, both cases.
    code = library.QRcode_encodeString(text.encode(), 0, 1, 2, 1)
    if not code:
        return None
    width = code.contents.width
    rows = [[bool(code.contents.data[y * width + x] & 1) for x in range(width)] for y in range(width)]
    library.QRcode_free(code)
    return rows


def texture(text):
    """The picture; None where it cannot be made."""
    rows = modules(text)
    if rows is None:
        return None
    side = (len(rows) + 2 * QUIET) * SCALE
    pixels = bytearray(b"\xff" * (side * side * 3))
    for y, row in enumerate(rows):
        line = b"".join((b"\0" if dark else b"\xff") * (3 * SCALE) for dark in row)
        for step in range(SCALE):
            start = (((y + QUIET) * SCALE + step) * side + QUIET * SCALE) * 3
            pixels[start:start + len(line)] = line
    return Gdk.MemoryTexture.new(side, side, Gdk.MemoryFormat.R8G8B8, GLib.Bytes.new(bytes(pixels)), side * 3)
