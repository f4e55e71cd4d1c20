"""A file that the application has open."""

from __future__ import annotations


from . import _handles, errors, responder, values
from ._handles import callback, caught, taken_text
from ._native import ffi, lib
from .activity import Activity
from .responder import Responder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self

    from .application import Application


class Document(Responder):
    """A document, which is a responder too. In a folder that the devices share, the library makes its activity, with
    the file's URL in it; a subclass defines the methods that save the place in the document, and go there.

    In a `with` statement the document is closed at the end.
    """

    _MEMBERS = (*Responder._MEMBERS, "url_changed")

    def __init__(self, application: Application, url: str | None, mime_type: str) -> None:
        methods = _handles.methods("segue_document_methods", self, Document, Document._MEMBERS)
        methods.restore_user_activity_state = lib.python_segue_document_methods_restore_user_activity_state
        out, out_error = ffi.new("segue_document **"), ffi.new("segue_error **")
        result = lib.segue_document_new(
            application._segue_pointer, ffi.NULL if url is None else values.encode_text(url, "url"),
            values.encode_text(mime_type, "mime_type"), methods, ffi.NULL, ffi.NULL, out, out_error)
        errors.check_error(result, f"a document at {url}", out_error)
        self._segue_application = application
        self._segue_own(out[0], lib.segue_document_unref)

    # The callback, which a subclass may replace.

    def url_changed(self, url: str) -> Any:
        """Another program has renamed or moved the file, and the document has followed: save to this URL from now
        on."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if not self._segue_application.is_closed:
            self.close()

    @property
    def _segue_responder(self) -> Any:
        return lib.segue_document_get_responder(self._segue_pointer)

    @property
    def url(self) -> str | None:
        """The file's URL, None while there is no file. Set it when the file is saved under another name, or moved."""
        out = ffi.new("char **")
        errors.check(lib.segue_document_copy_url(self._segue_pointer, out), "url")
        return taken_text(out)

    @url.setter
    def url(self, url: str | None) -> None:
        encoded = ffi.NULL if url is None else values.encode_text(url, "url")
        errors.check(lib.segue_document_set_url(self._segue_pointer, encoded), "url")

    def set_viewed(self, is_viewed: bool) -> None:
        """Says whether the user only looks at the document: if the desktop file declares an activity type for that, the
        document's activity is of that type."""
        role = lib.SEGUE_DOCUMENT_VIEWED if is_viewed else lib.SEGUE_DOCUMENT_EDITED
        errors.check(lib.segue_document_set_role(self._segue_pointer, role), "set_viewed")

    @property
    def user_activity(self) -> Activity | None:
        """The document's activity, whoever made it. If you set one, the library makes none for this document."""
        return self._segue_copied(lib.segue_document_copy_user_activity, self._segue_pointer)

    @user_activity.setter
    def user_activity(self, activity: Activity | None) -> None:
        self._segue_set_activity(lib.segue_document_set_user_activity, self._segue_pointer, activity)

    def add_responder(self, other: Responder) -> None:
        """Adds a responder that belongs to the document: it has a part in the document's activity, and restores after
        the document, which does not keep it."""
        errors.check(lib.segue_document_add_responder(self._segue_pointer, other._segue_responder), "add_responder")

    def remove_responder(self, other: Responder) -> None:
        errors.check(
            lib.segue_document_remove_responder(self._segue_pointer, other._segue_responder), "remove_responder")

    def close(self) -> None:
        """Closes the document and invalidates its activity. Closing twice is fine."""
        errors.check(lib.segue_document_close(self._segue_pointer), "close")


@callback("segue_document_methods", "update_user_activity_state")
def _update(pointer: Any, activity: Any, userdata: Any) -> None:
    if (document := _handles.find(pointer)) is not None:
        responder.update(document, activity)


@callback("segue_document_methods", "restore_user_activity_state")
def _restore(pointer: Any, activity: Any, userdata: Any) -> None:
    if (document := _handles.find(pointer)) is not None:
        document._segue_application._turn(document, activity, document.restore_user_activity_state)


@callback("segue_document_methods", "user_activity_changed")
def _changed(pointer: Any, activity: Any, userdata: Any) -> None:
    if (document := _handles.find(pointer)) is not None:
        responder.changed(document, activity)


@callback("segue_document_methods", "url_changed")
def _url_changed(pointer: Any, url: Any, userdata: Any) -> None:
    if (document := _handles.find(pointer)) is not None:
        with caught(document._segue_application) as application:
            application._go_on(document.url_changed(errors.text(url)))
