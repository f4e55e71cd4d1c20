"""Files that user_info names, brought from the device that an activity comes from."""

from __future__ import annotations

import asyncio
import hashlib
import os
from pathlib import Path
from typing import Any

import pytest
import segue
import segue.aio
from support import Loop

from harness.bounds import SECONDS

DATA = os.urandom(3 * 1024 * 1024)


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "a picture.png"
    path.write_bytes(DATA)
    return path


def offer(
    origin: segue.Application, target: segue.Application, type: str, loop: Loop, path: Path, allowed: bool = True,
) -> segue.Activity:
    activity = segue.Activity(origin, type, title="Album", user_info={"picture": segue.URL(path.as_uri())})
    activity.allows_files = allowed
    assert activity.allows_files == allowed
    activity.become_current()
    loop.until(lambda: target.offers)
    return activity


def continued(target: segue.Application, loop: Loop) -> segue.Activity:
    came: list[segue.Activity] = []

    @target.on_continue
    def resume(activity: segue.Activity, restoration: segue.Restoration) -> bool:
        came.append(activity)
        return True

    target.offers[0].continue_()
    loop.until(lambda: came)
    return came[0]


def test_aFileIsAwaited(
    origin: segue.Application, target: segue.Application, declared: Any, loop: Loop, picture: Path,
) -> None:
    kept = offer(origin, target, declared.type, loop, picture)
    told: list[tuple[int, int]] = []

    async def main() -> segue.BroughtFile:
        came: asyncio.Future[segue.BroughtFile] = asyncio.get_running_loop().create_future()

        @target.on_continue
        async def resume(activity: segue.Activity, restoration: segue.Restoration) -> None:
            file = await activity.bring_file(
                activity.user_info["picture"], progress=lambda done, size: told.append((done, size)))
            came.set_result(file)

        with segue.aio.attach(origin), segue.aio.attach(target):
            await target.offers[0].continue_()
            return await came

    file = asyncio.run(asyncio.wait_for(main(), SECONDS))
    assert file.path.read_bytes() == DATA and file.path.name == picture.name
    assert file.size == len(DATA) and file.sha256 == hashlib.sha256(DATA).digest()
    assert told[-1] == (len(DATA), len(DATA))
    kept.invalidate()


def test_whyOneDoesNotCome(
    origin: segue.Application, target: segue.Application, declared: Any, loop: Loop, picture: Path,
) -> None:
    kept = offer(origin, target, declared.type, loop, picture, allowed=False)
    activity = continued(target, loop)
    told: list[segue.Outcome] = []
    outcome = activity.bring_file(picture.as_uri())
    outcome.when_done(told.append)
    loop.until(lambda: told)
    assert told == [outcome] and outcome.file is None and isinstance(outcome.error, segue.AccessDeniedError)
    # Cancelling an outcome that is done does nothing.
    outcome.cancel()
    assert not activity.cancel_file(picture.as_uri())
    with pytest.raises(segue.InvalidArgumentError):
        activity.bring_file("https://example.org/")
    kept.invalidate()


def test_whoAwaitsItMayGiveUp(
    origin: segue.Application, target: segue.Application, declared: Any, loop: Loop, picture: Path,
) -> None:
    kept = offer(origin, target, declared.type, loop, picture)
    activity = continued(target, loop)
    outcome = activity.bring_file(picture.as_uri())

    async def main() -> None:
        async def wait() -> None:
            await outcome

        task = asyncio.ensure_future(wait())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    loop.until(lambda: outcome.is_done)
    assert outcome.file is None and isinstance(outcome.error, segue.UserCancelledError)
    kept.invalidate()


def test_onlyWhatContinueReceivedHasThem(origin: segue.Application, declared: Any) -> None:
    activity = segue.Activity(origin, declared.type)
    assert not activity.allows_files
    with pytest.raises(segue.InvalidArgumentError):
        activity.bring_file("file:///a")
    activity.invalidate()
