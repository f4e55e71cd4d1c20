"""Where devices can be dialled: told over the link, remembered, and tried again (network.md D3)."""

import pytest
from harness.peer import device as handmade
from harness.device import pair


def known(device, other):
    """The addresses at which the device knows the other one."""
    return next(item for item in device.json("devices") if item["name"] == other.name)


def address(device):
    return device.json("status")["addresses"][0]


def until_known(device, other, what, **wanted):
    """Waits until that is so."""
    def found(watch):
        return any(
            item["name"] == other.name and all(item.get(key) == value for key, value in wanted.items())
            for item in watch.items["device"].values())

    device.until(found, what)


def move(device):
    """The daemon that starts next listens at another port. Where it was."""
    former = address(device)
    device.stop_daemon()
    (device.folder / "state/segue/port").unlink()
    assert address(device) != former
    return former


def D3_aDeviceIsReachedWhereItSaidThatItIs(new_device):
    """Each moves while the other one is there. What one was told by the link is all that leads to the other."""
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    given = known(lap, desk)["addresses"]
    move(desk)
    desk.online(lap)
    there = address(desk)
    until_known(lap, desk, "desk's new address", addresses=[*given, there], learned=[there])
    move(lap)
    lap.online(desk)
    until_known(lap, desk, "the address that worked", addresses=[there, *given], reached=there)
    # It is remembered, and tried first.
    lap.stop_daemon()
    assert known(lap, desk)["addresses"] == [there, *given]
    assert known(lap, desk)["reached"] == there
    lap.online(desk)


def D3_whatTheUserGaveStaysWhatIsTold(new_device):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    row = known(lap, desk)
    lap.segue("device", "add", row["id"], "192.0.2.1:4711", "--name", "desk")
    until_known(lap, desk, "what desk told", learned=[address(desk)])
    assert sorted(known(lap, desk)["addresses"]) == sorted([address(desk), "192.0.2.1:4711"])


@pytest.fixture
def mallory(new_peer, lap):
    peer = new_peer("mallory", lap)
    yield peer
    peer.unpair(lap)


def tell(link, addresses):
    link.tell({"kind": "addresses", "addresses": addresses})
    link.round_trip()


def D3_aDeviceTellsItsAddressesOnEachLink(lap, mallory):
    for _ in range(2):
        link = mallory.login(lap)
        assert link.next_message("addresses")["addresses"] == [address(lap)]
        link.goodbye()


def test_attack5_addressesThatAreNotThePeersAreNotDialled(lap, mallory):
    host, port = handmade.address(lap)
    link = mallory.login(lap)
    here = mallory.listen()
    tell(link, [f"{host}:{port}", "0.0.0.0:1", "224.0.0.251:5353", "255.255.255.255:1", "127.0.0.1:0", "desk.example:1"])
    tell(link, ["[::]:1", "[ff02::1]:1", "[fe80::1%lo]:1", f"[::ffff:7f00:1]:{port}", "x" * 300, 7, "", here])
    until_known(lap, mallory, "the one that is good", addresses=[here], learned=[here])
    # More than a device has, which is no message.
    tell(link, [f"127.0.0.2:{number}" for number in range(1, 10)])
    assert known(lap, mallory)["addresses"] == [here]
    link.goodbye()
    # The address that the peer sent leads there, also after a restart.
    mallory.accept(lap).until_up().goodbye()
    lap.stop_daemon()
    assert known(lap, mallory)["addresses"] == [here]
    link = mallory.accept(lap).until_up()
    until_known(lap, mallory, "the address that worked", reached=here)
    link.goodbye()
