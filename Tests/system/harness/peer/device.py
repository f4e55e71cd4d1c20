"""The hand-made device: a key, a name, and its links."""

import pathlib
import shutil
import socket
import tempfile

from ..bounds import SECONDS
from .connection import Connection
from .key import Key, hash_of
from .link import Link


def address(device):
    """Where a device's daemon listens."""
    host, port = device.json("status")["addresses"][0].rsplit(":", 1)
    return host, int(port)


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

    @classmethod
    def beside(cls, name, device, is_chooser):
        """One whose id is smaller than the device's, so that it chooses the link, or larger."""
        while True:
            peer = cls(name)
            if peer.chooses(device) == is_chooser:
                return peer
            peer.close()

    def chooses(self, device):
        return self.key.hash < hash_of(device.json("status")["device-id"])

    def pair(self, device, *addresses):
        """The device's user adds this one; the hand-made one asks nobody."""
        device.segue("device", "add", self.key.id, *addresses, "--name", self.name)
        return self

    def unpair(self, device):
        device.segue("device", "remove", self.key.id)

    # Links

    def login(self, device, **options):
        """A link that this side dialled, up."""
        return self.dial(device, **options).until_up()

    def dial(self, device, session=None, slow=None, **options):
        """A connection with TLS on which the own welcome may be out, no more."""
        connection = Connection.dial(address(device), self.key.client(), session=session, slow=slow)
        return self.keep(Link(self, connection, first=not self.chooses(device), **options))

    def listen(self):
        """Where the daemons can dial this one."""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(SECONDS)
        return "127.0.0.1:%d" % self.listener.getsockname()[1]

    def accept(self, device, **options):
        """The next connection that the device's daemon dials, with TLS."""
        plain, _ = self.listener.accept()
        plain.settimeout(SECONDS)
        connection = Connection(plain, self.key.server(), is_server=True)
        return self.keep(Link(self, connection, dialled=False, first=not self.chooses(device), **options))

    def keep(self, link):
        self.links.append(link)
        return link

    def close(self):
        for link in self.links:
            link.close()
        if self.listener:
            self.listener.close()
        shutil.rmtree(self.folder)
