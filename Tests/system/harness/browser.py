"""Code that Firefox and Chromium share: a profile with the extension in it, without a screen."""

import contextlib
import json
import os
import pathlib
import select
import shutil
import signal

from .bounds import SECONDS
from .tree import SOURCES
from .waiting import wait_for

EXTENSION = SOURCES / "bridges" / "web-extension"
HOST_NAME = "org.segue.browser"
FIREFOX_ID = "segue@segue.org"
#: A browser takes a while on a busy machine.
PATIENCE = 2 * SECONDS


class Trouble(Exception):
    """An error that a browser reports."""


class Browser:
    """A profile, the extension in it, and the host that its manifest names. `program` starts it, for the test or for
    the bus."""

    #: The width of its window, in pixels.
    width = 1000

    def __init__(self, folder, environment, host):
        self.folder = pathlib.Path(folder) / self.kind
        self.profile = self.folder / "profile"
        self.home = self.folder / "home"
        for path in [self.profile, self.home, self.folder / "bin"]:
            path.mkdir(parents=True)
        self.environment = {**environment, "HOME": str(self.home)}
        self.log = self.folder / "log"
        self.program = self.folder / "bin" / self.command
        # A started browser writes its process id here. The pipe is open for both directions, so that opening it does
        # not block, and reading it sees no end.
        self.starts = self.fifo("starts")
        self.handle = None
        self.tabs = []
        self.install(str(host))
        self.program.write_text(
            f"#!/bin/sh\necho $$ >{self.folder}/starts\n"
            + "".join(f"export {key}='{value}'\n" for key, value in self.environment.items())
            + f"exec {self.line()} {self.arguments} {self.redirections()} >>{self.log} 2>&1\n")
        self.program.chmod(0o755)

    def fifo(self, name):
        os.mkfifo(self.folder / name)
        return os.open(self.folder / name, os.O_RDWR | os.O_NONBLOCK)

    #: The arguments of its start, as the shell has them.
    arguments = '"$@"'

    def redirections(self):
        return "</dev/null"

    def manifest(self, host, **allowed):
        return json.dumps({"name": HOST_NAME, "description": "Segue", "path": host, "type": "stdio", **allowed})

    def start(self, *arguments):
        """Starts the browser as its user does."""
        pid = os.posix_spawn(str(self.program), [str(self.program), *arguments], self.environment, setsid=True)
        self.child = pid
        return self.started()

    child = None

    def started(self):
        """Waits until somebody starts the browser, and connects."""
        assert select.select([self.starts], [], [], PATIENCE)[0], f"{self.kind} was not started"
        pid = int(os.read(self.starts, 64).split()[0])
        self.handle = os.pidfd_open(pid)
        self.pid = pid
        self.connect()
        return self

    def said(self):
        return self.log.read_text(errors="replace")[-4000:] if self.log.exists() else ""

    def is_gone(self):
        return self.handle is None or bool(select.select([self.handle], [], [], 0)[0])

    def end(self):
        """Ends the browser, and waits until it has ended."""
        if self.handle is None:
            return
        with contextlib.suppress(Trouble, OSError, AssertionError):
            self.quit()
        if not select.select([self.handle], [], [], SECONDS)[0]:
            os.kill(self.pid, signal.SIGKILL)
            assert select.select([self.handle], [], [], SECONDS)[0]
        if self.child == self.pid:
            os.waitpid(self.child, 0)
            self.child = None
        os.close(self.handle)
        self.handle = None
        self.disconnect()
        self.tabs = []

    def close(self):
        self.end()
        os.close(self.starts)
        shutil.rmtree(self.folder, ignore_errors=True)

    # Shared operations

    def open(self, url):
        """Opens a new tab in front, and loads this page."""
        tab = self.new_tab()
        tab.go(url)
        return tab

    def extension(self, page):
        """Opens a page of the extension in a tab of its own."""
        return self.open(self.base + page)

    def allow(self, *sites):
        """Allows sites as the user does, in the options page; all sites if none is given."""
        self.agree(*sites)
        options = self.extension("options.html")
        for site in sites:
            options.evaluate(f"document.getElementById('site').value = {json.dumps(site)}")
            options.click("#add button")
            options.until(
                f"[...document.querySelectorAll('#list span')].some(one => one.textContent === {json.dumps(site)})")
        if not sites:
            options.click("#all")
            options.until("document.getElementById('none').hidden")
        options.close()

    def forbid(self, site):
        """Forbids a site as the user does, in a tab that is left open."""
        options = self.extension("options.html")
        options.click(f"[aria-label='Remove {site}']")
        options.until("document.getElementById('list').children.length === 0")
        return options

    def agree(self, *sites):
        """Gives the user's answer to the browser's question."""


class Tab:
    def until(self, expression, what=None):
        """Waits until the expression is true in the page, and returns its value."""
        try:
            return wait_for(lambda: self.evaluate(expression), what or expression, seconds=PATIENCE)
        except AssertionError:
            raise AssertionError(f"{what or expression}: {self.browser.said()}") from None

    def scroll(self, y):
        self.evaluate(f"window.scrollTo(0, {y})")
