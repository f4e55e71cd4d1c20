"""A peer that dials a pairing device, with an ephemeral key of its own, and follows or breaks the protocol
(docs/pairing.md)."""

import hashlib
import secrets

import cbor2

from ..encoding import encode
from . import frames
from .connection import Connection
from .device import address
from .key import Key, hash_in

ALPN, NAME = "segue-pair/1", "pair.segue.invalid"


class Stranger:
    def __init__(self, folder):
        self.key = Key(folder)

    def dial(self, device):
        """Dials: a connection with TLS on which nothing was sent yet. Raises Refused if the device does not pair."""
        return Talk(self.key.hash, Connection.dial(address(device), self.key.client(ALPN), name=NAME))


class Talk:
    def __init__(self, own, connection):
        self.connection = connection
        self.own, self.other = own, hash_in(connection.certificate)
        self.nonce = secrets.token_bytes(32)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def say(self, kind, **entries):
        self.connection.write(frames.packed(frames.CONTROL, payload=encode({"kind": kind, **entries})))

    def hear(self):
        """The next message; None when the device has closed."""
        while (found := frames.unpacked(self.buffer)) is None:
            read = self.connection.read()
            if not read:
                return None
            self.buffer += read
        frame, self.buffer = found
        return cbor2.loads(frame.payload)

    def begin(self, name="mallory"):
        """Sends `begin`, and returns the answer, which has the device's nonce: this side now knows the digits, and the
        device does not."""
        committed = b"segue pairing 1 commitment" + self.own + self.other + self.nonce
        self.say("begin", commitment=hashlib.sha256(committed).digest(), name=name)
        return self.hear()

    def reveal(self):
        self.say("reveal", nonce=self.nonce)
