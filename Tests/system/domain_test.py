"""Pages that continue in the application that their domain names (semantics W3, W4; attacks 29, 48)."""

import json

import pytest
from harness.device import pair
from harness.probe import decode as decode_word
from harness.teams import DEVELOPER, sign, team_of
from harness.web import HOST, PATH, Answer, environment

BROWSING = "org.segue.BrowsingWeb"
PAGE = f"https://{HOST}/articles/1?b=c#d"


class Both:
    """A browser on desk with a page on offer, and on lap an application that claims the page's domain."""

    def __init__(self, desk, lap, browser, reader, origin, place, team):
        self.desk, self.lap, self.browser, self.reader = desk, lap, browser, reader
        self.origin, self.place, self.team = origin, place, team

    def file(self, *apps):
        return Answer(json.dumps({"activitycontinuation": {"apps": list(apps)}}).encode())

    def until_reason(self, word):
        """Until lap says so of the application and the page; the sentence."""
        def found():
            rows = self.lap.json("explain", BROWSING)
            return next((row["sentence"] for row in rows
                         if row.get("local-app") == self.reader.id and row["reason"] == word), None)
        return self.lap.until_asked(found, f"the reason {word}")


@pytest.fixture
def both(new_device, new_application, install, site, authority):
    def make(claim=f"activitycontinuation:{HOST}", page=PAGE, answer=None):
        desk, lap = new_device("desk", settings=DEVELOPER), new_device("lap", settings=DEVELOPER)
        # Its bus launches the daemon, with the environment that the bus was started with.
        lap.kill_bus()
        lap.environment.update(environment(site, authority))
        lap.start_bus()
        pair(desk, lap)
        team = team_of(desk)
        browser = new_application(name="Browser", types=[BROWSING])
        reader = new_application(
            name="Reader", types=[], lines=[f"X-Segue-Team={team}", f"X-Segue-AssociatedDomains={claim};"])
        sign(desk, lap, options=["--app", reader.id])
        origin = install(desk, browser).start()
        origin.do(
            f"activity a {BROWSING}", "title a Page", f"url a {page}", "put a place int 7", "delegate a", "current a")
        made = Both(desk, lap, browser, reader, origin, None, team)
        lap.any_offer(browser)
        site.answers[PATH] = answer(made) if answer else made.file(f"{team}.{reader.id}")
        made.place = install(lap, reader)
        return made
    return make


def W3_aPageContinuesInTheApplicationThatItsDomainNames(both, site):
    both = both()
    offer = both.lap.offer(both.browser)
    assert offer["candidates"] == [both.reader.id] and not offer["needs-choice"]
    command = both.lap.take(offer)
    target = both.place.launched()
    # The page, and nothing of what the browser keeps for itself: an empty dictionary in CBOR.
    assert target.expect("continue") == [BROWSING, "a0"]
    command.succeeded()
    both.origin.expect("was-continued a")
    assert decode_word(target.do("show continued").split()[2]) == PAGE
    assert site.asked == [(HOST, PATH)]


def W4_whatADomainHasGrantedOutlivesTheDaemonAndItsServer(both, site):
    both = both()
    both.lap.offer(both.browser)
    both.lap.stop_daemon()
    site.answers = {}
    both.lap.segue("status")
    assert both.lap.offer(both.browser)["candidates"] == [both.reader.id]
    assert site.asked == [(HOST, PATH)]


@pytest.mark.parametrize("case, word, said", [
    ("none", "domain-refused", "status 404"), ("redirect", "domain-refused", "redirects"),
    ("duplicate", "domain-refused", "there twice"), ("others", "domain-names-others", "does not name"),
    ("team", "domain-names-others", "does not name"),
])
def W3_explainSaysWhyAPageDoesNotContinueThere(both, site, case, word, said):
    def answer(both):
        return {
            "none": Answer(status=404), "redirect": Answer(status=302, Location=f"https://{HOST}/"),
            "duplicate": Answer(b'{"a": 1, "a": 2}'), "others": both.file(f"{both.team}.org.example.Other"),
            "team": both.file(f"TEAM1.{both.reader.id}"),
        }[case]
    both = both(answer=answer)
    assert said in both.until_reason(word)
    both.lap.any_offer(both.browser)
    offer, = both.lap.offers_of(both.browser)
    assert said in both.lap.start("continue", offer["id"], "--app", both.reader.id).failed()
    assert not both.place.was_launched()


def W3_explainSaysWhichApplicationComesFirstAndWhy(both, install):
    both = both()
    install(both.lap, both.browser)

    def said(app):
        return next((row["sentence"] for row in both.lap.json("explain", BROWSING)
                     if row.get("local-app") == app.id and row["offered"]), "")
    both.lap.until_asked(lambda: "domain names it" in said(both.reader), "both applications, and the domain's file")
    assert "if you choose it; Reader comes first" in said(both.browser)
    both.lap.segue("default", BROWSING, both.browser.id)
    assert "comes first: you have chosen it for pages" in said(both.browser)
    assert "if you choose it; Browser comes first" in said(both.reader)


def attack48_aDomainThatOnlyAnotherDeviceNamesIsNotFetched(both, site):
    both = both(page="https://evil.example/")
    both.origin.do("url a https://other.example/", "title a Other")
    both.lap.any_offer(both.browser)
    both.lap.until(
        lambda watch: any(offer.get("web-host") == "other.example" for offer in watch.items["offer"].values()),
        "the other page")
    offer, = both.lap.offers_of(both.browser)
    both.lap.start("continue", offer["id"], "--app", both.reader.id).failed()
    # The claim came last: what else was to be asked has been by then.
    assert site.until_asked(HOST) == {HOST}


def attack29_nothingOpensBeforeTheUserChooses(both):
    both = both()
    both.lap.offer(both.browser)
    both.lap.segue("activities")
    assert not both.place.was_launched()
    assert both.origin.count("was-continued") == 0


def attack30_theDomainIsTheOnlyWordOfAClaimThatAProcessGets(new_device, new_application, install, site, authority):
    site.certificate = authority.issue("ok.example")
    lap = new_device("lap")
    lap.kill_bus()
    lap.environment.update(environment(site, authority))
    lap.start_bus()
    claims = [f"activitycontinuation:{name}" for name in [
        "--help", "-x.example", "$(id).example", "a b.example", "a.example/../x", "UPPER.example", "ok.example"]]
    install(lap, new_application(types=[], lines=[f"X-Segue-AssociatedDomains={';'.join(claims)};"]))
    lap.segue("status")
    assert site.until_asked("ok.example") == {"ok.example"}
