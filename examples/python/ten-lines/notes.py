#!/usr/bin/env python3
import sys

import segue

app = segue.Application("org.segue.NotesPython")


@app.on_continue
def resume(activity, restoration):
    print("going on at line", activity.user_info["line"], flush=True)
    return activity.become_current()


app.ready()
if len(sys.argv) > 1:
    segue.Activity(app, "org.segue.notes.editing", user_info={"line": int(sys.argv[1])}).become_current()
app.run()
