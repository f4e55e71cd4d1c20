"""toolkit.py TOOLKIT APP_ID: an application in the main loop of GLib or of a binding of Qt.

It prints what it restores, raises in the callback, and ends by that loop's own means.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import segue

toolkit, app_id = sys.argv[1:]
if toolkit == "glib":
    from gi.repository import GLib, GObject

    Base: Any = GObject.Object
    loop = GLib.MainLoop()

    def end() -> None:
        GLib.timeout_add(1, loop.quit)

    run = loop.run
else:
    core = importlib.import_module(f"{toolkit}.QtCore")

    Base = core.QObject
    qt = core.QCoreApplication(sys.argv)

    def end() -> None:
        core.QTimer.singleShot(1, qt.quit)

    # The first versions of Qt for Python have only exec_.
    run = getattr(qt, "exec", None) or qt.exec_


def dialog() -> None:
    """Runs a loop inside a callback, as a dialog does."""
    if toolkit == "glib":
        inner = GLib.MainLoop()
        GLib.timeout_add(1, inner.quit)
        inner.run()
    else:
        inner = core.QEventLoop()
        core.QTimer.singleShot(1, inner.quit)
        (getattr(inner, "exec", None) or inner.exec_)()


class View(segue.Responder, Base):  # type: ignore[misc]
    """An object of the toolkit, and a responder."""

    def __init__(self, application: segue.Application) -> None:
        Base.__init__(self)
        segue.Responder.__init__(self, application)

    def restore_user_activity_state(self, activity: segue.Activity) -> Any:
        dialog()
        print("line", activity.user_info["line"], flush=True)
        end()
        raise KeyError("after restoring")


application = segue.Application(app_id)
view = View(application)


@application.on_continue
def resume(activity: segue.Activity, restoration: segue.Restoration) -> bool:
    restoration(view)
    return True


@application.on_state_changed
def changed(state: int, error: segue.Error | None) -> None:
    if state == segue.ApplicationState.REGISTERED:
        print("ready", flush=True)


application.ready()
adapter: Any = importlib.import_module("segue.glib" if toolkit == "glib" else "segue.qt")
attachment = adapter.attach(application)
run()
attachment.close()
attachment.close()
application.close()
