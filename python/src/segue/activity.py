"""Activities: each describes what the user is doing, so that another device can take it over."""

from __future__ import annotations

import enum
import errno
from collections.abc import Callable, Mapping, MutableMapping

from . import _handles, errors, values
from ._attributes import Attributes
from ._handles import at_once, callback, caught, open_enum
from ._native import ffi, lib
from ._user_info import UserInfo
from .file import FileOutcome
from .stream import Streams, StreamsOutcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    import uuid
    from types import TracebackType
    from typing import Any, TypeVar

    from typing_extensions import Self

    from .application import Application

    F = TypeVar("F", bound=Callable[..., object])

#: The type of a web page in a browser.
BROWSING_WEB = errors.text(lib.segue_activity_type_browsing_web())
#: The key in userInfo under which a document's URL stands.
DOCUMENT_URL_KEY = errors.text(lib.segue_document_url_key())
#: The key in userInfo of the names of the parts that were not saved: `Activity.unsaved`.
UNSAVED_KEY = "SegueUnsaved"
_MOST_NAMES = 16
_LONGEST_NAME = 100


class SaveReason(enum.IntEnum):
    """Why the save callbacks run."""

    NONE = 0
    OFFER = 1
    REQUEST = 2
    SNAPSHOT = 3
    SEARCH = 4
    RESTORATION = 5


class VersionVerdict(enum.IntEnum):
    """The answer of check_version about the version of the application that continues."""

    AGREES = 0
    REFUSED = 1
    MISMATCH = 2


class Activity(Attributes):
    """An activity, on offer once it is current (`become_current`) or set on a responder.

    A subclass may define `will_save`, `was_continued`, `check_version` and `did_receive_streams`; the decorators
    `on_will_save`, `on_was_continued`, `on_check_version` and `on_did_receive_streams` do the same for one object. In a
    `with` statement the activity is invalidated at the end. Every thread may use the properties.
    """

    _MEMBERS = ("will_save", "was_continued", "check_version", "did_receive_streams")

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
        """The object for a pointer that somebody else owns: the existing one, or a new one."""
        found = _handles.find(pointer)
        if found is not None:
            known: Activity = found
            return known
        return cls._taking(lib.segue_activity_ref(pointer), application)

    @classmethod
    def _taking(cls, pointer: Any, application: Application) -> Activity:
        """The object for a reference that is handed over: the existing one, or a new one."""
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

    # The callbacks, which a subclass or a decorator may replace.

    def will_save(self) -> None:
        """The activity is about to be sent: bring user_info up to date. This comes last in the round, after
        responders."""

    def was_continued(self) -> None:
        """Another device, or another application, has continued the activity."""

    def check_version(self, version: int) -> VersionVerdict | bool:
        """Whether an application that states this version of the type may continue the activity; 0 if it states none.
        True agrees, False refuses."""
        return True

    def did_receive_streams(self, streams: Streams) -> object:
        """The application that continues the activity has asked for streams: these are this side's, and yours to
        close."""

    def on_will_save(self, function: F) -> F:
        return self._on("will_save", function)

    def on_was_continued(self, function: F) -> F:
        return self._on("was_continued", function)

    def on_check_version(self, function: F) -> F:
        return self._on("check_version", function)

    def on_did_receive_streams(self, function: F) -> F:
        return self._on("did_receive_streams", function)

    def _on(self, member: str, function: F) -> F:
        setattr(self, member, function)
        self._set_delegate()
        return function

    def _set_delegate(self) -> None:
        delegate = _handles.methods("segue_activity_delegate", self, Activity, self._MEMBERS)
        if any(getattr(delegate, member) for member in self._MEMBERS):
            result = lib.segue_activity_set_delegate(self._segue_pointer, delegate, ffi.NULL, ffi.NULL)
            errors.check(result, "the activity's delegate")

    # The activity's identity.

    @property
    def application(self) -> Application:
        return self._segue_application

    @property
    def type(self) -> str:
        return errors.text(lib.segue_activity_get_type(self._segue_pointer))

    @property
    def id(self) -> uuid.UUID:
        """The activity's id: new for each object, and never reused."""
        from uuid import UUID

        out = ffi.new("uint8_t[16]")
        errors.check(lib.segue_activity_get_id(self._segue_pointer, out), "id")
        return UUID(bytes=bytes(out))

    @property
    def revision(self) -> int:
        """A number that grows with each snapshot that differs from the last."""
        out = ffi.new("uint64_t *")
        errors.check(lib.segue_activity_get_revision(self._segue_pointer, out), "revision")
        revision: int = out[0]
        return revision

    @property
    def continued_from(self) -> tuple[uuid.UUID, int] | None:
        """The id and revision of the activity that this one was made from, until its first change."""
        from uuid import UUID

        out = ffi.new("uint8_t[16]")
        revision = ffi.new("uint64_t *")
        result = lib.segue_activity_get_continued_from(self._segue_pointer, out, revision)
        if result == -errno.ENOENT:
            return None
        errors.check(result, "continued_from")
        return UUID(bytes=bytes(out)), revision[0]

    @property
    def restored_age(self) -> float | None:
        """Seconds since the state was saved, for an activity that `Application.last_state` gave; else None."""
        milliseconds = self._restored("age")
        return None if milliseconds is None else milliseconds / 1000

    @property
    def restored_version(self) -> int | None:
        """The version of the type that the application stated when the state was saved, 0 if it stated none; None for
        any other activity."""
        return self._restored("version")

    def _restored(self, what: str) -> int | None:
        out = ffi.new("uint64_t *")
        result = getattr(lib, f"segue_activity_get_restored_{what}")(self._segue_pointer, out)
        if result == -errno.ENOENT:
            return None
        errors.check(result, what)
        number: int = out[0]
        return number

    @property
    def is_current(self) -> bool:
        return self._flag("is_current")

    @property
    def is_invalid(self) -> bool:
        return self._flag("is_invalid")

    @property
    def save_reason(self) -> SaveReason | int:
        """The reason why the save callbacks run, inside them."""
        reason = errors.check(lib.segue_activity_get_save_reason(self._segue_pointer), "save_reason")
        return open_enum(SaveReason, reason)

    @property
    def was_continued_in_browser(self) -> bool:
        """Inside `was_continued`: whether a browser shows the web page, and no application took the activity."""
        return self._flag("was_continued_in_browser")

    # The state.

    @property
    def user_info(self) -> MutableMapping[Any, Any]:
        """The state, as a dictionary: reading and setting a key reads and sets it in the activity."""
        return UserInfo(self)

    @user_info.setter
    def user_info(self, entries: MutableMapping[Any, Any]) -> None:
        if not isinstance(entries, Mapping):
            raise TypeError(f"user_info: a dictionary is wanted, not a {type(entries).__name__}")
        value = values.new(dict(entries), "user_info")
        errors.check(lib.segue_activity_set_user_info(self._segue_pointer, value), "user_info")

    @property
    def unsaved(self) -> list[str]:
        """The parts of the state that are missing, since their callbacks raised when they were saved: the classes of
        responders, and "will_save" and "did_update". The device that continues the activity gets the names, too; what
        to tell the user is up to the application there."""
        names = self.user_info.get(UNSAVED_KEY)
        if not isinstance(names, list):
            return []
        # The names may come from another device, and go to logs.
        return [name for name in names if isinstance(name, str) and len(name) <= _LONGEST_NAME and name.isidentifier()]

    def _was_not_saved(self, name: str, error: BaseException) -> None:
        """Notes that a save callback has raised. The others save their parts, and the application that continues the
        activity can tell which part is missing."""
        unsaved = self.unsaved
        if name not in unsaved and len(unsaved) < _MOST_NAMES:
            self.user_info[UNSAVED_KEY] = [*unsaved, name[:_LONGEST_NAME]]
        self._segue_application._note(
            f"{self.type} is saved without the part of {name}, which raised {type(error).__name__}: {error}")

    def _was_saved(self, name: str) -> None:
        """Removes the note of an earlier round: user_info is not emptied between rounds if there are no responders."""
        unsaved = self.unsaved
        if name in unsaved:
            unsaved.remove(name)
            if unsaved:
                self.user_info[UNSAVED_KEY] = unsaved
            else:
                del self.user_info[UNSAVED_KEY]

    @property
    def needs_save(self) -> bool:
        """Whether the state has changed. Set it at every change, which costs nothing: the library asks for the state
        only when somebody wants it."""
        return self._flag("needs_save")

    @needs_save.setter
    def needs_save(self, needs_save: bool) -> None:
        self._set_flag("needs_save", needs_save)

    # Continuation streams.

    @property
    def supports_continuation_streams(self) -> bool:
        """Whether the application that continues the activity may ask, at any time, for streams to
        `did_receive_streams` here."""
        return self._flag("supports_continuation_streams")

    @supports_continuation_streams.setter
    def supports_continuation_streams(self, supported: bool) -> None:
        self._set_flag("supports_continuation_streams", supported)

    def get_continuation_streams(self) -> StreamsOutcome:
        """Asks the application that this activity was continued from for streams, new ones each time. Call it on the
        object that `continue_activity` was given. Await the outcome, or give it a function (`when_done`)."""
        outcome = StreamsOutcome(self._segue_application)
        self._segue_application._await(
            outcome, "get_continuation_streams", lib.segue_activity_get_continuation_streams, self._segue_pointer,
            lib.python_segue_streams)
        return outcome

    # Files that userInfo names.

    @property
    def allows_files(self) -> bool:
        """Whether the application that continues the activity may bring the files that user_info names by their
        URLs."""
        return self._flag("allows_files")

    @allows_files.setter
    def allows_files(self, allowed: bool) -> None:
        self._set_flag("allows_files", allowed)

    def bring_file(self, url: str, progress: Callable[[int, int], object] | None = None) -> FileOutcome:
        """Brings a file that user_info names from the device that this activity was continued from. Call it on the
        object that `continue_activity` was given. Await the outcome, or give it a function (`when_done`). `progress`
        gets the number of bytes that have arrived and the file's size, ten times a second at most."""
        outcome = FileOutcome(self, url, progress)
        handler = ffi.NULL if progress is None else lib.python_segue_file_progress
        self._segue_application._await(
            outcome, "bring_file", lib.segue_activity_bring_file, self._segue_pointer, values.encode_text(url, "url"),
            handler, lib.python_segue_file)
        return outcome

    def cancel_file(self, url: str) -> bool:
        """Ends the transfer that `bring_file` began for the URL; false if the file is not on its way."""
        result = lib.segue_activity_cancel_file(self._segue_pointer, values.encode_text(url, "url"))
        if result == -errno.ENOENT:
            return False
        errors.check(result, "cancel_file")
        return True

    # The activity's life.

    def become_current(self) -> bool:
        """Makes the activity the one on offer, which the application keeps; does nothing but return False once it is
        invalid."""
        outcome = errors.check(lib.segue_activity_become_current(self._segue_pointer), "become_current")
        if outcome == lib.SEGUE_ACTIVITY_IS_INVALID:
            return False
        self._segue_application._current = self
        return True

    def resign_current(self) -> None:
        """Withdraws the activity's offer. The activity stays valid."""
        errors.check(lib.segue_activity_resign_current(self._segue_pointer), "resign_current")
        self._forget()

    def invalidate(self) -> None:
        """Ends the activity for good, and withdraws it from every device. Invalidating twice is fine."""
        errors.check(lib.segue_activity_invalidate(self._segue_pointer), "invalidate")
        self._forget()

    def _forget(self) -> None:
        if self._segue_application._current is self:
            self._segue_application._current = None


def _verdict(answer: object) -> int:
    if isinstance(answer, bool):
        return VersionVerdict.AGREES if answer else VersionVerdict.REFUSED
    if isinstance(answer, int):
        return answer
    raise TypeError(f"check_version gives a VersionVerdict or a bool, not {answer!r}")


class saving:
    """A context around a save callback: the activity notes that the callback has raised."""

    __slots__ = ("activity", "name")

    def __init__(self, activity: Activity, name: str) -> None:
        self.activity = activity
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        with caught(self.activity._segue_application):
            if error is None:
                self.activity._was_saved(self.name)
            else:
                self.activity._was_not_saved(self.name, error)


@callback("segue_activity_delegate", "will_save")
def _will_save(pointer: Any, userdata: Any) -> None:
    if (activity := _handles.find(pointer)) is not None:
        with caught(activity._segue_application), saving(activity, "will_save"):
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


@callback("segue_activity_delegate", "did_receive_streams")
def _did_receive_streams(pointer: Any, input: int, output: int, userdata: Any) -> None:
    if not pointer:
        return
    streams = Streams(input, output)
    if (activity := _handles.find(pointer)) is None:
        return streams.close()
    with caught(activity._segue_application) as application:
        application._go_on(activity.did_receive_streams(streams))
