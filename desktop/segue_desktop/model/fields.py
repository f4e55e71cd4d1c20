"""Reading the daemon's dictionaries. An older daemon leaves keys out, a later one may have others: neither is an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Fields = Mapping[str, Any]

#: A text of another device is cut here: no row shows more, and a label of any length takes long to lay out.
LONGEST_TEXT = 300
#: Characters without a width that Persian words and pictures of several parts need; others would change the order of
#: what stands around.
JOINERS = "\u200c\u200d"


def text(fields: Fields, key: str) -> str:
    """A text in one line; empty where there is none."""
    value = fields.get(key)
    if not isinstance(value, str):
        return ""
    shown = "".join(
        character if character.isprintable() or character in JOINERS else " " for character in value[:LONGEST_TEXT + 1])
    return shown if len(shown) <= LONGEST_TEXT else shown[:LONGEST_TEXT] + "…"


def lines(fields: Fields, key: str) -> str:
    """A text as it is, in lines; empty where there is none. The daemon bounds and cleans it."""
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def number(fields: Fields, key: str) -> int | None:
    value = fields.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def flag(fields: Fields, key: str) -> bool:
    return fields.get(key) is True


def texts(fields: Fields, key: str) -> list[str]:
    value = fields.get(key)
    return [text({"": item}, "") for item in value if isinstance(item, str)] if isinstance(value, (list, tuple)) else []


def rows(value: Any) -> list[Fields]:
    """The dictionaries of a list."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, (list, tuple)) else []
