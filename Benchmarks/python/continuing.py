"""continuing.py FIFO: the application that continues, in Python: as ../continuing.c with --once."""

import os
import struct
import sys
import time

import segue

fifo = os.open(sys.argv[1], os.O_RDWR)
application = segue.Application("org.segue.Bench")


class State(segue.Responder):
    def restore_user_activity_state(self, activity):
        text, count = activity.user_info["text"], activity.user_info["count"]
        stamp = time.monotonic_ns()
        if len(text) != 992 or type(count) is not int:
            sys.exit("continuing: not the state that was saved")
        os.write(fifo, struct.pack("=Q", stamp))
        application.quit()


state = State(application)


@application.on_continue
def resume(activity, restoration):
    restoration(state)
    return True


application.ready()
application.run()
