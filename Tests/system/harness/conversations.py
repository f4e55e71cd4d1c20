"""Conversations with an assistant in a terminal: its files on a device, a stand-in for it, and the real Codex."""

import http.server
import json
import os
import pathlib
import shutil
import subprocess
import threading
import time

from .application import Application
from .bounds import SECONDS
from .players import enable
from .terminal import Terminal
from .waiting import wait_for

CODEX = Application("org.segue.Bridge.Codex", "Codex", ["org.segue.open.Conversation"])
REPOSITORY = "git@example.org:team/project.git"
START = "2026-11-28T03:02:05.353Z"
STAMP = "2026-11-28T03-02-05"


def lines(id_, folder, *said):
    """A transcript in Codex's form; `said` are pairs of time and text."""
    head = {"timestamp": START, "type": "session_meta", "payload": {"id": id_, "timestamp": START, "cwd": str(folder)}}
    rest = [{"timestamp": at, "type": "event_msg", "payload": {"cwd": str(folder), "message": text}} for at, text in said]
    return "".join(json.dumps(line) + "\n" for line in [head, *rest])


class Talker:
    """Somebody who talks with Codex, or with what stands for it, on a device with a clone of the project."""

    def __init__(self, device, where):
        self.device = device
        self.home = device.folder / "home"
        self.codex = self.home / ".codex"
        self.codex.mkdir()
        self.project = self.home / where
        self.project.mkdir(parents=True)
        for words in [["init", "-q", "-b", "main"], ["remote", "add", "origin", REPOSITORY]]:
            subprocess.run(["git", *words], cwd=self.project, check=True, timeout=SECONDS)
        # The command that was to run in a terminal, a word in each line.
        self.opened = device.folder / "opened"
        terminal = device.folder / "terminal"
        terminal.write_text(f'#!/bin/sh\nshift\nprintf "%s\\n" "$@" >{self.opened}.new\nmv {self.opened}.new {self.opened}\n')
        terminal.chmod(0o755)
        with device.bus() as bus:
            bus.ask("UpdateActivationEnvironment", "a{ss}", [{"TERMINAL": str(terminal)}])
        enable(device, "codex")
        self.terminals = []

    def path(self, id_):
        return self.codex / f"sessions/2026/11/28/rollout-{STAMP}-{id_}.jsonl"

    def write(self, id_, text):
        self.path(id_).parent.mkdir(parents=True, exist_ok=True)
        self.path(id_).write_text(text)

    def say(self, id_, text="words"):
        """The user has said something in the conversation."""
        with open(self.codex / "history.jsonl", "a") as history:
            history.write(json.dumps({"session_id": id_, "ts": 1, "text": text}) + "\n")

    def command(self):
        """The words that were to run in a terminal."""
        wait_for(self.opened.exists, "a terminal")
        words = self.opened.read_text().splitlines()
        self.opened.unlink()
        return words

    def told(self, text):
        """Waits until the user was told so."""
        wait_for(lambda: text in (self.device.folder / "log").read_text(errors="replace"), f"“{text}”")

    def run(self, words, **size):
        environment = {**self.device.environment, "TERM": "xterm-256color"}
        folder = os.getcwd()
        os.chdir(self.project)
        try:
            self.terminals.append(Terminal(["/usr/bin/env", *words], environment, **size))
        finally:
            os.chdir(folder)
        return self.terminals[-1]

    def close(self):
        for terminal in self.terminals:
            terminal.close()


def install_stand_in(folder):
    """A `codex` that runs until a line is typed."""
    program = folder / "codex"
    program.write_text("#!/bin/sh\necho it runs\nread line\n")
    program.chmod(0o755)


# The real one


class Model(http.server.ThreadingHTTPServer):
    """A model on this machine, which says always the same."""

    ANSWER = "An answer of the model"

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            self.reply("application/json", b'{"models": [], "data": []}')

        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            text = {"type": "output_text", "text": Model.ANSWER}
            message = {"type": "message", "role": "assistant", "id": "m", "content": [text]}
            usage = dict.fromkeys(["input_tokens", "output_tokens", "total_tokens"], 1)
            events = [
                {"type": "response.created", "response": {"id": "r"}},
                {"type": "response.output_item.done", "item": message},
                {"type": "response.completed", "response": {"id": "r", "usage": usage}}]
            self.reply("text/event-stream", b"".join(
                f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events))

        def reply(self, kind, body):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words):
            pass

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Model.Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def settings(self, *projects):
        """Codex's configuration for it."""
        trusted = "".join(f'[projects."{project}"]\ntrust_level = "trusted"\n' for project in projects)
        return (
            'model = "test"\nmodel_provider = "test"\ncheck_for_update_on_startup = false\n'
            f'[model_providers.test]\nname = "test"\nbase_url = "http://127.0.0.1:{self.server_port}/v1"\n'
            f'wire_api = "responses"\nrequires_openai_auth = false\n[analytics]\nenabled = false\n{trusted}')


class Codex:
    """The real one in a terminal, which asks that for its cursor and its kind."""

    ASKED = {b"\x1b[6n": "\x1b[1;1R", b"\x1b[c": "\x1b[?1;2c"}

    def __init__(self, talker, words):
        self.terminal = talker.run(words, rows=50, columns=140)
        self.until("for shortcuts")

    def read(self):
        try:
            self.terminal.read(0.1)
        except OSError:
            return
        for question, answer in self.ASKED.items():
            if question in self.terminal.raw:
                self.terminal.raw = self.terminal.raw.replace(question, b"")
                self.terminal.type(answer)

    def until(self, text):
        end = time.monotonic() + SECONDS
        while text not in self.terminal.text:
            assert time.monotonic() < end, f"{text} does not come:\n{self.terminal.text}"
            self.read()

    def rest(self):
        """Reads until nothing comes any more: keys that follow each other too closely count as pasted."""
        before = None
        while before != self.terminal.text:
            before = self.terminal.text
            for _ in range(5):
                self.read()

    def say(self, text):
        self.terminal.type(text)
        self.until(text)
        self.rest()
        self.terminal.type("\r")

    def permissions(self):
        self.say("/status")
        self.rest()
        if "Permissions:" not in self.terminal.text:
            # The first one has chosen the command.
            self.terminal.type("\r")
        self.until("Permissions:")
        line = next(line for line in self.terminal.text.splitlines() if "Permissions:" in line)
        return line.partition("Permissions:")[2].strip(" │")

    def leave(self):
        while self.terminal.status is None and pathlib.Path(f"/proc/{self.terminal.pid}/exe").exists():
            self.rest()
            try:
                self.terminal.type("\x03")
            except OSError:
                break
            if is_over(self.terminal.pid):
                break
        self.terminal.ended()


def is_over(pid):
    with open(f"/proc/{pid}/stat") as state:
        return state.read().rpartition(")")[2].split()[0] == "Z"


def codex():
    """The real program's path; None where it is not installed."""
    return shutil.which("codex")
