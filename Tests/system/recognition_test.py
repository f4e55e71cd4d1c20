"""A peer that connects without a proof of pairing does not learn which device it has reached (attack 19)."""

import contextlib
import secrets

import pytest
from harness.device import pair
from harness.peer import frames, recognition
from harness.peer.connection import Connection, Refused
from harness.peer.device import address, hash_at, proof, shown
from harness.peer.key import Key, bytes_of, context, hash_in
from harness.unharmed import unharmed


@pytest.fixture
def own(new_device):
    """(desk, lap, the key of lap); lap's daemon has gone, so that nobody but the test comes with its key."""
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    key = Key.of(lap)
    lap.stop_daemon()
    with unharmed(desk):
        yield desk, lap, key


def is_own(device, name):
    """Whether this server name is shown the device's own certificate."""
    return hash_in(shown(device, name)) == hash_at(device)


def attack19_theCertificateIsShownToWhoProvesToBePaired(own):
    desk, _, key = own
    assert is_own(desk, proof(key, desk))


def attack19_whoProvesNothingSeesAThrowAwayCertificate(own, tmp_path):
    desk, _, key = own
    id_, nonce = hash_at(desk), recognition.nonce_in(shown(desk))
    good, stranger = recognition.proof(key.hash, [id_], nonce), Key(tmp_path)
    labels = good.split(".")
    names = [
        None, "segue.invalid", "localhost", "x.pair.segue.invalid", "a.b.c.segue.invalid", ".".join(labels[1:]),
        ".".join([*labels[:2], *labels[3:]]), good.replace("segue.invalid", "example.org"), good + ".example.org",
        # Proofs of a device that is not paired, for another one, and with nonces that nobody has given out.
        recognition.proof(stranger.hash, [id_], nonce), recognition.proof(stranger.hash, [id_], nonce, tokens=12),
        recognition.proof(key.hash, [stranger.hash], nonce), recognition.proof(id_, [key.hash], nonce),
        recognition.proof(key.hash, [id_], secrets.token_bytes(16)), recognition.proof(key.hash, [id_], bytes(16)),
        recognition.proof(key.hash, [id_], nonce[:8] + bytes(8)),
        recognition.proof(key.hash, [id_], bytes(8) + nonce[8:])]
    for name in names:
        certificate = shown(desk, name)
        assert recognition.nonce_in(certificate) is not None, name
        assert hash_in(certificate) != id_, name
    with pytest.raises(Refused):
        shown(desk, "pair.segue.invalid")
    assert is_own(desk, good)


def attack19_aProofThatIsRepeatedSeesAThrowAwayCertificate(own):
    desk, _, key = own
    name = proof(key, desk)
    assert is_own(desk, name)
    for _ in range(3):
        assert not is_own(desk, name)
    # The nonce is good for another one.
    nonce = bytes_of(name.split(".")[0])
    assert is_own(desk, recognition.proof(key.hash, [hash_at(desk)], nonce))


def attack19_aRemovedDeviceSeesAThrowAwayCertificate(own):
    desk, lap, key = own
    before = proof(key, desk)
    desk.segue("device", "remove", lap.name)
    assert not is_own(desk, before)
    assert not is_own(desk, proof(key, desk))


def attack19_aPairedKeyWithoutAProofIsRefused(own):
    desk, _, key = own
    connection = Connection.dial(address(desk), key.client())
    assert hash_in(connection.certificate) != hash_at(desk)
    # In TLS 1.3 the other side judges after this one is done.
    with contextlib.suppress(OSError):
        connection.write(frames.packed(frames.WELCOME, payload=frames.welcome("lap")))
    assert connection.read() == b""
    connection.close()


class Probe:
    """The data that one connection without a proof gets."""

    def __init__(self, device, *protocols):
        made = context()
        made.set_alpn_protocols(protocols)
        connection = Connection.dial(address(device), made)
        connection.close()
        self.certificate = connection.certificate
        self.answers = connection.tls.version(), connection.tls.cipher(), connection.tls.selected_alpn_protocol()
        self.nonce = recognition.nonce_in(self.certificate)
        start = self.certificate.index(KEY) + len(KEY)
        self.key = self.certificate[start:start + 64]
        # The signed part, without the fields that are new each time; the signature and its length vary.
        _, whole, _ = recognition.element(self.certificate)
        _, signed, rest = recognition.element(whole)
        self.algorithm = recognition.element(rest)[1]
        self.rest = signed.replace(self.nonce, b"").replace(self.key, b"")


#: The bytes before the point in a P-256 key.
KEY = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")


@pytest.mark.parametrize("protocols", [("segue/1",), ("segue/1", "segue-pair/1"), ("segue-pair/1", "segue/1"), ("h2",)])
def attack19_twoProbesHaveNothingInCommonThatTwoDevicesDoNotHave(own, protocols):
    desk, lap, _ = own
    lap.json("status")
    probes = [Probe(device, *protocols) for device in [desk, desk, lap]]
    for values in zip(*((probe.nonce, probe.key) for probe in probes)):
        assert len(set(values)) == len(probes)
    # No part of a nonce is a device's.
    for start in range(0, recognition.NONCE - 3):
        assert len({probe.nonce[start:start + 4] for probe in probes}) == len(probes)
    lap.stop_daemon()
    for values in zip(*((probe.answers, probe.algorithm, probe.rest) for probe in probes)):
        assert len(set(values)) == 1
    # Nor has it anything of the certificate that is not shown.
    permanent = [Key.of(device).hash for device in [desk, lap]]
    assert all(hash_in(probe.certificate) not in permanent for probe in probes)
