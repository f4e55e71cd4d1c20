"""An activity's attributes: each is a property, which every thread may read and set."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from . import errors, values
from ._handles import Handle, taken_text
from ._native import ffi, lib

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime


class Attributes(Handle):
    """Base of Activity."""

    # Attributes that the user sees.

    @property
    def title(self) -> str | None:
        return self._text("title")

    @title.setter
    def title(self, title: str | None) -> None:
        self._set_text("title", title)

    @property
    def webpage_url(self) -> str | None:
        """The URL, http or https, of a web page that shows the same on a device without the application."""
        return self._text("webpage_url")

    @webpage_url.setter
    def webpage_url(self, url: str | None) -> None:
        self._set_text("webpage_url", url)

    @property
    def referrer_url(self) -> str | None:
        """The URL of the web page that led the user to webpage_url; it is not sent to other devices."""
        return self._text("referrer_url")

    @referrer_url.setter
    def referrer_url(self, url: str | None) -> None:
        self._set_text("referrer_url", url)

    @property
    def target_content_identifier(self) -> str | None:
        """The identifier by which windows say whether they show the activity's content."""
        return self._text("target_content_identifier")

    @target_content_identifier.setter
    def target_content_identifier(self, identifier: str | None) -> None:
        self._set_text("target_content_identifier", identifier)

    @property
    def persistent_identifier(self) -> str | None:
        """The name of the content, the same whenever the content is shown; it does not leave this device."""
        return self._text("persistent_identifier")

    @persistent_identifier.setter
    def persistent_identifier(self, identifier: str | None) -> None:
        self._set_text("persistent_identifier", identifier)

    @property
    def keywords(self) -> Sequence[str]:
        """The words by which a search finds a stored copy; they do not leave this device."""
        return self._texts("keywords") or ()

    @keywords.setter
    def keywords(self, keywords: Sequence[str]) -> None:
        self._set_texts("keywords", keywords)

    # Where the activity may go, and for how long.

    @property
    def is_eligible_for_handoff(self) -> bool:
        """Whether the activity may be offered to other devices: True at first."""
        return self._flag("is_eligible_for_handoff")

    @is_eligible_for_handoff.setter
    def is_eligible_for_handoff(self, eligible: bool) -> None:
        self._set_flag("eligible_for_handoff", eligible)

    @property
    def is_eligible_for_search(self) -> bool:
        """Whether a copy is stored so that the user can search for it on this device."""
        return self._flag("is_eligible_for_search")

    @is_eligible_for_search.setter
    def is_eligible_for_search(self, eligible: bool) -> None:
        self._set_flag("eligible_for_search", eligible)

    @property
    def is_eligible_for_public_indexing(self) -> bool:
        return self._flag("is_eligible_for_public_indexing")

    @is_eligible_for_public_indexing.setter
    def is_eligible_for_public_indexing(self, eligible: bool) -> None:
        self._set_flag("eligible_for_public_indexing", eligible)

    @property
    def is_eligible_for_prediction(self) -> bool:
        return self._flag("is_eligible_for_prediction")

    @is_eligible_for_prediction.setter
    def is_eligible_for_prediction(self, eligible: bool) -> None:
        self._set_flag("eligible_for_prediction", eligible)

    @property
    def is_eligible_for_restoration(self) -> bool:
        """Whether the state is stored on this device, for the application itself: `Application.last_state`."""
        return self._flag("is_eligible_for_restoration")

    @is_eligible_for_restoration.setter
    def is_eligible_for_restoration(self, eligible: bool) -> None:
        self._set_flag("eligible_for_restoration", eligible)

    @property
    def allows_snapshot(self) -> bool:
        """Whether the last snapshot may be kept, so that it can be continued after the application has gone."""
        return self._flag("allows_snapshot")

    @allows_snapshot.setter
    def allows_snapshot(self, allowed: bool) -> None:
        self._set_flag("allows_snapshot", allowed)

    @property
    def expiration_date(self) -> datetime.datetime | None:
        """The time at which the offer ends; None: never."""
        from datetime import datetime, timezone

        out = ffi.new("double *")
        errors.check(lib.segue_activity_get_expiration_date(self._segue_pointer, out), "expiration_date")
        return None if math.isinf(out[0]) else datetime.fromtimestamp(out[0], timezone.utc)

    @expiration_date.setter
    def expiration_date(self, date: datetime.datetime | None) -> None:
        if date is not None and date.utcoffset() is None:
            raise ValueError("expiration_date: a datetime without a time zone says no instant")
        seconds = math.inf if date is None else date.timestamp()
        errors.check(lib.segue_activity_set_expiration_date(self._segue_pointer, seconds), "expiration_date")

    @property
    def required_keys(self) -> Sequence[str] | None:
        """The keys of the user_info entries that a stored copy needs; None: unset."""
        return self._texts("required_keys")

    @required_keys.setter
    def required_keys(self, keys: Sequence[str] | None) -> None:
        self._set_texts("required_keys", keys)

    # How the properties are read and set.

    def _flag(self, name: str) -> bool:
        flag: bool = getattr(lib, f"segue_activity_{name}")(self._segue_pointer)
        return flag

    def _set_flag(self, name: str, value: bool) -> None:
        errors.check(getattr(lib, f"segue_activity_set_{name}")(self._segue_pointer, bool(value)), name)

    def _text(self, name: str) -> str | None:
        out = ffi.new("char **")
        errors.check(getattr(lib, f"segue_activity_copy_{name}")(self._segue_pointer, out), name)
        return taken_text(out)

    def _set_text(self, name: str, value: str | None) -> None:
        encoded = ffi.NULL if value is None else values.encode_text(value, name)
        errors.check(getattr(lib, f"segue_activity_set_{name}")(self._segue_pointer, encoded), name)

    def _texts(self, name: str) -> tuple[str, ...] | None:
        out, count = ffi.new("char ***"), ffi.new("size_t *")
        errors.check(getattr(lib, f"segue_activity_copy_{name}")(self._segue_pointer, out, count), name)
        if not out[0]:
            return None
        try:
            return tuple(errors.text(out[0][index]) for index in range(count[0]))
        finally:
            lib.segue_free(out[0])

    def _set_texts(self, name: str, texts: Iterable[str] | None) -> None:
        pointers, count, _keep = values.text_array(texts, name)
        errors.check(getattr(lib, f"segue_activity_set_{name}")(self._segue_pointer, pointers, count), name)
