"""`segue doctor`: what is missing on a device, and the cure."""

import contextlib
import json
import os
import shutil
import subprocess

import pytest
from harness.bounds import SECONDS
from harness.tree import PREFIX, SEGUE, SEGUED


def doctor(environment, status):
    """The findings, as (severity, message, advice)."""
    done = subprocess.run(
        [SEGUE, "doctor", "--json"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, timeout=3 * SECONDS)
    assert done.returncode == status, done.stdout + done.stderr
    return [(each["severity"], each["message"], each["advice"]) for each in json.loads(done.stdout)]


def errors(environment):
    return [(message, advice) for severity, message, advice in doctor(environment, 1) if severity == "error"]


@pytest.fixture
def device(new_device):
    return new_device("desk")


def test_aDeviceThatLacksOnlyAvahi(device):
    # A test has no system bus, and so no Avahi: the one thing that is missing.
    findings = doctor(device.environment, 0)
    (severity, message, _), *others = [each for each in findings if each[0] != "note"]
    assert severity == "warning" and "Avahi" in message and "avahi-daemon" in message
    assert others == []


def test_aPersonReadsSentencesAndTheStatusTells(device):
    device.kill_bus()
    done = subprocess.run(
        [SEGUE, "doctor"], env=device.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, timeout=3 * SECONDS)
    assert done.returncode == 1
    first, advice = done.stdout.splitlines()[:2]
    assert first.startswith("error: There is no session bus.") and advice.startswith("  Start the program in a desktop")
    assert "One thing does not work so." in done.stderr


def test_aServiceFileThatTheBusDoesNotFind(device):
    for service in (device.data / "dbus-1/services").iterdir():
        service.unlink()
    device.reload()
    (message, advice), *_ = errors(device.environment)
    assert "finds no service file" in message
    assert f"Put {PREFIX.resolve()}/share before the others into XDG_DATA_DIRS" in advice
    # What it says is the cure.
    cured = {**device.environment, "XDG_DATA_HOME": f"{PREFIX.resolve()}/share"}
    assert not any("service file" in message for message, _ in errors(cured))


def test_aServiceFileOfAFormerInstallation(device):
    device.install_daemon("/no/such/segued")
    device.reload()
    (message, advice), *_ = errors(device.environment)
    assert message.endswith("names /no/such/segued, which is not there.") and "Install Segue again" in advice


def test_anotherInstallation(device):
    program = device.folder / "segued"
    shutil.copy(SEGUED, program)
    device.install_daemon(program)
    device.reload()
    said = [(message, advice) for severity, message, advice in doctor(device.environment, 0) if severity == "warning"]
    assert (f"This command is of {PREFIX.resolve()}, and the session bus starts {program}.",
            "Remove one of the two installations.") in said
    # The daemon runs; then its program is replaced, as by an update.
    os.replace(shutil.copy(SEGUED, device.folder / "new"), program)
    said = [message for severity, message, _ in doctor(device.environment, 0) if severity == "warning"]
    assert "The running daemon's program was replaced or removed since it was started." in said
    device.stop_daemon()
    said = [message for severity, message, _ in doctor(device.environment, 0) if severity == "warning"]
    assert not any("replaced" in message for message in said)


def test_aBusThatHasNotReadTheFile(device):
    services = device.data / "dbus-1/services"
    kept = {path: path.read_text() for path in services.iterdir()}
    for path in kept:
        path.unlink()
    device.reload()
    # The bus watches its folders; one that it does not know is another of the same user.
    other = device.folder / "other/dbus-1/services"
    other.mkdir(parents=True)
    for path, text in kept.items():
        (other / path.name).write_text(text)
    said = errors({**device.environment, "XDG_DATA_HOME": f"{device.folder}/other"})
    assert [advice for message, advice in said if message.startswith("The session bus starts nothing for ")
            and "ReloadConfig" in advice]


def test_aUnitThatIsMasked(device):
    folder = device.folder / "config/systemd/user"
    folder.mkdir(parents=True)
    (device.folder / "run/systemd").mkdir()
    (folder / "segued.service").symlink_to("/dev/null")
    said = errors(device.environment)
    assert (f"{folder}/segued.service masks the unit segued.service, so systemd does not start the daemon.",
            "If Segue shall work: systemctl --user unmask segued.service") in said
    (folder / "segued.service").unlink()
    shutil.copytree(PREFIX / "share/systemd/user", device.data / "systemd/user")
    assert [advice for severity, message, advice in doctor(device.environment, 0)
            if "not at login" in message] == [
                "To have it answer other devices from then on: systemctl --user enable segued.service"]
    (folder / "default.target.wants").mkdir()
    (folder / "default.target.wants/segued.service").symlink_to(device.data / "systemd/user/segued.service")
    assert not any("unit" in message or "login" in message for _, message, _ in doctor(device.environment, 0))


@contextlib.contextmanager
def mounted(folder, *options):
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", *options, folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a disk")
def test_aHomeOnADiskThatCanOnlyBeRead(device):
    state = device.folder / "state"
    with mounted(state, "-o", "ro,size=64k"):
        said = dict(errors(device.environment))
        assert f"{state}/segue is on a disk that can only be read, so the daemon cannot keep its key." in said
    assert doctor(device.environment, 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a disk")
def test_aHomeOnADiskThatIsFull(device):
    state = device.folder / "state"
    with mounted(state, "-o", "size=16k"):
        with contextlib.suppress(OSError), open(state / "filling", "wb") as file:
            file.write(b"x" * 65536)
        assert any("is full, so nothing can be saved." in message for message, _ in errors(device.environment))
    assert doctor(device.environment, 0)


def test_settingsThatCannotBeRead(device):
    (device.folder / "config/segue/segue.conf").write_text("[Link]\nListen=nonsense;\n")
    assert any("Listen" in message for message, _ in errors(device.environment))


def test_anotherLibrary(device, tmp_path):
    """A library beside it of another version, which programs might find."""
    prefix = tmp_path / "prefix"
    for part in ["bin", "lib", "libexec", "share/segue"]:
        (prefix / part).mkdir(parents=True)
    shutil.copy(SEGUE.resolve(), prefix / "bin/segue")
    (prefix / "lib/libsegue.so.0.0.9").touch()
    (prefix / "lib/libsegue.so.0").symlink_to("libsegue.so.0.0.9")
    (prefix / "share/segue/installed").write_text(f"{SEGUED}\n{prefix}/lib/libsegue.so.0\n")
    done = subprocess.run([prefix / "bin/segue", "doctor", "--json"], env=device.environment, stdout=subprocess.PIPE,
                          text=True, timeout=3 * SECONDS)
    assert any(each["message"].startswith(f"Programs may find {prefix}/lib/libsegue.so.0.0.9 of version 0.0.9")
               for each in json.loads(done.stdout))
