"""Continuation streams: files of bytes, and asyncio's streams."""

from __future__ import annotations

import asyncio
import errno
import os
import textwrap
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
import segue
import segue.aio
from support import ROOT, Loop

from harness.bounds import SECONDS
from harness.streams import Made

#: More than a pipe and a socket hold.
LARGE = os.urandom(1024 * 1024)


@pytest.fixture(params=["acrossTheLink", "here"])
def made(request: Any) -> Iterator[Any]:
    """A stream's ends, of which a daemon keeps one."""
    made = Made(here=request.param == "here")
    yield made
    made.close()


@pytest.fixture
def streams(made: Any) -> Iterator[segue.Streams]:
    streams = segue.Streams(*made.descriptors)
    yield streams
    streams.close()


def send_all(made: Any, data: bytes) -> threading.Thread:
    """Sends the data on another thread, and ends the stream in order."""
    def send() -> None:
        if hasattr(made.socket, "sendall"):
            made.socket.sendall(data)
            made.socket.recv(1)
        else:
            made.socket.write(data)
        made.socket.close()

    thread = threading.Thread(target=send)
    thread.start()
    return thread


def test_T4_theyAreFilesOfBytes(made: Any, streams: segue.Streams) -> None:
    thread = send_all(made, b"first line\nsecond\n" + LARGE)
    assert streams.input.readline() == b"first line\n"
    assert streams.input.read(7) == b"second\n"
    assert streams.input.read() == LARGE
    assert streams.input.read(1) == b""
    thread.join()
    assert streams.output.write(b"at once") == 7
    assert made.theirs.read(100) == b"at once"


def test_T4_allIsWritten(made: Any, streams: segue.Streams) -> None:
    taken = bytearray()

    def take() -> None:
        while part := made.theirs.read(65536):
            taken.extend(part)

    thread = threading.Thread(target=take)
    thread.start()
    assert streams.output.write(LARGE) == len(LARGE)
    # Half-closed: the other direction goes on.
    streams.output.close()
    thread.join(SECONDS)
    assert taken == LARGE
    send_all(made, b"still there").join()
    assert streams.input.read() == b"still there"


def test_T4_withoutRoomAnOutputThatDoesNotBlockSaysSo(made: Any, streams: segue.Streams) -> None:
    os.set_blocking(streams.output.fileno(), False)
    with pytest.raises(BlockingIOError) as caught:
        streams.output.write(LARGE)
    count = caught.value.characters_written
    assert 0 < count < len(LARGE)
    taken = b""
    while len(taken) < count:
        taken += made.theirs.read(65536)
    assert taken == LARGE[:count]


def test_T3_eachHasItsDirection(streams: segue.Streams) -> None:
    with pytest.raises(OSError):
        streams.input.write(b"x")
    with pytest.raises(OSError):
        streams.output.read(1)


def test_T4_aReaderThatWentIsABrokenPipe(made: Any, streams: segue.Streams) -> None:
    made.theirs.close()
    with pytest.raises(BrokenPipeError):
        streams.output.write(b"x")


def lose(made: Any) -> None:
    made.socket.send(b"the last words")
    made.socket.close()


def check_lost(error: Any) -> None:
    assert error.code == segue.ErrorCode.CONNECTION_UNAVAILABLE and error.errno == errno.ECONNRESET
    assert error.message


@pytest.mark.parametrize("count", [1, -1])
def test_T4_aLostStreamIsAnError(count: int) -> None:
    made = Made()
    with segue.Streams(*made.descriptors) as streams:
        lose(made)
        if count > 0:
            assert streams.input.read1() == b"the last words"
        with pytest.raises(segue.UnavailableError) as raised:
            streams.input.read(count)
        check_lost(raised.value)
    made.close()


def test_T4_inAsyncio(made: Any) -> None:
    async def main() -> None:
        reader, writer = await segue.aio.open_streams(segue.Streams(*made.descriptors))
        thread = send_all(made, b"first line\n" + LARGE)
        assert await reader.readline() == b"first line\n"
        assert await reader.readexactly(len(LARGE)) == LARGE
        assert await reader.read() == b""
        thread.join()
        writer.write(b"to the other side")
        writer.close()
        await writer.wait_closed()
        assert made.theirs.read(100) == b"to the other side" and made.theirs.read(1) == b""

    asyncio.run(asyncio.wait_for(main(), SECONDS))


@pytest.mark.parametrize("read", [
    lambda reader: reader.read(4), lambda reader: reader.readexactly(4), lambda reader: reader.readline(),
    lambda reader: reader.readuntil(b" ")], ids=["read", "readexactly", "readline", "readuntil"])
def test_T4_aLostStreamInAsyncio(read: Callable[[asyncio.StreamReader], Awaitable[bytes]]) -> None:
    made = Made()
    reported: list[Any] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context))
        reader, writer = await segue.aio.open_streams(segue.Streams(*made.descriptors))
        lose(made)
        assert await reader.readexactly(4) == b"the "
        with pytest.raises(segue.UnavailableError) as raised:
            # The bytes that have arrived come first; the rest would be too little.
            while await read(reader):
                pass
        check_lost(raised.value)
        writer.close()

    asyncio.run(asyncio.wait_for(main(), SECONDS))
    assert reported == []
    made.close()


def test_T4_aReaderInAsyncioMayClose(made: Any) -> None:
    async def main() -> None:
        reader, writer = await segue.aio.open_streams(segue.Streams(*made.descriptors))
        reader.close()
        await reader.read()
        writer.close()
        await writer.wait_closed()

    asyncio.run(asyncio.wait_for(main(), SECONDS))
    with pytest.raises(BrokenPipeError):
        while True:
            made.socket.send(LARGE) if hasattr(made.socket, "send") else made.socket.write(LARGE)


def test_T1_anActivitySupportsThemOrNot(origin: segue.Application, declared: Any) -> None:
    activity = segue.Activity(origin, declared.type)
    assert not activity.supports_continuation_streams
    activity.supports_continuation_streams = True
    assert activity.supports_continuation_streams
    activity.supports_continuation_streams = False
    assert not activity.supports_continuation_streams


def test_T2_onlyWhatContinueReceivedHasThem(origin: segue.Application, declared: Any, loop: Loop) -> None:
    activity = segue.Activity(origin, declared.type)
    with pytest.raises(segue.InvalidArgumentError):
        activity.get_continuation_streams()
    activity.invalidate()


def offer(origin: segue.Application, target: segue.Application, type: str, loop: Loop) -> segue.Activity:
    """Offers an activity that has streams; returns it once the target may continue it."""
    activity = segue.Activity(origin, type, title="Draft")
    activity.supports_continuation_streams = True
    activity.become_current()
    loop.until(lambda: target.offers)
    return activity


def test_T3_aDraftComesByAStream(
    origin: segue.Application, target: segue.Application, declared: Any, loop: Loop,
) -> None:
    activity = offer(origin, target, declared.type, loop)

    @activity.on_did_receive_streams
    async def answer(streams: segue.Streams) -> None:
        reader, writer = await segue.aio.open_streams(streams)
        assert await reader.readline() == b"draft\n"
        writer.write(LARGE)
        await writer.drain()
        writer.close()

    async def main() -> bytes:
        came: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        @target.on_continue
        async def resume(activity: segue.Activity, restoration: segue.Restoration) -> None:
            reader, writer = await segue.aio.open_streams(await activity.get_continuation_streams())
            writer.write(b"draft\n")
            came.set_result(await reader.read())
            writer.close()

        with segue.aio.attach(origin), segue.aio.attach(target):
            await target.offers[0].continue_()
            return await came

    assert asyncio.run(asyncio.wait_for(main(), SECONDS)) == LARGE


def listings(page: str, start: str) -> Iterator[str]:
    """The programs of a page of the documentation, from this line on."""
    block: list[str] = []
    for line in (ROOT / "docs" / page).read_text().partition(start)[2].splitlines():
        if line.startswith("    ") or block and not line:
            block.append(line)
        elif block:
            yield textwrap.dedent("\n".join(block))
            block = []


@pytest.mark.parametrize(("page", "start"), [
    ("from-nsuseractivity.md", "## 2-9"), ("streams.md", "## In Python")], ids=["listings2-9And2-10", "streams"])
def test_T3_whatTheDocumentationHas(
    page: str, start: str, origin: segue.Application, target: segue.Application, declared: Any, loop: Loop,
) -> None:
    activity = segue.Activity(origin, declared.type, title="Draft")
    activity.become_current()
    loop.until(lambda: target.offers)
    names: dict[str, Any] = {"segue": segue, "app": target, "activity": activity, "draft": LARGE}
    for listing in list(listings(page, start)):
        if "await" in listing or "= True" in listing:
            exec(listing, names)

    async def main() -> bytes:
        shown: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        names["show"] = shown.set_result
        with segue.aio.attach(origin), segue.aio.attach(target):
            await target.offers[0].continue_()
            return await shown

    assert asyncio.run(asyncio.wait_for(main(), SECONDS)) == LARGE


def test_T1_whyThereAreNoneIsRaised(
    origin: segue.Application, target: segue.Application, declared: Any, loop: Loop,
) -> None:
    activity = offer(origin, target, declared.type, loop)
    came: list[segue.Activity] = []

    @target.on_continue
    def resume(activity: segue.Activity, restoration: segue.Restoration) -> bool:
        came.append(activity)
        return True

    target.offers[0].continue_()
    loop.until(lambda: came)
    outcome = came[0].get_continuation_streams()
    loop.until(lambda: outcome.is_done)
    assert outcome.streams is None and isinstance(outcome.error, segue.ApplicationError)
    assert outcome.error.code == segue.ErrorCode.NOT_HANDLED
    received: list[segue.Streams] = []
    activity.on_did_receive_streams(received.append)
    told: list[segue.Outcome] = []
    outcome = came[0].get_continuation_streams()
    outcome.when_done(told.append)
    loop.until(lambda: told)
    assert told == [outcome] and outcome.streams is not None
    with outcome.streams as ours, received[0] as theirs:
        ours.output.write(b"from there")
        assert theirs.input.read(10) == b"from there"
    came[0].invalidate()
    with pytest.raises(segue.InvalidatedError):
        came[0].get_continuation_streams()
