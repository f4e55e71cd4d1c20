"""Proofs of pairing in TLS's server name, and ephemeral certificates for peers without one."""

import hashlib
import hmac
import secrets

from .key import bytes_of, digits, make

NONCE, TOKEN, TOKENS = 16, 8, 12
SUFFIX = ["segue", "invalid"]
#: The byte before the nonce in an ephemeral certificate's serial number.
MARK = b"\1"


def mac(key, data):
    return hmac.digest(key, data, hashlib.sha256)


def key(one, other):
    """The recognition key of the devices with these ids."""
    return mac(mac(bytes(32), min(one, other) + max(one, other)), b"segue recognition/1\1")


def token(own, other, nonce, mine):
    """The proof of `own` for `other`, which has given out the nonce."""
    return mac(key(own, other), b"segue proof/1" + other + nonce + mine)[:TOKEN]


def proof(own, others, nonce, mine=None, tokens=1):
    """The server name for dialling one of the others, filled up to `tokens` with random ones."""
    mine = mine or secrets.token_bytes(NONCE)
    made = [token(own, other, nonce, mine) for other in others]
    made += [secrets.token_bytes(TOKEN) for _ in range(tokens - len(made))]
    return ".".join([digits(part) for part in [nonce, mine, *made]] + SUFFIX)


def is_proof(name, own, other, nonce):
    """Whether the server name proves to `own`, with this nonce, that `other` dials."""
    labels = (name or "").split(".")
    if len(labels) < 5 or labels[-2:] != SUFFIX:
        return False
    given, mine, *tokens = map(bytes_of, labels[:-2])
    return given == nonce and token(other, own, nonce, mine) in tokens


def nonce_in(certificate):
    """The nonce in an ephemeral certificate (in DER); None for another certificate."""
    number = serial(certificate)
    return number[1:] if number[:1] == MARK and len(number) == 1 + NONCE else None


def throwaway(folder, nonce):
    """A certificate with a key of its own, in a PEM file."""
    pem = folder / "throwaway.pem"
    make(pem, "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-set_serial", "0x" + (MARK + nonce).hex())
    return pem


def serial(certificate):
    """The serial number's bytes: the first INTEGER behind the version."""
    _, rest, _ = element(certificate)
    _, rest, _ = element(rest)
    tag, content, after = element(rest)
    return element(after)[1] if tag == 0xa0 else content


def element(data):
    """The first element of some DER: its tag, its content, and what is behind it."""
    tag, length, start = data[0], data[1], 2
    if length & 0x80:
        start += length & 0x7f
        length = int.from_bytes(data[2:start], "big")
    return tag, data[start:start + length], data[start + length:]
