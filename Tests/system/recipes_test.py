"""Lines that the pages tell people to type, and completion in shells."""

import re
import shutil
import subprocess

import pytest
from harness.bounds import SECONDS
from harness.lines import Lines
from harness.tree import PREFIX, SOURCES

SHARE = PREFIX / "share"


def test_theRecipeForDebuggingWorksAsItStands(new_device):
    device = new_device("desk")
    device.start_daemon()
    page = (SOURCES / "docs/troubleshooting.md").read_text()
    recipe = re.search(r"start one by hand.*?\n\n((?:    .*\n)+)", page, re.DOTALL).group(1)
    assert "pkill -x segued" in recipe and "/usr/local" in recipe
    # The daemon of this device alone is meant, of all on this machine.
    recipe = recipe.replace("pkill -x segued", f"kill {device.pid()}").replace("/usr/local", str(PREFIX))
    shell = subprocess.Popen(
        ["bash", "-c", recipe], env=device.environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    lines = Lines(shell.stderr.fileno())
    while "debug" not in (line := lines.next()):
        pass
    assert "segued" in line
    device.segue("status")
    device.stop_daemon()
    shell.wait(SECONDS)
    shell.stderr.close()


@pytest.mark.parametrize("shell, path", [
    ("bash", "bash-completion/completions/segue"), ("bash", "bash-completion/completions/segue-shell"),
    ("zsh", "zsh/site-functions/_segue"), ("zsh", "zsh/site-functions/_segue-shell"),
    ("fish", "fish/vendor_completions.d/segue.fish"), ("fish", "fish/vendor_completions.d/segue-shell.fish"),
])
def test_completionIsThereForEveryShell(shell, path):
    text = (SHARE / path).read_text()
    if "segue-shell" not in path:
        assert "rename" in text and "activities" in text
    else:
        assert "attach" in text and "--share" in text.replace("-l share", "--share")
    if shutil.which(shell):
        subprocess.run([shell, "-n", SHARE / path], check=True)


@pytest.mark.parametrize("words, expected", [
    (["segue-shell", "at"], "attach"), (["segue-shell", "--sh"], "--share"), (["segue-shell", "--share", "li"], "list"),
])
def test_bashCompletesSegueShell(words, expected):
    script = """. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _segue_shell; printf "%s\\n" "${COMPREPLY[@]}" """
    completion = SHARE / "bash-completion/completions/segue-shell"
    bash = subprocess.run(
        ["bash", "-c", script, "bash", completion, *words], stdout=subprocess.PIPE, text=True, timeout=SECONDS)
    assert expected in bash.stdout.split()
