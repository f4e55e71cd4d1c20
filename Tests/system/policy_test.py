"""What the user shares with other devices, and when (semantics X5): by commands, by files, and by network."""

import contextlib
import time

import pytest
from harness.device import Device, pair
from harness.network import Network, ip


@pytest.fixture
def own(new_device, application, install):
    """(desk, lap, the application on desk with the current activity `a`, its place on lap)"""
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    return desk, lap, *begin(desk, lap, application, install)


def begin(desk, lap, application, install):
    place = install(lap, application)
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "title a Page", "delegate a", "put a page int 7", "current a")
    lap.offer(application)
    return origin, place


def reasons(device, subject):
    return {row["reason"] for row in device.json("explain", subject)}


def X5_aPauseOfTheOrigin(own, application):
    desk, lap, origin, place = own
    offer = lap.offer(application)
    assert "Nothing is shared until you say: segue resume." in desk.segue("pause")
    lap.no_offer(application)
    assert reasons(desk, application.id) == {"paused"}
    assert "paused; to go on: segue resume" in desk.segue("status")
    assert desk.json("status")["paused"] is True
    # Who has the id of what was on offer cannot have it either (V14).
    lap.take(offer).failed()
    assert origin.count("save") == 0
    assert "Segue shares again." in desk.segue("resume")
    lap.take(lap.offer(application)).succeeded()
    place.launched().expect("continue")


def X5_aPauseOfTheOtherDevice(own, application):
    desk, lap, origin, place = own
    lap.segue("pause", "1h")
    lap.no_offer(application)
    assert reasons(lap, application.id) == {"paused"}
    # What goes from here is not offered either, and a second pause takes the place of the first.
    until = lap.json("status")["paused-until"]
    assert abs(until - time.time() - 3600) < 120
    lap.segue("pause", "3d")
    assert lap.json("status")["paused-until"] > until
    lap.segue("resume")
    lap.take(lap.offer(application)).succeeded()
    place.launched().expect("continue")


def X5_aPauseOutlivesTheDaemon(own, application):
    desk, lap, origin, _ = own
    desk.segue("pause", "tomorrow")
    lap.no_offer(application)
    until = desk.json("status")["paused-until"]
    desk.stop_daemon()
    assert desk.json("status")["paused-until"] == until
    desk.online(lap)
    desk.activity(application)
    assert lap.listed(application) == []
    desk.segue("resume")
    lap.offer(application)


def X5_anApplicationAndADevice(own, new_device, application):
    desk, lap, origin, _ = own
    third = new_device("third")
    pair(desk, third)
    assert desk.segue("withhold").strip() == "Nothing is withheld."
    desk.segue("withhold", "--device", "lap")
    lap.no_offer(application)
    third.any_offer(application)
    assert reasons(desk, application.id) == {"withheld-from-device", "offered"}
    assert [row["name"] for row in desk.json("devices") if row["withheld"]] == ["lap"]
    desk.segue("withhold", application.id)
    third.no_offer(application)
    listed = desk.segue("withhold")
    assert application.id in listed and "lap" in listed
    assert desk.json("withhold")["applications"] == [application.id]
    desk.segue("withhold", application.id, "--undo")
    third.any_offer(application)
    desk.segue("withhold", "--device", "lap", "--undo")
    lap.offer(application)
    assert desk.segue("withhold").strip() == "Nothing is withheld."


def X5_whatTheFilesSayCountsAtOnce(own, application):
    desk, lap, origin, _ = own
    desk.settings = ["[Policy]", f"Withhold={application.id};"]
    desk.configure()
    lap.no_offer(application)
    message = desk.start("withhold", application.id, "--undo").failed()
    assert "segue.conf has the last word" in message and "Change group [Policy]" in message
    # A mistake in the file opens nothing; it is told in the log.
    desk.settings = ["[Policy]", "Withhold=no id;"]
    desk.configure()
    desk.segue("withhold", "org.segue.test.Other")
    assert reasons(desk, application.id) == {"withheld"}
    desk.settings = []
    desk.configure()
    lap.offer(application)
    # The other file may be written by hand, too.
    (desk.folder / "config/segue/sharing.conf").write_text("[Policy]\nPaused=true\n")
    lap.no_offer(application)
    desk.segue("resume")
    lap.offer(application)


def X5_aFileThatCannotBeReadClosesTheDaemon(new_device):
    device = new_device("desk")
    (device.folder / "config/segue/sharing.conf").write_text("[Policy]\nPaused=perhaps\n")
    status, _, message = device.start("status").result()
    assert status == 2
    assert "sharing.conf" in message and "Fix the file" in message


def X5_wrongCommands(own):
    desk, _, _, _ = own
    for words, part in [
            (["pause", "soon"], "This is not a time: soon"), (["pause", "1h", "--network"], "has no end"),
            (["withhold", "--undo"], "Say what is to be taken back")]:
        status, _, message = desk.start(*words).result()
        assert status == 64 and part in message
    for words, part in [
            (["pause", "31d"], "30 days at most"), (["withhold", "no id"], "not an application id"),
            (["withhold", "--device", "nobody"], "No paired device is called nobody")]:
        assert part in desk.start(*words).failed()
    assert desk.json("status")["paused"] is False
    # This machine of the test has no router, or one that nobody waits for: the command says so, or does it.
    assert desk.segue("resume").strip() == "Segue shares again."


@pytest.fixture
def hosts():
    """(desk, lap), each on a host of its own, on a network whose router is the third host."""
    with contextlib.ExitStack() as ends:
        network = Network()
        ends.callback(network.close)
        made = []
        for name in ["desk", "lap"]:
            made.append(Device(name, host=network.host()))
            ends.callback(made[-1].close)
        pair(*made)
        yield network, *made


def route(host, router):
    """Makes it the way of the host to everywhere, and lets the host ask who that is."""
    ip("-n", host.name, "route", "replace", "default", "via", router.address)


def X5_aNetworkInWhichNothingIsShared(hosts, application, install):
    network, desk, lap = hosts
    begin(desk, lap, application, install)
    assert "it has no router that answers" in desk.start("pause", "--network").failed()
    router, other = network.host(), network.host()
    for host, number in [(router, 7), (other, 8)]:
        ip("-n", host.name, "link", "set", "eth0", "address", f"02:00:00:00:00:0{number}")
        ip("-n", desk.host.name, "neigh", "replace", host.address, "lladdr", f"02:00:00:00:00:0{number}", "dev", "eth0")
    route(desk.host, router)
    assert "Nothing is shared in this network." in desk.segue("pause", "--network")
    lap.no_offer(application)
    assert reasons(desk, application.id) == {"paused-here"}
    assert desk.json("status")["paused-here"] is True
    # In another network everything goes on, and in the first one it stops again.
    route(desk.host, other)
    lap.offer(application)
    route(desk.host, router)
    lap.no_offer(application)
    # One whose router has not answered yet may be that one.
    ip("-n", desk.host.name, "neigh", "delete", other.address, "dev", "eth0")
    route(desk.host, other)
    desk.until_asked(lambda: desk.json("status")["paused-here"], "an unknown network is closed")
    assert lap.listed(application) == []
    ip("-n", desk.host.name, "neigh", "replace", other.address, "lladdr", "02:00:00:00:00:08", "dev", "eth0")
    lap.offer(application)
    route(desk.host, router)
    lap.no_offer(application)
    assert "Segue shares again." in desk.segue("resume", "--network")
    lap.offer(application)
