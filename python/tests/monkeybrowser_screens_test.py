"""A page of the Monkey Browser, looked at with eyes: the pictures of both screens."""

from __future__ import annotations

import pathlib
import subprocess

import monkeybrowser_fixtures as fixtures
from browsers import Browser

from harness.waiting import wait_for

stage, browsers, here, there = fixtures.stage, fixtures.browsers, fixtures.here, fixtures.there

#: A part of the page in both windows: its left side, below the browser's bar.
PART = "400x300+10+200"
PIXELS = 400 * 300


def picture(browser: Browser, folder: pathlib.Path, name: str) -> pathlib.Path:
    """What that part of the window shows."""
    path = folder / f"{name}.png"
    window = browser.screen.run("xdotool", "getactivewindow").strip()
    browser.screen.run("import", "-window", window, "-crop", PART, "+repage", str(path))
    return path


def differing(one: pathlib.Path, other: pathlib.Path) -> int:
    """How many pixels are not the same for the eye."""
    done = subprocess.run(
        ["compare", "-metric", "AE", "-fuzz", "20%", str(one), str(other), "null:"], stderr=subprocess.PIPE, text=True)
    return int(float(done.stderr.split()[0]))


def test_bothScreensShowTheSamePartOfAPage(here: Browser, there: Browser, tmp_path: pathlib.Path) -> None:
    there.start()
    here.show_tab("work")
    here.go("/pictured")
    for _ in range(3):
        offset = here.scroll("/pictured")
    origin = picture(here, tmp_path, "origin")
    there.take("work").succeeded()
    there.is_on("work")
    there.is_at("/pictured", offset)

    def same() -> bool:
        return differing(origin, picture(there, tmp_path, "there")) < PIXELS // 200

    # WebKit paints a moment after it has scrolled.
    wait_for(same, "the same picture")
    # The comparison sees another place.
    there.scroll("/pictured")
    wait_for(lambda: differing(origin, picture(there, tmp_path, "further")) > PIXELS // 100, "another picture")
