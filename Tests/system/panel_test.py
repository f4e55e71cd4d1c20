"""Segue's item in the panel: it is there while something can be continued, and its menu continues it."""

from urllib.parse import quote

import pytest
from dbus_fast import Variant
from harness import pairs
from harness.surfaces import Panel
from harness.unharmed import unharmed
from harness.waiting import wait_for

devices = pairs.devices


@pytest.fixture
def new_letter(devices, new_application, install):
    """Makes letters of further applications, open on desk: (origin, place on lap)."""
    desk, lap = devices

    def make(title):
        writer = new_application(name="Writer")
        place = install(lap, writer)
        origin = install(desk, writer).start()
        origin.do(f"activity a {writer.type}", f"title a {quote(title)}", "delegate a", "put a page int 7", "current a")
        lap.offer(writer)
        return origin, place

    return make


@pytest.fixture
def panel(devices):
    panel = Panel(devices[1])
    yield panel
    panel.close()


def labels(panel):
    return [label for _, label in panel.entries()]


def test_theItemComesAndGoesWithTheOffer(panel, new_letter):
    origin, _ = new_letter("My_letter to <b>Ada</b>")
    panel.item()
    assert panel.property("Id") == "segue" and panel.property("Status") == "Active"
    assert panel.property("IconName") == "org.segue.Segue-symbolic" and panel.property("Menu") == "/MenuBar"
    # Any process may read it.
    assert panel.property("ToolTip") == ["", [], "Segue", "1 activity can be continued here"]
    # An underscore would mark a key.
    assert labels(panel) == ["My__letter to <b>Ada</b> - From desk", None, "Open Segue"]
    origin.do("invalidate a")
    panel.until_gone()


def test_aClickContinues(panel, new_letter):
    origin, place = new_letter("First")
    panel.item()
    number = panel.entries()[0][0]
    other, _ = new_letter("Second")
    wait_for(lambda: labels(panel)[:2] == ["Second - From desk", "First - From desk"], "the second entry")
    assert panel.entries()[1][0] == number, "an entry on the screen keeps its number"
    panel.click(number)
    place.launched().expect("continue")
    origin.expect("was-continued a")


def test_aClickOnTheItemContinuesTheNewest(panel, new_letter):
    origin, place = new_letter("Letter")
    panel.item()
    panel.bus.call(panel.name, "/StatusNotifierItem", panel.ITEM, "ProvideXdgActivationToken", "s", ["token"])
    panel.bus.call(panel.name, "/StatusNotifierItem", panel.ITEM, "Activate", "ii", [0, 0])
    place.launched().expect("continue")
    origin.expect("was-continued a")


def test_aPanelThatComesLaterHasTheItemToo(devices, new_letter):
    new_letter("Letter")
    for _ in range(2):
        panel = Panel(devices[1])
        panel.item()
        assert labels(panel)[0] == "Letter - From desk"
        panel.close()
        with devices[1].bus() as bus:
            # Without a panel nobody shows it.
            wait_for(lambda: not bus.ask("NameHasOwner", "s", [panel.name])[0], "the item's end")


def test_whatNoPanelAsksHarmsNobody(devices, panel, new_letter):
    new_letter("Letter")
    panel.item()
    with unharmed(devices[1]):
        for number in [-1, 1, 99, 2**31 - 1, -2**31]:
            panel.click(number)
            assert panel.menu("GetProperty", "is", number, "label")[0] in ["", "Open Segue"]
        for parent in [77, -5]:
            assert panel.menu("GetLayout", "iias", parent, -1, [])[1] == [parent, {}, []]
        assert panel.menu("GetLayout", "iias", 0, 0, [])[1][2] == []
        assert len(panel.menu("GetGroupProperties", "aias", [], [])[0]) == 4
        assert len(panel.menu("GetGroupProperties", "aias", [0] * 5000, [])[0]) <= 4
        assert panel.menu("EventGroup", "a(isvu)", [[99, "clicked", Variant("s", ""), 0]]) == [[]]
        assert panel.menu("AboutToShow", "i", 0) == [False] and panel.menu("AboutToShowGroup", "ai", [0]) == [[], []]
        assert panel.menu("Event", "isvu", panel.entries()[0][0], "hovered", Variant("i", 0), 0) == []
