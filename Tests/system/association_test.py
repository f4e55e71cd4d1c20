"""Association files: how they are fetched and judged, and what is refused (semantics W3-W5; attack 48)."""

import gzip
import itertools
import json
import os
import pathlib
import re
import shlex
import socket
import subprocess
import threading
import time

import pytest
from cryptography.x509.oid import ExtendedKeyUsageOID
from harness.command import Command
from harness.device import PASSED_ON
from harness.tree import SEGUE
from harness.web import HOST, PATH, ROOT_PATH, Answer, Authority, Site, environment, folder

APP = "TEAM1.org.example.Reader"
FILE = json.dumps({"activitycontinuation": {"apps": [APP]}}).encode()
SIGNED_LIMIT = 256 * 1024
LIMIT = 128 * 1024
#: How long a connection may take, and a fetch in all; and by how much curl's clock is coarser.
CONNECT_SECONDS, FETCH_SECONDS, CLOCK = 5, 10, 0.01
PASSED = {key: os.environ[key] for key in ["PATH", *PASSED_ON] if key in os.environ}


@pytest.fixture
def check(site, authority):
    """`segue domain check`, and what it said: (whether all is well, its text)."""
    def run(*arguments):
        command = Command([SEGUE, "domain", "check", *map(str, arguments)], {
            **PASSED, "HOME": "/nonexistent",
            # Neither of these is to have an effect.
            "https_proxy": "http://127.0.0.1:1", "SSL_CERT_FILE": "/dev/null",
            **environment(site, authority)})
        status, out, error = command.result()
        return status == 0, out + error
    return run


def refused(check, *words):
    good, text = check(HOST)
    assert not good and APP not in text, text
    assert all(word in text for word in words), text


# The two places, and the forms

def W4_theFileIsFetchedFromTheWellKnownPlace(site, check):
    site.answers[PATH] = Answer(FILE, Content_Type="text/html")
    site.answers[ROOT_PATH] = Answer(b"{}")
    good, text = check(HOST)
    assert good and f"Line 1: {APP} continues pages" in text and "is plain JSON" in text
    assert site.asked == [(HOST, PATH)]


def W4_theRootIsAskedWhereThereIsNoneInTheWellKnownPlace(site, check):
    site.answers[ROOT_PATH] = Answer(FILE)
    good, text = check(HOST)
    assert good and APP in text
    assert site.asked == [(HOST, PATH), (HOST, ROOT_PATH)]


def W4_aFileThatIsCompressedIsRead(site, check):
    site.answers[PATH] = Answer(gzip.compress(FILE), Content_Encoding="gzip")
    assert check(HOST)[0]


@pytest.mark.parametrize("kind", ["ec", "rsa"])
@pytest.mark.parametrize("command, options", [
    ("smime", ["-noattr"]), ("smime", ["-md", "sha256"]), ("cms", []), ("cms", ["-noattr"]),
    ("cms", ["-noattr", "-md", "sha384"]),
])
def W4_theSignedFormIsRead(site, check, authority, kind, command, options):
    signed = authority.sign(FILE, authority.issue(HOST, kind=kind), *options, command=command)
    site.answers[PATH] = Answer(signed)
    good, text = check(HOST)
    assert good and "is signed by the host" in text and APP in text, text


def W4_aFileAsLargeAsMayBe(site, check):
    site.answers[PATH] = Answer(FILE.ljust(LIMIT))
    assert check(HOST)[0]
    site.answers[PATH] = Answer(FILE.ljust(LIMIT + 1))
    refused(check, "more than 131072 bytes")


def W4_aSignedFileAsLargeAsMayBe(site, check):
    """It is read to its end, and is none; a longer one is not read."""
    start = b"\x30\x83" + (SIGNED_LIMIT - 5).to_bytes(3, "big")
    site.answers[PATH] = Answer(start.ljust(SIGNED_LIMIT, b"\0"))
    good, text = check(HOST)
    assert not good and "larger than" not in text, text
    site.answers[PATH] = Answer(start.ljust(SIGNED_LIMIT + 1, b"\0"))
    refused(check, "larger than")


# Refused answers and files

@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def attack48_aRedirectIsNotFollowed(site, check, status):
    for path in [PATH, ROOT_PATH]:
        site.answers[path] = Answer(status=status, Location=f"https://{HOST}/elsewhere")
    site.answers["/elsewhere"] = Answer(FILE)
    refused(check, "redirects")
    assert "/elsewhere" not in [path for _, path in site.asked]


@pytest.mark.parametrize("case, words", [
    ("host", "no alternative certificate subject name"), ("expired", "expired"), ("early", "not yet valid"), ("self", "self-signed"),
    ("stranger", "unable to get local issuer"), ("mail", "unsuitable certificate purpose"),
])
def attack48_aServerThatIsNotTheHostIsNotAsked(site, check, authority, case, words):
    with folder() as path:
        site.certificate = {
            "host": lambda: authority.issue("other.example"),
            "expired": lambda: authority.issue(HOST, begin=-9, end=-1),
            "early": lambda: authority.issue(HOST, begin=1), "self": lambda: authority.issue(HOST, by=None),
            "stranger": lambda: Authority(path).issue(HOST),
            "mail": lambda: authority.issue(HOST, usage=ExtendedKeyUsageOID.EMAIL_PROTECTION),
        }[case]()
        site.answers[PATH] = Answer(FILE)
        refused(check, "cannot be fetched", words)
        assert site.asked == []


@pytest.mark.parametrize("case, words", [
    ("host", "hostname mismatch"), ("expired", "expired"), ("early", "not yet valid"), ("self", "self-signed"),
    ("stranger", "unable to get"), ("mail", "purpose"), ("usage", "not for signing"), ("chain", "unable to get"),
    ("tampered", "does not fit"), ("detached", "detached"), ("two", "2 signers"), ("none", "no JSON object"),
    ("indefinite", "indefinite length"), ("sha1", "digest"), ("type", "not of the content type data"),
    ("trailing", "follows"), ("attributes", "no JSON object"), ("duplicate", "there twice"),
    ("cut", "neither JSON nor DER"), ("enveloped", "not signed data"),
])
def attack48_aSignatureThatIsNotGoodIsRefused(site, check, authority, certificate, case, words):
    def signed(by=certificate, *options, content=FILE):
        return authority.sign(content, by, "-noattr", *options)

    def without_chain():
        certificate = authority.issue(HOST)
        certificate.chain.write_bytes(b"")
        return signed(certificate)

    def enveloped():
        by = authority.issue(HOST, kind="rsa", signs=False)
        return subprocess.run(
            ["openssl", "cms", "-encrypt", "-binary", "-outform", "DER", str(by.certificate)],
            input=FILE, check=True, stdout=subprocess.PIPE).stdout

    other = authority.issue(HOST)
    with folder() as path:
        body = {
            "host": lambda: signed(authority.issue("other.example")),
            "expired": lambda: signed(authority.issue(HOST, begin=-9, end=-1)),
            "early": lambda: signed(authority.issue(HOST, begin=1)),
            "self": lambda: signed(authority.issue(HOST, by=None)),
            "stranger": lambda: signed(Authority(path).issue(HOST)),
            "mail": lambda: signed(authority.issue(HOST, usage=ExtendedKeyUsageOID.EMAIL_PROTECTION)),
            "usage": lambda: signed(authority.issue(HOST, kind="rsa", signs=False)),
            "chain": without_chain,
            "tampered": lambda: signed().replace(b"Reader", b"Reaper"),
            "detached": lambda: subprocess.run(
                ["openssl", "cms", "-sign", "-binary", "-outform", "DER", "-signer", str(certificate.certificate),
                 "-inkey", str(certificate.key)], input=FILE, check=True, stdout=subprocess.PIPE).stdout,
            "two": lambda: signed(certificate, "-signer", str(other.certificate), "-inkey", str(other.key)),
            "none": lambda: signed(content=b"nothing"),
            "indefinite": lambda: signed(certificate, "-stream"),
            "sha1": lambda: signed(certificate, "-md", "sha1"),
            "type": lambda: signed(certificate, "-econtent_type", "1.2.840.113549.1.9.16.1.4"),
            "trailing": lambda: signed() + signed(),
            # A signature with attributes is made over a set in DER, which this content imitates.
            "attributes": lambda: signed(content=bytes.fromhex("310b300906032a0304310230")),
            "duplicate": lambda: signed(content=b'{"a": 1, "a": 2}'),
            "cut": lambda: signed()[:-1],
            "enveloped": enveloped,
        }[case]()
        site.answers[PATH] = Answer(body)
        refused(check, words)


@pytest.mark.parametrize("body, words", [
    (b'{"activitycontinuation": {"apps": []},\n"activitycontinuation": {}}', "Line 2"),
    (b"[" * 100_000, "neither"), (b'{"a":' * 20_000, "nested"),
    (b'{"activitycontinuation": {"apps": "x"}}', "should be an array"),
    (b"<html></html>", "neither"), (b"", "neither"), (b'{"a": "\xff"}', "not UTF-8"), (b"0" * 500, "neither"),
])
def attack48_contentThatIsNoFileIsRefused(site, check, body, words):
    site.answers[PATH] = Answer(body)
    refused(check, words)


def attack48_aBombIsNotUnpacked(site, check):
    site.answers[PATH] = Answer(gzip.compress(b" " * 200_000_000, 9), Content_Encoding="gzip")
    refused(check, "larger than")


def attack48_aBodyOfAGibibyteIsNotRead(site, check):
    sent = []

    def body():
        for _ in range(1024):
            sent.append(1)
            yield b" " * 1024 * 1024

    site.answers[PATH] = Answer(body, Content_Length=str(1 << 30))
    refused(check, "larger than")
    assert len(sent) < 64


def attack48_aBodyThatIsNotWhatItsEncodingSaysIsRefused(site, check):
    site.answers[PATH] = Answer(b"\x1f\x8b\x08 no gzip", Content_Encoding="gzip")
    refused(check, "is not compressed in the way")


def attack48_aSlowBodyIsNotWaitedFor(site, check):
    ended = threading.Event()

    def body():
        # Until the client hangs up: the write then fails.
        for _ in itertools.count():
            yield b" "
            if ended.wait(0.2):
                return

    site.answers[PATH] = Answer(body, Content_Length="100000")
    begun = time.monotonic()
    try:
        refused(check, "cannot be fetched", "timed out")
    finally:
        ended.set()
    # But until then it was.
    assert time.monotonic() - begun >= FETCH_SECONDS - CLOCK


def attack48_aServerThatSaysNothingIsNotWaitedFor(authority):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(8)
        begun = time.monotonic()
        command = Command([SEGUE, "domain", "check", HOST], {
            **PASSED, "SEGUE_ASSOCIATIONS_ROOTS": str(authority.roots),
            "SEGUE_ASSOCIATIONS_SERVER": f"127.0.0.1:{listener.getsockname()[1]}"})
        status, out, _ = command.result()
        assert status == 1 and "cannot be fetched" in out
        assert time.monotonic() - begun >= CONNECT_SECONDS - CLOCK


@pytest.mark.parametrize("status", [404, 410, 500, 204])
def test_anAnswerWithoutAFile(site, check, status):
    site.answers[PATH] = site.answers[ROOT_PATH] = Answer(status=status)
    refused(check, f"status {status}")


# Files of this machine

def W5_aFileIsJudgedLineByLine(check, tmp_path):
    file = tmp_path / "association"
    file.write_text("""{
  "activitycontinuation": {
    "apps": [ "TEAM1.org.example.Reader", "nonsense" ]
  },
  "applinks": {
    "details": [
      { "appIDs": [ "TEAM1.org.example.Reader" ],
        "components": [
          { "/": "/private/*", "exclude": true },
          { "/": "/articles/*" }
        ] }
    ]
  }
}
""")
    good, text = check(file)
    assert good
    assert "Line 3: TEAM1.org.example.Reader continues pages" in text
    assert 'Line 3: "nonsense" is not <team>.<application id>' in text
    for url, said in [("/articles/1", "Line 10: TEAM1.org.example.Reader opens this link"),
                      ("/private/1", "Line 9: TEAM1.org.example.Reader does not open this link, which is excluded"),
                      ("/", "no pattern of its matches")]:
        good, text = check(file, "--url", f"https://{HOST}{url}")
        assert good and said in text, text
    assert check(file, "--app", "org.example.Reader")[0]
    assert check(file, "--app", APP)[0]
    good, text = check(file, "--app", "org.example.Other")
    assert not good and "does not name org.example.Other" in text


def W4_aFileIsSignedAndJudged(site, check, authority, certificate, tmp_path):
    plain, signed = tmp_path / "plain", tmp_path / "signed"
    plain.write_bytes(FILE)
    for kind in ["ec", "rsa"]:
        by = authority.issue(HOST, kind=kind)
        Command([SEGUE, "domain", "sign", str(plain), "--key", str(by.key), "--certificate", str(by.certificate),
                 "--chain", str(by.chain), "--output", str(signed)], PASSED).succeeded()
        good, text = check(signed, "--host", HOST)
        assert good and "signed by the host" in text and APP in text
        assert not check(signed, "--host", "other.example")[0]
        assert not check(signed)[0]
        site.answers[PATH] = Answer(signed.read_bytes())
        assert check(HOST)[0]
    # Another key than the certificate's, and what would be refused anyway.
    sign = [SEGUE, "domain", "sign", str(plain), "--key", str(certificate.key), "--certificate", str(by.certificate),
            "--output", str(signed)]
    assert "was not signed" in Command(sign, PASSED).failed()
    plain.write_text("[]")
    assert "no JSON object" in Command(sign, PASSED).failed()


def test_theCommandsOfThePage(authority, tmp_path):
    """docs/web.md: its files are good, and its commands do what it says."""
    page = (pathlib.Path(__file__).parents[2] / "docs/web.md").read_text()
    files = [match[0] for match in re.finditer(r"(?ms)^( +)\{\n.*?^\1\}\n", page)]
    assert len(files) == 2
    together = {key: value for file in files for key, value in json.loads(file).items()}
    (tmp_path / "apple-app-site-association").write_text(json.dumps(together))
    by = authority.issue("example.com")
    for name, path in [("server.key", by.key), ("server.pem", by.certificate), ("chain.pem", by.chain)]:
        (tmp_path / name).write_bytes(path.read_bytes())
    site = Site(by)
    try:
        site.answers[PATH] = Answer(json.dumps(together).encode())
        commands = re.findall(r"(?m)^ +segue (domain .*)$", page)
        assert len(commands) == 5
        for command in commands:
            done = subprocess.run(
                [SEGUE, *shlex.split(command)], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, env={**PASSED, **environment(site, authority)})
            assert done.returncode == 0, f"{command}: {done.stdout}"
            assert "warning" not in done.stdout, done.stdout
    finally:
        site.close()


@pytest.mark.parametrize("arguments", [
    ["Example.com"], ["localhost"], ["example.com:443"], ["example.com", "--url", "http://example.com/"],
    ["example.com", "--app", "nonsense"], ["./x", "--host", "*.example.com"], ["-x"],
])
def test_whatIsNoDomainIsNotAsked(site, arguments):
    command = Command([SEGUE, "domain", "check", *arguments], PASSED)
    assert command.result()[0] == 64
    assert site.asked == []
