"""Runs `segue doctor`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from gi.repository import Gio, GLib

from ..model.doctor import Finding, findings, not_run
from ..model.failure import Failure

#: How long the check may take. It waits for the daemon at most for as long as the bus does.
CHECK_SECONDS = 60


def command() -> str:
    """The command line of the same installation, else the one in PATH."""
    beside = os.environ.get("SEGUE_DESKTOP_COMMAND", "")
    return beside if beside and os.access(beside, os.X_OK) else GLib.find_program_in_path("segue") or "segue"


def check(done: Callable[[list[Finding]], object]) -> None:
    """Calls `done` with what the check has found."""
    try:
        process = Gio.Subprocess.new(
            [command(), "doctor", "--json"], Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_PIPE)
    except GLib.Error as error:
        message = error.message
        GLib.idle_add(lambda: done(not_run(Failure("", message))) and False)
        return
    limit = GLib.timeout_add_seconds(CHECK_SECONDS, lambda: process.force_exit() and False)

    def ended(_: Any, result: Any) -> None:
        try:
            _, output, problem = process.communicate_utf8_finish(result)
        except GLib.Error as error:
            done(not_run(Failure("", error.message)))
        else:
            done(findings(output or "", problem or ""))
        finally:
            source = GLib.MainContext.default().find_source_by_id(limit)
            if source is not None:
                source.destroy()

    process.communicate_utf8_async(None, None, ended)
