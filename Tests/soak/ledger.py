"""A record of each choice and each continuation, and the rules that all of them keep."""

import collections
import time

import states

#: Seconds after which every choice has ended: ticket, fetch and restoring, with a margin.
LONGEST = 150
#: Seconds in which both messages about one event have been read, if they come by two sockets.
MEANWHILE = 2
#: Seconds that a disk is full at most, and in which the daemon reports an end that it has decided.
DISK, MOMENT = 25, 0.5
ENDS = ("continued", "failed")


class Will:
    """A user's choice. It ends with a reply: a continuation's id, or a failure."""

    def __init__(self, number, device, offer, way):
        self.number = number
        self.device = device
        self.offer = offer
        self.way = way
        self.start = time.monotonic()
        self.end = None
        self.outcome = None
        self.id = None

    def __str__(self):
        return f"will {self.number} ({self.way} on {self.device.name}, offer {self.offer['id'][:8]})"


class Continuation:
    """The course of one continuation. `told`: (when, process, event) of each callback of its applications."""

    def __init__(self, device, id):
        self.device = device
        self.id = id
        self.start = time.monotonic()
        self.states = []
        self.told = []
        self.key = None
        self.state = None
        self.is_judged = False

    def __str__(self):
        return f"continuation {self.id[:8]} on {self.device.name}"

    def count(self, event):
        return sum(told == event for _, _, told in self.told)

    @property
    def ends(self):
        return [state for _, state in self.states if state in ENDS]


class Key:
    """An activity, by the key that its state carries."""

    def __init__(self, name, process):
        self.name = name
        self.process = process
        #: Serials that were saved, each with the time when the library had it.
        self.saved = {}
        #: Another device has it on offer with the same state, or its object is not the process's any more.
        self.is_shared = False
        #: It is not current: it is continued as it was last saved.
        self.is_frozen = False
        #: How often its application was told that it was continued.
        self.was_continued = 0

    def floor(self, when):
        """The newest serial that was certainly saved by then."""
        return max((serial for serial, since in self.saved.items() if since is not None and since <= when), default=0)


class Ledger:
    def __init__(self, soak):
        self.soak = soak
        self.wills = []
        self.open = set()
        self.continuations = {}
        self.keys = {}
        self.outcomes = collections.Counter()
        self.reasons = collections.Counter()
        self.failures = []

    # Events

    def choose(self, device, offer, way):
        """Lets the user choose an offer, and returns the will."""
        will = Will(len(self.wills) + 1, device, offer, way)
        self.wills.append(will)
        self.open.add(will)
        self.soak.log(f"{will}: chosen, {'stored' if offer['stored'] else 'live'}, from {offer['device-name']}")
        device.control.choose(lambda reply: self.replied(will, reply), offer["id"])
        return will

    def replied(self, will, reply):
        will.end = time.monotonic()
        self.open.discard(will)
        if isinstance(reply, list):
            will.id, = reply
            will.outcome = "restored"
            self.soak.log(f"{will}: restored, {will.id}")
            self.soak.loop.after(MEANWHILE, lambda: self.check_restored(will))
        elif reply.is_loss():
            will.outcome = "unanswered"
            self.soak.log(f"{will}: no reply: {reply.name}")
            if not will.device.was_harmed(will.start, time.monotonic(), ["daemon"]):
                self.broken(f"{will}: the daemon lives and has not replied: {reply.name} {reply.text}", will=will)
        else:
            will.outcome = "failed"
            self.reasons[reply.name.rpartition(".")[2]] += 1
            self.soak.log(f"{will}: {reply.name}: {reply.text}")
            if not reply.text or not reply.name.startswith("org.segue.Error."):
                self.broken(f"{will}: failed without a reason: {reply.name} '{reply.text}'", will=will)
        self.outcomes[f"{will.way}: {will.outcome}"] += 1

    def continuation(self, device, id):
        key = device.number, id
        if key not in self.continuations:
            found = self.continuations[key] = Continuation(device, id)
            # A restarted daemon may report a continuation that was chosen long ago, and so started before this time.
            self.soak.loop.after(LONGEST, lambda: self.judge(found))
        return self.continuations[key]

    def changed(self, device, id, state):
        found = self.continuation(device, id)
        found.states.append((time.monotonic(), state))
        self.soak.log(f"{found}: {state}")
        if len(found.ends) > 1:
            self.broken(f"{found}: has two ends: {found.ends}", found)

    def told(self, process, event, id, state, words):
        found = self.continuation(process.device, id)
        found.told.append((time.monotonic(), process, event))
        self.soak.log(f"{found}: {process.name} is told {event} {' '.join(words[2:] if event == 'fail' else [])}")
        if event == "continue":
            if found.count("continue") > 1:
                self.broken(f"{found}: restored twice", found)
            found.state = state
            self.arrived(process, found, words[1])
        if event == "fail" and (len(words) < 3 or words[1] == "0" or words[2] == "-"):
            self.broken(f"{found}: did_fail without a reason: {words}", found)
        ends = [told for _, where, told in found.told if where is process and told in ("continue", "fail")]
        if len(ends) > 1:
            self.broken(f"{found}: {process.name} was told of two ends: {ends}", found)

    def arrived(self, process, found, text):
        """Checks that the state which came is one that was saved, and no older than the choice."""
        read = states.read(text)
        if read is None:
            return self.broken(f"{found}: the state is not whole: {text[:200]}", found)
        name, serial = read
        key = self.keys.get(name)
        if key is None or serial not in key.saved:
            return self.broken(f"{found}: {name} was never saved with {serial}", found)
        found.key = key
        process.arrived(name)
        floor = key.floor(self.chosen(found))
        if found.state == "live" and serial < floor and not (key.is_shared or key.is_frozen) and key.process.is_alive:
            self.broken(f"{found}: {name} arrived with {serial}, and {floor} had been saved", found)

    def chosen(self, found):
        """The earliest time at which the continuation can have been chosen."""
        return min([found.start] + [
            will.start for will in self.wills[-50:]
            if will.device is found.device and (will.end is None or will.end >= found.start)])

    def was_continued(self, process, name):
        activity = process.activities.get(name)
        self.soak.log(f"{process.name}: was continued: {name}")
        if activity:
            self.keys[activity.key].was_continued += 1

    # The rules

    def check_restored(self, will):
        """Checks that a choice whose reply says that it was restored was restored once."""
        found = self.continuations.get((will.device.number, will.id))
        if found is None or found.count("continue") != 1:
            self.broken(f"{will}: restored, they say, {found.count('continue') if found else 0} times", found, will)

    def judge(self, found):
        """Checks, when all is over, that the continuation has had one end, and that its callbacks agree with it."""
        if found.is_judged:
            return
        found.is_judged = True
        last = max(when for when, *_ in found.states + found.told)
        # A restarted daemon does not know a record that a full disk refused; and a daemon that is killed right after it
        # has written an end down does not report it.
        harms = found.device.was_harmed(found.start - DISK, last, ["disk full"])
        harms += found.device.was_harmed(last - MOMENT, last + MOMENT, ["the daemon gets"])
        for process in {process for _, process, _ in found.told}:
            told = [event for _, where, event in found.told if where is process]
            is_over = process.is_alive or (process.end - found.start > LONGEST)
            if "will-continue" in told and is_over and not {"continue", "fail"} & set(told):
                self.broken(f"{found}: {process.name} was told will_continue, and no end", found)
        if found.states and not found.ends and not harms:
            self.broken(f"{found}: has no end: {[state for _, state in found.states]}", found)
        restored = found.count("continue")
        if found.ends == ["continued"] and restored != 1:
            self.broken(f"{found}: has continued, and was restored {restored} times", found)
        excused = any(process.manner != "accept" or not process.is_alive for _, process, _ in found.told)
        if found.ends == ["failed"] and restored and not excused and not harms:
            self.broken(f"{found}: has failed, and was restored", found)

    def judge_ended(self):
        for found in self.continuations.values():
            if found.ends:
                self.judge(found)

    def wrongly_told(self):
        """(activity, fewest, most) of the activities whose origins do not know how often they were continued."""
        certain, all_ = collections.Counter(), collections.Counter()
        for found in self.continuations.values():
            if found.key and found.count("continue"):
                all_[found.key] += 1
                certain[found.key] += found.ends == ["continued"] and found.state == "live"
        return [
            (key, certain[key], all_[key]) for key in self.keys.values()
            if key.process.is_alive and not key.is_shared and not certain[key] <= key.was_continued <= all_[key]]

    def check_told(self):
        for key, fewest, most in self.wrongly_told():
            ids = [found.id[:8] for found in self.continuations.values() if found.key is key]
            self.broken(f"{key.name} was continued {fewest} to {most} times, and its origin ({key.process.name}) was "
                        f"told {key.was_continued} times", words=[*ids, f"{key.process.name}: was"])
            # One report of this failure is enough.
            key.is_shared = True

    def overdue(self):
        """Reports the choices that have no reply in time."""
        for will in [will for will in self.open if time.monotonic() - will.start > LONGEST]:
            self.open.discard(will)
            will.outcome = "no end"
            self.outcomes[f"{will.way}: no end"] += 1
            self.broken(f"{will}: no reply after {LONGEST} s", will=will)

    def broken(self, what, found=None, will=None, words=()):
        """Reports a broken rule, with the log's lines about that choice, or with the lines with these words."""
        ids = [one for one in [found and found.id, will and will.id, will and will.offer["id"]] if one]
        words = [*words, *(id[:8] for id in ids), *([f"will {will.number} "] if will else [])]
        about = [one for one in (found, will) if one]
        names = {one.device.name for one in about} | ({will.offer["device-name"]} if will else set())
        since = min((one.start for one in about), default=0) - 5
        self.soak.log(f"BROKEN: {what}")
        self.failures.append((what, self.soak.journal.about(words, names, since) if words else []))
