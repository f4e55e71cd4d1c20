"""Errors: each has a code for the program, a sentence for a person, and advice."""

from __future__ import annotations

import enum
import errno

from ._native import ffi, lib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ErrorCode(enum.IntEnum):
    """The stable codes. A newer library may know more: `Error.code` is then a plain int."""

    USER_CANCELLED = 3072
    HANDOFF_FAILED = 4608
    CONNECTION_UNAVAILABLE = 4609
    REMOTE_APPLICATION_TIMED_OUT = 4610
    HANDOFF_USER_INFO_TOO_LARGE = 4611
    INVALID_ARGUMENT = 9001
    NOT_FOUND = 9002
    INVALIDATED = 9003
    ACCESS_DENIED = 9004
    LIMIT_EXCEEDED = 9005
    NO_APPLICATION = 9006
    LAUNCH_FAILED = 9007
    LAUNCH_TIMED_OUT = 9008
    APPLICATION_EXITED = 9009
    NAME_TAKEN = 9010
    VERSION_MISMATCH = 9011
    PROTOCOL_VIOLATION = 9012
    SYSTEM = 9013
    NOT_HANDLED = 9014
    PLUGIN_FAILED = 9015
    WRONG_THREAD = 9016
    AFTER_FORK = 9017
    CLOSED = 9018


class Error(Exception):
    """Base of all errors of Segue.

    `code` is 0 if the library gave only an errno, `name` is the error's name on the bus or "".
    """

    code: int = 0
    name = ""
    message = ""
    advice = ""
    #: The errno of the call that failed; 0 for an error that no call returned.
    errno = 0

    def __init__(self, message: str, code: int = 0, name: str = "", advice: str = "", errno: int = 0) -> None:
        super().__init__(f"{message} {advice}" if advice else message)
        self.message = message
        self.code = code
        self.name = name
        self.advice = advice
        self.errno = errno


class InvalidArgumentError(Error, ValueError):
    """An argument, a message or a file is malformed."""


class LimitExceededError(Error, ValueError):
    """There are too many of something, or it is too large; docs/limits.md has every limit."""


class NotFoundError(Error, LookupError):
    """The thing that was named does not exist, or not any more."""


class InvalidatedError(Error):
    """The activity was invalidated, or the document closed."""


class AccessDeniedError(Error):
    """The call is not allowed."""


class UserCancelledError(Error):
    """The user chose something else; there is nothing to show."""


class UnavailableError(Error):
    """The other device, the bus, the daemon, or the activity's data is not available now."""


class TimedOutError(UnavailableError):
    """There was no answer in time."""


class ApplicationError(Error):
    """The application could not be found, launched or kept, or did not take the activity."""


class VersionError(Error):
    """The two sides do not understand each other."""


class PluginError(Error):
    """A plugin broke its declaration, or reported a failure."""


class OperatingSystemError(Error):
    """The operating system refused."""


class ClosedError(Error):
    """The application is closed."""


class MisuseError(Error, RuntimeError):
    """The program made a call that it may not make: from another thread, after fork, or inside a callback."""


_CLASSES: dict[int, type[Error]] = {
    ErrorCode.USER_CANCELLED: UserCancelledError,
    ErrorCode.HANDOFF_FAILED: UnavailableError,
    ErrorCode.CONNECTION_UNAVAILABLE: UnavailableError,
    ErrorCode.REMOTE_APPLICATION_TIMED_OUT: TimedOutError,
    ErrorCode.HANDOFF_USER_INFO_TOO_LARGE: LimitExceededError,
    ErrorCode.INVALID_ARGUMENT: InvalidArgumentError,
    ErrorCode.NOT_FOUND: NotFoundError,
    ErrorCode.INVALIDATED: InvalidatedError,
    ErrorCode.ACCESS_DENIED: AccessDeniedError,
    ErrorCode.LIMIT_EXCEEDED: LimitExceededError,
    ErrorCode.NO_APPLICATION: ApplicationError,
    ErrorCode.LAUNCH_FAILED: ApplicationError,
    ErrorCode.LAUNCH_TIMED_OUT: TimedOutError,
    ErrorCode.APPLICATION_EXITED: ApplicationError,
    ErrorCode.NAME_TAKEN: ApplicationError,
    ErrorCode.VERSION_MISMATCH: VersionError,
    ErrorCode.PROTOCOL_VIOLATION: VersionError,
    ErrorCode.SYSTEM: OperatingSystemError,
    ErrorCode.NOT_HANDLED: ApplicationError,
    ErrorCode.PLUGIN_FAILED: PluginError,
    ErrorCode.WRONG_THREAD: MisuseError,
    ErrorCode.AFTER_FORK: MisuseError,
    ErrorCode.CLOSED: ClosedError,
}

# The results of calls that give only an errno (include/segue/base.h, and the functions that name others).
_RESULTS: dict[int, tuple[type[Error], str]] = {
    errno.EINVAL: (InvalidArgumentError, "malformed"),
    errno.E2BIG: (LimitExceededError, "too many or too large"),
    errno.ESTALE: (InvalidatedError, "ended already"),
    errno.ENOENT: (NotFoundError, "there is none"),
    errno.EACCES: (AccessDeniedError, "not allowed"),
    errno.ELOOP: (InvalidArgumentError, "leads back to itself"),
    errno.EALREADY: (MisuseError, "was called before"),
    errno.EDEADLK: (MisuseError, "is not for callbacks"),
    errno.EPERM: (MisuseError, "belongs to the thread that made the application"),
    errno.ECHILD: (MisuseError, "cannot be used after fork"),
    errno.ESHUTDOWN: (ClosedError, "the application is closed"),
}


def text(pointer: Any) -> str:
    """A borrowed text; "" for NULL."""
    return str(ffi.string(pointer), "utf-8") if pointer else ""


def exception(error: Any, number: int = 0) -> Error:
    """The exception for a segue_error, which remains its owner's."""
    code: int = lib.segue_error_get_code(error)
    kind = _CLASSES.get(code, Error)
    try:
        code = ErrorCode(code)
    except ValueError:
        pass
    return kind(
        text(lib.segue_error_get_message(error)), code, text(lib.segue_error_get_name(error)),
        text(lib.segue_error_get_advice(error)), number)


def refused(result: int, what: object) -> Error:
    """The exception for a negative result of a call that gives no error object; `what` names the request."""
    kind, sentence = _RESULTS.get(-result, (OperatingSystemError, errno.errorcode.get(-result, str(result))))
    return kind(f"{what}: {sentence}", errno=-result)


def check(result: int, what: object) -> int:
    """Returns a result that is not a failure, and raises the exception for any other."""
    if result < 0:
        raise refused(result, what)
    return result


def check_error(result: int, what: object, out_error: Any) -> int:
    """As `check`, for a call with an error object, which is released."""
    if result >= 0:
        return result
    error = out_error[0]
    if not error:
        raise refused(result, what)
    try:
        raise exception(error, -result)
    finally:
        lib.segue_error_unref(error)
