"""Sending to other devices and phones, and the texts that were sent here: ListDevices, ListPhones, ListTexts."""

from __future__ import annotations

from typing import NamedTuple

from .devices import Device
from .failure import Failure
from .fields import lines, number, rows, text
from .time import ago
from .words import _, apart

#: The rules for things that a device sends, in the order in which the window lists it.
RULES = ("ask", "open", "refuse")


class Text(NamedTuple):
    """A text that was sent here."""

    id: str
    text: str
    heading: str


def rule_names() -> list[str]:
    return [_("Show it, and ask"), _("Open it at once"), _("Refuse it")]


def receivers(all_devices: list[Device], kind: str) -> list[Device]:
    """The devices to which something of this kind, "activity" or "text", can be sent now."""
    return [device for device in all_devices if device.is_online and kind in device.takes]


def phones(listed: object) -> list[Device]:
    """Phones that other programs reach, as devices that take links."""
    return [
        Device(id=text(row, "id"), name=_("{name}, by {program}").format(
            name=apart(text(row, "name")), program=text(row, "program")), subtitle="", is_online=True, words="",
            address="", addresses=(), seen="", hint="", introducer="", takes=("link",))
        for row in rows(listed) if text(row, "id")]


def pages(listed: object) -> set[str]:
    """The ids of the activities that have a page, whose link a phone can get."""
    return {text(row, "id") for row in rows(listed) if text(row, "web-host")}


def sent_sentence(device: Device) -> str:
    if "link" in device.takes:
        return _("Sent to {name}, as a link, without its state.").format(name=device.name)
    return _("Sent to {name}.").format(name=apart(device.name))


def failure_of(problem: str) -> Failure:
    """Why the command line has failed, from its standard error: the last line that begins with its name, and the advice
    below. Notes of how far it is stand above."""
    _before, name, said = ("\n" + problem).rpartition("\nsegue: ")
    message, *advice = [line.strip() for line in (said if name else problem).splitlines()] or [""]
    return Failure("", message, " ".join(advice))


def text_called(listed: object, id_: str) -> Text | None:
    """The text with this id; None if it is forgotten."""
    for row in rows(listed):
        if text(row, "id") == id_ and lines(row, "text"):
            when = ago((number(row, "age") or 0) / 1000)
            return Text(id_, lines(row, "text"), _("From {device}, {when}").format(
                device=apart(text(row, "device-name")), when=when))
    return None
