"""An application in Qt's main loop: of the binding that the program has imported, else of the first one installed.

Exceptions of callbacks go to sys.excepthook; SystemExit and KeyboardInterrupt end Qt's loop.
"""

from __future__ import annotations

import importlib
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ._attachment import Attachment, descriptor, show

if TYPE_CHECKING:
    from .application import Application

__all__ = ["Attachment", "attach"]

_BINDINGS = ("PySide6", "PyQt6", "PySide2", "PyQt5")


def _core() -> Any:
    """The QtCore of a binding. Two bindings in one process do not know each other's objects."""
    for binding in _BINDINGS:
        if core := sys.modules.get(f"{binding}.QtCore"):
            return core
    for binding in _BINDINGS:
        try:
            return importlib.import_module(f"{binding}.QtCore")
        except ImportError:
            pass
    raise ImportError(f"segue.qt needs one of {', '.join(_BINDINGS)}")


def attach(application: Application, parent: Any = None) -> Attachment:
    """Lets Qt's loop of this thread dispatch the application, by a notifier that belongs to `parent`, if there is one,
    and is deleted with it."""
    core = _core()
    kinds = getattr(core.QSocketNotifier, "Type", core.QSocketNotifier)
    # Qt 5's bindings have the number only as an attribute of the class.
    read = getattr(kinds, "Read", None)
    notifier = core.QSocketNotifier(
        descriptor(application), core.QSocketNotifier.Read if read is None else read, parent)

    def readable(*_: object) -> None:
        # A dialog in a callback runs a loop of its own, which cannot dispatch the application.
        notifier.setEnabled(False)
        # Qt aborts the process for an exception that reaches it.
        try:
            application.dispatch()
        except SystemExit as error:
            core.QCoreApplication.exit(error.code if isinstance(error.code, int) else 1)
        except BaseException as error:
            show(error)
            core.QCoreApplication.exit(1)
        finally:
            # RuntimeError: the notifier was deleted with its parent.
            with suppress(RuntimeError):
                notifier.setEnabled(application._attachment is attachment)

    def leave() -> None:
        with suppress(RuntimeError):
            notifier.setEnabled(False)
            # The notifier is deleted later, since this may run in its own signal.
            notifier.deleteLater()

    attachment = Attachment(application, show, leave)
    notifier.activated.connect(readable)
    return attachment
