"""Rests: all harms are over, all choices have ended, and every device must see what the others have on offer."""

import time

from ledger import LONGEST, MEANWHILE

#: Seconds: until linked devices are linked again, and until one sees what another has on offer.
LINKED, SEEN = 60, 20
#: Until the daemon closes the store's file, which it keeps open for a while (Limits.storeIdleTime).
IDLE = 12
#: Until an origin that is linked has been told.
TOLD = 20


class Rest:
    def __init__(self, soak):
        self.soak = soak
        self.loop = soak.loop
        self.ledger = soak.ledger

    def take(self):
        self.soak.log("rest")
        self.loop.run(LONGEST + 60, lambda: not self.soak.harms.open)
        self.loop.run(LONGEST + 10, lambda: self.ledger.overdue() or not self.ledger.open)
        self.loop.run(MEANWHILE + 1)
        self.wait_for_links()
        self.loop.run(TOLD, lambda: not self.ledger.wrongly_told())
        self.ledger.judge_ended()
        self.ledger.check_told()
        self.quit_all()
        self.roll_call()
        self.quit_all()
        self.loop.run(IDLE)
        self.soak.growth.look(self.soak.devices)
        self.soak.log("rest is over")

    def quit_all(self):
        """Quits all processes but the steady ones, so that each rest finds the same processes."""
        def leaving():
            return [process for device in self.soak.devices for process in device.running() if not process.is_steady]

        for process in leaving():
            process.quit()
        if not self.loop.run(20, lambda: not leaving()):
            self.ledger.broken(f"did not quit: {[process.name for process in leaving()]}")

    # Links

    def ask(self, device, member, signature="", body=()):
        """Asks, waits, and returns the reply's body, or None if there is none."""
        replies = []
        device.control.ask(replies.append, member, signature, body)
        self.loop.run(SEEN, lambda: replies)
        return replies[0][0] if replies and isinstance(replies[0], list) else None

    def missing(self, device):
        """The devices that the device ought to be linked with, and is not."""
        found = self.ask(device, "ListDevices") or []
        online = {item["name"] for item in found if item["online"]}
        return [other for other in self.soak.peers(device) if other.name not in online]

    def wait_for_links(self):
        end = time.monotonic() + LINKED
        waiting = list(self.soak.devices)
        while waiting and time.monotonic() < end:
            self.loop.run(0.3)
            waiting = [device for device in waiting if self.missing(device)]
        for device in waiting:
            names = [other.name for other in self.missing(device)]
            if names:
                self.ledger.broken(f"{device.name} has no link to {names} within {LINKED} s")

    # The roll call

    def roll_call(self):
        """Each device offers something new: the linked ones see it, and one of them continues it."""
        act = next(self.soak.acts)
        for number, device in enumerate(self.soak.devices):
            place = device.places[(number + int(act.dice[0] * 100)) % len(device.places)]
            if not place.processes:
                place.start()
            if not self.loop.run(20, lambda place=place: place.processes):
                self.ledger.broken(f"{device.name}: {place.short} did not start")
                continue
            act.dice[3] = act.dice[4] = 0.5
            process = place.processes[0]
            name = self.soak.uses.open(act, process)
            self.calls(device, process, name)

    def calls(self, device, process, name):
        peers = self.soak.peers(device)
        seen = {}

        def look():
            for other in peers:
                if other in seen:
                    continue
                for offer in self.ask(other, "ListOffers") or []:
                    if (offer["device-name"], offer["app-id"]) == (device.name, process.place.application.id) \
                            and not offer["stored"]:
                        seen[other] = offer
            return len(seen) == len(peers)

        if not self.loop.run(SEEN, look):
            missing = [other.name for other in peers if other not in seen]
            return self.ledger.broken(f"{missing} do not see what {device.name} has on offer ({process.name}, {name})")
        other = peers[device.number % len(peers)]
        will = self.ledger.choose(other, seen[other], "roll call")
        if not self.loop.run(LONGEST, lambda: will.outcome):
            return self.ledger.broken(f"{will}: no end", will=will)
        if will.outcome != "restored":
            self.ledger.broken(f"{will}: {will.outcome}, and nothing stood in its way", will=will)
