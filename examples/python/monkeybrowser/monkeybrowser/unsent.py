"""What somebody has typed into a page's forms and not sent, as JSON: a list of fields, each with a name, which of the
fields of that name it is, and its text."""

from __future__ import annotations

import json
import pathlib

#: Finds what was typed, and types it; beside the script of position.py.
SCRIPT = pathlib.Path(__file__).with_name("unsent.js").read_text()
#: The name under which it tells whether there is any.
HANDLER = "unsent"
#: Of the JSON, in bytes: more than anybody types.
LONGEST = 1024 * 1024


def received(data: bytes) -> str:
    """What another device sent, who may send anything, as the script takes it. Raises ValueError."""
    try:
        fields = json.loads(data)
    except RecursionError:
        raise ValueError("It is nested too deeply.") from None
    if not isinstance(fields, list):
        raise ValueError("It is no list.")
    return json.dumps([_field(field) for field in fields])


def _field(field: object) -> dict[str, object]:
    if not isinstance(field, dict):
        raise ValueError("A field is none.")
    name, place, text = field.get("name"), field.get("place"), field.get("text")
    if not isinstance(name, str) or type(place) is not int or not isinstance(text, str):
        raise ValueError("A field is none.")
    return {"name": name, "place": place, "text": text}
