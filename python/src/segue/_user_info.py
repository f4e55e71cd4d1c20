"""An activity's userInfo as a dictionary: each access goes to the activity."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping, MutableMapping

from . import errors, values
from ._native import ffi, lib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .activity import Activity

    _Base = MutableMapping[Any, Any]
else:
    _Base = MutableMapping


# The types that need no value object, under a key that is a text: this takes a third of the time.
_ADDERS: dict[type, Any] = {
    bool: lib.segue_activity_add_bool, int: lib.segue_activity_add_integer, float: lib.segue_activity_add_double,
    str: lib.segue_activity_add_string}


class UserInfo(_Base):
    """The activity's userInfo as it is now: each access goes to the activity. Values that are read are copies: to
    change a list, set it again. `copy` gives a plain dict."""

    __slots__ = ("_activity",)

    def __init__(self, activity: Activity) -> None:
        self._activity = activity

    def _read(self) -> Any:
        out = ffi.new("segue_value **")
        errors.check(lib.segue_activity_copy_user_info(self._activity._segue_pointer, out), "user_info")
        return ffi.gc(out[0], lib.segue_value_unref)

    def _write(self, dictionary: Any) -> None:
        errors.check(lib.segue_activity_set_user_info(self._activity._segue_pointer, dictionary), "user_info")

    def _add(self, entries: Mapping[Any, Any]) -> None:
        value = values.new(entries, "user_info")
        errors.check(lib.segue_activity_add_user_info_entries(self._activity._segue_pointer, value), "user_info")

    def __getitem__(self, key: Any) -> Any:
        try:
            if type(key) is str:
                # Most values are lines, pages and positions, which need no value object: this takes a sixth of the
                # time.
                number = ffi.new("int64_t *")
                name = values.encode_text(key, "user_info")
                result = lib.segue_activity_get_integer(self._activity._segue_pointer, name, number)
                if result == 0:
                    return number[0]
            wanted = values.new(key, "user_info")
        except (TypeError, ValueError, OverflowError):
            # A value that cannot be a key is in no dictionary.
            raise KeyError(key) from None
        out = ffi.new("segue_value **")
        info = self._read()
        if lib.segue_value_get(info, wanted, out) < 0:
            raise KeyError(key)
        return values.get(out[0], values.Path("user_info", key))

    def __setitem__(self, key: Any, value: Any) -> None:
        add = _ADDERS.get(type(value)) if type(key) is str else None
        if add is None or (type(value) is int and value.bit_length() > 63):
            self._add({key: value})
            return
        where = values.Path("user_info", key)
        name = values.encode_text(key, where)
        if type(value) is str:
            value = values.encode_text(value, where)
        errors.check(add(self._activity._segue_pointer, name, value), where)

    def __delitem__(self, key: Any) -> None:
        if type(key) is str:
            # One call removes it, so that an entry that another thread adds meanwhile stays.
            name = values.encode_text(key, "user_info")
            result = lib.segue_activity_remove(self._activity._segue_pointer, name)
            if result == -errno.ENOENT:
                raise KeyError(key)
            errors.check(result, "user_info")
            return
        self[key]
        info = self._read()
        lib.segue_value_set(info, values.new(key, "user_info"), ffi.NULL)
        self._write(info)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.copy())

    def __len__(self) -> int:
        count = ffi.new("size_t *")
        errors.check(lib.segue_value_get_count(self._read(), count), "user_info")
        length: int = count[0]
        return length

    def __contains__(self, key: object) -> bool:
        try:
            self[key]
        except KeyError:
            return False
        return True

    def update(self, *others: Any, **entries: Any) -> None:
        """Adds entries as a dict does, all at once."""
        self._add(dict(*others, **entries))

    def clear(self) -> None:
        self._write(ffi.NULL)

    def copy(self) -> dict[Any, Any]:
        return values.entries(self._read())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and self.copy() == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.copy())
