"""Going on in a Flatpak with what was begun in one, on another device."""

import pathlib
import urllib.parse

from harness.encoding import hexadecimal
from harness.sharing import url


def word(path):
    """A file's URL as a word of a command."""
    return urllib.parse.quote(f"file://{path}", safe="/:.-_~")


def origin_of(installed, *commands):
    """A probe in its sandbox with the current activity `a`."""
    origin = installed.start()
    origin.do(
        f"activity a {installed.application.type}", "title a Page", "delegate a", "put a page int 7", *commands,
        "current a")
    return origin


def begun(desk, lap, name, info, *commands):
    """Origin and target, of which the target has continued what has this userInfo, each in its sandbox."""
    origin = origin_of(desk[name], "allow-files a 1", f"info a {hexadecimal(info)}", *commands)
    target = lap[name].start()
    command = lap[name].device.take(lap[name].device.offer(lap[name].application))
    target.expect("continue")
    command.succeeded()
    origin.expect("was-continued a")
    return origin, target


def test_itGoesOnInOneThatRuns(desk, lap):
    pages = lap["Pages"]
    origin, target = origin_of(desk["Pages"]), pages.start()
    offer = pages.device.offer(pages.application)
    assert offer["title"] == "Page"
    command = pages.device.take(offer)
    target.expect("will-continue")
    type_, info = target.expect("continue")
    assert type_ == pages.application.type and info == hexadecimal({"page": 7})
    command.succeeded()
    origin.expect("was-continued a")


def test_itGoesOnInOneThatTheBusStarts(desk, lap):
    """By the service file that Flatpak has exported, and in its own words."""
    pages = lap["Pages"]
    origin = origin_of(desk["Pages"])
    command = pages.device.take(pages.device.offer(pages.application))
    target = pages.launched()
    assert pathlib.Path(f"/proc/{target.pid}/root/.flatpak-info").exists()
    target.expect("continue")
    command.succeeded()
    origin.expect("was-continued a")


def test_andBackAgain(desk, lap):
    origin = origin_of(desk["Pages"])
    lap["Pages"].device.take(lap["Pages"].device.offer(lap["Pages"].application)).succeeded()
    target = lap["Pages"].launched()
    target.expect("continue")
    origin.expect("was-continued a")
    origin.quit()
    target.do("delegate continued", "current continued")
    command = desk["Pages"].device.take(desk["Pages"].device.offer(desk["Pages"].application))
    again = desk["Pages"].launched()
    again.expect("continue")
    command.succeeded()
    target.expect("was-continued continued")


def test_streamsNeedNoPermission(desk, lap):
    """The least that an application may have."""
    origin, target = begun(desk, lap, "Blind", {"page": 7}, "support-streams a 1")
    target.do("get-streams t continued")
    ends = target.expect("streams t"), origin.expect("received-streams a")
    assert all(len(pair) == 2 for pair in ends)


def test_aDeveloperSeesHowItIsInstalled(lap):
    device = lap["Pages"].device
    file = device.data / f"flatpak/exports/share/applications/{lap['Pages'].application.id}.desktop"
    said = device.segue("app", "check", file)
    assert "It is installed by the user" in said and "The bus launches it by" in said


def test_aFileComes(desk, lap):
    """Its folder was there when the sandbox was made, and before any file."""
    file = desk["Pages"].device.folder / "launch/picture.txt"
    file.write_text("harbour")
    _, target = begun(desk, lap, "Pages", {"picture": url(file)})
    target.do(f"bring-file t continued {word(file)}")
    path, size, _ = target.expect("file t")
    assert int(size) == 7
    assert pathlib.Path(f"/proc/{target.pid}/root{path}").read_text() == "harbour"


def test_aDocumentOfThePortalComes(desk, lap):
    """The origin's sandbox has it from the portal alone."""
    device = desk["Pages"].device
    path = device.document(desk["Pages"].application, "letter.txt", "Dear")
    _, target = begun(desk, lap, "Pages", {"letter": url(path)})
    target.do(f"bring-file t continued {word(path)}")
    came, size, _ = target.expect("file t")
    assert int(size) == 4 and pathlib.Path(came).name == "letter.txt"
    assert pathlib.Path(f"/proc/{target.pid}/root{came}").read_text() == "Dear"


def test_aPathOutsideIsNone(desk, lap):
    """A file of the user's that the origin's sandbox does not show."""
    file = desk["Pages"].device.folder / "secret.txt"
    file.write_text("secret")
    _, target = begun(desk, lap, "Pages", {"file": url(file)})
    target.do(f"bring-file t continued {word(file)}")
    code, message = target.expect("no-file t")
    assert code == "9002" and "not there" in message


def test_aFileThatTheSandboxDoesNotShow(desk, lap):
    """Without the permission the file comes, and the application learns which permission it lacks."""
    file = desk["Blind"].device.folder / "launch/picture.txt"
    file.write_text("harbour")
    _, target = begun(desk, lap, "Blind", {"picture": url(file)})
    target.do(f"bring-file t continued {word(file)}")
    code, message = target.expect("no-file t")
    assert code == "9004" and "this Flatpak does not show it" in message
