"""Which activity of an application is current (semantics R6), as another device sees it."""

import pytest


@pytest.fixture
def origin(both, application):
    """Two windows, each with a responder that has an activity; in the first there is a view before that."""
    probe = both[0].start()
    probe.do("window one plain", "window two plain", "responder view", "responder page", "responder mail")
    probe.do(f"activity reading {application.type}", "title reading Reading")
    probe.do(f"activity writing {application.type}", "title writing Writing")
    probe.do("next view page", "focus one view", "focus two mail", "attach page reading", "attach mail writing")
    return probe


def why(probe):
    """Why an activity is current, and which."""
    _, reason, name, _ = probe.do("why").split()
    return reason, name


def R6_withoutAMainWindowTheOneSetLastIsOnOffer(origin, lap, application):
    lap.offer(application, title="Writing")
    assert why(origin) == ("last-set", "writing")
    origin.do("attach page reading")
    lap.offer(application, title="Reading")


def R6_theOfferFollowsTheFocus(origin, lap, application):
    origin.do("main one")
    lap.offer(application, title="Reading")
    assert why(origin) == ("focus", "reading")
    origin.do("main two")
    lap.offer(application, title="Writing")
    # The property of a responder that has not the focus changes nothing, that of one that has it does.
    origin.do(f"activity draft {application.type}", "title draft Draft", "attach view draft")
    assert why(origin) == ("focus", "writing")
    origin.do("main one")
    lap.offer(application, title="Draft")
    origin.do("attach view -")
    lap.offer(application, title="Reading")
    # And so does the chain.
    origin.do("next view mail")
    lap.offer(application, title="Writing")


def R6_aWindowWithoutAnActivityOffersNothing(origin, lap, application):
    origin.do("main one")
    lap.offer(application, title="Reading")
    origin.do("next view -")
    lap.no_offer(application)
    assert why(origin) == ("none", "-")
    origin.do("main two")
    lap.offer(application, title="Writing")


def R6_explicitWinsUntilTheFocusNextChanges(origin, lap, application):
    origin.do("main one", f"activity call {application.type}", "title call Call", "current call")
    lap.offer(application, title="Call")
    assert why(origin) == ("explicit", "call")
    # These commands do not move the focus.
    origin.do("attach page reading", "focus one view", "main one", "main -", "focus two view")
    assert why(origin) == ("explicit", "call")
    origin.do("focus one page")
    lap.offer(application, title="Reading")


def R6_losingTheDesktopsFocusEndsNoOffer(origin, both, lap, application):
    origin.do("main one")
    offer = lap.offer(application, title="Reading")
    origin.do("main -", "title reading Still")
    assert lap.offer(application, title="Still")["id"] == offer["id"]
    command = lap.take(offer)
    both[1].launched().expect("continue")
    command.succeeded()


def R6_explainSaysWhy(origin, desk, lap, application):
    origin.do("main one")
    lap.offer(application, title="Reading")

    def sentence():
        return {row["current-reason"] for row in desk.json("explain", application.type) if row["reason"] == "offered"}

    spoken = origin.do("why").split()[3].replace("%20", " ")
    assert sentence() == {spoken} and "focused one in the chain" in spoken
    assert spoken in desk.segue("explain", application.type)
    # Another reason for the same activity is told too.
    origin.do("current reading", "title reading Again")
    lap.offer(application, title="Again")
    assert "made it current" in sentence().pop()


def R6_aLoopIsRefused(origin):
    origin.do("next page mail")
    assert origin.refused("next mail view") == "ELOOP"
    assert origin.refused("next view view") == "ELOOP"
    origin.do("main one")
    assert why(origin) == ("focus", "reading")


def R6_aWindowThatIsGoneDecidesNoLonger(origin, lap, application):
    origin.do("main one")
    lap.offer(application, title="Reading")
    origin.do("drop-window one")
    lap.offer(application, title="Writing")
    assert why(origin) == ("last-set", "writing")
