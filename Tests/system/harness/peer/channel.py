"""A channel of a link, which either side has opened."""

import cbor2

from . import frames


class Reset(Exception):
    """The other side ended the channel with this code."""

    def __init__(self, code):
        super().__init__(f"reset({code})")
        self.code = code


class Channel:
    def __init__(self, link, number, first=b""):
        self.link = link
        self.number = number
        #: The request, as it was sent.
        self.first = first
        self.credit = link.window
        self.received = b""
        self.is_finished = False
        self.reset_code = None

    @property
    def request(self):
        return cbor2.loads(self.first)

    def send(self, data):
        """Sends bytes as the credit allows."""
        while data:
            part, data = data[:16 * 1024], data[16 * 1024:]
            self.link.spend(self, len(part))
            if self.reset_code is not None:
                raise Reset(self.reset_code)
            self.link.send(frames.DATA, self.number, part)

    def finish(self):
        self.link.send(frames.FINISH, self.number)

    def answer(self, data):
        """Sends all there is to send."""
        self.send(data)
        self.finish()

    def reset(self, code):
        self.link.send(frames.RESET, self.number, frames.number(code))

    def whole(self):
        """Everything up to the other side's finish. Raises `Reset`."""
        self.link.wait(lambda: self.is_finished or self.reset_code is not None, "the end of a channel")
        if self.reset_code is not None:
            raise Reset(self.reset_code)
        return self.received
