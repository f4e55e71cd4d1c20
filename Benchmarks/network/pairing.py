"""Two devices come together: paired by a script in place of two people, and again after a restart."""

import contextlib
import time

from dbus_fast import Variant
from harness.avahi import Machine
from hosts import HAS_KDE, KDESide, Network, SegueSide, pair_kde, pairs, until
from rows import Row, p50

PAIRINGS = 20
RESTARTS = 10
PAIRING = 50
RESTART = 80


def pairing(folder, prefix):
    """Machine time: what people read and type takes no time at all."""
    ours, theirs = [], []
    with Network() as network:
        with SegueSide(folder, "one", prefix, network.host()) as one, \
                SegueSide(folder, "other", prefix, network.host()) as other:
            for _ in range(PAIRINGS):
                ours.append(pair_ours(one, other) * 1000)
                for device in (one, other):
                    for row in device.control("ListDevices")[0]:
                        device.control("RemoveDevice", "s", row["id"])
        if HAS_KDE:
            with KDESide(folder, "one", network.host()) as one, KDESide(folder, "other", network.host()) as other:
                for _ in range(PAIRINGS):
                    theirs.append(pair_kde(one, other) * 1000)
                    one.device(other, "unpair")
                    other.device(one, "unpair")
                    until(lambda: not one.trusts(other) and not other.trusts(one), "the end of the pairing")
    median = p50(ours)
    return [
        Row(
            "pairing, machine time, request to both trusting", "ms", median, None, p50(theirs) if theirs else None,
            f"<= {PAIRING} ms", median <= PAIRING),
    ]


def pair_ours(one, other):
    other.control("Pair", "a{sv}", {})
    addresses = until(lambda: other.control("GetPairing")[0].get("addresses"), "the window")[1]
    start = time.monotonic()
    one.control("Pair", "a{sv}", {"addresses": Variant("as", addresses)})
    sides = (one, other)
    done = set()
    digits = None
    while True:
        states = [side.control("GetPairing")[0] for side in sides]
        words = [state["state"] for state in states]
        for number, (side, state) in enumerate(zip(sides, states)):
            if state["state"] == "failed":
                raise RuntimeError(f"the pairing failed: {state}")
            digits = state.get("digits") or digits
            if (number, state["state"]) in done:
                continue
            if state["state"] == "typing" and digits:
                side.control("TypeDigits", "s", digits.replace(" ", ""))
            elif state["state"] == "asking":
                side.control("ConfirmPairing", "b", True)
            else:
                continue
            done.add((number, state["state"]))
        if words == ["paired", "paired"]:
            break
        if time.monotonic() - start > 20:
            raise RuntimeError(f"the pairing did not come about: {states}")
    took = time.monotonic() - start
    for side in sides:
        side.control("EndPairing")
    return took


def discovery(folder, prefix):
    """Two devices that know each other's keys and no address, from the moment both do until they are linked."""
    found = []
    with contextlib.ExitStack() as ends:
        network = ends.enter_context(Network())
        sides = []
        for name in ("one", "other"):
            host = network.host()
            machine = ends.enter_context(contextlib.closing(Machine(host)))
            machine.start()
            sides.append(ends.enter_context(SegueSide(folder, name, prefix, host, machine)))
        status = [side.control("GetStatus")[0] for side in sides]
        for _ in range(RESTARTS):
            for number, side in enumerate(sides):
                side.control("AddDevice", "ssas", status[1 - number]["device-id"], sides[1 - number].name, [])
            found.append(until(lambda: all(side.online() for side in sides), "the link")[0])
            for number, side in enumerate(sides):
                side.control("RemoveDevice", "s", status[1 - number]["device-id"])
    return [Row("discovery by Avahi to linked, no address known", "s", p50(found), max(found))]


def restart(folder, prefix):
    """One daemon is started again, and its device is where it was."""
    ours, theirs = [], []
    with pairs(folder, prefix) as (segue, kde):
        one, other = segue
        for _ in range(RESTARTS):
            other.end_daemon()
            until(lambda: one.online() == 0, "the loss")
            start = time.monotonic()
            other.begin_daemon()
            until(lambda: one.online() and other.online(), "the link")
            ours.append((time.monotonic() - start) * 1000)
        if HAS_KDE:
            one, other = kde
            for _ in range(RESTARTS):
                other.end_daemon()
                until(lambda: not one.reaches(other), "the loss")
                start = time.monotonic()
                other.begin_daemon()
                until(lambda: one.reaches(other) and other.reaches(one), "the link")
                theirs.append((time.monotonic() - start) * 1000)
    median = p50(ours)
    return [
        Row(
            "restart of one daemon to linked, at the last address", "ms", median, None, p50(theirs) if theirs else None,
            f"<= {RESTART} ms", median <= RESTART),
    ]
