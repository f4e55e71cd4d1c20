"""Features that TLS here leaves out, and clocks that are decades off (attack 22)."""

import os
import re
import ssl
import subprocess
import time

import pytest
from harness.bounds import SECONDS
from harness.device import pair
from harness.peer.connection import Connection, Refused
from harness.peer.device import address, proof
from harness.peer.key import Key, make
from harness.sleeping import Machine, build
from harness.unharmed import unharmed
from harness.waiting import wait_for

YEAR = 365 * 86400
#: To the second day of 1970, and to somewhere in 2040 or later.
CLOCKS = {"1970": 86400 - int(time.time()), "2040": 15 * YEAR}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return build(tmp_path_factory.mktemp("clocks"))


@pytest.fixture
def machine(library, tmp_path):
    return Machine(library, tmp_path)


@pytest.mark.parametrize("year", CLOCKS)
def attack22_aClockThatIsDecadesOffKeepsNobodyOut(machine, new_device, application, install, year):
    machine.set_clock(CLOCKS[year])
    desk, lap = new_device("desk"), new_device("lap", daemon=False)
    machine.has_daemon(lap)
    pair(desk, lap)
    origin = install(desk, application).start()
    target = install(lap, application).start()
    origin.do(f"activity a {application.type}", "put a page int 7", "current a")
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")


@pytest.mark.parametrize("year", CLOCKS)
def attack22_aCertificateWhoseTimeIsNotNowIsPinnedAllTheSame(machine, lap, new_peer, tmp_path, year):
    machine.set_clock(CLOCKS[year])
    pem = tmp_path / "key.pem"
    make(pem, environment={**os.environ, **machine.environment})
    assert subprocess.run(
        ["openssl", "verify", "-CAfile", pem, pem], stdout=subprocess.PIPE, stderr=subprocess.PIPE).returncode != 0
    peer = new_peer("mallory", lap, key=Key(None, pem))
    with peer.login(lap) as link:
        link.round_trip()
    peer.unpair(lap)


def attack22_keysAreNotLogged(new_device, new_peer):
    device = new_device("desk")
    log = device.folder / "keys"
    device.environment["SSLKEYLOGFILE"] = str(log)
    device.kill_bus()
    device.start_bus()
    peer = new_peer("mallory", device)
    with peer.login(device) as link:
        link.round_trip()
    with open(f"/proc/{device.pid()}/environ", "rb") as environ:
        assert str(log).encode() in environ.read()
    assert not log.exists()


def said(process, word):
    """The output of the process, up to this word."""
    printed = b""

    def found():
        nonlocal printed
        printed += os.read(process.stdout.fileno(), 1 << 16)
        return word in printed

    wait_for(found, f"{word} of openssl", lambda _: None)
    return printed


def attack22_noDataGoesBeforeTheHandshake(lap, new_peer, tmp_path):
    # lap speaks first, so that its tickets have come with its first word.
    peer = new_peer("mallory", lap, beside=lap, is_chooser=True)
    session, early = tmp_path / "session", tmp_path / "early"
    early.write_bytes(b"early")
    host, port = address(lap)
    command = ["openssl", "s_client", "-connect", f"{host}:{port}", "-cert", peer.key.pem, "-key", peer.key.pem,
               "-alpn", "segue/1", "-servername"]
    with subprocess.Popen(
            [*command, proof(peer.key, lap), "-sess_out", session], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL) as process:
        printed = said(process, b"lap")
        process.stdin.close()
    # A ticket allows no early data. (A ticket does not authenticate anybody: attack 15.)
    allowed = re.findall(rb"Max Early Data: (\d+)", printed)
    assert allowed and set(allowed) == {b"0"}
    printed = subprocess.run(
        [*command, proof(peer.key, lap), "-sess_in", session, "-early_data", early], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, timeout=SECONDS).stdout
    assert b"Early data was not sent" in printed and b"Reused" not in printed
    peer.unpair(lap)


def attack22_whatCouldBeRenegotiatedIsNotSpoken(lap, new_peer):
    peer = new_peer("mallory", lap)
    older = peer.key.client()
    older.minimum_version = older.maximum_version = ssl.TLSVersion.TLSv1_2
    with unharmed(lap), pytest.raises(Refused):
        Connection.dial(address(lap), older, name=proof(peer.key, lap))
    with peer.login(lap) as link:
        link.round_trip()
    peer.unpair(lap)
