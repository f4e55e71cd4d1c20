"""The third device is introduced by a paired one, and confirmed at each end (docs/pairing.md)."""

import pytest
from harness.device import pair, unpair
from harness.notifications import Scripted
from harness.peer.key import check, hash_of, text
from harness.waiting import wait_for


@pytest.fixture
def three(new_device):
    """(desk, lap, phone): desk is paired with both of the others."""
    desk, lap, phone = new_device("desk"), new_device("lap"), new_device("phone")
    pair(desk, lap)
    pair(desk, phone)
    return desk, lap, phone


def names(device):
    return sorted(item["name"] for item in device.json("devices"))


def row(device, other):
    return next(item for item in device.json("devices") if item["name"] == other.name)


def introductions(device):
    return device.json("introductions")


def until_introduced(device, *wanted):
    """Waits until these wait for the user's word."""
    # No line of the watch tells of it.
    wait_for(lambda: sorted(item["name"] for item in introductions(device)) == sorted(wanted), f"{wanted}, introduced")


def test_a_third_device_is_paired_by_a_word_at_each_end(three):
    desk, lap, phone = three
    assert 'Introduced "phone"' in desk.segue("introduce", "phone")
    until_introduced(lap, "phone")
    until_introduced(phone, "lap")
    (item,) = introductions(lap)
    assert item["id"] == phone.json("status")["device-id"] and item["introducer-name"] == "desk"
    assert item["words"] in lap.segue("introductions") and item["words"] in phone.segue("identity")
    assert "1 wait for your word" in lap.segue("status") and lap.json("status")["introductions"] == 1
    # An introduction alone pairs no devices.
    assert names(lap) == names(phone) == ["desk"]
    assert 'Accepted "phone"' in lap.segue("accept")
    assert introductions(lap) == [] and names(lap) == ["desk", "phone"]
    # Nor by one word of the two.
    assert not row(lap, phone)["online"] and names(phone) == ["desk"]
    phone.segue("accept", "lap")
    lap.online(phone)
    phone.online(lap)
    assert row(lap, phone)["introducer-name"] == "desk"
    assert "introduced by" in lap.segue("devices")
    # It is as any other: it outlives the daemon, and its introducer.
    for device in [lap, phone]:
        device.stop_daemon()
    phone.segue("status")
    lap.online(phone)
    unpair(lap, desk)
    assert names(lap) == ["phone"] and row(lap, phone)["introducer"] == desk.json("status")["device-id"]
    assert "introducer-name" not in row(lap, phone) and "which was removed" in lap.segue("devices")
    unpair(lap, phone)
    assert names(lap) == []


def test_who_is_declined_is_not_paired(three):
    desk, lap, phone = three
    desk.segue("introduce", "lap", "phone")
    until_introduced(lap, "phone")
    until_introduced(phone, "lap")
    lap.segue("accept")
    phone.segue("decline", "lap")
    assert introductions(phone) == [] and names(phone) == ["desk"]
    assert "No device was introduced here." in phone.start("accept").failed()
    assert not row(lap, phone)["online"]


def test_a_notification_asks_for_the_word(three):
    desk, lap, phone = three
    here, there = Scripted(lap), Scripted(phone)
    desk.segue("introduce", "lap", "phone")
    number, arguments = here.show()
    words = introductions(lap)[0]["words"]
    assert arguments[4].splitlines() == ['Pair with "phone"?', "Introduced by desk", words]
    # A click on it says nothing.
    assert arguments[5] == ["accept", "Pair", "decline", "Do not pair"]
    here.signal("ActionInvoked", "us", number, "default")
    here.signal("ActionInvoked", "us", number, "accept")
    here.until_closed(number)
    # It is paired once that is on the disk.
    wait_for(lambda: names(lap) == ["desk", "phone"], "the pairing")
    assert introductions(lap) == []
    # The question disappears once the user has decided elsewhere.
    number, arguments = there.show()
    phone.segue("accept", "lap")
    there.until_closed(number)
    lap.online(phone)
    # And no.
    for device, other in [(lap, phone), (phone, lap)]:
        unpair(device, other)
    desk.segue("introduce", "lap", "phone")
    number, arguments = here.show()
    here.signal("ActionInvoked", "us", number, "decline")
    here.until_closed(number)
    assert names(lap) == ["desk"] and introductions(lap) == []
    for server in [here, there]:
        server.close()


def test_who_is_not_there_cannot_be_introduced(three):
    desk, lap, phone = three
    phone.stop_daemon()
    desk.online(phone, is_online=False)
    # A daemon that is asked starts: the device is left alone.
    assert '"phone" is not online' in desk.start("introduce", "phone").failed()
    assert '"phone" is not online' in desk.start("introduce", "lap", "phone").failed()
    assert "no other device online" in desk.start("introduce", "lap").failed()
    assert introductions(lap) == []


@pytest.fixture
def mallory(new_peer, lap):
    peer = new_peer("mallory", lap)
    yield peer
    peer.unpair(lap)


def introduce(link, name, device, addresses=(), more=()):
    entries = {"device": device, "check": check(device), "name": name, "addresses": list(addresses)}
    link.tell({"kind": "introduce", **entries, **dict(more)})
    link.round_trip()


def test_attack14_an_introducer_gone_bad_pairs_nobody(lap, mallory, new_peer):
    """A peer introduces any device, under any name; only the user's answer counts, and paired devices stay paired."""
    friend = new_peer("friend", lap)
    paired = names(lap)
    link = mallory.login(lap)
    here = hash_of(lap.json("status")["device-id"])
    for device in [friend.key.hash, mallory.key.hash, here]:
        introduce(link, "mallory's friend", device, ["127.0.0.1:4009"])
    for wrong in [{"device": bytes(31)}, {"check": b"\xff" * 4}, {"check": bytes(4)}, {"name": 7}, {"addresses": ["127.0.0.1:1"] * 9}]:
        introduce(link, "x", bytes(32), more=wrong)
    introduce(link, "desk\x1b[2J\n\u202e" + "x" * 3000, b"\1" * 32, ["127.0.0.1:4009", "224.0.0.1:1", "nonsense"])
    wait_for(lambda: introductions(lap), "the one that may be")
    (item,) = introductions(lap)
    assert item["name"].startswith("desk") and len(item["name"].encode()) <= 128 and item["name"].isprintable()
    assert item["addresses"] == ["127.0.0.1:4009"] and item["introducer-name"] == "mallory"
    assert item["id"] == text(b"\1" * 32)
    # More than one may introduce: the oldest give way, and the link goes on.
    for number in range(40):
        introduce(link, f"n{number}", number.to_bytes(32, "big"))
    wait_for(lambda: introductions(lap)[-1]["name"] == "n39", "the last one")
    assert [item["name"] for item in introductions(lap)] == [f"n{number}" for number in range(8, 40)]
    assert names(lap) == paired and all(row(lap, peer)["addresses"] == [] for peer in [mallory, friend])
    # Its word counts no more when it is removed.
    mallory.unpair(lap)
    assert introductions(lap) == []
    assert "No device was introduced here." in lap.start("accept").failed()
    mallory.pair(lap)
    friend.unpair(lap)
