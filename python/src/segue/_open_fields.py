"""The checks of single values of open types: what comes from another device is clamped, left out, or refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

from .values import URL

#: Bytes of a URI, and characters of a text, that a receiver takes.
URI_LENGTH = 8192
TEXT_LENGTH = 4096

Check = Callable[[Any], Any]


class Refused(ValueError):
    """A value that does not fit, so that an optional one is left out."""


def uri(value: object) -> URL:
    """An http, https or file URI of this machine, without anything that a path could be hidden in."""
    if not isinstance(value, str) or not value or len(value.encode(errors="replace")) > URI_LENGTH:
        raise Refused("it is no URI")
    if re.search(r"[\x00-\x20\x7f]", value):
        raise Refused("it has a space or a control character")
    try:
        parts = urlsplit(value)
        host = parts.hostname
    except ValueError:
        raise Refused("it is no URI") from None
    if parts.scheme in ("http", "https"):
        if not host or parts.username is not None or parts.password is not None:
            raise Refused("it has no host, or a user's name")
        return URL(value)
    if parts.scheme != "file":
        raise Refused(f"its scheme is {parts.scheme or 'missing'}, and not http, https or file")
    if host not in (None, "", "localhost"):
        raise Refused("it is a file of another host")
    path = unquote(parts.path, errors="replace")
    if not path.startswith("/") or ".." in path.split("/") or re.search(r"[\x00-\x1f\x7f]", path):
        raise Refused("its path is not absolute, or has .. or a control character in it")
    if parts.query or parts.fragment:
        raise Refused("a file has no query and no fragment")
    return URL(value)


def number(low: float = -math.inf, high: float = math.inf) -> Check:
    """A finite number, brought into the range."""

    def check(value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise Refused("it is not a finite number")
        return min(max(float(value), low), high)

    return check


def count(low: int = 1, high: int = 2**31 - 1) -> Check:
    """A whole number, brought into the range."""

    def check(value: object) -> int:
        whole = int(value) if isinstance(value, float) and value.is_integer() else value
        if isinstance(whole, bool) or not isinstance(whole, int):
            raise Refused("it is not a whole number")
        return min(max(whole, low), high)

    return check


def truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise Refused("it is neither true nor false")
    return value


def text(value: object) -> str:
    """Text without control characters but tabs and line ends, nor such as turn its direction, cut to a length."""
    if not isinstance(value, str):
        raise Refused("it is not text")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "", value)[:TEXT_LENGTH]


def line(value: object) -> str:
    """The same on one line, as a name is."""
    return " ".join(text(value).split())


def matching(pattern: str) -> Check:
    """Text that is wholly of a form."""
    form = re.compile(pattern)

    def check(value: object) -> str:
        if not isinstance(value, str) or not form.fullmatch(value):
            raise Refused("it has not the form that it should have")
        return value

    return check


def names(maximum: int) -> Check:
    """Names of files in one folder, at most so many; what is no such name is left out."""

    def check(value: object) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple, set, frozenset)):
            raise Refused("it is not a list")
        return tuple(item for item in list(value)[:maximum] if isinstance(item, str) and _is_name(item))

    return check


def _is_name(part: str) -> bool:
    """Whether it can be one part of a path, as it is: another name would be another file."""
    is_plain = not re.search(r"[/\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", part)
    return part not in ("", ".", "..") and is_plain and len(part) <= 255


def counts(length: int) -> Check:
    """So many whole numbers from 1 on."""
    one = count()

    def check(value: object) -> tuple[int, ...]:
        if not isinstance(value, (list, tuple)) or len(value) != length:
            raise Refused(f"it has not {length} numbers")
        return tuple(one(item) for item in value)

    return check


def data(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise Refused("it is not data")
    return value


digest = matching(r"sha256:[0-9a-f]{64}")
#: host/path, without a scheme, a user and ".git".
repository = matching(r"[A-Za-z0-9][A-Za-z0-9.:-]*(/(?!\.{1,2}(/|$))[A-Za-z0-9._~][A-Za-z0-9._~+-]*)+")
#: As git-check-ref-format(1) has it, and never an option of a command.
branch = matching(
    r"(?![-/.])(?!.*(\.\.|@\{|//|/\.|\.lock(/|$)))[^\x00-\x20\x7f-\x9f~^:?*\[\\\u202a-\u202e\u2066-\u2069]{1,255}(?<![/.])")
commit = matching(r"[0-9a-f]{7,64}")


def inside(value: object) -> str:
    """A path inside a repository or a book, as it is."""
    if not isinstance(value, str) or len(value) > TEXT_LENGTH or not all(map(_is_name, value.split("/"))):
        raise Refused("it is not a path inside of it")
    return value


def folder(value: object) -> str:
    """The address of a folder."""
    address = uri(value)
    if not address.startswith("file:"):
        raise Refused("it is not a folder")
    return address
