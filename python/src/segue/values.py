"""The values of userInfo: from Python's own types to the library's, and back."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Iterable, Mapping

from . import errors
from ._native import ffi, lib

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime
    import uuid
    from typing import Any, Union

    _Where = Union["Path", str]

_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
# The library allows fewer levels; this many do not exhaust Python's stack.
_DEEPEST = 32


class URL(str):
    """An absolute URL in userInfo: a str that is sent as a URL. The URL of a file in a folder that the devices share
    arrives as that of the same file there."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"URL({str(self)!r})"


class Path:
    """The place of an element in a value, for messages: user_info['places'][3]."""

    __slots__ = ("above", "step")

    def __init__(self, above: Path | str, step: object) -> None:
        self.above = above
        self.step = step

    def __str__(self) -> str:
        return f"{self.above}[{self.step!r}]"


def encode_text(text: str, what: object) -> bytes:
    """The text as C takes it."""
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what}: text with a lone surrogate cannot be sent") from None
    if b"\0" in encoded:
        raise ValueError(f"{what}: text with a NUL character cannot be sent")
    return encoded


def text_array(texts: Iterable[str] | None, what: str) -> tuple[Any, int, Any]:
    """The texts as C takes them, their number, and the objects that must live as long."""
    if texts is None:
        return ffi.NULL, 0, None
    if isinstance(texts, str):
        raise TypeError(f"{what}: a list of texts is wanted, not one text")
    kept = [ffi.new("char[]", encode_text(text, what)) for text in texts]
    return ffi.new("char *[]", kept), len(kept), kept


def new(value: Any, what: _Where) -> Any:
    """A segue_value that the caller owns, and that is freed with its Python object."""
    return _new(value, what, set())


def _new(value: Any, where: _Where, around: set[int]) -> Any:
    kind = type(value)
    make = _MAKERS.get(kind)
    if make is None:
        make = _maker(value, where)
    return make(value, where, around)


def _take(result: int, out: Any, where: _Where) -> Any:
    if result < 0:
        raise errors.refused(result, where)
    return ffi.gc(out[0], lib.segue_value_unref)


def _new_null(value: None, where: _Where, around: set[int]) -> Any:
    out = ffi.new("segue_value **")
    return _take(lib.segue_value_new_null(out), out, where)


def _new_bool(value: bool, where: _Where, around: set[int]) -> Any:
    out = ffi.new("segue_value **")
    return _take(lib.segue_value_new_bool(value, out), out, where)


def _new_integer(value: int, where: _Where, around: set[int]) -> Any:
    if not _SMALLEST <= value <= _LARGEST:
        raise OverflowError(f"{where}: an integer beyond 64 bits cannot be sent")
    out = ffi.new("segue_value **")
    return _take(lib.segue_value_new_integer(value, out), out, where)


def _new_double(value: float, where: _Where, around: set[int]) -> Any:
    out = ffi.new("segue_value **")
    return _take(lib.segue_value_new_double(value, out), out, where)


def _new_string(value: str, where: _Where, around: set[int]) -> Any:
    out = ffi.new("segue_value **")
    return _take(lib.segue_value_new_string(encode_text(value, where), out), out, where)


def _new_url(value: URL, where: _Where, around: set[int]) -> Any:
    out = ffi.new("segue_value **")
    result = lib.segue_value_new_url(encode_text(value, where), out)
    if result == -errno.EINVAL:
        raise errors.InvalidArgumentError(f"{where}: {str(value)!r} is not an absolute URL")
    return _take(result, out, where)


def _new_data(value: bytes | bytearray | memoryview, where: _Where, around: set[int]) -> Any:
    out = ffi.new("segue_value **")
    data = bytes(value)
    return _take(lib.segue_value_new_data(data, len(data), out), out, where)


def _new_date(value: datetime.datetime, where: _Where, around: set[int]) -> Any:
    if value.utcoffset() is None:
        raise ValueError(f"{where}: a datetime without a time zone says no instant; give it one, such as timezone.utc")
    out = ffi.new("segue_value **")
    return _take(lib.segue_value_new_date(value.timestamp(), out), out, where)


def _new_uuid(value: uuid.UUID, where: _Where, around: set[int]) -> Any:
    out = ffi.new("segue_value **")
    return _take(lib.segue_value_new_uuid(value.bytes, out), out, where)


def _enter(value: object, where: _Where, around: set[int]) -> None:
    if id(value) in around:
        raise ValueError(f"{where}: contains itself")
    if len(around) >= _DEEPEST:
        raise errors.LimitExceededError(f"{where}: too many levels")
    around.add(id(value))


def _new_sequence(make: Any) -> Callable[[Any, _Where, set[int]], Any]:
    def new_sequence(value: Any, where: _Where, around: set[int]) -> Any:
        _enter(value, where, around)
        out = ffi.new("segue_value **")
        container = _take(make(out), out, where)
        for index, element in enumerate(value):
            step = Path(where, index)
            result = lib.segue_value_append(container, _new(element, step, around))
            if result < 0:
                raise errors.refused(result, step)
        around.remove(id(value))
        return container

    return new_sequence


def _new_dictionary(value: Mapping[Any, Any], where: _Where, around: set[int]) -> Any:
    _enter(value, where, around)
    out = ffi.new("segue_value **")
    container = _take(lib.segue_value_new_dictionary(out), out, where)
    for key, element in value.items():
        step = Path(where, key)
        if isinstance(key, (list, tuple, set, frozenset, Mapping)):
            raise TypeError(f"{step}: a key cannot be a {type(key).__name__}")
        result = lib.segue_value_set(container, _new(key, step, around), _new(element, step, around))
        if result < 0:
            raise errors.refused(result, step)
    around.remove(id(value))
    return container


_new_array = _new_sequence(lib.segue_value_new_array)
_new_set = _new_sequence(lib.segue_value_new_set)

# By the exact type; _maker finds derived types. datetime and UUID are added when a value of theirs comes, so that
# importing this module imports neither.
_MAKERS: dict[type, Callable[[Any, _Where, set[int]], Any]] = {
    type(None): _new_null,
    bool: _new_bool,
    int: _new_integer,
    float: _new_double,
    str: _new_string,
    URL: _new_url,
    bytes: _new_data,
    bytearray: _new_data,
    memoryview: _new_data,
    list: _new_array,
    tuple: _new_array,
    set: _new_set,
    frozenset: _new_set,
    dict: _new_dictionary,
}


def _maker(value: object, where: _Where) -> Callable[[Any, _Where, set[int]], Any]:
    date = sys.modules.get("datetime")
    if date and isinstance(value, date.datetime):
        return _new_date
    ids = sys.modules.get("uuid")
    if ids and isinstance(value, ids.UUID):
        return _new_uuid
    if isinstance(value, Mapping):
        return _new_dictionary
    for base in (URL, str, int, float, bytes, list, tuple, set, frozenset):
        if isinstance(value, base):
            return _MAKERS[base]
    raise TypeError(
        f"{where}: userInfo cannot hold a {type(value).__name__}; it holds None, bool, int, float, str, bytes, "
        "datetime, UUID, segue.URL, and lists, sets and dictionaries of them")


def get(value: Any, where: _Where = "user_info") -> Any:
    """A segue_value, which remains its owner's, as a Python value."""
    getter = _GETTERS.get(lib.segue_value_get_kind(value))
    # A kind that only a newer library knows becomes None.
    return getter(value, where) if getter else None


def _get_integer(value: Any, where: _Where) -> int:
    out = ffi.new("int64_t *")
    errors.check(lib.segue_value_get_integer(value, out), where)
    number: int = out[0]
    return number


def _get_bool(value: Any, where: _Where) -> bool:
    out = ffi.new("bool *")
    errors.check(lib.segue_value_get_bool(value, out), where)
    truth: bool = out[0]
    return truth


def _get_double(value: Any, where: _Where) -> float:
    out = ffi.new("double *")
    errors.check(lib.segue_value_get_double(value, out), where)
    number: float = out[0]
    return number


def _get_string(value: Any, where: _Where) -> str:
    out = ffi.new("char **")
    errors.check(lib.segue_value_get_string(value, out), where)
    return errors.text(out[0])


def _get_url(value: Any, where: _Where) -> URL:
    return URL(_get_string(value, where))


def _get_data(value: Any, where: _Where) -> bytes:
    out, length = ffi.new("void **"), ffi.new("size_t *")
    errors.check(lib.segue_value_get_data(value, out, length), where)
    return bytes(ffi.buffer(out[0], length[0])) if length[0] else b""


def _get_date(value: Any, where: _Where) -> datetime.datetime:
    from datetime import datetime, timedelta, timezone

    out = ffi.new("double *")
    errors.check(lib.segue_value_get_date(value, out), where)
    try:
        # fromtimestamp would not do: it knows no year before 1970 on some systems.
        return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=out[0])
    except OverflowError:
        raise ValueError(f"{where}: the date {out[0]} is beyond what datetime holds") from None


def _get_uuid(value: Any, where: _Where) -> uuid.UUID:
    from uuid import UUID

    out = ffi.new("uint8_t[16]")
    errors.check(lib.segue_value_get_uuid(value, out), where)
    return UUID(bytes=bytes(out))


def _elements(value: Any, where: _Where) -> list[Any]:
    count, out = ffi.new("size_t *"), ffi.new("segue_value **")
    errors.check(lib.segue_value_get_count(value, count), where)
    found = []
    for index in range(count[0]):
        step = Path(where, index)
        errors.check(lib.segue_value_get_at(value, index, out), step)
        found.append(get(out[0], step))
    return found


def _hashable(value: Any) -> Any:
    """An element of a set: lists become tuples and sets frozensets, which can be in one."""
    if isinstance(value, list):
        return tuple(_hashable(element) for element in value)
    return frozenset(value) if isinstance(value, set) else value


def _get_set(value: Any, where: _Where) -> set[Any] | list[Any]:
    elements = _elements(value, where)
    try:
        return {_hashable(element) for element in elements}
    except TypeError:
        # Python has no set of dictionaries.
        return elements


def entries(dictionary: Any, where: _Where = "user_info") -> dict[Any, Any]:
    """The entries of a dictionary, in the order of their encoded keys."""
    count = ffi.new("size_t *")
    out_key, out = ffi.new("segue_value **"), ffi.new("segue_value **")
    errors.check(lib.segue_value_get_count(dictionary, count), where)
    found = {}
    for index in range(count[0]):
        errors.check(lib.segue_value_get_entry(dictionary, index, out_key, out), where)
        key = get(out_key[0], where)
        found[key] = get(out[0], Path(where, key))
    return found


_GETTERS: dict[int, Callable[[Any, _Where], Any]] = {
    lib.SEGUE_VALUE_NULL: lambda value, where: None,
    lib.SEGUE_VALUE_BOOL: _get_bool,
    lib.SEGUE_VALUE_INTEGER: _get_integer,
    lib.SEGUE_VALUE_DOUBLE: _get_double,
    lib.SEGUE_VALUE_STRING: _get_string,
    lib.SEGUE_VALUE_DATA: _get_data,
    lib.SEGUE_VALUE_DATE: _get_date,
    lib.SEGUE_VALUE_URL: _get_url,
    lib.SEGUE_VALUE_UUID: _get_uuid,
    lib.SEGUE_VALUE_ARRAY: _elements,
    lib.SEGUE_VALUE_SET: _get_set,
    lib.SEGUE_VALUE_DICTIONARY: entries,
}
