"""The words of the window, in the user's language."""

import gettext
import pathlib

DOMAIN = "segue-desktop"
#: Where the installation puts translations: beside the package.
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "locale"

_translation = gettext.translation(DOMAIN, FOLDER, fallback=True)
_ = _translation.gettext
ngettext = _translation.ngettext


def elapsed(milliseconds):
    """How long ago something was, in a few words."""
    seconds = milliseconds // 1000
    if seconds < 60:
        return _("just now")
    for length, one in ((60, _minutes), (60 * 24, _hours)):
        if seconds // 60 < length:
            return one(seconds)
    days = seconds // 86400
    return ngettext("{} day ago", "{} days ago", days).format(days)


def _minutes(seconds):
    count = seconds // 60
    return ngettext("{} minute ago", "{} minutes ago", count).format(count)


def _hours(seconds):
    count = seconds // 3600
    return ngettext("{} hour ago", "{} hours ago", count).format(count)
