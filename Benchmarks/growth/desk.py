"""An application that puts something on offer, and front ends of other devices that hear of it."""

import contextlib
import subprocess
import time

from devices import PATIENCE

from .looks import CONTROL, connected

#: Two announcements a round, each of which a device may send at once so often (announceInterval).
ROUND_SECONDS = 0.3


class Application:
    """offering.c on a device, whose offers the others hear of."""

    def __init__(self, device, others):
        self.others = others
        program = device.folder.parent / "offering"
        self.process = subprocess.Popen(
            [*device.within, program], env=device.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def tell(self, word):
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def offer(self):
        """Puts an activity on offer: when that was, in nanoseconds."""
        self.tell("on")
        return int(self.process.stdout.readline())

    def end_offer(self, ears):
        """Takes it off, and waits until that has been heard and the next may be announced at once."""
        time.sleep(ROUND_SECONDS)

        def off():
            self.tell("off")
            return time.monotonic_ns()

        ears.hear(off, len(self.others))
        time.sleep(ROUND_SECONDS)


class Ears:
    """The signals OffersChanged of some devices, by one main loop."""

    def __init__(self, devices):
        self.devices = devices
        self.stamps = {}

    def __enter__(self):
        self.stack = contextlib.ExitStack()
        for number, device in enumerate(self.devices):
            bus = self.stack.enter_context(connected(device))
            bus.signal_subscribe(
                None, CONTROL, "OffersChanged", None, None, 0,
                lambda *_, number=number: self.stamps.setdefault(number, time.monotonic_ns()))
        return self

    def __exit__(self, *problem):
        self.stack.close()

    def hear(self, cause, count):
        """Milliseconds from what causes it, which says when that was, to the last device's signal."""
        from gi.repository import GLib

        self.stamps.clear()
        start = cause()
        context = GLib.MainContext.default()
        give_up = time.monotonic() + PATIENCE
        wake = GLib.timeout_add(100, lambda: True)
        try:
            while len(self.stamps) < count:
                if time.monotonic() > give_up:
                    raise RuntimeError(f"{count - len(self.stamps)} devices have heard of nothing")
                context.iteration(True)
        finally:
            GLib.source_remove(wake)
        return (max(self.stamps.values()) - start) / 1e6
