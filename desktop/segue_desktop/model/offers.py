"""What can be continued here: ListOffers, with the reasons of Explain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .fields import Fields, flag, number, rows, text, texts
from .time import ago
from .words import _, apart, joined


class Offer(NamedTuple):
    """A row of the first page."""

    id: str
    device: str
    title: str
    #: The application here, the device and the age, or why it cannot be continued.
    subtitle: str
    #: Where the icon comes from: the application that continues it, else the one whose activity it is.
    icon_app: str
    #: The applications that can continue it; none for the browser.
    candidates: tuple[str, ...]
    can_continue: bool
    needs_choice: bool
    is_stored: bool
    in_browser: bool

    @property
    def key(self) -> tuple[str, str]:
        """A device may repeat ids of another one."""
        return self.device, self.id


def offers(listed: object, explained: object = ()) -> list[Offer]:
    """The rows in the daemon's order: the newest first, and those of this device behind."""
    reasons = {text(row, "id"): text(row, "sentence") for row in rows(explained) if not flag(row, "offered")}
    return list(_once(_offer(fields, reasons) for fields in rows(listed) if text(fields, "id")))


def _once(found: Iterable[Offer]) -> Iterable[Offer]:
    keys = set()
    for offer in found:
        if offer.key not in keys:
            keys.add(offer.key)
            yield offer


def _offer(fields: Fields, reasons: dict[str, str]) -> Offer:
    candidates = tuple(dict.fromkeys(texts(fields, "candidates")))
    local, in_browser = text(fields, "local-app"), flag(fields, "in-browser")
    can_continue = bool(local or candidates or in_browser)
    app_name = text(fields, "app-name") or text(fields, "app-id")
    return Offer(
        id=text(fields, "id"), device=text(fields, "device-id"),
        title=text(fields, "title").strip() or text(fields, "web-host") or app_name or text(fields, "type"),
        subtitle=_subtitle(fields, app_name, can_continue, reasons),
        icon_app=local or text(fields, "app-id"), candidates=candidates, can_continue=can_continue,
        needs_choice=flag(fields, "needs-choice") and len(candidates) > 1, is_stored=flag(fields, "stored"),
        in_browser=in_browser and not local)


def _subtitle(fields: Fields, app_name: str, can_continue: bool, reasons: dict[str, str]) -> str:
    device = text(fields, "device-name")
    if not can_continue:
        reason = reasons.get(text(fields, "id")) or _("No application here can continue it.")
        return _("From {device}. {reason}").format(device=apart(device), reason=apart(reason)) if device else reason
    if flag(fields, "in-browser") and not text(fields, "local-app"):
        host = text(fields, "web-host")
        app_name = _("Opens {host} in the browser").format(host=apart(host)) if host else _("Opens in the browser")
    if flag(fields, "here"):
        place = _("From another application here")
    else:
        place = _("From {device}").format(device=apart(device)) if device else ""
    age = number(fields, "stored-age") if flag(fields, "stored") else number(fields, "age")
    when = ago((age or 0) / 1000)
    if flag(fields, "stored"):
        when = _("As saved {when}").format(when=when)
    line = joined(app_name, place, when)
    # The daemon's sentence on a file that is not here, before somebody chooses it.
    file = text(fields, "file-sentence")
    return f"{line}\n{apart(file)}" if file else line


def progress(state: str) -> str:
    """What a continuation that is on its way is doing: the state of ContinuationChanged."""
    return {
        "launching": _("Opening the application…"), "begun": _("Fetching…"),
        "waiting": _("Waiting for the other device…"),
        "not-responding": _("The other device is not answering yet…"),
    }.get(state, _("Continuing…"))


def is_over(state: str) -> bool:
    return state in ("continued", "failed")
