"""Two screens for scripts/screenshots-bridges, with a window manager each, and pictures of both, joined."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from harness.bounds import SECONDS
from harness.device import Device, pair
from harness.lines import Lines
from harness.readers import give_screen, screen

WIDTH, HEIGHT = 600, 440
#: Every window fills its screen, below its title.
MANAGER = """<openbox_config xmlns="http://openbox.org/3.4/rc">
  <theme>
    <name>Clearlooks</name><titleLayout>LIMC</titleLayout>
    <font place="ActiveWindow"><name>DejaVu Sans</name><size>10</size><weight>Bold</weight></font>
  </theme>
  <applications><application class="*"><maximized>yes</maximized></application></applications>
</openbox_config>
"""
#: The edge around each picture, the gap between both, and the head above them, in pixels.
EDGE, GAP, HEAD = 12, 76, 46
BOLD = "DejaVu-Sans-Bold"


def start_manager(device):
    """Openbox, which manages windows once it runs its startup command."""
    file = device.folder / "openbox.xml"
    file.write_text(MANAGER)
    manager = subprocess.Popen(
        ["openbox", "--config-file", file, "--startup", "echo ready"], env=device.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=device.log)
    Lines(manager.stdout.fileno()).next()
    manager.stdout.close()


@contextlib.contextmanager
def stage():
    """Two devices that are paired, with a screen each, and a folder."""
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="sg-", dir="/tmp"))
        stack.callback(shutil.rmtree, folder)
        devices = []
        for name in ("desk", "laptop"):
            # A screen ends after the programs on it.
            display = stack.enter_context(screen(f"{WIDTH}x{HEIGHT}"))
            devices.append((Device(name), display))
            stack.callback(devices[-1][0].close)
        pair(devices[0][0], devices[1][0])
        for device, display in devices:
            give_screen(device, display)
            settings = device.folder / "config/gtk-3.0/settings.ini"
            settings.parent.mkdir()
            settings.write_text("[Settings]\ngtk-enable-animations=false\n")
            start_manager(device)
        yield folder, devices[0][0], devices[1][0]


def run(device, *command):
    return subprocess.run(
        command, env=device.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=device.log, text=True,
        timeout=SECONDS).stdout


def at_rest(device, path):
    """Takes a picture of the screen, once that has been at rest for a while."""
    run(device, "xdotool", "mousemove", str(WIDTH - 1), str(HEIGHT - 1))
    drafts = [path.with_name(f"{path.stem}-{number}.png") for number in range(2)]
    end = time.monotonic() + SECONDS
    while True:
        for draft in drafts:
            time.sleep(0.5)
            run(device, "import", "-window", "root", f"png24:{draft}")
        difference = subprocess.run(
            ["compare", "-metric", "AE", *drafts, "null:"], stderr=subprocess.PIPE, text=True).stderr
        if float(difference) == 0:
            break
        assert time.monotonic() < end, f"the screen of {device.name} does not come to rest"
    os.replace(drafts[1], path)


def join(sides, captions, path):
    """One picture: where it was, an arrow, and where it goes on."""
    right, middle = EDGE + WIDTH + GAP, EDGE + WIDTH + GAP // 2
    width, height = right + WIDTH + EDGE, HEAD + HEIGHT + EDGE
    level = HEAD + HEIGHT // 2
    arrow = (f"{middle - 26},{level - 7} {middle + 2},{level - 7} {middle + 2},{level - 22} {middle + 28},{level} "
             f"{middle + 2},{level + 22} {middle + 2},{level + 7} {middle - 26},{level + 7}")
    command = ["convert", "-size", f"{width}x{height}", "xc:#e9ecef", "-font", BOLD, "-pointsize", "21", "-fill", "#2b3a42"]
    for left, caption in zip((EDGE, right), captions):
        command += ["-annotate", f"+{left + 2}+{HEAD - 15}", caption]
    command += ["-fill", "#c96f1e", "-draw", f"polygon {arrow}"]
    for left, side in zip((EDGE, right), sides):
        command += [str(side), "-geometry", f"+{left}+{HEAD}", "-composite", "-fill", "none", "-stroke", "#8d99a0", "-draw",
                    f"rectangle {left - 1},{HEAD - 1} {left + WIDTH},{HEAD + HEIGHT}", "-stroke", "none"]
    command += ["+dither", "-colors", "128", "-define", "png:compression-level=9", "-strip", f"png8:{path}"]
    subprocess.run(command, check=True)
    print(path, f"{path.stat().st_size // 1024 + 1} KiB")
