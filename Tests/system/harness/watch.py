"""`segue watch --json`: what a device's daemon shows, as it changes."""

import json
import subprocess

from .bounds import SECONDS
from .lines import Ended, Lines
from .tree import SEGUE


class Watch:
    def __init__(self, environment, log):
        self.process = subprocess.Popen(
            [SEGUE, "watch", "--json"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        self.lines = Lines(self.process.stdout.fileno())
        self.items = {"offer": {}, "activity": {}, "device": {}}
        #: (id, state) of continuations, in order.
        self.continuations = []
        #: The items that came and went: (event, change, item).
        self.history = []

    def take(self, line):
        change = json.loads(line)
        kind = change["event"]
        if kind == "daemon":
            # A test that goes on with the next one begins a new watch.
            raise Ended("the daemon has ended")
        if kind == "continuation":
            self.continuations.append((change["continuation"], change["state"]))
            return
        item = change[kind]
        self.history.append((kind, change["change"], item))
        # Two devices may have offers with one id.
        key = item["id"], item.get("device-id") if kind == "offer" else None
        if change["change"] == "gone":
            self.items[kind].pop(key, None)
        else:
            self.items[kind][key] = item

    def until(self, found, what, timeout=SECONDS):
        """Reads on until `found(self)` gives something, and gives it back."""
        while True:
            result = found(self)
            if result:
                return result
            try:
                line = self.lines.next(timeout)
            except Ended:
                raise
            except AssertionError as error:
                raise AssertionError(f"{what} did not come: {self.items}") from error
            self.take(line)

    def until_gone(self):
        """Reads on until the daemon has ended."""
        try:
            self.until(lambda watch: False, "the daemon's end")
        except Ended:
            pass

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
