"""deleted_parent.py BINDING APP_ID WHEN: an application in the main loop of a binding of Qt, whose notifier is deleted
with its parent; before a callback, or in one. Then the application is closed."""

from __future__ import annotations

import importlib
import sys

import segue
import segue.qt

#: QEvent::DeferredDelete, which the bindings have under several names.
DEFERRED_DELETE = 52

binding, app_id, when = sys.argv[1:]
core = importlib.import_module(f"{binding}.QtCore")
qt = core.QCoreApplication(sys.argv)
parent = core.QObject()
application = segue.Application(app_id)
attachment = segue.qt.attach(application, parent)


def delete() -> None:
    parent.deleteLater()
    core.QCoreApplication.sendPostedEvents(parent, DEFERRED_DELETE)


@application.on_state_changed
def changed(state: int, error: segue.Error | None) -> None:
    delete()
    core.QTimer.singleShot(1, qt.quit)


if when == "before":
    delete()
else:
    (getattr(qt, "exec", None) or qt.exec_)()
attachment.close()
# The application is free for another loop.
segue.qt.attach(application)
application.close()
print("closed", flush=True)
