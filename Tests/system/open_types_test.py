"""Open types: any application may claim one (semantics O1)."""

import pytest
from harness.device import pair

TYPE = "org.segue.open.Reading"


@pytest.fixture
def viewers(new_device, new_application, install):
    """A viewer with a current activity of an open type on desk, and lap: (desk, lap, viewer, origin)."""
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    viewer = new_application(name="Viewer", types=[TYPE])
    origin = install(desk, viewer).start()
    origin.do(f"activity a {TYPE}", "title a Book", "delegate a", "put a page int 7", "current a")
    return desk, lap, viewer, origin


def O1_anotherApplicationContinuesAnOpenType(viewers, new_application, install):
    _, lap, viewer, origin = viewers
    reader = new_application(name="Reader", types=[TYPE])
    place = install(lap, reader)
    offer = lap.offer(viewer)
    assert offer["local-app"] == reader.id and not offer["needs-choice"]
    command = lap.take(offer)
    target = place.launched()
    target.expect("continue")
    command.succeeded()
    origin.expect("was-continued a")


def O1_theUserChoosesAmongSeveralAndTheSameApplicationComesFirst(viewers, new_application, install):
    _, lap, viewer, _ = viewers
    first, second = (new_application(name=name, types=[TYPE]) for name in ["First", "Second"])
    for reader in [first, second]:
        install(lap, reader)
    offer = lap.any_offer(viewer)
    lap.until(lambda _: lap.offers_of(viewer)[0]["needs-choice"], "two that can")
    assert "2 applications can continue this" in lap.take(offer).failed()
    lap.segue("default", TYPE, second.id)
    lap.offer(viewer, **{"local-app": second.id})
    assert "comes first: you have chosen it for this type" in lap.segue("explain")
    install(lap, viewer)
    lap.offer(viewer, **{"local-app": viewer.id})
    assert "comes first: it is the same application" in lap.segue("explain")


def O1_theOtherDeviceGivesTheStateToAnyApplication(viewers, new_application, new_peer, install):
    desk, _, viewer, _ = viewers
    mallory = new_peer("mallory", desk)
    link = mallory.login(desk)
    offers = lambda: (offer for message in link.messages for offer in message.get("offers", []))
    activity = link.wait(lambda: next((one for one in offers() if one["app"] == viewer.id), None), "the offer")["id"]
    assert link.fetch(activity, "org.example.Other")[1] == {"page": 7}
    mallory.unpair(desk)


def O6_whatIsInsideAProgramComesBeforeWhatActsForIt(viewers, new_application, install):
    desk, lap, viewer, _ = viewers
    bridge = new_application(name="Bridge", types=[TYPE], lines=[f"X-Segue-ActsFor={viewer.id}.desktop;"])
    install(lap, bridge)
    install(lap, viewer)
    lap.offer(viewer, **{"local-app": viewer.id})
    # The bridge's own offers go to what is inside, too.
    origin = install(desk, bridge).start()
    origin.do(f"activity b {TYPE}", "title b Film", "current b")
    lap.offer(bridge, **{"local-app": viewer.id})
    assert "Bridge can continue it here if you choose it; Viewer comes first" in lap.segue("explain")


def O1_whatActsForAProgramIsThatProgram(viewers, new_application, install):
    _, lap, viewer, _ = viewers
    bridge = new_application(name="Bridge", types=[TYPE], lines=[f"X-Segue-ActsFor=none.desktop;{viewer.id}.desktop;"])
    other = new_application(name="Other", types=[TYPE])
    place = install(lap, bridge)
    install(lap, other)
    lap.segue("default", TYPE, other.id)
    # The viewer takes part by itself there, and here the bridge acts for it.
    offer = lap.offer(viewer, **{"local-app": bridge.id})
    assert not offer["needs-choice"]
    assert "comes first: it is the same program" in lap.segue("explain")
    command = lap.take(offer)
    place.launched().expect("continue")
    command.succeeded()


def O1_aChoiceOfAProgramCountsForWhatActsForIt(viewers, new_application, install):
    _, lap, viewer, _ = viewers
    bridge = new_application(name="Bridge", types=[TYPE], lines=["X-Segue-ActsFor=org.example.Program.desktop;"])
    other = new_application(name="Other", types=[TYPE])
    place = install(lap, bridge)
    install(lap, other)
    lap.segue("default", TYPE, "org.example.Program")
    offer = lap.offer(viewer, **{"local-app": bridge.id})
    assert "comes first: you have chosen it for this type" in lap.segue("explain")
    command = lap.take(offer)
    place.launched().expect("continue")
    command.succeeded()
