"""Translations. They come from Python's gettext, which needs no locale of the system to be installed."""

from __future__ import annotations

import gettext
import os

DOMAIN = "segue-desktop"
#: The installed translations lie beside the package, in share.
FOLDER = os.environ.get("SEGUE_DESKTOP_LOCALES") or os.path.normpath(
    os.path.join(os.path.realpath(__file__), *[os.path.pardir] * 4, "locale"))

translation = gettext.translation(DOMAIN, FOLDER, fallback=True)
_ = translation.gettext
ngettext = translation.ngettext


#: Marks around a text of another direction, and before a line that shall begin at the right.
ISOLATE, END, RIGHT_TO_LEFT = "\u2068", "\u2069", "\u200f"


def is_right_to_left() -> bool:
    # Translators: the direction of your script, "ltr" or "rtl".
    return _("ltr") == "rtl"


def apart(text: str) -> str:
    """A name in a sentence, so that its script does not change the order of the words around it."""
    return ISOLATE + text + END if text and is_right_to_left() else text


def joined(*parts: str) -> str:
    """The parts in one line; empty ones are left out."""
    line = " · ".join(apart(part) for part in parts if part)
    return RIGHT_TO_LEFT + line if line and is_right_to_left() else line
