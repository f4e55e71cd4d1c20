"""One loop for all: descriptors that become readable, and callbacks that are due."""

import heapq
import itertools
import selectors
import time


class Loop:
    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.agenda = []
        self.numbers = itertools.count()

    def watch(self, file, callback):
        self.selector.register(file, selectors.EVENT_READ, callback)

    def unwatch(self, file):
        self.selector.unregister(file)

    def after(self, seconds, callback):
        heapq.heappush(self.agenda, (time.monotonic() + seconds, next(self.numbers), callback))

    def turn(self, until):
        """Waits for the next event, at most until then, and handles it."""
        if self.agenda:
            until = min(until, self.agenda[0][0])
        for key, _ in self.selector.select(max(0, until - time.monotonic())):
            # An earlier callback of the same turn may have closed the descriptor.
            if self.selector.get_map().get(key.fd) is key:
                key.data()
        while self.agenda and self.agenda[0][0] <= time.monotonic():
            heapq.heappop(self.agenda)[2]()

    def run(self, seconds, found=lambda: False):
        """Runs until `found` returns something, which is the result, or for so many seconds."""
        end = time.monotonic() + seconds
        while not (result := found()) and time.monotonic() < end:
            # `found` may become true without an event on a descriptor.
            self.turn(min(end, time.monotonic() + 0.05) if found else end)
        return result
