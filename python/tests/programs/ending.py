"""ending.py APP_ID TYPE HOW: a program that ends with everything alive, in one of several ways."""

from __future__ import annotations

import asyncio
import os
import sys
import threading

import segue
import segue.aio


class View(segue.Responder):
    def update_user_activity_state(self, activity: segue.Activity) -> None:
        activity.user_info["line"] = 1
        if how == "exit-in-callback":
            finish()
            sys.exit(7)
        if how == "raises-in-callback":
            finish()
            raise KeyError("raised")
        application.quit()


def finish() -> None:
    print("at the end", flush=True)


app_id, type_, how = sys.argv[1:]
application = segue.Application(app_id)
application.ready()
view = View(application)
view.user_activity = segue.Activity(application, type_)
view.user_activity.needs_save = True
document = segue.Document(application, "file:///home/a/list.txt", "text/plain")
window = segue.Window(application)
application.main_window = window
window.focused_responder = view
outcome = application.delete_all_saved()
application.run()

if how == "cycle":
    # Only the end of the interpreter finds these objects.
    setattr(view, "itself", [view, application, window])
    del view, application, window
elif how == "thread":
    # An application that the main thread cannot close, and that nobody closes.
    kept = []
    thread = threading.Thread(target=lambda: kept.append(segue.Application("org.segue.test.Elsewhere")))
    thread.start()
    thread.join()
elif how == "fork":
    if os.fork() == 0:
        print("child", flush=True)
        sys.exit(0)
    os.wait()
elif how == "asyncio":
    async def main() -> None:
        segue.aio.attach(application)
        application.on_state_changed(lambda state, error: asyncio.sleep(60))
        await asyncio.sleep(0)

    asyncio.run(main())
elif how == "unloaded":
    for name in [name for name in sys.modules if name.startswith("segue")]:
        del sys.modules[name]
    del segue
finish()
if how == "exit":
    sys.exit(0)
