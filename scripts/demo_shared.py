"""The part of the demo in which a file arrives through a folder that both devices share."""

import pathlib
import shutil
import sys

from demo_stage import explain, show, status_line, typed, until, verified, verify

# Its tests have the same one.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Tests/system"))
from harness.syncthing import Syncthing

NAME = "trip.txt"
TEXT = """\
Saturday
  06:40  tram to the harbour, the first one
  07:15  ferry; stand at the left rail for the seals
  09:30  the island, and breakfast at the lock keeper's

Sunday
  08:00  round the lighthouse, against the wind first
  13:00  soup
  16:20  ferry back, or the last one at 19:05
"""


class BySyncthing:
    """Sets Syncthing up on both devices, but does not start the laptop's yet."""

    def __init__(self, desk, laptop):
        self.laptop = laptop
        explain("4. Both share a folder by Syncthing: ~/Notes on the desk is ~/Shared on the laptop. The laptop "
                "was asleep, and its Syncthing does not run yet. Segue finds the folder in Syncthing's configuration.")
        one, self.other = (Syncthing(device.name, device.environment, device.log) for device in (desk, laptop))
        one.configure(self.other, "dynamic", "~/Notes")
        typed(desk, "syncthing serve --no-browser &")
        one.start(desk.log)
        log = pathlib.Path(desk.log.name)
        found = until(lambda: one.LISTENS.search(log.read_text(errors="replace")), "the desk's Syncthing listens")
        self.other.configure(one, f"tcp://127.0.0.1:{found[1]}", "~/Shared")

    def bring(self):
        explain("Now Syncthing starts on the laptop, and brings the file.")
        typed(self.laptop, "syncthing serve --no-browser &")
        self.other.start(self.laptop.log)


class ByCopying:
    """Declares the folder in segue.conf, and copies the file, if there is no Syncthing."""

    def __init__(self, desk, laptop):
        self.source, self.target = desk.home / "Notes" / NAME, laptop.home / "Shared" / NAME
        explain("4. Both share a folder: ~/Notes on the desk is ~/Shared on the laptop. Syncthing is NOT "
                "installed here, so the folder is declared in segue.conf, and the demo itself will copy the file.")
        for device, path in ((desk, "~/Notes"), (laptop, "~/Shared")):
            with open(device.home / "config/segue/segue.conf", "a") as file:
                file.write(f"\n[Container notes]\nPath={path}\n")

    def bring(self):
        explain("Now the file is copied to the laptop.")
        # The file gets its name only when it is whole, as programs that synchronise folders do it.
        shutil.copy(self.source, self.target.with_suffix(".part"))
        self.target.with_suffix(".part").rename(self.target)


def shared_folder(desk, laptop, reader, watches):
    """The laptop goes on with a text that it does not have yet. Returns the line at which it is then."""
    here, there = desk.home / "Notes" / NAME, laptop.home / "Shared" / NAME
    for file in (here, there):
        file.parent.mkdir(parents=True)
    carrier = (BySyncthing if shutil.which("syncthing") else ByCopying)(desk, laptop)

    explain("On the desk somebody writes a text into the folder, and reads it there.")
    typed(desk, f"cat >~/Notes/{NAME}")
    show(TEXT)
    here.write_text(TEXT)
    desk.in_reader()
    reader.type(f"open {here}")
    reader.until("at line 1 ")
    reader.type("search lighthouse")
    line = reader.until("at line ").split()[2]
    watches[laptop].until("offer", lambda thing: thing["title"] == NAME, "the laptop sees the offer")
    verify(NAME in laptop.run("segue activities"), "the laptop offers to go on with it")
    verify(not there.exists(), "the file is not on the laptop")

    explain("It is chosen there all the same. The reader is told at once what is coming; then Segue waits for the "
            "file.")
    command = laptop.begin("segue continue")
    page = until(lambda: (page := laptop.page()) and "continuing" in status_line(page) and page, "will-continue")
    show("…\n" + status_line(page))
    verify(f"continuing {NAME} from desk" in status_line(page), "the laptop's reader shows what is coming")
    verify(command.poll() is None and not there.exists(), "the file is not there yet, and the command waits")

    carrier.bring()
    verify("Continued." in laptop.finish(command), "the continuation has succeeded")
    verify(there.read_text() == TEXT, "the file has arrived")
    page = laptop.show_page(lambda page: "continued from" in status_line(page), "the text on the laptop")
    verify("round the lighthouse" in page and f"{NAME}   line {line}/" in status_line(page),
           f"the laptop shows it at line {line}")
    laptop.press("=")
    status = until(lambda: (status := status_line(laptop.page())) and "/" + NAME in status and status, "its path")
    show(status)
    verify(str(there) in status and str(here) not in status, "it is the laptop's own file, under the laptop's own path")
    desk.in_reader()
    reader.until("was-continued")
    verified("the desk's reader was told that its text went on elsewhere")
    return line
