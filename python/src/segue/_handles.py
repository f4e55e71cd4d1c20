"""Python objects that stand for objects of the library.

Each holds one counted reference, and gives it back when it is collected. A callback gets the library's pointer and
finds the Python object by it, as long as there is one: the library never points to a Python object.
"""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakValueDictionary

from . import errors
from ._native import ffi, lib

TYPE_CHECKING = False
if TYPE_CHECKING:
    import enum
    from types import TracebackType
    from typing import Any, TypeVar

    from .application import Application

    E = TypeVar("E", bound=enum.IntEnum)

_objects: WeakValueDictionary[Any, Handle] = WeakValueDictionary()


class Handle:
    """Base of these objects. Names begin with _segue, since a class of a toolkit may be a base beside this one."""

    _segue: Any = None
    _segue_application: Application

    def _segue_own(self, pointer: Any, unref: Callable[[Any], Any]) -> None:
        """Takes over a reference."""
        self._segue = ffi.gc(pointer, unref)
        _objects[pointer] = self

    def _segue_disown(self) -> None:
        """Gives the reference back before the object goes."""
        pointer, self._segue = self._segue, None
        if pointer is not None:
            _objects.pop(pointer, None)
            ffi.release(pointer)

    @property
    def _segue_pointer(self) -> Any:
        pointer = self._segue
        if pointer is None:
            raise errors.ClosedError(f"This {type(self).__name__} is closed, or its __init__ was not called.")
        return pointer


def find(pointer: Any) -> Any:
    """The object that stands for a callback's pointer; None if it was collected."""
    return _objects.get(pointer)


def overrides(owner: object, base: type, member: str) -> bool:
    """Whether a subclass or a decorator has replaced a method of the base."""
    return getattr(getattr(owner, member), "__func__", None) is not getattr(base, member)


def methods(struct: str, owner: object, base: type, members: tuple[str, ...]) -> Any:
    """A struct of callbacks, with those members for which the owner overrides the method."""
    made = ffi.new(f"{struct} *")
    made.struct_size = ffi.sizeof(struct)
    for member in members:
        if overrides(owner, base, member):
            setattr(made, member, getattr(lib, f"python_{struct}_{member}"))
    return made


def extern(name: str, failed: object = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes a function the one that the library calls. `failed` is returned when the function raises, which is a
    mistake in this package: each function hands exceptions of the program's code to the application."""
    result = {} if failed is None else {"error": failed}
    define: Callable[[Callable[..., Any]], Callable[..., Any]] = ffi.def_extern(name=f"python_{name}", **result)
    return define


def callback(struct: str, member: str, failed: object = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """As `extern`, for a struct's member."""
    return extern(f"{struct}_{member}", failed)


class caught:
    """A context around a program's own code in a callback: its exceptions must not go on into the library."""

    __slots__ = ("application",)

    def __init__(self, application: Application) -> None:
        self.application = application

    def __enter__(self) -> Application:
        return self.application

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool:
        if error is not None:
            self.application._caught(error)
        return True


def at_once(answer: Any, method: str) -> Any:
    """The result of a method that must have done its work when it returns; raises TypeError for a coroutine."""
    if hasattr(answer, "__await__"):
        if hasattr(answer, "close"):
            answer.close()
        raise TypeError(f"{method} cannot be async: what it does counts when it returns")
    return answer


def taken_text(out: Any) -> str | None:
    """The text that a _copy_ function gave, or None."""
    pointer = out[0]
    if not pointer:
        return None
    try:
        return errors.text(pointer)
    finally:
        lib.segue_free(pointer)


def open_enum(kind: type[E], number: int) -> E | int:
    """A member of an open enumeration, or a plain int for one that only a newer library knows."""
    try:
        return kind(number)
    except ValueError:
        return number
