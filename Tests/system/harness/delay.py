"""A host that is far away: what goes over its cable comes later, in both directions. The kernel's own means of that is
missing in many a sandbox, so that the frames are carried by a thread."""

import collections
import os
import select
import socket
import struct
import threading
import time

from .mdns import inside

SOL_PACKET, PACKET_VNET_HDR, PACKET_IGNORE_OUTGOING = 263, 15, 23
ALL = 3
#: The longest frame, which a host may leave to its card to be cut, behind the header that says so.
LENGTH = 72 * 1024


class Delay:
    """Between two interfaces of one namespace. What is on its way when it is closed is lost."""

    def __init__(self, namespace, one, other, seconds):
        self.seconds = seconds
        self.sockets = [inside(namespace, lambda name=name: self.make(name)) for name in (one, other)]
        #: For each socket what it sends next, and when.
        self.waiting = [collections.deque(), collections.deque()]
        self.ended, self.end = os.pipe()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    @staticmethod
    def make(interface):
        made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
        # With each frame comes, and goes, what is still to be done to it: checksums, and how it is cut.
        made.setsockopt(SOL_PACKET, PACKET_VNET_HDR, struct.pack("i", 1))
        made.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, struct.pack("i", 1))
        made.bind((interface, ALL))
        made.setblocking(False)
        return made

    def run(self):
        while True:
            dues = [frames[0][0] for frames in self.waiting if frames]
            left = max(0, min(dues) - time.monotonic()) if dues else None
            ready = select.select([self.ended, *self.sockets], [], [], left)[0]
            if self.ended in ready:
                return
            for index, made in enumerate(self.sockets):
                if made in ready:
                    self.read(made, self.waiting[1 - index])
                self.send(made, self.waiting[index])

    def read(self, made, waiting):
        try:
            while frame := made.recv(LENGTH):
                waiting.append((time.monotonic() + self.seconds, frame))
        except OSError:
            pass  # All is read, or the cable is pulled.

    @staticmethod
    def send(made, waiting):
        while waiting and waiting[0][0] <= time.monotonic():
            try:
                made.send(waiting.popleft()[1])
            except OSError:
                pass  # A frame that finds no room is lost, as in any network.

    def close(self):
        os.write(self.end, b"x")
        self.thread.join()
        for descriptor in [self.ended, self.end]:
            os.close(descriptor)
        for made in self.sockets:
            made.close()
