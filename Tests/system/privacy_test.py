"""The data that others can see on the session bus (attack 45), and on the disk."""

import pytest
from harness.device import pair
from harness.encoding import hexadecimal
from harness.monitor import Monitor
from harness.waiting import wait_for
from dbus_fast import MessageType

SECRET_TITLE = "Divorce%20papers"
SECRETS = ["Divorce", "s3cret-payload", "https://secret.example"]


def attack45_aMonitorSeesNeitherPayloadNorTitle(both, desk, lap, application):
    pids = desk.pid(), lap.pid()
    monitors = [Monitor(device) for device in [desk, lap]]
    origin = both[0].start()
    origin.do("responder r", "state r key string s3cret-payload", f"activity a {application.type}")
    origin.do(f"title a {SECRET_TITLE}", "url a https://secret.example/x", "attach r a")
    command = lap.take(lap.offer(application, title="Divorce papers"))
    both[1].launched().expect("continue")
    command.succeeded()
    # A large one goes in a memfd, which must not cross the bus either.
    origin.do("drop-responder r", f"activity b {application.type}", "title b Divorce%20again")
    origin.do(f"info b {hexadecimal({'a': 's3cret-payload' * 4000, 'b': 's3cret-payload' * 1000})}", "current b")
    lap.take(lap.offer(application, title="Divorce again")).succeeded()
    members = set()
    for monitor in monitors:
        for message, content in monitor.seen():
            if message.message_type == MessageType.METHOD_CALL:
                members.add(message.member)
            for secret in SECRETS:
                assert secret not in content, content[:500]
        monitor.close()
    # It did see the handoff.
    assert {"OpenDoor", "WillContinue"} <= members
    assert (desk.pid(), lap.pid()) == pids


def attack45_aMonitorSeesNothingOfAnApplicationsOwnList(both, desk, lap, application):
    pids = desk.pid(), lap.pid()
    monitors = [Monitor(device) for device in [desk, lap]]
    origin, target = both[0].start(), both[1].start()
    target.do("follow-offers")
    origin.do(f"activity a {application.type}", f"title a {SECRET_TITLE}", "url a https://secret.example/x")
    origin.do("put a key string s3cret-payload", "current a")
    while not (printed := target.run("offers")[0]):
        target.expect("offers-changed")
    assert SECRET_TITLE in printed[0] and "secret.example" in printed[0]
    target.do(f"continue-offer tag {SECRET_TITLE} -")
    target.expect("continue")
    members = set()
    for monitor in monitors:
        for message, content in monitor.seen():
            members.add((message.interface, message.member))
            for secret in SECRETS:
                assert secret not in content, content[:500]
        monitor.close()
    assert ("org.segue.Daemon1", "OpenDoor") in members
    assert (desk.pid(), lap.pid()) == pids
    assert not [interface for interface, _ in members if interface and interface.startswith("org.segue.Door")]


def test_titlesAreToldAtTheDoorOnly(page, desk, lap, application):
    origin, _ = page
    origin.do("url a https://secret.example/")
    offer = lap.offer(application, title="Page", web_host="secret.example")
    for device, method in [(lap, "ListOffers"), (desk, "ListActivities")]:
        with device.bus() as bus, device.door() as door:
            said, = bus.call("org.segue.Control1", "/org/segue/Control1", "org.segue.Control1", method)
            told, = door.control(method)
        public = next(item for item in said if item["id"] == offer["id"])
        private = next(item for item in told if item["id"] == offer["id"])
        assert private["title"] == "Page" and private["web-host"] == "secret.example"
        assert public == {
            key: value for key, value in private.items() if key not in ["title", "web-host", "age"]
        } | ({"age": public["age"]} if "age" in public else {})


def on_disk(device):
    """Which secrets are in the files that the daemon keeps."""
    files = [path.read_bytes() for path in (device.folder / "state").rglob("*") if path.is_file()]
    return {word for word in ["Divorce", "secret.example"] if any(word.encode() in file for file in files)}


@pytest.mark.parametrize("end", ["continued", "refused", "exited", "cancelled", "failed", "restarted"])
def X9_nothingOfAContinuationStaysOnTheDiskWhenItHasEnded(new_device, new_application, install, end):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    application, other = new_application(), new_application()
    beside = install(desk, other).start()
    beside.do(f"activity b {other.type}", "current b")
    install(lap, other).start()
    origin = install(desk, application).start()
    origin.do(f"activity a {application.type}", f"title a {SECRET_TITLE}", "delegate a", "put a page int 7")
    # A page would be opened by a browser.
    origin.do(*([] if end == "refused" else ["url a https://secret.example/x"]), "current a")
    target = install(lap, application).start()
    target.do("on continue defer")
    offer = lap.offer(application)
    if end in ["refused", "cancelled", "failed"]:
        origin.do("stop-dispatch")
    command = lap.take(offer)
    target.expect("will-continue" if end in ["refused", "cancelled", "failed"] else "continue")
    assert on_disk(lap) == ({"Divorce"} if end == "refused" else {"Divorce", "secret.example"})
    if end == "continued":
        target.do("restore-now")
        command.succeeded()
    elif end == "refused":
        target.do("on continue refuse")
        origin.do("resume-dispatch")
        command.failed()
    elif end == "exited":
        target.kill()
        command.failed()
    elif end == "cancelled":
        lap.take(lap.offer(other)).succeeded()
        command.failed()
    elif end == "failed":
        origin.kill()
        command.failed()
    else:
        target.do("stop-dispatch")
        lap.stop_daemon(9)
        target.kill()
        assert on_disk(lap)
        lap.segue("status")
    wait_for(lambda: not on_disk(lap) and not on_disk(desk), "what was written down to be overwritten")
