"""The frames on the wires of a test's network, and the DNS messages of mDNS in them (RFC 1035, 6762, 6763)."""

import collections
import ctypes
import os
import select
import socket
import struct
import threading
import time

from .bounds import SECONDS

PORT, GROUP = 5353, "224.0.0.251"
A, PTR, TXT, AAAA, SRV, ANY = 1, 12, 16, 28, 33, 255
SERVICE, PAIRING = "_segue._tcp.local", "_segue-pair._tcp.local"
CLONE_NEWNET = 0x40000000

Record = collections.namedtuple("Record", "name type ttl data")


def inside(namespace, body):
    """The result of `body()`, called in the network namespace."""
    results = []

    def run():
        # setns holds for this thread alone.
        with open(f"/run/netns/{namespace}") as file:
            if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")
        results.append(body())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return results[0]


class Capture:
    """All frames that pass an interface from now on, in both directions."""

    def __init__(self, namespace, interface):
        def make():
            made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
            made.setsockopt(socket.SOL_SOCKET, 33, 64 * 1024 * 1024)  # SO_RCVBUFFORCE
            made.bind((interface, 3))
            made.setblocking(False)
            return made

        self.socket = inside(namespace, make)
        self.frames = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def read(self, seconds=0):
        """Reads the frames that have come, or waits so long for one; returns all frames until now."""
        if seconds:
            select.select([self.socket], [], [], seconds)
        while True:
            try:
                self.frames.append(self.socket.recv(65536))
            except BlockingIOError:
                return self.frames

    def records(self):
        """The records that mDNS has answered or announced: (sender's address, record)."""
        for frame in self.read():
            source, records = announced(frame)
            for record in records:
                yield source, record

    def until(self, found, what, seconds=SECONDS):
        """Waits until `found(the records until now)` gives a result, and returns it."""
        end = time.monotonic() + seconds
        while not (result := found([record for _, record in self.records()])):
            left = end - time.monotonic()
            assert left > 0, f"{what} did not come over the wire"
            self.read(left)
        return result


def packet(frame):
    """(protocol, source, destination, payload) of an Ethernet frame with IP; Nones without."""
    kind = struct.unpack_from(">H", frame, 12)[0]
    if kind == 0x0800:
        length = (frame[14] & 15) * 4
        source, destination = (socket.inet_ntop(socket.AF_INET, frame[at:at + 4]) for at in (26, 30))
        return frame[23], source, destination, frame[14 + length:]
    if kind == 0x86DD:
        source, destination = (socket.inet_ntop(socket.AF_INET6, frame[at:at + 16]) for at in (22, 38))
        return frame[20], source, destination, frame[54:]
    return None, None, None, b""


def dialled(frame):
    """The address and port to which this frame opens a TCP connection; None for other frames."""
    protocol, _, destination, payload = packet(frame)
    if protocol == socket.IPPROTO_TCP and payload[13] & 0x12 == 0x02:
        return destination, struct.unpack_from(">H", payload, 2)[0]
    return None


def announced(frame):
    protocol, source, _, payload = packet(frame)
    if protocol != socket.IPPROTO_UDP or struct.unpack_from(">H", payload, 2)[0] != PORT:
        return source, []
    message = payload[8:]
    _, flags, questions, *counts = struct.unpack_from(">6H", message)
    if not flags & 0x8000:
        return source, []
    at = 12
    for _ in range(questions):
        _, at = read_name(message, at)
        at += 4
    records = []
    for _ in range(sum(counts)):
        name, at = read_name(message, at)
        type_, _, ttl, length = struct.unpack_from(">HHIH", message, at)
        at += 10
        records.append(Record(name, type_, ttl, read_data(message, type_, at, length)))
        at += length
    return source, records


def read_name(message, at):
    labels, end = [], None
    while length := message[at]:
        if length & 0xC0:
            end = end or at + 2
            at = struct.unpack_from(">H", message, at)[0] & 0x3FFF
        else:
            labels.append(message[at + 1:at + 1 + length].decode(errors="replace"))
            at += 1 + length
    return ".".join(labels), end or at + 1


def read_data(message, type_, at, length):
    if type_ == A:
        return socket.inet_ntop(socket.AF_INET, message[at:at + 4])
    if type_ == AAAA:
        return socket.inet_ntop(socket.AF_INET6, message[at:at + 16])
    if type_ == PTR:
        return read_name(message, at)[0]
    if type_ == SRV:
        return struct.unpack_from(">H", message, at + 4)[0], read_name(message, at + 6)[0]
    if type_ == TXT:
        strings, end = [], at + length
        while at < end:
            strings.append(message[at + 1:at + 1 + message[at]])
            at += 1 + message[at]
        return strings
    return message[at:at + length]


def names(records, type_=SERVICE):
    """Instances of the service that are announced and not withdrawn, the newest last."""
    found = {}
    for record in records:
        if record.type == PTR and record.name == type_:
            found.pop(record.data, None)
            if record.ttl:
                found[record.data] = True
    return list(found)


# Forged services


def name(text):
    return b"".join(bytes([len(label)]) + label for label in text.encode().split(b".")) + b"\0"


def record(owner, type_, data, ttl=120, is_unique=True):
    return name(owner) + struct.pack(">HHIH", type_, 0x8001 if is_unique else 1, ttl, len(data)) + data


def service(label, address, port, kind=SERVICE, text=(b"v=1",), ttl=120):
    """The records of a service, as its host announces them."""
    instance, host = f"{label}.{kind}", f"{label}.local"
    strings = b"".join(bytes([len(string)]) + string for string in text)
    return [
        record(kind, PTR, name(instance), ttl, is_unique=False),
        record(instance, SRV, struct.pack(">3H", 0, 0, port) + name(host), ttl),
        record(instance, TXT, strings or b"\0", ttl),
        record(host, A, socket.inet_aton(address), ttl),
    ]


class Forger:
    """Sends any records by mDNS, from a host of the test's network."""

    def __init__(self, host):
        def make():
            made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind((host.address, PORT))
            made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(host.address))
            made.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
            return made

        self.socket = inside(host.name, make)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def say(self, records):
        """Sends the records, in as few messages as they need."""
        while records:
            count, size = 0, 12
            while count < len(records) and size + len(records[count]) <= 1400:
                size += len(records[count])
                count += 1
            message = struct.pack(">6H", 0, 0x8400, 0, count, 0, 0) + b"".join(records[:count])
            self.socket.sendto(message, (GROUP, PORT))
            records = records[count:]


def contains(frames, text):
    """Whether the text stands in any of the frames, whatever its case."""
    wanted = os.fsencode(text).lower()
    return any(wanted in frame.lower() for frame in frames)
