"""An idle link: its cost, the time until its loss is noticed, and the fate of choices while it is down."""

import contextlib
import os
import time

from devices import APP, make_fifo
from harness.wire import BusError
from hosts import HAS_KDE, KDE, KDESide, meet, pairs, until
from rows import Row, p50

# Seconds.
IDLE = 120
ROUNDS = 5
NOTICED = 6
HEALED = 2
# KDE Connect is waited for so long, and then it has not noticed, or not come back.
NEVER = 60
SHORT = 5
LONG = 30


def idle(folder, prefix):
    with pairs(folder, prefix) as (ours, theirs):
        hosts = [sides[0].host for sides in (ours, theirs) if sides]
        # The aftermath of the pairing settles.
        time.sleep(10)
        before = [host.traffic() for host in hosts]
        time.sleep(IDLE)
        after = [host.traffic() for host in hosts]
    bytes_, packets = ([(end[what] - start[what]) * 60 / IDLE for start, end in zip(before, after)] for what in (0, 1))
    bytes_, packets = (values + [None] * (2 - len(values)) for values in (bytes_, packets))
    return [
        Row(
            "idle link, bytes a minute, both ways", "", bytes_[0], None, bytes_[1], "<= 1x",
            bytes_[0] <= bytes_[1] if bytes_[1] else None),
        Row("idle link, packets a minute, both ways", "", packets[0], None, packets[1]),
    ]


def loss(folder, prefix):
    """An idle link's cable is pulled, at the switch and then at the device itself."""
    noticed, healed, carrier, theirs_noticed, theirs_healed = [], [], [], None, None
    with pairs(folder, prefix) as (ours, theirs):
        one, other = ours
        for number in range(ROUNDS):
            # At another moment of the heartbeats each time.
            time.sleep(11 + number * 1.1)
            one.host.unplug()
            noticed.append(until(lambda: not one.online() and not other.online(), "that a loss is noticed")[0])
            one.host.plug()
            healed.append(until(lambda: one.online() and other.online(), "the link")[0])
            time.sleep(2)
            one.host.lose_carrier()
            carrier.append(until(lambda: not one.online(), "that a lost carrier is noticed")[0])
            until(lambda: not other.online(), "that a loss is noticed")
            one.host.find_carrier()
            until(lambda: one.online() and other.online(), "the link")
        if HAS_KDE:
            one, other = theirs
            one.host.unplug()
            theirs_noticed = at_last(lambda: not one.reaches(other) and not other.reaches(one))
            one.host.plug()
            theirs_healed = at_last(lambda: one.reaches(other) and other.reaches(one))
            meet(one, other)
            one.host.lose_carrier()
            theirs_carrier = at_last(lambda: not one.reaches(other))
    return [
        Row(
            "idle link cut, until both have noticed, worst", "s", max(noticed), None, theirs_noticed, f"<= {NOTICED} s",
            max(noticed) <= NOTICED),
        Row(
            f"healed, until both are linked (KDE: {NEVER} is never)", "s", p50(healed), None, theirs_healed,
            f"<= {HEALED} s", p50(healed) <= HEALED),
        Row(
            "own carrier lost, until noticed", "s", p50(carrier), None, theirs_carrier if HAS_KDE else None,
            "before the next heartbeat", p50(carrier) < 5),
    ]


def at_last(found):
    try:
        return until(found, "it", NEVER)[0]
    except RuntimeError:
        return NEVER


class Choices:
    """The application on both sides, and what became of one choice."""

    def __init__(self, ours, programs):
        self.origin, self.continuing = ours
        self.stamps = {}
        for device in ours:
            path = make_fifo(device.folder / "stamps")
            device.install(programs / device.name, path)
            device.wire.ask("ReloadConfig")
            self.stamps[device] = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.running = self.origin.spawn(programs / "origin", self.origin.folder / "stamps")
        self.offer = until(self.listed, "the offer")[1]["id"]
        # The application is launched, and runs from then on.
        self.choose()
        until(lambda: self.restored() == 1, "the application")
        self.settle()

    def close(self):
        self.running.terminate()
        self.running.wait()
        self.continuing.end_owner(f"{APP}.Segue")
        for descriptor in self.stamps.values():
            os.close(descriptor)

    def listed(self):
        """An offer of a device that is linked."""
        try:
            offers = self.continuing.control("ListOffers")[0]
        except BusError:
            return None
        return next((offer for offer in offers if not offer["here"] and not offer["stored"]), None)

    def choose(self):
        """Returns the call's serial; the reply comes when the continuation has ended."""
        return self.continuing.control_later("Continue", "sa{sv}", self.offer, {})

    def failed(self, call, patience):
        """Whether the choice was answered with a failure, in time."""
        try:
            self.continuing.wire.body(self.continuing.wire.reply(call, patience))
        except BusError:
            return True
        except AssertionError:
            return False
        return False

    def restored(self):
        """How often the application has restored since the last call."""
        try:
            return len(os.read(self.stamps[self.continuing], 4096)) // 8
        except BlockingIOError:
            return 0

    def settle(self):
        until(lambda: self.origin.online() and self.continuing.online(), "the link")
        # Until the origin has heard of the former continuation, its activity is not on offer here again.
        until(self.listed, "the offer")
        time.sleep(1)


def outages(folder, prefix, programs):
    """Each round has one choice, and one URL that KDE Connect shares, while the cable is out."""
    found = []
    with pairs(folder, prefix) as (ours, theirs), contextlib.closing(Choices(ours, programs)) as choices:
        if HAS_KDE:
            theirs[1].wire.match(f"type='signal',interface='{KDE}.device.share'")
        kinds = [
            (f"choices in an outage of {SHORT} s, restored once", None),
            ("choices, the origin's daemon restarted meanwhile, restored once", 0),
            ("choices, the continuing daemon restarted meanwhile, restored once", 1),
        ]
        for name, restarted in kinds:
            results = [once(choices, theirs, restarted) for _ in range(ROUNDS)]
            mine = sum(result[0] for result in results)
            kde = sum(result[1] for result in results) if HAS_KDE else None
            name += " (KDE: URLs that arrive)"
            found.append(Row(name, f"of {ROUNDS}", mine, None, kde, str(ROUNDS), mine == ROUNDS))
        mine = sum(never(choices) for _ in range(ROUNDS))
        name = f"choices in an outage of {LONG} s, failed once and not restored"
        found.append(Row(name, f"of {ROUNDS}", mine, None, None, str(ROUNDS), mine == ROUNDS))
    return found


def once(choices, theirs, restarted):
    """Whether our choice was restored exactly once, and whether KDE Connect's URL arrived."""
    hosts = [choices.origin.host] + ([theirs[0].host] if theirs else [])
    for host in hosts:
        host.unplug()
    choices.choose()
    if theirs:
        share(*theirs)
    began = time.monotonic()
    if restarted is not None:
        pairs_ = [(choices.origin, choices.continuing)[restarted]] + ([theirs[restarted]] if theirs else [])
        for side in pairs_:
            side.end_daemon()
        for side in pairs_:
            side.begin_daemon()
    time.sleep(max(0, SHORT - (time.monotonic() - began)))
    for host in hosts:
        host.plug()
    try:
        until(lambda: choices.restored() == 1, "a restore", 25)
        is_restored = True
    except RuntimeError:
        is_restored = False
    has_arrived = bool(theirs) and arrived(theirs[1])
    choices.settle()
    if theirs:
        meet(*theirs)
    return is_restored and choices.restored() == 0, has_arrived


def never(choices):
    choices.origin.host.unplug()
    began = time.monotonic()
    has_failed = choices.failed(choices.choose(), LONG)
    time.sleep(max(0, LONG - (time.monotonic() - began)))
    choices.origin.host.plug()
    choices.settle()
    return has_failed and choices.restored() == 0


def share(one, other):
    try:
        one.call(KDESide.path(other) + "/share", f"{KDE}.device.share", "shareUrl", "s", "http://127.0.0.1/x")
    except BusError:
        pass


def arrived(side):
    try:
        side.wire.next_signal("shareReceived", 10)
    except AssertionError:
        return False
    return True
