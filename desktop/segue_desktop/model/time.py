"""Spans of time in words."""

from __future__ import annotations

from .words import _, ngettext

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def ago(seconds: float) -> str:
    """How long ago something was, to one unit."""
    passed = max(0, int(seconds))
    if passed < MINUTE:
        return _("just now")
    if passed < HOUR:
        count = passed // MINUTE
        return ngettext("{count} minute ago", "{count} minutes ago", count).format(count=count)
    if passed < DAY:
        count = passed // HOUR
        return ngettext("{count} hour ago", "{count} hours ago", count).format(count=count)
    count = passed // DAY
    return ngettext("{count} day ago", "{count} days ago", count).format(count=count)


def span(microseconds: int) -> str:
    """A duration, as exact as it matters."""
    if microseconds < 10_000:
        return _("{number} ms").format(number=f"{microseconds / 1000:.1f}")
    if microseconds < 1_000_000:
        return _("{number} ms").format(number=round(microseconds / 1000))
    return _("{number} s").format(number=f"{microseconds / 1_000_000:.1f}")
