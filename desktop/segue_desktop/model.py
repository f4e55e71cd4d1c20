"""What the window shows, made of the rows of org.segue.Control1: pure values, with no GTK and no bus.

A row is a dictionary of plain Python values. Keys that are missing stand for what is not known; keys that are not known
are ignored, so that the window works with daemons of other versions.
"""

import dataclasses

from .texts import _, elapsed, ngettext


@dataclasses.dataclass(frozen=True)
class Offer:
    """Something that can be continued here."""

    id: str
    device: str
    type: str
    title: str
    details: str
    #: The desktop file's id of the application that continues it; "" where none does.
    application: str
    candidates: tuple
    needs_choice: bool

    @property
    def can_continue(self):
        return bool(self.candidates)

    @classmethod
    def of(cls, row):
        name = row.get("app-name", "")
        in_browser = bool(row.get("in-browser"))
        if in_browser:
            name = _("Web browser")
        title = row.get("title") or row.get("web-host") or name or row.get("type", "")
        place = _("On this device") if row.get("here") else _("From {}").format(row.get("device-name", ""))
        parts = [name] if name and name != title else []
        parts.append(place)
        parts.append(elapsed(row.get("age", 0)))
        if row.get("stored"):
            parts.append(_("as it was last stored"))
        if not row.get("candidates") and not in_browser:
            parts = [place, _("no application here continues it")]
        if row.get("needs-choice"):
            count = len(row["candidates"])
            parts[0:0] = [ngettext("{} application can continue it", "{} applications can continue it", count).format(count)]
        candidates = tuple(row.get("candidates", ())) or (("",) if in_browser else ())
        return cls(
            id=row["id"], device=row.get("device-id", ""), type=row.get("type", ""), title=title,
            details=" · ".join(parts), application=row.get("local-app", ""), candidates=candidates,
            needs_choice=bool(row.get("needs-choice")))


@dataclasses.dataclass(frozen=True)
class Activity:
    """What an application of this device has on offer, or has stored for a search."""

    id: str
    title: str
    details: str
    application: str

    @classmethod
    def of(cls, row):
        name = row.get("app-name") or row.get("app-id", "")
        parts = [name]
        parts.append(_("withheld from other devices") if row.get("withheld") else _("offered to your other devices"))
        return cls(row["id"], row.get("title") or name, " · ".join(parts), row.get("app-id", ""))

    @classmethod
    def stored(cls, row):
        name = row.get("app-name") or row.get("app-id", "")
        return cls(row["id"], row.get("title") or name, f"{name} · {elapsed(row.get('age', 0))}", row.get("app-id", ""))


@dataclasses.dataclass(frozen=True)
class Device:
    """A paired device."""

    id: str
    name: str
    is_online: bool
    state: str
    #: Pairs of a label and a text, for who wants to know more.
    facts: tuple

    @classmethod
    def of(cls, row, now):
        """`now`: seconds since 1970."""
        is_online = bool(row.get("online"))
        if is_online:
            state = _("Online")
        elif "seen" in row:
            state = _("Last seen {}").format(elapsed(max(0, now - row["seen"]) * 1000))
        else:
            state = _("Not seen yet")
        facts = []
        if row.get("hint"):
            facts.append((_("Why it is not reached"), row["hint"]))
        if row.get("addresses"):
            facts.append((_("Addresses"), ", ".join(row["addresses"])))
        if row.get("introducer-name"):
            facts.append((_("Introduced by"), row["introducer-name"]))
        facts.append((_("Its id begins with"), row.get("words", "")))
        return cls(row["id"], row.get("name", ""), is_online, state, tuple(facts))


@dataclasses.dataclass(frozen=True)
class Introduction:
    """A device that another one has introduced."""

    id: str
    name: str
    details: str

    @classmethod
    def of(cls, row):
        by = _("Introduced by {}").format(row.get("introducer-name", ""))
        return cls(row["id"], row.get("name", ""), f"{by} · {row.get('words', '')}")


@dataclasses.dataclass(frozen=True)
class Pairing:
    """How far a pairing is."""

    state: str
    title: str
    text: str
    digits: str = ""
    code: str = ""

    #: States in which nothing more comes by itself.
    ENDED = ("closed", "paired", "failed")

    @property
    def has_ended(self):
        return self.state in self.ENDED

    @classmethod
    def of(cls, row):
        state, name = row.get("state", "closed"), row.get("name") or _("the other device")
        words = {
            "closed": (_("Pairing has ended"), ""),
            "open": (_("Now pair on the other device"),
                     _("Open Segue there too, and choose “Pair a device”. Both find each other in the same network.")),
            "reaching": (_("Connecting"), _("The other device is asked.")),
            "showing": (_("Type these digits on {}").format(name),
                        _("They are good once. Nobody else can see them.")),
            "typing": (_("Type the digits that {} shows").format(name), ""),
            "asking": (_("Did {} accept the digits?").format(name), _("Look at its screen, and say yes only if it says so.")),
            "ending": (_("One moment"), _("Both devices write down that they are paired.")),
            "paired": (_("Paired with {}").format(name), _("Its id begins with {}.").format(row.get("words", ""))),
            "failed": (row.get("message") or _("The devices were not paired"), row.get("advice", "")),
        }
        if state == "open" and row.get("code"):
            words["open"] = (_("Show this to the other device"),
                             _("Copy the code there, or photograph the picture. It is good once, for five minutes."))
        title, text = words.get(state, (state, ""))
        return cls(state, title, text, grouped(row.get("digits", "")), row.get("code", "") if state == "open" else "")


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Why something is offered, or is not."""

    title: str
    sentence: str
    application: str
    is_offered: bool

    @classmethod
    def of(cls, row):
        name = row.get("app-name") or row.get("app-id", "")
        title = row.get("title") or name
        if row.get("from"):
            title = _("{} from {}").format(title, row["from"])
        elif row.get("device-name"):
            title = _("{} for {}").format(title, row["device-name"])
        return cls(title, row.get("sentence", ""), row.get("local-app") or row.get("app-id", ""), bool(row.get("offered")))


def grouped(digits):
    """Six digits as they are read out: in two groups."""
    return f"{digits[:3]} {digits[3:]}" if len(digits) == 6 else digits


@dataclasses.dataclass(frozen=True)
class Problem:
    """What is in the way, and what cures it."""

    text: str


def problems(status):
    """What a status says that the user should know."""
    said = [status.get("discovery-problem", "")] + list(status.get("notes", ()))
    return [Problem(text) for text in said if text]


def last(row):
    """The last continuation: a title, a sentence, and its phases as pairs; None where there was none."""
    if not row.get("continuation"):
        return None
    title = _("{} from {}").format(row.get("app-name") or _("Web browser"), row.get("device-name", ""))
    said = row.get("error") or _("It took {} ms.").format(round(row.get("total", 0) / 1000, 1))
    phases = tuple((phase.get("phase", ""), f"{phase.get('duration', 0) / 1000:.1f} ms") for phase in row.get("phases", ()))
    return title, said, phases
