"""segue-thunderbird, between Thunderbird's extension and the daemon: Thunderbirds made by hand, on two devices."""

import os
import secrets
import struct
import subprocess
import time

import pytest
from dbus_fast import Variant
from harness import pairs
from harness.bounds import rule
from harness.encoding import encode
from harness.mail import DRAFT, HOST, THUNDERBIRD, TYPE, Host, Mailer
from harness.puppet import Puppet

LONG = "A sentence that is longer than most are. "

devices = pairs.devices


@pytest.fixture
def mailers(devices):
    made = [Mailer(device) for device in devices]
    yield made
    for mailer in made:
        mailer.close()


@pytest.fixture
def here(mailers):
    return mailers[0].start()


@pytest.fixture
def there(mailers):
    return mailers[1].start()


def take(here, device, **wanted):
    """The user of the other device chooses the draft; what stands in it is said."""
    command = device.take(device.offer(THUNDERBIRD, **wanted))
    here.answer()
    return command


def shown(here, key, **entries):
    """A draft that is on offer: its title is saved first."""
    here.draft(key, **entries)
    here.answer()


@pytest.mark.parametrize("is_warm", [True, False], ids=["warm", "cold"])
def test_aDraftGoesOnInTheOtherThunderbird(here, mailers, devices, is_warm):
    there = mailers[1].start() if is_warm else None
    shown(here, "1")
    command = take(here, devices[1], title="Pancakes")
    there = there or mailers[1].launched()
    opened = there.skip_to("open")
    assert {name: opened[name] for name in DRAFT} == DRAFT
    command.succeeded()


def test_anHTMLDraftStaysOneAndNothingOfItLoads(here, there, devices):
    body = ("<html><head><title>x</title><style>p{}</style></head><body onload='a()'><p style='color: rgb(1, 2, 3); "
            "background: url(http://x/y)'>One &amp; <b>two</b></p><img src='http://x/y.png'><script>alert(1)</script>"
            "<a href='https://example.org/a?b=c&amp;d'>link</a><a href='javascript:a()'>none</a></body></html>")
    shown(here, "1", body=body, isPlainText=False)
    command = take(here, devices[1])
    opened = there.skip_to("open")
    assert opened["isPlainText"] is False
    assert opened["body"] == ('<p style="color: rgb(1, 2, 3)">One &amp; <b>two</b></p>'
                              '<a href="https://example.org/a?b=c&amp;d">link</a><a>none</a>')
    command.succeeded()


def test_namesInEveryScriptAndAHundredRecipientsArrive(here, there, devices):
    many = [f"Person Number {number} <person.{number}@example.org>" for number in range(100)]
    others = ['"Müller, Jörg" <j@example.org>', "日本 <n@example.org>"]
    shown(here, "1", to=many, cc=others, subject="Größe " + "word " * 100, body="Zeile\ud83d\n" + "ä" * 2000)
    command = take(here, devices[1])
    opened = there.skip_to("open")
    assert (opened["to"], opened["cc"]) == (many, others)
    assert opened["subject"] == ("Größe " + "word " * 100).strip() and opened["body"] == "Zeile?\n" + "ä" * 2000
    command.succeeded()


def test_aDraftOfAlmostTheLargestSizeArrives(here, there, devices):
    # Each line has two bytes at its end in a message.
    body = "\n".join(["x" * 70] * 900)
    shown(here, "1", body=body)
    command = take(here, devices[1])
    assert there.skip_to("open")["body"] == body
    command.succeeded()


def test_whatWasTypedMeanwhileArrives(here, there, devices):
    shown(here, "1")
    for text in ["one", "two"]:
        here.drafts["1"]["body"] = text
        command = take(here, devices[1])
        assert there.skip_to("open")["body"] == text
        command.succeeded()
        # It went on elsewhere, and the user comes back to it.
        here.send("moved", key="1")


def test_theDraftIsOnOfferWhileTheUserIsInIt(here, mailers, devices):
    lap = devices[1]
    shown(here, "1")
    lap.offer(THUNDERBIRD, title="Pancakes")
    here.send("left", key="1")
    lap.no_offer(THUNDERBIRD)
    shown(here, "2", subject="")
    lap.offer(THUNDERBIRD, title="Draft")
    here.send("moved", key="2", subject=" Waf\tfles " + "x" * 1000)
    lap.until(lambda watch: any(row["title"].startswith("Waf fles xxx") for row in lap.offers_of(THUNDERBIRD)), "the title")
    # It was saved for its offer already.
    here.draft("1")
    lap.offer(THUNDERBIRD, title="Pancakes")
    here.send("closed", key="1")
    lap.no_offer(THUNDERBIRD)


def test_theEndOfThunderbirdEndsTheOffer(here, mailers, devices):
    shown(here, "1")
    devices[1].offer(THUNDERBIRD)
    assert here.end() == 0
    devices[1].no_offer(THUNDERBIRD)


@pytest.mark.parametrize("say, sentence", [
    (lambda here, question: here.send("details", request=question["request"], **{**DRAFT, "body": LONG * 2000}),
     "KiB, and not more than 64 KiB go on elsewhere."),
    (lambda here, question: here.send("details", request=question["request"], problem="It is to be encrypted."),
     "It is to be encrypted."),
    (lambda here, question: here.send("details", request=question["request"]), "The draft has no text."),
    (lambda here, question: here.send("closed", key="1"), "The draft was closed."),
    (lambda here, question: None, "Thunderbird does not say what stands in the draft."),
], ids=["too long", "encrypted", "no text", "closed", "silent"])
def test_aDraftThatCannotBeSavedDoesNotGoOnAndTheUserIsTold(here, there, devices, say, sentence):
    shown(here, "1")
    command = devices[1].take(devices[1].offer(THUNDERBIRD))
    say(here, here.skip_to("where"))
    assert here.skip_to("unsaved")["reason"].endswith(sentence)
    assert command.failed()
    # Others go on.
    shown(here, "2", subject="Waffles")
    command = take(here, devices[1], title="Waffles")
    assert there.skip_to("open")["subject"] == "Waffles"
    command.succeeded()


def test_aSecondProfileIsToldThatTheFirstOneHasTheName(here, devices):
    second = Host(devices[0])
    second.send("hello", version=1)
    while "Another profile" not in (message := second.next("ready")).get("reason", ""):
        assert "reason" in message
    assert second.end() == 0
    second.close()


def test_attack36_whatIsNoMessageIsAnsweredAndChangesNothing(here, devices):
    shown(here, "1")
    for content in [b"{", b"\xff\xfe", b"[" * 100_000, b"7", b'{"key": "1"}', b'{"type": 7}', b'{"type": "sent"}',
                    b'{"type": "draft"}', b'{"type": "draft", "key": "%s"}' % (b"k" * 65), b'{"type": "closed", "key": 1}',
                    b'{"type": "hello", "version": 2}', b""]:
        here.send_bytes(content)
        assert here.skip_to("error")["reason"]
    here.write(struct.pack("=I", 2 * 1024 * 1024) + b"x" * 2 * 1024 * 1024)
    assert here.skip_to("error")["reason"] == "It is longer than 1048576 bytes."
    for number in range(2, 66):
        here.send("draft", key=str(number), subject="")
        here.drafts[str(number)] = DRAFT
    assert here.skip_to("error") == {"type": "error", "of": "draft", "reason": "64 drafts are open already."}
    devices[1].offer(THUNDERBIRD)


def test_aProgramThatIsNotThunderbirdIsToldSo(devices):
    for arguments in [[], ["x", "segue@segue.org"]]:
        host = Host(devices[0], arguments)
        host.wait_for_end()
        assert host.process.wait() == 1 and "Thunderbird starts this program" in host.said()
        host.close()
    assert "usage: segue-thunderbird" in subprocess.run([HOST, "--help"], stdout=subprocess.PIPE, text=True).stdout


def test_withoutThePackageForPythonItSaysWhatIsMissing(devices):
    """Where it is installed for the whole machine, a package that cannot be imported comes first."""
    (devices[0].folder / "segue.py").write_text("raise ImportError('it is not here')")
    done = subprocess.run(
        [HOST, "x", "thunderbird@segue.org"], env={"PATH": os.environ["PATH"], "PYTHONPATH": str(devices[0].folder)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    assert b"Segue's package for Python is missing: it is not here" in done.stdout and done.returncode == 0


# Mail of another device's application


@pytest.fixture
def origin(mailers, devices):
    """On desk, made by hand: it says what no Thunderbird says."""
    puppet = Puppet(devices[0], THUNDERBIRD)
    yield puppet
    puppet.close()


def come(origin, lap, info):
    origin.activity = secrets.token_hex(16)
    attributes = {"id": Variant("s", origin.activity), "type": Variant("s", TYPE)}
    origin.door.tell("SetCurrent", "a{sv}", [{**attributes, "title": Variant("s", origin.activity)}])
    command = lap.take(lap.offer(THUNDERBIRD, title=origin.activity))
    # Of a former one that was taken.
    while (save := origin.door.next_call()).member == "WasContinued":
        pass
    assert save.member == "Save"
    origin.door.answer(save, "a{sv}", [{**attributes, "user-info": Variant("ay", encode(info))}])
    return command


@pytest.mark.parametrize("message, expected", [
    (b"To: a@example.org\r\nSubject: Hello\r\n\r\nText\r\n", {"to": ["a@example.org"], "subject": "Hello", "body": "Text"}),
    (b"To: a@example.org,\r\n b@example.org\r\nBcc: c@example.org\r\n\r\n",
     {"to": ["a@example.org", "b@example.org"], "bcc": ["c@example.org"], "subject": "", "body": ""}),
    # An encoded word may hold a line's end, and another header behind it.
    (b"To: =?utf-8?q?A=0D=0ABcc=3A_x=40example.org?= <a@example.org>\r\nSubject: =?utf-8?q?Hi=0D=0ABcc=3A_x?=\r\n\r\n",
     {"bcc": [], "subject": "Hi Bcc: x"}),
    (b"Subject: a\x00b\x1b[1m\xff\r\n\r\n\x07bell", {"subject": "ab[1m\ufffd", "body": "bell"}),
    (b"Subject: x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>a<img src=http://x/>\r\n",
     {"body": "<p>a</p>", "isPlainText": False}),
    (b"Subject: x\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\r\nplain\r\n--b\r\n"
     b"Content-Type: text/html\r\n\r\n<b>rich</b>\r\n--b--\r\n", {"body": "<b>rich</b>", "isPlainText": False}),
])
def test_aMessageOfAnotherApplicationIsRead(origin, there, devices, message, expected):
    command = come(origin, devices[1], {"message": message})
    opened = there.skip_to("open")
    assert {name: opened[name] for name in expected} == expected
    command.succeeded()


def test_aDraftByItsPartsIsRead(origin, there, devices):
    command = come(origin, devices[1], {"to": "a@example.org\r\nBcc: x@example.org", "subject": "Hi\r\nBcc: y", "body": "T\r\nU"})
    opened = there.skip_to("open")
    assert (opened["bcc"], opened["subject"], opened["body"]) == ([], "Hi Bcc: y", "T\nU")
    command.succeeded()


@pytest.mark.parametrize("info", [
    {}, {"message": b""}, {"message": b"\xff\xfe\x00 no message"}, {"message": b"\r\n\r\n"}, {"message": "text"},
    {"message": b"To: " + b"a@example.org, " * 501 + b"b@example.org\r\n\r\n"},
    {"message": b"To: " + b"(" * 60_000 + b"\r\n\r\n"},
    {"message": b"Subject: x\r\nContent-Type: text/plain; charset=nowhere\r\n\r\n\xff"},
], ids=["nothing", "empty", "bytes", "no headers", "text", "recipients", "brackets", "charset"])
def test_attack35_whatIsNoMailIsDeclinedAndTheNextOneIsRead(origin, there, devices, info):
    assert come(origin, devices[1], info).failed()
    command = come(origin, devices[1], {"message": b"Subject: Next\r\n\r\n"})
    opened = there.skip_to("open")
    assert opened["subject"] == "Next"
    command.succeeded()


@pytest.mark.parametrize("head, repeated", [
    (b"To: ", b'"'), (b"To: ", b"\\"), (b"To: ", b"a "), (b"To: ", b'"\\'), (b"Subject: ", b"=?utf-8?q?a?= "),
    (b"Content-Type: text/plain; a*0=", b'"a'),
    (b"Content-Type: text/html\r\n\r\n", b"<a "), (b"Content-Type: text/html\r\n\r\n", b"<a x='"),
    (b"Content-Type: text/html\r\n\r\n", b"<b></i>"), (b"Content-Type: text/html\r\n\r\n", b"<!--"),
    (b"Content-Type: multipart/mixed; boundary=b\r\n\r\n", b"--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"),
])
def test_attack35_aMessageThatIsMadeToBeSlowHoldsUpNothing(origin, there, devices, head, repeated):
    """With Python's own readers some of these take half a minute."""
    start = time.monotonic()
    come(origin, devices[1], {"message": (head + repeated * 60_000)[:60_000] + b"\r\n\r\n"}).result()
    assert time.monotonic() - start < rule(5)
    command = come(origin, devices[1], {"message": b"Subject: Next\r\n\r\n"})
    while there.skip_to("open")["subject"] != "Next":
        pass
    command.succeeded()
