"""Applications: what they offer, which one continues a type, and which links they open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .fields import Fields, flag, rows, text, texts
from .words import _, apart, joined


class Activity(NamedTuple):
    """What an application of this device offers, or why it offers nothing."""

    app: str
    id: str
    title: str
    subtitle: str
    is_offered: bool

    @property
    def key(self) -> tuple[str, str]:
        return self.app, self.id


class Choice(NamedTuple):
    """A type that several applications can continue, and the one that was chosen; "" for none."""

    type: str
    candidates: tuple[str, ...]
    chosen: str

    @property
    def key(self) -> str:
        return self.type


class Link(NamedTuple):
    """A domain whose links an application claims."""

    domain: str
    app: str
    subtitle: str
    opens: bool
    #: Whether a switch has an effect: where the application opens links, or only the user's choice keeps it from that.
    can_choose: bool

    @property
    def key(self) -> tuple[str, str]:
        return self.domain, self.app


def activities(explained: object) -> list[Activity]:
    """The rows about this device. Those that are offered come first."""
    found = [_activity(row) for row in rows(explained) if not text(row, "from") and text(row, "app-id")]
    return sorted(found, key=lambda activity: not activity.is_offered)


def _activity(fields: Fields) -> Activity:
    name, offered = text(fields, "app-name") or text(fields, "app-id"), flag(fields, "offered")
    sentence = text(fields, "warning") if offered else text(fields, "sentence")
    state = _("On offer to your devices") if offered else ""
    return Activity(
        text(fields, "app-id"), text(fields, "id"), text(fields, "title").strip() or name,
        joined(name if text(fields, "title").strip() else "", state, sentence), offered)


def choices(offers: object, defaults: object) -> list[Choice]:
    """The types of the offers that several applications can continue, and those for which one was chosen."""
    chosen = dict(defaults) if isinstance(defaults, Mapping) else {}
    candidates: dict[str, list[str]] = {}
    for fields in rows(offers):
        known = candidates.setdefault(text(fields, "type"), [])
        known += [app for app in texts(fields, "candidates") if app not in known]
    for type_, app in chosen.items():
        known = candidates.setdefault(type_, [])
        if app not in known:
            known.append(app)
    return [
        Choice(type_, tuple(apps), chosen.get(type_, "")) for type_, apps in sorted(candidates.items())
        if type_ and (len(apps) > 1 or type_ in chosen)]


def links(listed: object) -> list[Link]:
    return [_link(row) for row in rows(listed) if text(row, "domain")]


def _link(fields: Fields) -> Link:
    opens = flag(fields, "opens")
    name = text(fields, "app-name") or text(fields, "app-id")
    sentence = _("Links open in {application}").format(application=apart(name)) if opens else text(fields, "sentence")
    return Link(
        text(fields, "domain"), text(fields, "app-id"), sentence or name, opens,
        opens or text(fields, "reason") == "links-kept")
