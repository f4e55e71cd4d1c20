"""One loop for all: descriptors that become readable, and what is due."""

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
        """Waits for the next thing, no longer than until then, and does it."""
        if self.agenda:
            until = min(until, self.agenda[0][0])
        for key, _ in self.selector.select(max(0, until - time.monotonic())):
            # An earlier one of the same turn may have closed it.
            if self.selector.get_map().get(key.fd) is key:
                key.data()
        while self.agenda and self.agenda[0][0] <= time.monotonic():
            heapq.heappop(self.agenda)[2]()

    def run(self, seconds, found=lambda: False):
        """Until something is found, which is given back, or for so long."""
        end = time.monotonic() + seconds
        while not (result := found()) and time.monotonic() < end:
            # What is found need not be a descriptor's news.
            self.turn(min(end, time.monotonic() + 0.05) if found else end)
        return result
