"""The values of user_info as GVariants, and back: how GTK keeps a window's state between sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import UUID

from gi.repository import GLib

from .values import URL

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def encode(value: Any, where: str = "user_info") -> GLib.Variant:
    """A value as a GVariant: of its own type if GVariant has one, which other programs can read too; else as
    (kind, value)."""
    # bool before int, and URL before str, from which they derive.
    if isinstance(value, bool):
        return GLib.Variant("b", value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise OverflowError(f"{where}: {value} has more than 64 bits")
        return GLib.Variant("x", value)
    if isinstance(value, float):
        return GLib.Variant("d", value)
    if isinstance(value, URL):
        return _tagged("url", GLib.Variant("s", str(value)))
    if isinstance(value, str):
        if "\0" in value:
            return _tagged("text", GLib.Variant("ay", value.encode()))
        return GLib.Variant("s", value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return GLib.Variant("ay", bytes(value))
    if value is None:
        return _tagged("none", GLib.Variant("b", False))
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{where}: a datetime needs a time zone")
        return _tagged("date", GLib.Variant("d", (value - _EPOCH) / timedelta(seconds=1)))
    if isinstance(value, UUID):
        return _tagged("uuid", GLib.Variant("s", str(value)))
    if isinstance(value, (list, tuple)):
        return _array(value, where)
    if isinstance(value, (set, frozenset)):
        return _tagged("set", _array(value, where))
    if isinstance(value, Mapping):
        return _dictionary(value, where)
    raise TypeError(f"{where}: userInfo cannot hold a {type(value).__name__}")


def _tagged(kind: str, value: GLib.Variant) -> GLib.Variant:
    return GLib.Variant("(sv)", (kind, value))


def _array(values: Any, where: str) -> GLib.Variant:
    return GLib.Variant("av", [encode(value, f"{where}[{index}]") for index, value in enumerate(values)])


def _dictionary(values: Mapping[Any, Any], where: str) -> GLib.Variant:
    for key in values:
        if isinstance(key, (list, tuple, set, frozenset, Mapping)):
            raise TypeError(f"{where}[{key!r}]: a key cannot be a {type(key).__name__}")
    entries = [(key, encode(value, f"{where}[{key!r}]")) for key, value in values.items()]
    if all(type(key) is str and "\0" not in key for key, _ in entries):
        return GLib.Variant("a{sv}", dict(entries))
    # GVariant's own dictionaries have keys of one type, in which 1 would be True.
    pairs = [GLib.Variant("av", [encode(key, where), value]) for key, value in entries]
    return _tagged("dictionary", GLib.Variant("av", pairs))


def decode(variant: GLib.Variant, where: str = "user_info") -> Any:
    """The value that `encode` made the variant of. Raises ValueError for a variant that `encode` cannot have made: a
    newer version's state, or another program's."""
    kind = variant.get_type_string()
    if kind == "v":
        return decode(variant.get_variant(), where)
    if kind in ("b", "x", "d", "s"):
        return variant.unpack()
    if kind == "ay":
        return bytes(variant.unpack())
    if kind == "av":
        return [decode(element, f"{where}[{index}]") for index, element in enumerate(_children(variant))]
    if kind == "a{sv}":
        entries = (_children(entry) for entry in _children(variant))
        return {key.get_string(): decode(value, f"{where}[{key.get_string()!r}]") for key, value in entries}
    if kind == "(sv)":
        tag, value = _children(variant)
        if untag := _TAGS.get(tag.get_string()):
            content = decode(value, where)
            try:
                if isinstance(content, untag[0]):
                    return untag[1](content)
            except (OverflowError, TypeError, ValueError) as error:
                raise ValueError(f"{where}: no {tag.get_string()}: {value.print_(True)}") from error
    raise ValueError(f"{where}: not of user_info: {variant.print_(True)}")


def _children(variant: GLib.Variant) -> list[Any]:
    return [variant.get_child_value(index) for index in range(variant.n_children())]


def _hashable(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_hashable(element) for element in value)
    return frozenset(value) if isinstance(value, set) else value


def _set(elements: Any) -> Any:
    try:
        return {_hashable(element) for element in elements}
    except TypeError:
        # Python has no set of dictionaries; segue.values gives a list too.
        return elements


#: By kind: the type of the content, and the function that makes the value of it.
_TAGS: dict[str, tuple[type, Callable[[Any], Any]]] = {
    "none": (bool, lambda value: None),
    "text": (bytes, lambda data: data.decode()),
    "url": (str, URL),
    "uuid": (str, UUID),
    "date": (float, lambda seconds: _EPOCH + timedelta(seconds=seconds)),
    "set": (list, _set),
    "dictionary": (list, lambda pairs: {key: value for key, value in pairs}),
}
