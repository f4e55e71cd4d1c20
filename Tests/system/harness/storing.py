"""What a device keeps of activities (semantics C5, X7)."""

from .device import matches
from .waiting import wait_for


def stored(device, kind, **wanted):
    """What the device keeps of a kind, as `segue stored` lists it."""
    return [item for item in device.json("stored") if item["kind"] == kind and matches(item, wanted)]


def until(device, found, what):
    """Asks anew whenever the daemon says that what it keeps has changed."""
    with device.bus() as bus:
        bus.match("type='signal',interface='org.segue.Control1',member='StoredChanged'")
        return wait_for(found, what, lambda left: bus.next_signal("StoredChanged", left))


def until_stored(device, kind="snapshot", count=1, **wanted):
    """The first of the copies, once there are so many."""
    def found():
        copies = stored(device, kind, **wanted)
        return copies if len(copies) >= count else None

    return until(device, found, f"a copy ({kind}) with {wanted}")[0]


def until_not_stored(device, kind="snapshot", **wanted):
    until(device, lambda: not stored(device, kind, **wanted), f"the end of the copy ({kind}) with {wanted}")
