"""The ends of continuation streams: those that a daemon makes, and those that a probe hands to a test."""

import contextlib
import os
import select
import socket
import tempfile

from .bounds import SECONDS


class Pair:
    """An application's descriptors, in the test's own hands."""

    def __init__(self, input, output):
        self.input = input
        self.output = output

    def read(self, count=65536):
        return os.read(self.input, count)

    def read_exactly(self, count):
        data = bytearray()
        while len(data) < count:
            part = self.read(count - len(data))
            assert part, f"the stream ended after {len(data)} of {count} bytes"
            data += part
        return bytes(data)

    def write(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self.output, view):]

    def close_input(self):
        self.input = self._close(self.input)

    def close_output(self):
        self.output = self._close(self.output)

    def close(self):
        self.close_input()
        self.close_output()

    @staticmethod
    def _close(descriptor):
        if descriptor >= 0:
            os.close(descriptor)
        return -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def next_part(pair):
    assert select.select([pair.input], [], [], SECONDS)[0], "the stream does not end"
    return pair.read()


def is_reset(pair):
    """Reads to the end: what came, and whether it ended by an error."""
    data = b""
    try:
        while part := next_part(pair):
            data += part
    except ConnectionResetError:
        return data, True
    return data, False


def cannot_be_written(pair):
    try:
        pair.write(b"x")
    except BrokenPipeError:
        return True
    return False


def take(probe, words, keep=False):
    """The descriptors that a probe has told the numbers of; it keeps its own open or closes them."""
    numbers = words[-2:]
    with tempfile.TemporaryDirectory(prefix="sg-", dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{folder}/s")
        listener.listen(1)
        listener.settimeout(SECONDS)
        probe.do(f"{'lend' if keep else 'give'} {numbers[0]} {numbers[1]} {folder}/s")
        connection, _ = listener.accept()
        with connection:
            _, descriptors, _, _ = socket.recv_fds(connection, 1, 2)
    return Pair(*descriptors)


class Made:
    """A stream as a daemon makes it for one application: what it hands out, and what it keeps."""

    def __init__(self, here=False):
        theirs, self.output = os.pipe2(os.O_CLOEXEC)
        self.theirs = os.fdopen(theirs, "rb", buffering=0)
        if here:
            self.input, end = os.pipe2(os.O_CLOEXEC)
            self.socket = os.fdopen(end, "wb", buffering=0)
        else:
            one, self.socket = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            one.send(b"!")
            one.shutdown(socket.SHUT_WR)
            self.input = one.detach()
        self.inode = os.fstat(self.input).st_ino

    @property
    def descriptors(self):
        return [self.input, self.output]

    def handed_out(self):
        """They are the application's now."""
        for descriptor in self.descriptors:
            os.close(descriptor)

    def close(self):
        """Without a word, and without having read the byte that makes an end of file of it."""
        self.socket.close()
        self.theirs.close()


@contextlib.contextmanager
def opened(*descriptors):
    """Descriptors, for as long as they are to be sent."""
    try:
        yield list(descriptors)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
