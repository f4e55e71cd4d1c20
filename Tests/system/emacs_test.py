"""Emacs's package with the real Emacs, and between it and Neovim. scripts/test-bridges builds and runs it."""

import json
import os
import resource
import shutil

import pytest

from harness import pairs
from harness.editors import EMACS, NEOVIM, Emacs, Neovim
from harness.waiting import wait_for

pytestmark = pytest.mark.skipif(
    not os.environ.get("SEGUE_EMACS") or not shutil.which("emacs") or not shutil.which("nvim"),
    reason="scripts/test-bridges builds and runs it")
LINES = [f"line {number} of the text" for number in range(1, 101)]

devices = pairs.devices


@pytest.fixture
def editors(devices):
    made = []

    def make(here, there):
        made.extend([here(devices[0]), there(devices[1])])
        return made

    yield make
    for editor in made:
        editor.close()


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a text.txt"
    path.write_text("\n".join(LINES) + "\n")
    return path


def take(application, there, path):
    there.device.take(there.device.offer(application, title=path.name)).succeeded()


def test_aTextGoesOnWhereThePointStood(editors, text):
    here, there = editors(Emacs, Emacs)
    here.start(text)
    here.move(42, 8)
    take(EMACS, there, text)
    wait_for(lambda: there.at() == [str(text), 42, 8], "the place")


def O2_itGoesOnInARunningOneAndAsksBeforeItGoesBack(editors, text):
    here, there = editors(Emacs, Emacs)
    here.start(text)
    here.move(10)
    there.start(text)
    there.move(60)
    there.ask("(progn (setq segue-confirm (lambda (question) (setq asked question) nil)) t)")
    here.move(11)
    there.ask("(progn (setq asked nil) t)")
    take(EMACS, there, text)
    wait_for(lambda: there.ask("asked") == "Go back from line 60 to 11? ", "the question")
    assert there.at()[1] == 60
    there.ask("(progn (setq segue-confirm (lambda (_) t)) t)")
    here.move(12)
    take(EMACS, there, text)
    wait_for(lambda: there.at()[1] == 12, "the line that was agreed to")


def test_aQuestionThatNobodyAnswersHoldsUpNothingElse(editors, text):
    here, there = editors(Emacs, Emacs)
    here.start(text)
    there.start(text)
    there.move(60)
    there.ask("""(progn (setq asked nil answer nil segue-confirm (lambda (question)
      (setq asked question) (while (not answer) (accept-process-output nil 1)) (eq answer 'yes))) t)""")
    here.move(11)
    take(EMACS, there, text)
    wait_for(lambda: there.ask("asked"), "the question")
    # The text there goes on here meanwhile, for which its place is asked for.
    take(EMACS, here, text)
    wait_for(lambda: here.at()[1] == 60, "the place of the one that asks")
    there.ask("(progn (setq answer 'yes) t)")
    wait_for(lambda: there.at()[1] == 11, "the line that was agreed to")


def turn(editor, on):
    """The sentence of an error; nil for none."""
    return editor.ask(
        f"(condition-case problem (progn (segue-mode {1 if on else -1}) nil) (error (error-message-string problem)))")


def has_name(editor):
    with editor.device.bus() as bus:
        return bus.ask("NameHasOwner", "s", [f"{EMACS.id}.Segue"]) == [True]


def test_switchedOffItIsGoneAndOnAgainItIsThere(editors, text):
    here, there = editors(Emacs, Emacs)
    here.start(text)
    here.move(42, 8)
    there.device.offer(EMACS, title=text.name)
    descriptors = len(os.listdir(f"/proc/{here.ask('(emacs-pid)')}/fd"))
    for _ in range(2):
        assert turn(here, on=False) is None
        there.device.no_offer(EMACS)
        wait_for(lambda: not has_name(here), "the end of the name")
        assert not here.device.json("activities")["activities"]
        # Emacs tells the plugin of no buffer any more.
        here.move(42, 8)
        assert not has_name(here) and here.ask("segue--buffer") is None
        assert turn(here, on=True) is None
        wait_for(lambda: has_name(here), "the name")
        there.device.offer(EMACS, title=text.name)
    assert len(os.listdir(f"/proc/{here.ask('(emacs-pid)')}/fd")) <= descriptors
    take(EMACS, there, text)
    wait_for(lambda: there.at() == [str(text), 42, 8], "the place")


def test_whatHasComeIsNotOpenedWhenItIsSwitchedOffMeanwhile(editors, text, tmp_path):
    here, _ = editors(Emacs, Emacs)
    here.start(text)
    other = tmp_path / "other"
    other.write_text("another text\n")
    assert here.ask(f'(prog1 (segue--resume "file://{other}" 1 1 nil nil) (segue-mode -1))') is True
    # A later timer comes after it.
    here.ask("(progn (setq later nil) (run-at-time 0 nil (lambda () (setq later t))) t)")
    wait_for(lambda: here.ask("later"), "the timer")
    assert here.at()[0] == str(text)


def test_theEndOfEmacsEndsTheOffer(editors, text):
    here, there = editors(Emacs, Emacs)
    here.start(text)
    there.device.offer(EMACS, title=text.name)
    here.ask("(progn (run-at-time 0 nil #'kill-emacs) t)")
    there.device.no_offer(EMACS)
    wait_for(lambda: not has_name(here), "the end of the name")


def test_aStartThatFailsSaysWhyAndASecondTryWorks(editors, text):
    """Emacs may open a few more descriptors, and one more each time, until that is enough."""
    here, there = editors(Emacs, Emacs)
    here.start(text)
    there.device.offer(EMACS, title=text.name)
    pid = here.ask("(emacs-pid)")
    turn(here, on=False)
    before = sorted(int(name) for name in os.listdir(f"/proc/{pid}/fd"))
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    sentences = []
    # The first is the one of the question itself.
    for more in range(2, 20):
        free = [number for number in range(200) if number not in before]
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (free[more], hard))
        sentence = turn(here, on=True)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
        if sentence is None:
            break
        sentences.append(sentence)
        assert sentence.startswith("Segue cannot be reached: ") and here.ask("segue-mode") is None, sentence
        assert not here.ask("segue--process")
        wait_for(lambda: sorted(int(name) for name in os.listdir(f"/proc/{pid}/fd")) == before, "what was opened is closed")
    assert sentences and sentence is None, sentences
    # With as few as that it may be there, and have lost the daemon.
    assert turn(here, on=False) is None and turn(here, on=True) is None and here.ask("segue-mode") is True
    there.device.offer(EMACS, title=text.name)


def test_bytesThatAreNoTextAreLeftOutOfTheContext(editors, text):
    here, there = editors(Emacs, Emacs)
    lines = LINES[:41] + ["gamma alpha beta gamma"] + LINES[42:]
    text.write_text("\n".join(lines) + "\n")
    here.start(text)
    here.ask("""(with-current-buffer (window-buffer) (goto-char (point-min)) (forward-line 41) (forward-char 6)
      (insert (unibyte-char-to-multibyte 255)) t)""")
    here.move(42, 19)
    offer = there.device.offer(EMACS, title=text.name)
    copy = "\n".join(["new"] * 7 + lines) + "\n"
    text.write_text(copy)
    there.device.take(offer).succeeded()
    wait_for(lambda: there.at() == [str(text), 49, 18], "the words")


def test_aFileWhoseNameIsNoTextIsOnOffer(editors, tmp_path):
    here, there = editors(Emacs, Emacs)
    path = os.fsencode(tmp_path) + b"/caf\xff.txt"
    with open(path, "w", encoding="ascii") as file:
        file.write("one\ntwo\nthree\n")
    here.start()
    name = "(concat " + json.dumps(f"{tmp_path}/caf") + ' (string (unibyte-char-to-multibyte 255)) ".txt")'
    here.ask(f"(progn (find-file {name}) t)")
    here.move(2, 3)
    there.device.take(there.device.offer(EMACS)).succeeded()
    wait_for(lambda: there.ask("(with-current-buffer (window-buffer) (line-number-at-pos (window-point)))") == 2, "the line")


def test_aFileThatIsTooLargeIsDeclinedWithASentence(editors, text, tmp_path):
    here, _ = editors(Emacs, Emacs)
    here.start(text)
    large = tmp_path / "large"
    large.write_bytes(b"")
    size = here.ask("segue--largest-file")
    os.truncate(large, size + 1)
    assert here.ask(f'(segue--resume "file://{large}" 1 1 nil nil)') is None
    assert here.ask(f"(condition-case problem (segue--file \"file://{large}\") (error (error-message-string problem)))"
                    ) == "The file is larger than 64 MiB"
    os.truncate(large, size)
    assert here.ask(f'(segue--file "file://{large}")') == str(large)


def find(editor, line, before, after):
    """The line and the column of the place."""
    place = f"(segue--find {line} 1 {json.dumps(before)} {json.dumps(after)})"
    return editor.ask("(with-current-buffer (window-buffer) (save-excursion (goto-char "
                      f"{place}) (list (line-number-at-pos) (1+ (current-column)))))")


def test_theSearchIsExactAndTakesTheNearestPlace(editors, text):
    lines = ["nothing"] * 100
    lines[9] = lines[39] = lines[89] = "the word Handoff is here"
    lines[49] = "the word handoff is here"
    text.write_text("\n".join(lines) + "\n")
    here, _ = editors(Emacs, Emacs)
    here.start(text)
    for line, found in [(1, 10), (12, 10), (24, 10), (26, 40), (50, 40), (66, 90), (1000, 90)]:
        assert find(here, line, "the word Hand", "off is here") == [found, 14]
    assert find(here, 10, "the word hand", "off is here") == [50, 14]
    # The line counts where the context is not found.
    assert find(here, 33, "THE WORD HAND", "OFF IS HERE") == [33, 1]
    assert find(here, 34, "", "") == [34, 1] and find(here, 35, "  ", "\t") == [35, 1]


def test_aPlaceInALongTextIsFoundAtOnce(editors, text):
    """Each line has the context: counting lines at each would take minutes, and the question's time is bounded."""
    text.write_text("".join("a line as all others\n" for _ in range(200_000)))
    here, _ = editors(Emacs, Emacs)
    here.start(text)
    assert find(here, 150_000, "a line as ", "all others") == [150_000, 11]
    assert find(here, 150_000, "A line as ", "all others") == [150_000, 1]


@pytest.mark.parametrize("here, there", [(Neovim, Emacs), (Emacs, Neovim)], ids=["to Emacs", "to Neovim"])
def O1_oneEditorGoesOnInTheOtherInATextThatWasEditedAboveIt(editors, text, here, there):
    here, there = editors(here, there)
    here.start(text)
    here.move(42, 6)
    application = NEOVIM if isinstance(here, Neovim) else EMACS
    offer = there.device.offer(application, title=text.name)
    text.write_text("\n".join(["new"] * 7 + LINES) + "\n")
    there.device.take(offer).succeeded()
    wait_for(lambda: there.at() == [str(text), 49, 6], "the line further down")


@pytest.mark.parametrize("address", [
    "http://example.org/a", "file://other/etc/hostname", "file:///etc/../etc/hostname", "file:///dev/null", "file:///tmp",
    "file:///proc/self/pagemap", "file:///sys/kernel/notes",
    "file:///nowhere/at/all", "file:///etc/hostname%0a", "file:///ssh:host:/etc/hostname", "/etc/hostname", ""])
def O5_nothingElseIsOpened(editors, text, address):
    here, _ = editors(Emacs, Emacs)
    here.start(text)
    assert here.ask(f"(segue--resume {json.dumps(address)} 1 1 nil nil)") is None
    assert here.at()[0] == str(text)


def test_senselessPlacesAreClamped(editors, text):
    here, _ = editors(Emacs, Emacs)
    here.start(text)
    here.ask("(progn (setq segue-confirm (lambda (_) t)) t)")
    uri = f"file://{text}".replace(" ", "%20")
    for line, column, expected in [("1000000000000", "5", 101), ("-5", "-5", 1), ("nil", "nil", 1), ('"x"', "3", 1)]:
        assert here.ask(f"(segue--resume {json.dumps(uri)} {line} {column} nil nil)") is True
        wait_for(lambda: here.at()[1] == expected, "the line")
