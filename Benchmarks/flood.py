"""A paired device gone bad, as the hand-made one of the system tests: what it can send at full speed, of each kind."""

import multiprocessing
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests" / "system"))

from harness.application import Application  # noqa: E402
from harness.peer import frames, messages  # noqa: E402
from harness.peer.channel import Reset  # noqa: E402
from harness.peer.connection import Refused  # noqa: E402
from harness.peer.device import Peer  # noqa: E402

# Messages that go in one write, where the credit allows.
BATCH = 128
# The code with which a fetch is reset that its user has cancelled.
CANCELLED = 3072
# The length of a state that is fetched to be kept.
STATE = 90 * 1024
# The first number that takes four bytes in an encoding, so that each number from here on takes as many.
SEQUENCE = 1 << 16


class Count:
    """How many messages went, or fetches were asked for; read by another process."""

    shared = multiprocessing.Value("q", 0, lock=False)

    @classmethod
    def add(cls, count):
        cls.shared.value += count


def send_all(link, make):
    """Control messages one after the other, for ever, as fast as the daemon gives credit."""
    while True:
        made = [make() for _ in range(BATCH)]
        while made:
            link.spend(link, len(made[0]))
            count = 1
            while count < len(made) and link.credit >= len(made[count]) + frames.COST:
                link.spend(link, len(made[count]))
                count += 1
            link.write(b"".join(frames.packed(frames.CONTROL, 0, message, None) for message in made[:count]))
            del made[:count]
            Count.add(count)


def continued(link, application, activity):
    """That the activity was continued, each time anew."""
    link.fetch(activity, application.id)
    mark = messages.identifier()
    message = messages.control(messages.continued(activity, application, mark))
    send_all(link, lambda: message.replace(mark.bytes, os.urandom(16)))


def offers(link, application, activity, **more):
    """Lists of which every offer is new each time."""
    marks = [messages.identifier() for _ in range(32)]
    offered = [messages.offer(application, mark, title="Flood", **more) for mark in marks]
    message = messages.control(messages.offers(SEQUENCE, offered))
    sequence = SEQUENCE

    def make():
        nonlocal sequence
        sequence += 1
        data = message.replace(b"\x1a" + frames.number(SEQUENCE), b"\x1a" + frames.number(sequence))
        for mark in marks:
            data = data.replace(mark.bytes, os.urandom(16))
        return data

    send_all(link, make)


def fetches(link, application, activity):
    """As many at once as a link has channels."""
    while True:
        for channel in [link.open(messages.fetch(activity, application.id)) for _ in range(32)]:
            try:
                channel.whole()
            except Reset:
                pass
            del link.channels[channel.number]
            Count.add(1)


def versions(link, application, activity):
    """Fetches that are given up at once, each for another version, which the application would be asked of anew."""
    version = 0
    while True:
        version += 1
        channel = link.open(messages.fetch(activity, application.id, version=version))
        channel.reset(CANCELLED)
        del link.channels[channel.number]
        Count.add(1)


def crumbs(link, application, activity):
    """Frames that cost no credit: those that a later version may send, which this one skips."""
    data = frames.packed(255, 0, b"", None) * BATCH
    while True:
        link.write(data)
        Count.add(BATCH)


def records(link, application, activity):
    """A frame like that of `crumbs` in the smallest records of TLS that there are, each of a byte."""
    data = frames.packed(255, 0, bytes(32 * 1024), None)
    while True:
        link.write_records(data)
        Count.add(len(data))


def updates(link, application, activity):
    """Changes of TLS's keys. It takes 32 between two bytes of data, so a heartbeat comes behind them."""
    data = frames.packed(frames.HEARTBEAT, 0, b"", None)
    while True:
        link.write_updates(32)
        link.write(data)
        Count.add(32)


def keep(link, application, activity):
    """Ever new activities to be kept, each with a large state."""
    offers(link, application, activity, keep=True)


KINDS = {
    "continued": continued, "offers": offers, "fetches": fetches, "versions": versions, "crumbs": crumbs,
    "records": records, "updates": updates, "keep": keep}


def answer(channel, type_):
    """Answers the fetch of an activity to be kept: a large state."""
    request = channel.request
    state = {"parts": [bytes(STATE // 2), bytes(STATE // 2)]}
    channel.answer(messages.snapshot(request["activity"], type_, state, stored=True))
    Count.add(1)


def run(kind, device, app_id, type_, ready, started):
    """In a process of its own: pairs, says that it is linked, and floods when it is told to."""
    # Its processor is another machine's.
    os.nice(19)
    application = Application(app_id, types=[type_])
    application.type = type_
    peer = Peer("hostile")
    peer.answers = lambda channel: answer(channel, type_)
    peer.pair(device)
    link = peer.login(device)
    offer = link.wait(
        lambda: next((offer for message in link.messages for offer in message.get("offers", [])), None), "an offer")
    ready.set()
    started.wait()
    while True:
        try:
            KINDS[kind](link, application, offer["id"])
        except (Refused, Reset, OSError, AssertionError):
            # Thrown out: it comes back.
            link.close()
            link = again(peer, device)


def again(peer, device):
    while True:
        try:
            return peer.login(device)
        except (Refused, OSError, AssertionError):
            pass
