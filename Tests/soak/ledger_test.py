"""The ledger notices broken rules: the tests give it events that no daemon ought to cause. scripts/test runs them."""

import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "system")]

import states  # noqa: E402
from control import Failure  # noqa: E402
from journal import Journal  # noqa: E402
from ledger import LONGEST, Key, Ledger  # noqa: E402
from loop import Loop  # noqa: E402

ID, OTHER = "ab" * 16, "cd" * 16
OFFER = {"id": OTHER, "stored": False, "device-name": "d2"}


class Soak:
    def __init__(self, folder):
        self.loop = Loop()
        self.journal = Journal(folder)
        self.log = self.journal.write


class Control:
    def choose(self, then, offer):
        pass


class Device:
    number = 1
    name = "d1"
    control = Control()
    harms = []

    def was_harmed(self, since, until, words=()):
        return self.harms


class Process:
    name = "d1/Notes/1"
    manner = "accept"
    is_alive = True
    end = None

    def __init__(self, device):
        self.device = device
        self.activities = {}

    def arrived(self, key):
        pass


class World:
    def __init__(self, folder):
        self.device = Device()
        self.ledger = Ledger(Soak(folder))
        self.process, self.other = Process(self.device), Process(self.device)
        self.key = self.ledger.keys["key"] = Key("key", self.process)
        self.key.saved = {1: 0, 2: 0}

    def comes(self, serial=2, process=None):
        self.ledger.told(process or self.process, "continue", ID, "live", ["type", states.make("key", serial, 100)])

    def fails(self, message="why"):
        self.ledger.told(self.process, "fail", ID, "live", ["type", "4610", message])

    def is_in(self, *states_):
        for state in states_:
            self.ledger.changed(self.device, ID, state)

    def ends(self):
        self.ledger.judge(self.ledger.continuations[self.device.number, ID])
        self.ledger.check_told()

    def chooses(self, reply):
        will = self.ledger.choose(self.device, OFFER, "warm")
        self.ledger.replied(will, reply)
        return will

    def was_continued(self):
        self.process.activities = {"a": self.key}
        self.key.key = "key"
        self.ledger.was_continued(self.process, "a")


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def twice(world):
    world.comes()
    world.comes(process=world.other)


def two_callbacks(world):
    world.comes()
    world.fails()


def torn(world):
    text = states.make("key", 2, 100)
    world.ledger.told(world.process, "continue", ID, "live", ["type", text[:-2] + f"{int(text[-2:], 16) ^ 1:02x}"])


def never_told_of_an_end(world):
    world.ledger.told(world.process, "will-continue", ID, "live", ["type", "title", "d2"])
    world.ends()


def failed_and_restored(world):
    world.comes()
    world.is_in("failed")
    world.ends()


def untold(world):
    world.comes()
    world.is_in("continued")
    world.ends()


def overdue(world):
    will = world.ledger.choose(world.device, OFFER, "warm")
    will.start -= LONGEST + 1
    world.ledger.overdue()


BREACHES = {
    "restored twice": twice,
    "was told of two ends": two_callbacks,
    "was told will_continue, and no end": never_told_of_an_end,
    "did_fail without a reason": lambda world: world.fails("-"),
    "arrived with 1, and 2 had been saved": lambda world: world.comes(1),
    "was never saved with 3": lambda world: world.comes(3),
    "the state is not whole": torn,
    "has two ends": lambda world: world.is_in("continued", "failed"),
    "has no end": lambda world: (world.is_in("begun"), world.ends()),
    "was restored 0 times": lambda world: (world.is_in("continued"), world.ends()),
    "has failed, and was restored": failed_and_restored,
    "was told 0 times": untold,
    "was told 1 times": lambda world: (world.was_continued(), world.ledger.check_told()),
    "failed without a reason": lambda world: world.chooses(Failure("org.segue.Error.HandoffFailed", "")),
    "has not replied": lambda world: world.chooses(Failure("org.freedesktop.DBus.Error.NoReply", "gone")),
    "restored, they say, 0 times": lambda world: world.ledger.check_restored(world.chooses([ID])),
    "no reply after": overdue,
}


@pytest.mark.parametrize("words", BREACHES)
def test_aBreachIsNoticed(world, words):
    BREACHES[words](world)
    assert words in world.ledger.failures[0][0]


def test_whatIsAsItOughtToBeBreaksNothing(world):
    world.is_in("launching", "begun")
    world.ledger.told(world.process, "will-continue", ID, "live", ["type", "title", "d2"])
    world.comes()
    world.is_in("continued")
    world.was_continued()
    world.ledger.check_restored(world.chooses([ID]))
    world.chooses(Failure("org.segue.Error.NotFound", "There is no such offer any more."))
    world.ends()
    assert not world.ledger.failures
