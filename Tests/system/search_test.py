"""Surfaces that search: GNOME's overview and KRunner find what can be continued here, and stored activities (semantics
X6)."""

from urllib.parse import quote

import pytest
from dbus_fast import MessageType
from harness import pairs
from harness.storing import until_stored
from harness.surfaces import Logind, Overview, Runner
from harness.unharmed import unharmed
from harness.waiting import wait_for
from harness.wire import BusError

devices = pairs.devices


@pytest.fixture
def writer(new_application):
    return new_application(name="Writer")


@pytest.fixture
def letter(devices, writer, install):
    """A letter that is open on desk, and the place of its application on lap: (origin, place)."""
    desk, lap = devices
    place = install(lap, writer)
    origin = install(desk, writer).start()
    origin.do(f"activity a {writer.type}", "title a Letter%20to%20<b>Ada</b>", "delegate a", "put a page int 7", "current a")
    lap.offer(writer)
    return origin, place


@pytest.fixture
def bus(devices):
    with devices[1].bus() as bus:
        yield bus


def store(place, title, **more):
    """An activity of an application that has ended, in the store of its device."""
    probe = place.start()
    probe.do(f"activity a {place.application.type}", f"title a {quote(title)}", "put a page int 8", "search a 1", "current a")
    until_stored(place.device, "search", title=title)
    probe.quit()


def X6_theOverviewContinuesAnOffer(bus, letter):
    origin, place = letter
    overview = Overview(bus)
    (id_, title, description), = overview.search("LETTER", "ada")
    assert title == "Letter to <b>Ada</b>" and description == "From desk"
    assert [found[0] for found in overview.search("desk")] == [id_]
    assert [found[0] for found in overview.search("writer")] == [id_]
    assert overview.search("letter", "bob") == [] and overview.search() == [] and overview.search(" ") == []
    overview.choose(id_, "letter")
    target = place.launched()
    target.expect("continue")
    origin.expect("was-continued a")


def X6_theRunnerContinuesAnOffer(bus, letter):
    origin, place = letter
    runner = Runner(bus)
    assert runner.call("Actions") == [[]] and runner.call("Config") == [{}]
    (id_, title, relevance, properties), = runner.search("letter")
    assert title == "Letter to <b>Ada</b>" and properties == {"subtext": "From desk"} and 0.9 < relevance <= 1
    assert runner.search("") == []
    runner.choose(id_, "token-of-the-runner")
    target = place.launched()
    target.expect("continue")
    origin.expect("was-continued a")


def X6_storedActivitiesAreFoundAndContinued(devices, bus, letter, new_application, install):
    _, lap = devices
    place = install(lap, new_application(name="Painter"))
    store(place, "Letter in colours")
    overview, runner = Overview(bus), Runner(bus)
    offer, stored = overview.search("letter")
    assert offer[2] == "From desk" and stored[1:] == ("Letter in colours", "Go on in Painter")
    one, other = runner.search("letter")
    assert one[0] == offer[0] and other[0] == stored[0] and one[2] > other[2]
    # By the application's name too, and after a restart, from the disk.
    lap.stop_daemon()
    assert [found[0] for found in overview.search("painter", "colours")] == [stored[0]]
    overview.choose(stored[0])
    place.launched().expect("continue")


def X6_storedActivitiesAreFoundByTheirKeywords(devices, bus, new_application, install):
    _, lap = devices
    place = install(lap, new_application())
    probe = place.start()
    probe.do(
        f"activity a {place.application.type}", "title a Plan", "keywords a holiday,Ostsee", "put a page int 8", "search a 1",
        "current a")
    until_stored(lap, "search", title="Plan")
    probe.quit()
    for _ in range(2):
        assert [found[1] for found in Overview(bus).search("ostsee", "plan")] == ["Plan"]
        # The next daemon reads them from the disk.
        lap.stop_daemon()


def X6_aLockedScreenShowsNothing(devices, bus, letter):
    _, lap = devices
    overview, runner = Overview(bus), Runner(bus)
    (id_, *_), = overview.search("letter")
    logind = Logind(lap)
    try:
        # As on a machine where the bus is up before logind.
        logind.until_awaited()
        assert overview.ids("letter") == [id_]
        logind.come()
        logind.serve()
        assert overview.ids("letter") == [id_]
        logind.lock(True)
        wait_for(lambda: not overview.ids("letter"), "the lock")
        assert runner.search("letter") == [] and overview.call("GetResultMetas", "as", [id_]) == [[]]
        logind.lock(False)
        wait_for(lambda: overview.ids("letter") == [id_], "the unlocking")
        logind.lock(True)
        wait_for(lambda: not overview.ids("letter"), "the second lock")
    finally:
        logind.close()
    # Nobody has said that it is unlocked.
    assert overview.ids("letter") == []


def X6_badSearchesGetNothing(devices, bus, letter):
    _, lap = devices
    overview, runner = Overview(bus), Runner(bus)
    (id_, *_), = overview.search("letter")
    with unharmed(lap):
        for terms in [["letter" * 10_000], ["letter"] * 1000, ["letter", "\x01\x02x"], ["<i>"] * 3]:
            assert overview.search(*terms) == [], terms[0][:20]
        # What is no letter at all is left out.
        assert len(overview.search("\x07let\x1bter")) == 1
        assert runner.search("letter" * 10_000) == []
        for bad in ["", ":", id_ + ":", "x" * 70_000, id_[:-1]]:
            assert overview.call("GetResultMetas", "as", [bad]) == [[]]
            overview.choose(bad)
        assert len(overview.call("GetResultMetas", "as", [id_] * 1000)[0]) <= 32


def X6_aResultThatIsGoneHarmsNobody(devices, bus, letter, writer):
    _, lap = devices
    origin, place = letter
    (id_, *_), = Overview(bus).search("letter")
    origin.do("invalidate a")
    lap.no_offer(writer)
    assert Overview(bus).call("GetResultMetas", "as", [id_]) == [[]]
    # One that has just gone can still be taken (V14); this one was never there.
    never = id_[:-8] + "00000000"
    with unharmed(lap):
        Overview(bus).choose(never)
        Runner(bus).choose(never, "token")
    assert not place.probes


def X6_aFloodOfSearchesIsRefused(devices, letter):
    _, lap = devices
    with lap.bus() as bus, lap.bus() as other, unharmed(lap):
        serials = [
            bus.call_later("org.segue.Control1", Runner.PATH, Runner.INTERFACE, "Match", "s", ["letter"])
            for _ in range(1000)]
        replies = [bus.reply(serial) for serial in serials]
        refused = [reply for reply in replies if reply.message_type == MessageType.ERROR]
        assert refused and "org.segue.Error.LimitExceeded" in {reply.error_name for reply in refused}
        assert len(refused) < 1000 and len(Runner(other).search("letter")) == 1


def X6_openingTheWindowNeedsNoWindow(devices, bus, letter):
    with unharmed(devices[1]):
        Overview(bus).call("LaunchSearch", "asu", ["letter"], 0)
        with pytest.raises(BusError):
            Overview(bus).call("LaunchSearch", "as", ["letter"])
