"""The command line. It says its help and its version also where no toolkit is installed."""

from __future__ import annotations

import sys

HELP = """segue-desktop: shows what you can go on with here, and pairs your devices.

Usage: segue-desktop [OPTION]
       segue-desktop --send [--device ID] FILE...

Opens the window, or brings it to the front. It shows what segued, the daemon, tells it: the command line segue(1) does
the same and more.

Options:
  --send       Send files to a device, which a window of its own asks for.
  --device ID  The device to which they are sent.
  --version    Show the version.
  -h, --help   Show help information.
"""
#: The packages of Debian that a system without the toolkit lacks.
MISSING = """segue-desktop: {error}
  Install GTK 4 and libadwaita for Python: the packages python3-gi, gir1.2-gtk-4.0 and gir1.2-adw-1.
"""


def main(version: str) -> int:
    options = sys.argv[1:]
    if "--help" in options or "-h" in options:
        print(HELP, end="")
        return 0
    if "--version" in options:
        print(f"segue-desktop {version}")
        return 0
    try:
        from .application import run
    except (ImportError, ValueError) as error:
        print(MISSING.format(error=error), end="", file=sys.stderr)
        return 1
    return run(version)
