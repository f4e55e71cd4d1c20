"""Native messages: a length of four bytes in the machine's byte order, and one JSON object in UTF-8."""

import json
import os
import select
import struct
import time

#: Bytes of a message of the extension's: a longer one is dropped. A draft's own limit is far below.
LONGEST = 1024 * 1024
#: Seconds that Thunderbird may read nothing.
WRITE_TIME = 10


class Ended(Exception):
    """Thunderbird has closed its end, or reads no more."""


class Refused(ValueError):
    """A message that is not one; the text says why."""


class Pipe:
    """Both directions of what the extension and this program say to each other."""

    def __init__(self, read_from, write_to):
        self.read_from, self.write_to = read_from, write_to
        os.set_blocking(write_to, False)
        self.buffer = bytearray()
        #: Bytes of a message that is dropped, which are still to come.
        self.dropping = 0

    def fileno(self):
        return self.read_from

    def fill(self):
        """Reads what is there; call it when there is something."""
        data = os.read(self.read_from, 65536)
        if not data:
            raise Ended
        dropped = min(self.dropping, len(data))
        self.dropping -= dropped
        self.buffer += data[dropped:]

    def next(self):
        """The next message that has come whole, as a dictionary with a type; None without one."""
        if len(self.buffer) < 4:
            return None
        length, = struct.unpack_from("=I", self.buffer)
        if length > LONGEST:
            here = len(self.buffer) - 4
            del self.buffer[:4 + min(here, length)]
            self.dropping = max(length - here, 0)
            raise Refused(f"It is longer than {LONGEST} bytes.")
        if len(self.buffer) < 4 + length:
            return None
        content = bytes(self.buffer[4:4 + length])
        del self.buffer[:4 + length]
        try:
            message = json.loads(content)
        except (ValueError, RecursionError):
            raise Refused("It is not JSON.") from None
        if not isinstance(message, dict) or not isinstance(message.get("type"), str):
            raise Refused("It has no type.")
        return message

    def is_ready(self, deadline):
        """Waits for something to read; False at the deadline."""
        left = deadline - time.monotonic()
        return left > 0 and bool(select.select([self.read_from], [], [], left)[0])

    def send(self, message):
        content = json.dumps(message).encode()
        data = struct.pack("=I", len(content)) + content
        deadline = time.monotonic() + WRITE_TIME
        while data:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([], [self.write_to], [], left)[1]:
                raise Ended
            try:
                data = data[os.write(self.write_to, data):]
            except BrokenPipeError:
                raise Ended from None

    def wait_for_end(self):
        while os.read(self.read_from, 65536):
            pass
