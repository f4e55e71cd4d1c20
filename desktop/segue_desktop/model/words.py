"""Translations. They come from Python's gettext, which needs no locale of the system to be installed."""

from __future__ import annotations

import gettext
import os
import pathlib

DOMAIN = "segue-desktop"
#: The installed translations lie beside the package, in share.
FOLDER = pathlib.Path(
    os.environ.get("SEGUE_DESKTOP_LOCALES") or pathlib.Path(__file__).resolve().parents[3] / "locale")

translation = gettext.translation(DOMAIN, FOLDER, fallback=True)
_ = translation.gettext
ngettext = translation.ngettext


def is_right_to_left() -> bool:
    # Translators: the direction of your script, "ltr" or "rtl".
    return _("ltr") == "rtl"
