"""The names of devices, and how two of one name are told apart."""

from harness.device import pair
from harness.waiting import wait_for


def named(device, id_):
    return next(row["name"] for row in device.json("devices") if row["id"] == id_)


def restart_as(device, name):
    """Its user calls it otherwise."""
    device.name = name
    device.configure()
    # It may have ended before, and then no application has started it again yet.
    device.start_daemon()
    device.stop_daemon()
    device.start_daemon()


def test_aRenamedDeviceShowsItsNewName(new_device, application, install):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    id_ = desk.json("identity")["device-id"]
    restart_as(desk, "office")
    lap.online(desk)
    assert named(lap, id_) == "office"
    install(lap, application)
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "title a Page", "current a")
    assert lap.offer(application)["device-name"] == "office"
    # It is remembered, and a name that was given here stays.
    desk.stop_daemon()
    lap.stop_daemon()
    assert named(lap, id_) == "office"
    assert 'is called "mine" here' in lap.segue("rename", "office", "mine")
    restart_as(desk, "attic")
    desk.online(lap)
    wait_for(lambda: named(lap, id_) == "mine", "the name that was given")
    # Until it is taken back.
    wait_for(lambda: 'is called "attic" here' in lap.segue("rename", id_), "the device's own name")


def test_aNameOfAnotherDeviceIsCleaned(new_device):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    lap.segue("rename", "desk", "a\x1b[31mb\u202e" + "x" * 500)
    name = lap.json("devices")[0]["name"]
    assert "\x1b" not in name and "\u202e" not in name and len(name) <= 128 and name.startswith("a")
    assert lap.start("rename", "nobody", "x").failed().startswith("segue: No paired device is called nobody")


def test_twoDevicesOfOneNameAreToldApart(new_device, application, install):
    lap = new_device("lap")
    twins = [new_device("desk"), new_device("other")]
    install(lap, application)
    shorts = []
    for twin in twins:
        pair(twin, lap)
        origin = install(twin, application).start()
        origin.do(f"activity a {application.type}", f"title a {twin.name}", "current a")
        shorts.append(twin.json("identity")["device-id"][:9])
    assert "(" not in lap.offer(application, title="desk")["device-name"]
    lap.segue("rename", "other", "desk")
    for twin, short in zip(["desk", "other"], shorts):
        wait_for(lambda: lap.listed(application), "the offers")
        rows = {row["title"]: row for row in lap.listed(application)}
        assert rows[twin]["device-name"] == f"desk ({short})"
        for command in ["activities", "explain", "devices", "status"]:
            assert short in lap.segue(command), command
    error = lap.start("unpair", "desk").failed()
    assert "2 devices fit desk" in error and all(short in error for short in shorts), error
    assert 'Removed "desk"' in lap.segue("unpair", shorts[1])
    wait_for(lambda: [row["device-name"] for row in lap.listed(application)] == ["desk"], "its name alone")


def test_ageIsTheActivitysNotTheLinks(new_device, application, install):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    install(lap, application)
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", "current a")
    first = lap.offer(application)["age"]
    lap.stop_daemon()
    lap.start_daemon()
    # The next daemon sees it for the first time.
    again = lap.offer(application)["age"]
    assert again >= first
