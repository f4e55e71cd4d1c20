"""The paired devices, those that were introduced, and this one: ListDevices, ListIntroductions, GetStatus."""

from __future__ import annotations

from typing import NamedTuple

from .fields import Fields, flag, number, rows, text, texts
from .time import ago
from .words import _, apart, joined


class Device(NamedTuple):
    """A paired device."""

    id: str
    name: str
    subtitle: str
    is_online: bool
    words: str
    address: str
    addresses: tuple[str, ...]
    seen: str
    hint: str
    introducer: str
    #: Whether it is offered nothing from here.
    is_withheld: bool = False
    #: The rule for things that it sends here, and the kinds of things that can be sent there now.
    receiving: str = "ask"
    takes: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.id


class Introduction(NamedTuple):
    """A device that waits for the user's word."""

    id: str
    name: str
    words: str
    introducer: str

    @property
    def key(self) -> str:
        return self.id

    @property
    def subtitle(self) -> str:
        return _("{introducer} introduces it · {words}").format(introducer=apart(self.introducer), words=apart(self.words))


class ThisDevice(NamedTuple):
    """How the daemon is doing."""

    name: str
    id: str
    version: str
    addresses: tuple[str, ...]
    paired: int | None
    #: Sentences that the user should know: why devices do not find each other, and other notes.
    notes: tuple[str, ...]


def devices(listed: object, now: float) -> list[Device]:
    """`now` in seconds since 1970. Those that are online come first, and then in the order of their names."""
    found = {text(fields, "id"): _device(fields, now) for fields in rows(listed) if text(fields, "id")}
    return sorted(found.values(), key=lambda device: (not device.is_online, device.name.casefold(), device.id))


def _device(fields: Fields, now: float) -> Device:
    online, addresses = flag(fields, "online"), texts(fields, "addresses")
    address = text(fields, "reached") or (addresses[0] if addresses else "")
    seen = number(fields, "seen")
    when = ago(now - seen) if seen else ""
    if online:
        parts = [_("Online"), address]
    else:
        parts = [_("Last seen {when}").format(when=when) if when else _("Not seen yet"), text(fields, "hint")]
    return Device(
        id=text(fields, "id"), name=text(fields, "name") or text(fields, "words") or text(fields, "id"),
        subtitle=joined(*parts), is_online=online, words=text(fields, "words"),
        address=address, addresses=tuple(addresses), seen=_("now") if online else when or _("never"),
        hint=text(fields, "hint"), introducer=text(fields, "introducer-name"), is_withheld=flag(fields, "withheld"),
        receiving=text(fields, "receive"), takes=tuple(texts(fields, "takes")))


def introductions(listed: object) -> list[Introduction]:
    return [
        Introduction(text(row, "id"), text(row, "name") or text(row, "words"), text(row, "words"),
                     text(row, "introducer-name"))
        for row in rows(listed) if text(row, "id")]


def this_device(status: Fields) -> ThisDevice:
    notes = [text(status, "discovery-problem"), *texts(status, "notes")]
    return ThisDevice(
        text(status, "device-name"), text(status, "device-id"), text(status, "version"),
        tuple(texts(status, "addresses")), number(status, "devices"), tuple(note for note in notes if note))


def others_online(all_devices: list[Device], device: Device) -> list[Device]:
    """Those to which the device can be introduced."""
    return [other for other in all_devices if device.is_online and other.is_online and other.id != device.id]
