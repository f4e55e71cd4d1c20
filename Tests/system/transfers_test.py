"""What is on its way, as user interfaces show it, and the user's word that it stop."""

import os
import signal
import urllib.parse

import pytest
from harness.device import pair
from harness.encoding import hexadecimal
from harness.sharing import url
from harness.streams import is_reset, take

MEBIBYTE = 1024 * 1024
CANCELLED = 3072


class Couple:
    """Two applications, of which `target` has continued activity `a` of `origin`, whose userInfo names `film`."""

    def __init__(self, desk, lap, application, install):
        self.desk, self.lap = desk, lap
        self.film = desk.folder / "home/film"
        with open(self.film, "wb") as file:
            file.truncate(192 * MEBIBYTE)
        self.origin = install(desk, application).start()
        self.origin.do(
            f"activity a {application.type}", "title a Page", "delegate a", "allow-files a 1", "support-streams a 1",
            f"info a {hexadecimal({'film': url(self.film)})}", "current a")
        self.target = install(lap, application).start()
        command = lap.take(lap.offer(application))
        self.target.expect("continue")
        command.succeeded()
        self.origin.expect("was-continued a")

    def bring(self):
        """Begins to bring the film; a part of it is there, and the rest does not come before the daemon goes on."""
        self.target.do(f"bring-file t continued {urllib.parse.quote('file://' + str(self.film), safe='/:.-_~')}")
        while int(self.target.expect("progress t")[0]) == 0:
            pass
        os.kill(self.desk.pid(), signal.SIGSTOP)

    def go_on(self):
        os.kill(self.desk.pid(), signal.SIGCONT)


@pytest.fixture
def couple(new_device, application, install):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    return Couple(desk, lap, application, install)


def gone(device):
    device.until_asked(lambda: device.json("transfers") == [], "nothing is on its way", "TransfersChanged")


def test_aFileIsShownAndStopped(couple):
    couple.bring()
    (row,) = couple.lap.json("transfers")
    assert row["kind"] == "file" and row["incoming"] and row["name"] == "film" and row["state"] == "open"
    assert row["device-name"] == "desk" and 0 < row["done"] < row["size"] == 192 * MEBIBYTE
    shown = couple.lap.segue("transfers")
    assert "film" in shown and "from desk" in shown and "% of 201 MB" in shown
    assert f"{row['id']} is stopped." in couple.lap.segue("transfers", "--stop", row["id"])
    assert int(couple.target.expect("no-file t")[0]) == CANCELLED
    assert couple.lap.json("transfers") == []
    assert "No file and no stream is on its way." in couple.lap.segue("transfers")
    couple.go_on()
    gone(couple.desk)


def test_aFileIsStoppedWhereItComesFrom(couple):
    couple.bring()
    os.kill(couple.lap.pid(), signal.SIGSTOP)
    couple.go_on()
    (row,) = couple.desk.json("transfers")
    assert row["kind"] == "file" and not row["incoming"] and row["name"] == "film"
    couple.desk.segue("transfers", "--stop", row["id"])
    os.kill(couple.lap.pid(), signal.SIGCONT)
    couple.target.expect("no-file t")
    assert couple.desk.json("transfers") == []


def test_aStreamIsShownOnBothDevicesAndStopped(couple):
    couple.target.do("get-streams t continued")
    here = take(couple.target, couple.target.expect("streams t"))
    there = take(couple.origin, couple.origin.expect("received-streams a"))
    with here, there:
        (row,) = couple.lap.json("transfers")
        assert row["kind"] == "stream" and row["incoming"] and row["state"] == "open" and "name" not in row
        (other,) = couple.desk.json("transfers")
        assert not other["incoming"] and other["device-name"] == "lap"
        couple.desk.segue("transfers", "--stop", other["id"])
        assert is_reset(here) and is_reset(there)
        gone(couple.lap)


def test_whatIsNotOnItsWay(couple):
    assert "no such transfer" in couple.lap.start("transfers", "--stop", "file-7").failed()
    assert "not a transfer's id" in couple.lap.start("transfers", "--stop", "film").failed()
    assert couple.lap.segue("cancel").strip() == "No continuation is on its way."


def test_aContinuationIsCancelled(page, lap, application):
    origin, place = page
    origin.do("stop-dispatch")
    command = lap.take(lap.offer(application))
    target = place.launched()
    target.expect("will-continue")
    assert lap.segue("cancel").strip() == "Cancelled."
    assert "cancelled" in command.failed().lower()
    assert int(target.expect("fail")[1]) == CANCELLED
    # It is on offer as before.
    origin.do("resume-dispatch")
    lap.take(lap.offer(application)).succeeded()
    target.expect("continue")
