"""A pairing, step by step: what the window asks for in each state of GetPairing."""

from __future__ import annotations

import enum
import re
from typing import NamedTuple

from .fields import Fields, flag, text, texts
from .words import _, apart

#: A pairing goes on for two minutes; the window says that it is still shown well before.
RENEWAL_SECONDS = 50
#: A code is longer than what is shown in a row.
LONGEST_CODE = 4096


class Step(enum.Enum):
    """One for each page of the dialogue."""

    WAITING = "waiting"
    CODE = "code"
    SHOWING = "showing"
    TYPING = "typing"
    ASKING = "asking"
    ENDING = "ending"
    PAIRED = "paired"
    FAILED = "failed"


STEPS = {
    "open": Step.WAITING, "reaching": Step.WAITING, "showing": Step.SHOWING, "typing": Step.TYPING,
    "asking": Step.ASKING, "ending": Step.ENDING, "paired": Step.PAIRED, "failed": Step.FAILED, "closed": Step.FAILED,
}


class Pairing(NamedTuple):
    """What is shown of a pairing."""

    step: Step = Step.WAITING
    name: str = ""
    digits: str = ""
    code: str = ""
    words: str = ""
    addresses: tuple[str, ...] = ()
    is_found: bool = False
    message: str = ""
    advice: str = ""

    @property
    def is_over(self) -> bool:
        return self.step in (Step.PAIRED, Step.FAILED)

    @property
    def title(self) -> str:
        name = apart(self.name) or _("the other device")
        return {
            Step.WAITING: _("Looking for the Other Device"),
            Step.CODE: _("Show This Code to the Other Device"),
            Step.SHOWING: _("Type These Digits on “{name}”").format(name=name),
            Step.TYPING: _("Which Digits Does “{name}” Show?").format(name=name),
            Step.ASKING: _("Did “{name}” Accept the Digits?").format(name=name),
            Step.ENDING: _("Pairing…"),
            Step.PAIRED: _("Paired with “{name}”").format(name=name),
            Step.FAILED: _("Not Paired"),
        }[self.step]

    @property
    def sentence(self) -> str:
        if self.step is Step.FAILED:
            message = self.message or _("The time for pairing has run out.")
            return f"{message} {self.advice}".strip()
        if self.step is Step.WAITING and self.is_found:
            return _("A device in this network pairs too. One of the two shows digits in a moment.")
        return {
            Step.WAITING: _("Open Segue on the other device, and choose “Pair a Device” there, too."),
            Step.CODE: _("It works once, for five minutes. Whoever reads it can use it: carry it as a password."),
            Step.SHOWING: _("They prove that nobody is in between."),
            Step.TYPING: _("Six digits. They prove that nobody is in between."),
            Step.ASKING: _("Say yes only where that device says that they were right."),
            Step.ENDING: _("Both devices write down each other’s key."),
            Step.PAIRED: self.words,
        }[self.step]


def pairing(fields: Fields) -> Pairing:
    state, code = text(fields, "state"), fields.get("code")
    step = STEPS.get(state, Step.WAITING)
    code = code if isinstance(code, str) and len(code) <= LONGEST_CODE else ""
    if step is Step.WAITING and code:
        step = Step.CODE
    return Pairing(
        step=step, name=text(fields, "name"), digits=spaced(text(fields, "digits")), code=code,
        words=text(fields, "words"), addresses=tuple(texts(fields, "addresses")), is_found=flag(fields, "found"),
        message=text(fields, "message"), advice=text(fields, "advice"))


def failed(message: str, advice: str = "") -> Pairing:
    return Pairing(step=Step.FAILED, message=message, advice=advice)


def spaced(digits: str) -> str:
    """The digits in two groups."""
    plain = re.sub(r"\D", "", digits)
    return f"{plain[:3]} {plain[3:]}" if len(plain) == 6 else digits


def ascii_digits(typed: str) -> str:
    """The digits of any script in ours, as Arabic ones on an Arabic keyboard; nothing else of what was typed."""
    return "".join(str(int(character)) for character in typed if character.isdecimal())


def is_complete(typed: str) -> bool:
    return len(ascii_digits(typed)) == 6


def options(typed: str) -> dict[str, object] | None:
    """The options of Pair for what the user has copied from the other device: a code, or an address, perhaps with the
    whole command. None where it is neither."""
    words = [word for word in typed.split() if word not in ("segue", "pair")]
    joined = "".join(words)
    if joined.upper().startswith("SEGUE:"):
        return {"code": joined}
    if len(words) == 1 and re.fullmatch(r"(\[[0-9A-Fa-f:.%a-z]+\]|[^\s:\[\]]+):\d{1,5}", words[0]):
        return {"addresses": [words[0]]}
    return None
