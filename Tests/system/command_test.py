"""Commands for developers: `segue last --timing` (semantics X4) and `segue app check`."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import termios
import uuid

import pytest
from harness.bounds import SECONDS
from harness.device import pair
from harness.lines import Lines
from harness.tree import SEGUE


def X4_theLastContinuationByPhase(page, lap, application):
    origin, place = page
    lap.take(lap.offer(application)).succeeded()
    place.launched().expect("continue")
    last = lap.json("last")
    assert last["type"] == application.type and last["device-name"] == "desk" and "error" not in last
    assert last["size"] > 0
    phases = {phase["phase"]: phase for phase in last["phases"]}
    assert set(phases) == {"choose", "launch", "fetch", "save", "claim", "restore"}
    assert phases["save"]["duration"] <= phases["fetch"]["duration"]
    assert phases["claim"]["start"] >= phases["launch"]["start"] + phases["launch"]["duration"]
    assert last["total"] == max(phase["start"] + phase["duration"] for phase in last["phases"])
    shown = lap.segue("last", "--timing")
    assert "continued" in shown and "launch" in shown and "ms" in shown


def X4_aFailureIsShownWithItsSentence(page, lap, application):
    origin, place = page
    place.write_service(exec="/bin/false")
    lap.take(lap.offer(application)).failed()
    assert "launched" in lap.json("last")["error"]
    assert "failed: " in lap.segue("last")


@pytest.mark.parametrize("write", [str, str.upper, lambda id_: str(uuid.UUID(id_))], ids=["plain", "upper", "uuid"])
def test_anIdMayBeWrittenAsAUUID(page, lap, application, write):
    origin, place = page
    target = place.start()
    id_ = write(lap.offer(application)["id"])
    assert [row["local-app"] for row in lap.json("explain", id_)] == [application.id]
    for take in [lambda: lap.segue("continue", id_), lambda: chosen_on_the_bus(lap, id_)]:
        take()
        target.expect("continue")
        origin.expect("was-continued a")


def chosen_on_the_bus(device, id_):
    with device.bus() as bus:
        bus.call("org.segue.Control1", "/org/segue/Control1", "org.segue.Control1", "Continue", "sa{sv}", [id_, {}])


def test_identityForAProgram(desk):
    identity = desk.json("identity")
    assert set(identity) == {"device-id", "device-name", "addresses", "command"}
    assert identity["device-name"] == "desk" and identity["device-id"] in identity["command"]
    assert identity["command"] == desk.segue("identity").strip().splitlines()[-1]


def test_aTableFitsTheTerminal(page, lap, application):
    origin, place = page
    title = " ".join(["Long"] * 16)
    origin.do("title a " + title.replace(" ", "%20"))
    lap.offer(application, title=title)
    assert title in lap.segue("activities")
    reader, screen = pty.openpty()
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    command = subprocess.Popen([SEGUE, "activities"], env=lap.environment, stdin=subprocess.DEVNULL, stdout=screen)
    os.close(screen)
    assert command.wait(SECONDS) == 0
    lines = os.read(reader, 65536).decode().splitlines()
    os.close(reader)
    assert any("…" in line for line in lines) and all(len(line) <= 60 for line in lines), lines


def completed(device, *words):
    """The words that bash would put in the place of the next one."""
    script = """. "$1"; shift; COMP_WORDS=("$@" ""); COMP_CWORD=$#; COMP_LINE="${COMP_WORDS[*]}"
        COMP_POINT=${#COMP_LINE}; _segue segue "" "${!#}"; printf "%s\\n" "${COMPREPLY[@]}" """
    completion = SEGUE.parent.parent / "share/bash-completion/completions/segue"
    environment = {**device.environment, "PATH": f"{SEGUE.parent}:{device.environment['PATH']}"}
    bash = subprocess.run(
        ["bash", "-c", script, "bash", completion, *words], env=environment, stdout=subprocess.PIPE, text=True,
        timeout=SECONDS)
    return [word.strip() for word in bash.stdout.splitlines()]


def test_bashCompletesIDsAndDevices(page, lap, application):
    id_ = lap.offer(application)["id"][:8]
    assert id_ in completed(lap, "segue", "continue")
    assert id_ in completed(lap, "segue", "explain")
    assert "desk" in completed(lap, "segue", "device", "remove")
    assert "desk" in completed(lap, "segue", "send")


def test_completionStartsNoDaemon(new_device):
    device = new_device("alone")
    assert "" in completed(device, "segue", "continue")
    with device.bus() as bus:
        assert not bus.ask("NameHasOwner", "s", ["org.segue.Daemon1"])[0]


def test_watchGoesOnWithTheNextDaemonThatSomebodyStarts(new_device):
    desk, lap = new_device("desk"), new_device("lap")
    pair(desk, lap)
    command = subprocess.Popen([SEGUE, "watch"], env=lap.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    lines = Lines(command.stdout.fileno())
    assert lines.next().endswith("online: desk")
    lap.stop_daemon()
    assert lines.next().startswith("daemon gone")
    with lap.bus() as bus:
        assert not bus.ask("NameHasOwner", "s", ["org.segue.Daemon1"])[0]
    lap.segue("status")
    assert lines.next() == "daemon back"
    assert lines.next().endswith("online: desk")
    command.kill()
    command.wait()
    command.stdout.close()


def test_nothingWasContinuedYet(new_device):
    device = new_device("alone")
    assert device.json("last") == {}
    assert "Nothing has been continued" in device.segue("last", "--timing")


def findings(device, path):
    command = device.start("app", "check", path, "--json")
    status, out, error = command.result()
    assert status in (0, 1), error
    return status, json.loads(out)


def said(device, path, severity, text):
    status, found = findings(device, path)
    assert any(item["severity"] == severity and text in item["message"] for item in found), found
    assert status == (1 if any(item["severity"] == "error" for item in found) else 0)
    return found


def test_aGoodApplicationHasNothingWrong(desk, both, application):
    status, found = findings(desk, both[0].desktop)
    assert status == 0 and {item["severity"] for item in found} == {"note"}
    text = desk.segue("app", "check", both[0].desktop)
    assert application.id in text and application.type in text and str(both[0].service) in text


def test_aRelativePathIsTheCallersOwn(desk, both, monkeypatch):
    monkeypatch.chdir(both[0].desktop.parent)
    assert desk.segue("app", "check", both[0].desktop.name)


@pytest.mark.parametrize("text, message", [
    ("[Desktop Entry]\nType=Application\nName=A\n", "no activity type"),
    ("[Desktop Entry]\nType=Link\nX-Segue-ActivityTypes=a.b;\n", "Type is not Application"),
    ("[Desktop Entry]\nType=Application\nName=A\nX-Segue-ActivityTypes=nonsense;\n", "is not an activity type"),
    ("[Desktop Entry]\nType=Application\nHidden=true\nX-Segue-ActivityTypes=a.b;\n", "Hidden=true"),
    ("no key file at all\n", "malformed"),
])
def test_aDesktopFileThatDoesNotWork(desk, both, text, message):
    both[0].write(both[0].desktop, text)
    found = said(desk, both[0].desktop, "error", message)
    assert all(item["advice"] or item["severity"] != "error" or "malformed" in item["message"] for item in found[-1:])


def test_domains(desk, both, application):
    both[0].write(
        both[0].desktop,
        application.desktop_file() + "X-Segue-AssociatedDomains=activitycontinuation:example.com;https://bad/;\n")
    said(desk, both[0].desktop, "note", "example.com")
    said(desk, both[0].desktop, "warning", "is not activitycontinuation:<host>")


@pytest.mark.parametrize("claim, message", [
    ("activitycontinuation:example.com?mode=developer", "has ?mode=developer, and Segue knows no modes"),
    ("webcredentials:example.com", "webcredentials is not Segue's business"),
    ("appclips:example.com", "appclips is not Segue's business"),
])
def test_claimsOfApplesEntitlementThatSegueRefusesByName(desk, both, application, claim, message):
    both[0].write(both[0].desktop, application.desktop_file() + f"X-Segue-AssociatedDomains={claim};\n")
    said(desk, both[0].desktop, "warning", message)


@pytest.mark.parametrize("case, message", [
    ("missing", "cannot be launched"), ("name", "Name is"), ("relative", "not an absolute path"),
    ("program", "is not there"), ("mode", "not a program that can be run"),
])
def test_aServiceFileThatDoesNotWork(desk, both, case, message):
    place = both[0]
    if case == "missing":
        place.service.unlink()
    elif case == "name":
        place.write_service(name="org.segue.test.Other")
    else:
        program = desk.folder / "plain"
        program.write_text("text\n")
        place.write_service(
            exec={"relative": "sh -c true", "program": "/no/such/program", "mode": str(program)}[case])
    said(desk, place.desktop, "error", message)


def test_aFileElsewhere(desk, both, application):
    path = desk.folder / f"{application.id}.desktop"
    path.write_text(application.desktop_file())
    said(desk, path, "warning", "not where Segue looks")
    path = desk.folder / "editor.desktop"
    path.write_text(application.desktop_file())
    said(desk, path, "error", "not an application id")


@pytest.mark.parametrize("path", ["/no/such/file.desktop", "/", "/dev/zero"])
def test_whatIsNoFile(desk, path):
    error = desk.start("app", "check", path).failed()
    assert error.startswith("segue: ")


def test_whatIsUnknownInTheConfigurationIsLogged(new_device):
    device = new_device("odd")
    path = device.folder / "config/segue/segue.conf"
    path.write_text(path.read_text() + "[Notifcations]\nOffers=false\n[Policy]\nWitholding=a.b;\n")
    device.segue("status")
    log = device.report()
    assert "[Notifcations] is not known" in log and "[Policy] Witholding is not known" in log
    assert "[Limits]" not in log and "[Link]" not in log
