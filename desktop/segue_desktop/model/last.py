"""How the last continuation on this device went: GetLast."""

from __future__ import annotations

from typing import NamedTuple

from .fields import Fields, number, rows, text
from .time import span
from .words import _, apart, joined


class Phase(NamedTuple):
    """A bar: where it begins and how long it is, as parts of the whole."""

    name: str
    start: float
    length: float
    duration: str


class Last(NamedTuple):
    title: str
    summary: str
    error: str
    phases: tuple[Phase, ...]


def last(fields: Fields) -> Last | None:
    """None where nothing was continued since the daemon has started."""
    if not text(fields, "continuation"):
        return None
    total = number(fields, "total") or 0
    application, device = text(fields, "app-name"), text(fields, "device-name")
    parts = [_("From {device}").format(device=apart(device)) if device else "", span(total)]
    size = number(fields, "size")
    if size is not None:
        parts.append(_("{size} bytes of state").format(size=size))
    return Last(
        application or text(fields, "type"), joined(*parts), text(fields, "error"),
        tuple(_phase(row, total) for row in rows(fields.get("phases")) if text(row, "phase")))


def _phase(fields: Fields, total: int) -> Phase:
    start, duration = number(fields, "start") or 0, number(fields, "duration") or 0
    whole = max(total, start + duration, 1)
    return Phase(phase_name(text(fields, "phase")), start / whole, duration / whole, span(duration))


def phase_name(phase: str) -> str:
    return {
        "choose": _("Choosing the application"), "launch": _("Opening the application"),
        "fetch": _("Fetching the state"), "save": _("Saving on the other device"), "files": _("Bringing files"),
        "claim": _("Handing it over"), "restore": _("Restoring"),
    }.get(phase, phase)
