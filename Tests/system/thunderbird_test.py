"""Drafts between real Thunderbirds on two devices. scripts/test-bridges installs it and runs this."""

import contextlib
import os
import signal

import pytest
from harness import pairs
from harness.mail import THUNDERBIRD
from harness.readers import screen
from harness.thunderbird import PATIENCE, Thunderbird, is_here
from harness.waiting import wait_for

pytestmark = pytest.mark.skipif(
    not os.environ.get("SEGUE_BRIDGES") or not is_here(), reason="scripts/test-bridges installs Thunderbird and runs it")

devices = pairs.devices


@pytest.fixture
def thunderbirds(devices):
    """Each on a screen of its own, whose windows have the focus."""
    with contextlib.ExitStack() as screens:
        made = [Thunderbird(device, screens.enter_context(screen())) for device in devices]
        yield made
        for thunderbird in made:
            thunderbird.close()


def take(there, title):
    there.device.take(there.device.offer(THUNDERBIRD, PATIENCE, title=title)).succeeded()


def test_aDraftGoesOnInARunningOneAndTheOriginsWindowStays(thunderbirds):
    here, there = thunderbirds
    here.start()
    there.start()
    people = ["A B <a@example.org>", '"Müller, Jörg" <j@example.org>']
    here.write(to=", ".join(people), bcc="c@example.org")
    here.type("Whisk the eggs. ")
    here.keys("ctrl+b")
    here.type("Then wait.")
    take(there, "Pancakes")
    shown = wait_for(lambda: there.shown("Pancakes"), "the draft", seconds=PATIENCE)
    assert (shown["bcc"], shown["subject"]) == ("c@example.org", "Pancakes") and shown["isHTML"]
    assert shown["to"] == here.shown("Pancakes")["to"], (shown["to"], here.shown("Pancakes")["to"])
    assert "Whisk the eggs. <b>Then wait.</b>" in shown["html"].replace("&nbsp;", " ")
    # One signature, which is in the text.
    assert shown["html"].count("The signature") == 1 and shown["from"] == "Me <me@example.org>"
    wait_for(lambda: there.shown("Pancakes")["asks"], "the question before it is closed")
    assert here.drafts() == there.drafts() == 1
    # The other way, with what was typed there.
    there.focus("Pancakes")
    there.keys("ctrl+Home")
    there.type("First: ")
    take(here, "Pancakes")
    wait_for(lambda: here.drafts() == 2, "the second window", seconds=PATIENCE)
    here.close_draft("Pancakes")
    there.close_draft("Pancakes")
    here.device.no_offer(THUNDERBIRD, PATIENCE)


def test_aPlainTextStaysOneAndStartsThunderbird(thunderbirds):
    here, there = thunderbirds
    here.start()
    here.write("", is_plain=True)
    here.run("""
const window = Services.wm.getMostRecentWindow("msgcompose");
window.SetComposeDetails({ subject: "Waffles", to: "a@example.org", plainTextBody: "One < two\\n\\n  three\\n" });
""")
    here.focus("Waffles")
    here.type("four")
    take(there, "Draft")
    there.connect()
    shown = wait_for(lambda: there.shown("Waffles"), "the draft", seconds=PATIENCE)
    assert not shown["isHTML"] and shown["to"] == "a@example.org"
    assert "One < two\n\n  three\n" in shown["text"] and "four" in shown["text"]


def test_nothingOfTheOtherDevicesHTMLLoads(thunderbirds):
    here, there = thunderbirds
    here.start()
    there.start()
    here.write(body=f"<p>Look:<img src='data:image/png;base64,{'A' * 2**20}'> <a href='https://example.org/'>there</a></p>")
    take(there, "Pancakes")
    shown = wait_for(lambda: there.shown("Pancakes"), "the draft", seconds=PATIENCE)
    assert shown["images"] == 0 and "Look:" in shown["text"] and 'href="https://example.org/"' in shown["html"]


def test_itIsOnOfferWhileTheUserIsInIt(thunderbirds):
    here, there = thunderbirds
    here.start()
    here.write()
    there.device.offer(THUNDERBIRD, PATIENCE, title="Pancakes")
    here.run("Services.wm.getMostRecentWindow('mail:3pane').focus()")
    there.device.no_offer(THUNDERBIRD, PATIENCE)
    here.focus("Pancakes")
    there.device.offer(THUNDERBIRD, PATIENCE, title="Pancakes")
    here.close_draft("Pancakes")
    there.device.no_offer(THUNDERBIRD, PATIENCE)


def test_itsEndIsThatOfTheWindowAlsoWhenItIsSent(thunderbirds):
    here, there = thunderbirds
    here.start()
    here.write(to="a@example.org")
    there.device.offer(THUNDERBIRD, PATIENCE, title="Pancakes")
    # It goes into the outbox, since there is no server.
    here.run("Services.wm.getMostRecentWindow('msgcompose').goDoCommand('cmd_sendLater')")
    there.device.no_offer(THUNDERBIRD, PATIENCE)
    wait_for(lambda: here.drafts() == 0, "the end of the window", seconds=PATIENCE)


def test_aHostThatDiesIsStartedAgain(thunderbirds):
    here, there = thunderbirds
    here.start()
    here.write()
    there.device.offer(THUNDERBIRD, PATIENCE, title="Pancakes")
    os.kill(here.host(), signal.SIGKILL)
    there.device.no_offer(THUNDERBIRD, PATIENCE)
    take(there, "Pancakes")
    there.connect()
    wait_for(lambda: there.shown("Pancakes"), "the draft", seconds=PATIENCE)
