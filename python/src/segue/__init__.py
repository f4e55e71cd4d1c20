"""Segue: continue on this device what you were doing on another.

    app = segue.Application("org.example.Notes")

    @app.on_continue
    def resume(activity, restoration):
        ...
        return True

    app.ready()
    activity = segue.Activity(app, "org.example.notes.editing", user_info={"line": 42})
    activity.become_current()
    app.run()

For your own main loop: segue.aio, segue.glib, segue.gtk, segue.qt, or `Application.fileno` and `dispatch`.
"""

# Throughout the package, only type checkers import the names that only they need: typing is a third of all imports.
from ._native import lib as _lib
from .activity import BROWSING_WEB, DOCUMENT_URL_KEY, UNSAVED_KEY, Activity, SaveReason, VersionVerdict
from .application import Application
from .continuation import Continuation, Restoration
from .document import Document
from .errors import (
    AccessDeniedError,
    ApplicationError,
    ClosedError,
    Error,
    ErrorCode,
    InvalidArgumentError,
    InvalidatedError,
    LimitExceededError,
    MisuseError,
    NotFoundError,
    OperatingSystemError,
    PluginError,
    TimedOutError,
    UnavailableError,
    UserCancelledError,
    VersionError,
    text as _text,
)
from .file import BroughtFile, FileOutcome
from .offer import Offer
from .outcome import Outcome
from .plugin import Plugin, PluginObject
from .responder import Responder
from .restoring import StateOutcome, StatesOutcome
from .states import ApplicationState, Current, CurrentReason
from .stream import Streams, StreamsOutcome
from .values import URL
from .window import Window

#: The version of the library that is loaded.
__version__ = _text(_lib.segue_version_string())

__all__ = [
    "BROWSING_WEB", "DOCUMENT_URL_KEY", "UNSAVED_KEY", "URL",
    "AccessDeniedError", "Activity", "Application", "ApplicationError", "ApplicationState", "BroughtFile", "ClosedError",
    "Continuation", "Current", "CurrentReason", "Document", "Error", "ErrorCode", "FileOutcome", "InvalidArgumentError",
    "InvalidatedError", "LimitExceededError", "MisuseError", "NotFoundError", "Offer", "OperatingSystemError", "Outcome",
    "Plugin", "PluginError", "PluginObject", "Responder", "Restoration", "SaveReason", "StateOutcome", "StatesOutcome",
    "Streams", "StreamsOutcome", "TimedOutError", "UnavailableError", "UserCancelledError", "VersionError", "VersionVerdict", "Window",
]
