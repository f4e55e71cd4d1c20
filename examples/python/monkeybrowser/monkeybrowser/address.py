"""Addresses: which ones are opened, and in which form they are sent to other devices."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

#: Longer addresses are of no use, and userInfo is best kept below 3 KiB.
LONGEST = 2048
#: The schemes of pages that are opened.
_WEB = ("http", "https")
#: The schemes that a page may open within itself.
_WITHIN = ("about", "blob", "data")


class Refused(ValueError):
    """An address that is not opened. The text says why, for the user."""


def typed(text: str) -> str:
    """The address for the text that a user has typed; the scheme may be missing."""
    text = text.strip()
    # A name with a port looks like a scheme, but for the digit.
    if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\d)", text):
        text = "https://" + text
    _checked(text)
    return text


def received(value: object) -> str:
    """The web address from another device, which may send anything, without name and password."""
    if not isinstance(value, str):
        raise Refused("It came without an address.")
    return _without_password(_checked(value))


def followed(url: str, is_within: bool) -> None:
    """Refuses the target of a link, a script or a server unless it is a web page, or a page opens it within itself."""
    scheme = url.partition(":")[0].lower()
    if scheme not in _WEB and not (is_within and scheme in _WITHIN):
        raise _not_of_the_web(scheme)


def to_share(url: str) -> str | None:
    """The address of a page as it is sent to other devices, without name and password. None: it is not sent."""
    try:
        return _without_password(_checked(url))
    except Refused:
        return None


def _checked(text: str) -> SplitResult:
    if len(text) > LONGEST:
        raise Refused(f"Its address is longer than {LONGEST} characters.")
    # Parsers differ in what they make of these, and WebKit has another than Python.
    if re.search(r"[\x00-\x20\x7f\\]", text):
        raise Refused("An address has no spaces, control characters or backslashes.")
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise Refused("This is not an address.") from None
    if parts.scheme not in _WEB:
        raise _not_of_the_web(parts.scheme)
    if not host:
        raise Refused("This address names no host.")
    return parts


def _without_password(parts: SplitResult) -> str:
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _not_of_the_web(scheme: str) -> Refused:
    return Refused(f"Only pages of http and https are opened, not of “{scheme[:32]}”.")
