"""The acts of users on their devices and applications."""

import itertools
import time

import states
from ledger import Key
from processes import Activity

#: Activities that one process has at once.
ACTIVITIES = 6
#: Bytes of a state, by cumulative share; the last size is more than a state may have.
SIZES = [(0.6, 2_000), (0.9, 20_000), (0.99, 80_000), (1, 130_000)]


class Uses:
    def __init__(self, soak):
        self.soak = soak
        self.numbers = itertools.count(1)
        #: The last offers that were seen on each device.
        self.seen = {}

    def do(self, act):
        getattr(self, act.kind.replace("-", "_"))(act)

    # The act's device, application and process

    def device(self, act):
        return act.pick(0, self.soak.devices)

    def place(self, act):
        return act.pick(1, self.device(act).places)

    def process(self, act):
        """A running process of that application, or of another one on that device."""
        running = self.place(act).processes or self.device(act).running()
        return act.pick(2, running) if running else None

    # Choosing

    def choose(self, act):
        device = self.device(act)

        def chosen(reply):
            if not isinstance(reply, list):
                return
            offers = [offer for offer in reply[0] if offer["local-app"]]
            self.seen.setdefault(device, {}).update((offer["id"], offer) for offer in offers)
            while len(self.seen[device]) > 64:
                self.seen[device].pop(next(iter(self.seen[device])))
            if offers:
                self.take(act, device, act.pick(3, offers), act.harm)

        device.control.ask(chosen, "ListOffers")

    def take(self, act, device, offer, harm=None, way=None):
        way = way or self.way(device, offer)
        will = self.soak.ledger.choose(device, offer, f"{way} + {harm}" if harm else way)
        if harm:
            # The harm mostly comes during the fetch and the launch.
            self.soak.loop.after(act.dice[4] ** 3, lambda: self.soak.harms.upon(act, will))
        return will

    def way(self, device, offer):
        origin = next((one for one in self.soak.devices if one.name == offer["device-name"]), None)
        if offer["stored"]:
            return "stored"
        if any(one and one.is_cut for one in (device, origin)):
            return "in an outage"
        place = next(one for one in device.places if one.application.id == offer["local-app"])
        return "warm" if place.processes else "cold"

    def choose_twice(self, act):
        """Another choice, or the same again, while the first is under way."""
        self.choose(act)
        act.dice[3] = act.dice[5]
        self.soak.loop.after(act.dice[4] ** 3, lambda: self.choose(act))

    def choose_former(self, act):
        """Chooses something that was on offer, and may not be any more."""
        device = self.device(act)
        if seen := list(self.seen.get(device, {}).values()):
            self.take(act, device, act.pick(3, seen), way="former")

    def choose_stored(self, act):
        device = self.device(act)

        def chosen(reply):
            if isinstance(reply, list) and reply[0]:
                copy = {"stored": True} | act.pick(3, reply[0])
                self.take(act, device, copy, way="kept")

        device.control.ask(chosen, "ListStored")

    # Activities

    def open(self, act, process=None):
        process = process or self.process(act)
        if process is None:
            return self.place(act).start()
        if len(process.activities) >= ACTIVITIES:
            self.forget(process, next(iter(process.activities)), "drop")
        number = next(self.numbers)
        name, key = f"a{number}", f"{process.device.name}.{number}"
        process.activities[name] = Activity(key, self.size(act))
        self.soak.ledger.keys[key] = Key(key, process)
        process.send(f"activity {name} {process.place.application.type}")
        process.send(f"title {name} {key}")
        process.send(f"delegate {name}")
        if act.dice[5] < 0.6:
            process.send(f"snapshot {name} 1")
        if act.dice[6] < 0.2:
            process.send(f"search {name} 1")
            process.send(f"persistent {name} {key}")
        self.save(process, name)
        self.make_current(process, name)
        return name

    def size(self, act):
        return int(next(most for share, most in SIZES if act.dice[4] <= share) * (0.05 + 0.95 * act.dice[3]))

    def save(self, process, name):
        activity = process.activities[name]
        key = self.soak.ledger.keys[activity.key]
        activity.serial += 1
        serial = activity.serial
        key.saved[serial] = None

        def saved(is_done):
            if is_done:
                key.saved[serial] = time.monotonic()

        process.send(f"info {name} {states.make(key.name, serial, activity.size)}")
        process.send(f"needs-save {name} 1", saved)

    def make_current(self, process, name):
        self.freeze(process)
        process.current = name
        process.send(f"current {name}")

    def freeze(self, process):
        """Notes that the current activity ceases to be current: it is continued as it was last saved."""
        if process.current in process.activities:
            self.soak.ledger.keys[process.activities[process.current].key].is_frozen = True
        process.current = None

    def change(self, act):
        process = self.process(act)
        if process and process.current:
            process.activities[process.current].size = self.size(act)
            self.save(process, process.current)

    def take_over(self, act):
        """The activity that came becomes this application's own, changed or as it is."""
        process = self.process(act)
        if process is None or "continued" not in process.activities:
            return
        former = self.soak.ledger.keys[process.activities["continued"].key]
        if former.process is process:
            # It is its own already, and keeps its key: other devices may still report that they continued it.
            process.activities["continued"].size = self.size(act)
            self.save(process, "continued")
        elif act.dice[5] < 0.5:
            former.is_shared = True
        else:
            key = f"{process.device.name}.{next(self.numbers)}"
            process.activities["continued"] = Activity(key, self.size(act))
            self.soak.ledger.keys[key] = Key(key, process)
            process.send(f"title continued {key}")
            process.send("delegate continued")
            self.save(process, "continued")
        self.make_current(process, "continued")

    def resign(self, act):
        process = self.process(act)
        if process and process.current:
            process.send(f"resign {process.current}")
            self.freeze(process)

    def invalidate(self, act):
        process = self.process(act)
        if process and process.current:
            self.forget(process, process.current, "invalidate")

    def drop(self, act):
        process = self.process(act)
        if process and process.activities:
            self.forget(process, act.pick(3, list(process.activities)), "drop")

    def forget(self, process, name, how):
        """Ends an activity: its application cannot be notified of a continuation any more."""
        self.soak.ledger.keys[process.activities.pop(name).key].is_shared = True
        process.send(f"{how} {name}")
        if how == "invalidate":
            process.send(f"drop {name}")
        if process.current == name:
            process.current = None

    def come_back(self, act):
        """A former activity becomes current again."""
        process = self.process(act)
        if process and (names := [name for name in process.activities if name != "continued"]):
            self.make_current(process, act.pick(3, names))

    # Applications

    def start(self, act):
        place = self.place(act)
        if not place.processes:
            place.start()

    def quit(self, act):
        process = self.process(act)
        if process and not process.is_steady:
            process.quit()

    def manner(self, act):
        """Chooses how the application takes the next continuation."""
        process = self.process(act)
        if process is None or process.is_steady:
            return
        process.manner = act.pick(3, ["refuse", "defer", "exit"])
        if process.manner == "exit":
            process.may_end = "it ends in will_continue"
            process.send("on will-continue exit")
            return
        process.send(f"on continue {process.manner}")
        self.soak.loop.after(1 + 10 * act.dice[4], lambda: self.accept(process))

    def accept(self, process):
        process.send("restore-now")
        process.send("on continue accept")

    def delete(self, act):
        if process := self.process(act):
            process.send("delete-all soak")
