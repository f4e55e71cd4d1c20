"""A program that sits at the door: crowd.py BUS CONNECTIONS. It says how many got in, and stays until its input ends."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from harness.wire import Bus, BusError, Door  # noqa: E402


def main(path, count):
    doors, refusals = [], []
    with Bus(path) as bus:
        for _ in range(count):
            try:
                doors.append(Door(bus))
            except BusError as error:
                refusals.append(error.text)
            except OSError:
                refusals.append("")
    print(len(doors), *refusals[:1], flush=True)
    sys.stdin.read()


main(sys.argv[1], int(sys.argv[2]))
