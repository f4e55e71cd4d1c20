"""The text that a user has typed into a page's forms and not sent, as JSON: a list of fields, each with its name, its
index among the fields of that name, and its text."""

from __future__ import annotations

import json
import pathlib

#: The script that reads the typed text, and fills it in; it runs beside that of position.py.
SCRIPT = pathlib.Path(__file__).with_name("unsent.js").read_text()
#: The name of the handler that gets whether there is any such text.
HANDLER = "unsent"
#: The length of the JSON, in bytes, which is more than a user types.
LONGEST = 1024 * 1024


def received(data: bytes) -> str:
    """The checked fields from another device, which may send anything, as the script takes them. Raises ValueError."""
    try:
        fields = json.loads(data)
    except RecursionError:
        raise ValueError("It is nested too deeply.") from None
    if not isinstance(fields, list):
        raise ValueError("It is not a list.")
    return json.dumps([_field(field) for field in fields])


def _field(field: object) -> dict[str, object]:
    if not isinstance(field, dict):
        raise ValueError("A field is none.")
    name, place, text = field.get("name"), field.get("place"), field.get("text")
    if not isinstance(name, str) or type(place) is not int or not isinstance(text, str):
        raise ValueError("A field is none.")
    return {"name": name, "place": place, "text": text}
