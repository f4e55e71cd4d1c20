"""The hand-made device: a key, a name, and its links."""

import pathlib
import secrets
import shutil
import socket
import tempfile

from ..bounds import SECONDS
from . import recognition
from .connection import Connection, Refused
from .key import Key, context, hash_in, hash_of
from .link import Link


def address(device):
    """The address at which a device's daemon listens."""
    host, port = device.json("status")["addresses"][0].rsplit(":", 1)
    return host, int(port)


def hash_at(device):
    """The device's id, as bytes."""
    return hash_of(device.json("status")["device-id"])


def shown(device, name=None):
    """The certificate that the device shows to a peer with this server name and without a key, in DER."""
    connection = Connection.dial(address(device), context(), name=name)
    connection.close()
    return connection.certificate


def proof(key, device):
    """A server name by which the owner of this key proves that it is paired with the device."""
    return recognition.proof(key.hash, [hash_at(device)], recognition.nonce_in(shown(device)))


class Peer:
    """`answers` is called, in a thread of its own, with each channel that a daemon opens, if it is set; otherwise
    `Link.next_request` gives the channel. A link's options: `pongs`, `credits` and `greets` (False: it does not),
    `name`, `low`, `high`, `window` and `rest` of its welcome."""

    def __init__(self, name, key=None):
        self.name = name
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sg-", dir="/tmp"))
        self.key = key or Key(self.folder)
        self.answers = None
        self.links = []
        self.listener = None
        #: The nonces that the peer has given out, which are all valid.
        self.nonces = set()

    @classmethod
    def beside(cls, name, device, is_chooser):
        """A peer whose id is smaller than the device's, so that it chooses the link, or larger."""
        while True:
            peer = cls(name)
            if peer.chooses(device) == is_chooser:
                return peer
            peer.close()

    def chooses(self, device):
        return self.key.hash < hash_at(device)

    def pair(self, device, *addresses):
        """Lets the device's user add this peer, which itself accepts every device."""
        device.segue("device", "add", self.key.id, *addresses, "--name", self.name)
        return self

    def unpair(self, device):
        device.segue("device", "remove", self.key.id)

    # Links

    def login(self, device, **options):
        """Dials the device, and returns the link once it is up."""
        return self.dial(device, **options).until_up()

    def dial(self, device, session=None, slow=None, **options):
        """Dials the device: a connection with TLS, on which at most this side's welcome has been sent."""
        connection = Connection.dial(
            address(device), self.key.client(), session=session, slow=slow, name=proof(self.key, device))
        # Python's TLS has shown this side's certificate by now; a device would not have.
        if hash_in(connection.certificate) != hash_at(device):
            connection.close()
            raise Refused("another certificate than the device's was shown")
        return self.keep(Link(self, connection, first=not self.chooses(device), **options))

    def listen(self):
        """Listens, and returns the address at which the daemons can dial this peer."""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(SECONDS)
        return "127.0.0.1:%d" % self.listener.getsockname()[1]

    def accept(self, device, **options):
        """The next connection with TLS that the device's daemon dials with a proof; one without gets a nonce."""
        while (connection := self.accept_one(device)) is None:
            pass
        return self.keep(Link(self, connection, dialled=False, first=not self.chooses(device), **options))

    def accept_one(self, device):
        """The next connection that the daemon dials; None if it was shown an ephemeral certificate."""
        nonce = secrets.token_bytes(recognition.NONCE)
        own, made = self.key.server(), Key(None, recognition.throwaway(self.folder, nonce)).server()
        other, is_proved = hash_at(device), False

        def choose(tls, name, _):
            nonlocal is_proved
            is_proved = any(recognition.is_proof(name, self.key.hash, other, given) for given in self.nonces)
            if is_proved:
                tls.context = own

        made.sni_callback = choose
        plain, _ = self.listener.accept()
        plain.settimeout(SECONDS)
        try:
            connection = Connection(plain, made, is_server=True)
        except Refused:
            if is_proved:
                raise
            self.nonces.add(nonce)
            return None
        assert is_proved, "an ephemeral certificate was taken for the device's"
        return connection

    def keep(self, link):
        self.links.append(link)
        return link

    def close(self):
        for link in self.links:
            link.close()
        if self.listener:
            self.listener.close()
        shutil.rmtree(self.folder)
