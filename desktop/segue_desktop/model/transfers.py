"""Files and streams on their way, and continuations: ListTransfers, ListContinuations."""

from __future__ import annotations

from typing import NamedTuple

from .fields import Fields, number, rows, text
from .words import _, apart, joined

#: The application that sends files.
FILES = "org.segue.Files"
UNITS = ("B", "kB", "MB", "GB", "TB")


class Transfer(NamedTuple):
    """A file, or a stream between two applications."""

    id: str
    title: str
    subtitle: str
    #: Between 0 and 1; None where it is not known.
    fraction: float | None

    @property
    def key(self) -> str:
        return self.id


def transfers(listed: object) -> list[Transfer]:
    return [_transfer(row) for row in rows(listed) if text(row, "id")]


def _transfer(fields: Fields) -> Transfer:
    device, app = text(fields, "device-name"), text(fields, "app-name") or text(fields, "app-id")
    done, size = number(fields, "done"), number(fields, "size")
    is_file, is_coming = text(fields, "kind") == "file", fields.get("incoming") is True
    if not device:
        place = _("Between applications here")
    elif not is_file:
        place = _("With {device}").format(device=apart(device))
    else:
        place = (_("From {device}") if is_coming else _("To {device}")).format(device=apart(device))
    how_far = {"waiting": _("Waiting"), "asked": _("Waiting"), "interrupted": _("Interrupted")}.get(
        text(fields, "state"), "")
    if not how_far and done is not None and size:
        how_far = _("{done} of {size}").format(done=amount(done), size=amount(size))
    title = (text(fields, "name") or _("A file")) if is_file else _("A connection")
    return Transfer(
        text(fields, "id"), title, joined(place, app, how_far),
        min(1.0, done / size) if is_file and done is not None and size else None)


def progress_to(listed: object, device: str) -> float | None:
    """How far the files are, between 0 and 1, that the user sends to the device; None while none is on its way."""
    done = size = 0
    for row in rows(listed):
        if text(row, "app-id") == FILES and text(row, "device-id") == device and not row.get("incoming"):
            done, size = done + (number(row, "done") or 0), size + (number(row, "size") or 0)
    return min(1.0, done / size) if size else None


def continuation_of(listed: object, key: tuple[str, str]) -> str:
    """The id of the continuation of the offer (device, id) that is on its way; "" if none is."""
    device, offer = key
    return next((
        text(row, "continuation") for row in rows(listed)
        if text(row, "activity") == offer and text(row, "device-id") in (device, "")), "")


def amount(count: int) -> str:
    """Bytes, in the largest unit that leaves a whole part."""
    value, unit = float(count), 0
    while value >= 1000 and unit < len(UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.0f} {UNITS[unit]}" if unit == 0 or value >= 100 else f"{value:.1f} {UNITS[unit]}"
