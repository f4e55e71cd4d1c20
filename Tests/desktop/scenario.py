#!/usr/bin/python3
"""What a person sees and clicks: two people's first minutes, GNOME Files, its overview and panel, KRunner, another panel.
scripts/test-desktop runs it as root in a root of its own, with its own processes; never run it on a machine that is used.

scenario.py [people|files|overview|extension|runner|panel]...
"""

import json
import sys

sys.path.insert(0, "/segue-test")

from extension import extension  # noqa: E402
from files import files  # noqa: E402
from gnome import overview  # noqa: E402
from harness.waiting import wait_for  # noqa: E402
from people import User, pair  # noqa: E402
from walk import people  # noqa: E402
from xsession import panel, runner  # noqa: E402

SURFACES = {
    "people": people, "files": files, "overview": overview, "extension": extension, "runner": runner, "panel": panel}


def main():
    wanted = sys.argv[1:] or list(SURFACES)
    if unknown := set(wanted) - SURFACES.keys():
        sys.exit(f"{__doc__}\nThere is no {', '.join(sorted(unknown))}.")
    desk, lap = User("desk"), User("lap")
    for name in sorted(wanted, key=list(SURFACES).index):
        # The people do that themselves, first of all.
        if name != "people" and not json.loads(desk.run("segue", "devices", "--json")):
            pair(desk, lap)
        if name != "people":
            wait_for(lambda: all(user.status()["online"] == 1 for user in (desk, lap)), "a link")
        SURFACES[name](desk, lap)
        print(f"{name}: what was found was continued by a click")


if __name__ == "__main__":
    main()
