"""What the user is doing, so that another device can take it over."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence

from . import _handles, errors, values
from ._handles import Handle, at_once, callback, caught, taken_text
from ._native import ffi, lib
from ._user_info import UserInfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    import datetime
    import uuid
    from typing import Any, TypeVar

    from typing_extensions import Self

    from .application import Application

    E = TypeVar("E", bound=enum.IntEnum)
    F = TypeVar("F", bound=Callable[..., object])

#: The type of a web page in a browser.
BROWSING_WEB = errors.text(lib.segue_activity_type_browsing_web())
#: The key in userInfo under which a document's URL stands.
DOCUMENT_URL_KEY = errors.text(lib.segue_document_url_key())


class SaveReason(enum.IntEnum):
    """Why the save callbacks run."""

    NONE = 0
    OFFER = 1
    REQUEST = 2
    SNAPSHOT = 3
    SEARCH = 4


class VersionVerdict(enum.IntEnum):
    """What check_version says of a version of the application that continues."""

    AGREES = 0
    REFUSED = 1
    MISMATCH = 2


class Activity(Handle):
    """An activity, on offer once it is current (`become_current`) or set on a responder.

    A subclass may define `will_save`, `was_continued` and `check_version`; the decorators `on_will_save`,
    `on_was_continued` and `on_check_version` do the same for one object. In a `with` statement it is invalidated at the
    end. Properties may be used from every thread.
    """

    _MEMBERS = ("will_save", "was_continued", "check_version")

    def __init__(
        self, application: Application, type: str, *, title: str | None = None,
        user_info: MutableMapping[Any, Any] | None = None, webpage_url: str | None = None,
    ) -> None:
        out, out_error = ffi.new("segue_activity **"), ffi.new("segue_error **")
        result = lib.segue_activity_new(
            application._segue_pointer, values.encode_text(type, "type"), out, out_error)
        errors.check_error(result, f"an activity of type {type}", out_error)
        self._segue_application = application
        self._segue_own(out[0], lib.segue_activity_unref)
        if title is not None:
            self.title = title
        if webpage_url is not None:
            self.webpage_url = webpage_url
        if user_info is not None:
            self.user_info = user_info
        self._set_delegate()

    @classmethod
    def _of(cls, pointer: Any, application: Application) -> Activity:
        """The object for a pointer that somebody else owns: the one that there is, or a new one."""
        found = _handles.find(pointer)
        if found is not None:
            known: Activity = found
            return known
        return cls._taking(lib.segue_activity_ref(pointer), application)

    @classmethod
    def _taking(cls, pointer: Any, application: Application) -> Activity:
        """The same for a reference that is handed over."""
        found = _handles.find(pointer)
        if found is not None:
            lib.segue_activity_unref(pointer)
            known: Activity = found
            return known
        made = Activity.__new__(Activity)
        made._segue_application = application
        made._segue_own(pointer, lib.segue_activity_unref)
        return made

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if not self._segue_application.is_closed:
            self.invalidate()

    def __repr__(self) -> str:
        return f"<segue.Activity {self.type} {self.id.hex[:8]}>"

    # What a subclass or a decorator may replace.

    def will_save(self) -> None:
        """The activity is about to be sent: bring user_info up to date. Last in the round, after responders."""

    def was_continued(self) -> None:
        """Another device, or another application, has continued the activity."""

    def check_version(self, version: int) -> VersionVerdict | bool:
        """Whether an application that states this version of the type may have it; 0 where it states none. True agrees,
        False refuses."""
        return True

    def on_will_save(self, function: F) -> F:
        return self._on("will_save", function)

    def on_was_continued(self, function: F) -> F:
        return self._on("was_continued", function)

    def on_check_version(self, function: F) -> F:
        return self._on("check_version", function)

    def _on(self, member: str, function: F) -> F:
        setattr(self, member, function)
        self._set_delegate()
        return function

    def _set_delegate(self) -> None:
        delegate = _handles.methods("segue_activity_delegate", self, Activity, self._MEMBERS)
        if any(getattr(delegate, member) for member in self._MEMBERS):
            result = lib.segue_activity_set_delegate(self._segue_pointer, delegate, ffi.NULL, ffi.NULL)
            errors.check(result, "the activity's delegate")

    # What it is.

    @property
    def application(self) -> Application:
        return self._segue_application

    @property
    def type(self) -> str:
        return errors.text(lib.segue_activity_get_type(self._segue_pointer))

    @property
    def id(self) -> uuid.UUID:
        """New for each object, never reused."""
        from uuid import UUID

        out = ffi.new("uint8_t[16]")
        errors.check(lib.segue_activity_get_id(self._segue_pointer, out), "id")
        return UUID(bytes=bytes(out))

    @property
    def revision(self) -> int:
        """Grows with each snapshot that is another than the last."""
        out = ffi.new("uint64_t *")
        errors.check(lib.segue_activity_get_revision(self._segue_pointer, out), "revision")
        revision: int = out[0]
        return revision

    @property
    def is_current(self) -> bool:
        return self._flag("is_current")

    @property
    def is_invalid(self) -> bool:
        return self._flag("is_invalid")

    @property
    def save_reason(self) -> SaveReason | int:
        """Inside the save callbacks, why they run."""
        out = ffi.new("segue_save_reason *")
        errors.check(lib.segue_activity_get_save_reason(self._segue_pointer, out), "save_reason")
        return open_enum(SaveReason, out[0])

    @property
    def was_continued_in_browser(self) -> bool:
        """Inside `was_continued`: whether a browser shows its web page, and no application took it."""
        return self._flag("was_continued_in_browser")

    # What the user sees.

    @property
    def title(self) -> str | None:
        return self._text("title")

    @title.setter
    def title(self, title: str | None) -> None:
        self._set_text("title", title)

    @property
    def webpage_url(self) -> str | None:
        """The web page that shows the same where the application is missing; http or https."""
        return self._text("webpage_url")

    @webpage_url.setter
    def webpage_url(self, url: str | None) -> None:
        self._set_text("webpage_url", url)

    @property
    def referrer_url(self) -> str | None:
        """The web page that led the user to webpage_url. It stays with this object."""
        return self._text("referrer_url")

    @referrer_url.setter
    def referrer_url(self, url: str | None) -> None:
        self._set_text("referrer_url", url)

    @property
    def target_content_identifier(self) -> str | None:
        """Says which window it goes to."""
        return self._text("target_content_identifier")

    @target_content_identifier.setter
    def target_content_identifier(self, identifier: str | None) -> None:
        self._set_text("target_content_identifier", identifier)

    @property
    def persistent_identifier(self) -> str | None:
        """The name of what this shows, the same whenever it is shown; it does not leave this device."""
        return self._text("persistent_identifier")

    @persistent_identifier.setter
    def persistent_identifier(self, identifier: str | None) -> None:
        self._set_text("persistent_identifier", identifier)

    @property
    def keywords(self) -> Sequence[str]:
        """The words by which a stored copy is found; they do not leave this device."""
        return self._texts("keywords") or ()

    @keywords.setter
    def keywords(self, keywords: Sequence[str]) -> None:
        self._set_texts("keywords", keywords)

    # Where it may go, and for how long.

    @property
    def is_eligible_for_handoff(self) -> bool:
        """Whether other devices may be offered it: True at first."""
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
    def allows_snapshot(self) -> bool:
        """Whether its last snapshot may be kept, so that it can be continued after the application has gone."""
        return self._flag("allows_snapshot")

    @allows_snapshot.setter
    def allows_snapshot(self, allowed: bool) -> None:
        self._set_flag("allows_snapshot", allowed)

    @property
    def expiration_date(self) -> datetime.datetime | None:
        """The instant at which its offer ends; None: never."""
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
        """Which entries of user_info a stored copy needs; None: unset."""
        return self._texts("required_keys")

    @required_keys.setter
    def required_keys(self, keys: Sequence[str] | None) -> None:
        self._set_texts("required_keys", keys)

    # The state.

    @property
    def user_info(self) -> MutableMapping[Any, Any]:
        """The state, as a dictionary: reading reads there, setting a key sets it there."""
        return UserInfo(self)

    @user_info.setter
    def user_info(self, entries: MutableMapping[Any, Any]) -> None:
        if not isinstance(entries, Mapping):
            raise TypeError(f"user_info: a dictionary is wanted, not a {type(entries).__name__}")
        value = values.new(dict(entries), "user_info")
        errors.check(lib.segue_activity_set_user_info(self._segue_pointer, value), "user_info")

    @property
    def needs_save(self) -> bool:
        """Set it at every change, which costs nothing: the state is asked for when somebody wants it."""
        return self._flag("needs_save")

    @needs_save.setter
    def needs_save(self, needs_save: bool) -> None:
        self._set_flag("needs_save", needs_save)

    # Its life.

    def become_current(self) -> bool:
        """Makes it the one on offer, which the application keeps. False, and nothing is done, once it is invalid."""
        outcome = errors.check(lib.segue_activity_become_current(self._segue_pointer), "become_current")
        if outcome == lib.SEGUE_ACTIVITY_IS_INVALID:
            return False
        self._segue_application._current = self
        return True

    def resign_current(self) -> None:
        """Takes it off offer. It stays valid."""
        errors.check(lib.segue_activity_resign_current(self._segue_pointer), "resign_current")
        self._forget()

    def invalidate(self) -> None:
        """Ends it for good: withdrawn from every device. Doing it twice is fine."""
        errors.check(lib.segue_activity_invalidate(self._segue_pointer), "invalidate")
        self._forget()

    def _forget(self) -> None:
        if self._segue_application._current is self:
            self._segue_application._current = None

    # How the properties are read and set.

    def _flag(self, name: str) -> bool:
        return bool(errors.check(getattr(lib, f"segue_activity_{name}")(self._segue_pointer), name))

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
        pointers, count, _keep = text_array(texts, name)
        errors.check(getattr(lib, f"segue_activity_set_{name}")(self._segue_pointer, pointers, count), name)


def open_enum(kind: type[E], number: int) -> E | int:
    """A number of an open enumeration, which a newer library may have added to."""
    try:
        return kind(number)
    except ValueError:
        return number


def text_array(texts: Iterable[str] | None, what: str) -> tuple[Any, int, Any]:
    """Texts as C takes them, how many they are, and what must live as long."""
    if texts is None:
        return ffi.NULL, 0, None
    if isinstance(texts, str):
        raise TypeError(f"{what}: a list of texts is wanted, not one text")
    kept = [ffi.new("char[]", values.encode_text(text, what)) for text in texts]
    return ffi.new("char *[]", kept), len(kept), kept


def _verdict(answer: object) -> int:
    if isinstance(answer, bool):
        return VersionVerdict.AGREES if answer else VersionVerdict.REFUSED
    if isinstance(answer, int):
        return answer
    raise TypeError(f"check_version gives a VersionVerdict or a bool, not {answer!r}")


@callback("segue_activity_delegate", "will_save")
def _will_save(pointer: Any, userdata: Any) -> None:
    if (activity := _handles.find(pointer)) is not None:
        with caught(activity._segue_application):
            at_once(activity.will_save(), "will_save")


@callback("segue_activity_delegate", "was_continued")
def _was_continued(pointer: Any, userdata: Any) -> None:
    if (activity := _handles.find(pointer)) is not None:
        with caught(activity._segue_application) as application:
            application._go_on(activity.was_continued())


@callback("segue_activity_delegate", "check_version", int(VersionVerdict.REFUSED))
def _check_version(pointer: Any, version: int, userdata: Any) -> int:
    verdict: int = VersionVerdict.REFUSED
    if (activity := _handles.find(pointer)) is not None:
        with caught(activity._segue_application):
            verdict = _verdict(at_once(activity.check_version(version), "check_version"))
    return verdict
