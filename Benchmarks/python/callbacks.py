"""The cost of a callback in Python: as ../callbacks.c, which describes the output."""

import time

import segue

SAMPLES = 50
ROUNDS = 2000


class State(segue.Responder):
    sum = 0

    def restore_user_activity_state(self, activity):
        self.sum += activity.user_info["line"]


application = segue.Application("org.segue.Bench", bus_address="unix:path=/nonexistent")
activity = segue.Activity(application, "org.segue.bench.state", user_info={"line": 1})
state = State(application)
for _ in range(SAMPLES):
    start = time.monotonic_ns()
    for _ in range(ROUNDS):
        state.restore(activity)
    print("callback", (time.monotonic_ns() - start) / ROUNDS)
assert state.sum == SAMPLES * ROUNDS
