#!/usr/bin/python3
"""What a person sees and clicks: GNOME's overview and panel, KRunner, another panel. scripts/test-desktop runs it as root in
a root of its own, with its own processes; never run it on a machine that is used.

scenario.py [overview|extension|runner|panel]...
"""

import sys

sys.path.insert(0, "/segue-test")

from extension import extension  # noqa: E402
from gnome import overview  # noqa: E402
from harness.waiting import wait_for  # noqa: E402
from people import User, pair  # noqa: E402
from xsession import panel, runner  # noqa: E402

SURFACES = {"overview": overview, "extension": extension, "runner": runner, "panel": panel}


def main():
    wanted = sys.argv[1:] or list(SURFACES)
    if unknown := set(wanted) - SURFACES.keys():
        sys.exit(f"{__doc__}\nThere is no {', '.join(sorted(unknown))}.")
    desk, lap = User("desk"), User("lap")
    pair(desk, lap)
    wait_for(lambda: all(user.status()["online"] == 1 for user in (desk, lap)), "a link")
    for name in wanted:
        SURFACES[name](desk, lap)
        print(f"{name}: what was found was continued by a click")


if __name__ == "__main__":
    main()
