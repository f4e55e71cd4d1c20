"""How fast a paired device is heard that says more than it has to (attack 34)."""

from harness.peer import frames, messages


def credit_came_back(link):
    return [frame for frame in link.frames if frame.kind == frames.WINDOW and frame.channel == 0]


def attack34_listsOfOffersFasterThanADeviceAnnouncesThemWait(lap, new_peer, application, install):
    mallory, alice = new_peer("mallory", lap), new_peer("alice", lap)
    install(lap, application)
    link = mallory.login(lap)
    # Of each 544 bytes of the window are used, and half of it would be given back at once.
    for _ in range(400):
        link.offer()
    link.round_trip()
    # The loop has seen them all, and whatever it lets this one send again is out.
    lap.json("status")
    link.round_trip()
    assert not credit_came_back(link)
    # Another one is heard.
    other = alice.login(lap)
    other.offer(messages.offer(application, title="Page"))
    lap.offer(application, title="Page")
    for peer in [mallory, alice]:
        peer.unpair(lap)
