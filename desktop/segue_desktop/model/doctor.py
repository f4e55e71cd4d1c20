"""What is missing on this device, and the cure for it: `segue doctor --json`."""

from __future__ import annotations

import json
from typing import NamedTuple

from .failure import Failure
from .fields import rows, text
from .words import _


class Finding(NamedTuple):
    severity: str
    message: str
    advice: str

    @property
    def key(self) -> str:
        return self.message

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    @property
    def icon(self) -> str:
        return {"error": "dialog-error-symbolic", "warning": "dialog-warning-symbolic"}.get(
            self.severity, "dialog-information-symbolic")

    @property
    def kind(self) -> str:
        """The icon, for who does not see it."""
        return {"error": _("Error"), "warning": _("Warning")}.get(self.severity, _("Note"))


def findings(output: str, problem: str = "") -> list[Finding]:
    """The findings, the worst first. `problem`: what the command said besides, where it printed no findings."""
    try:
        listed = json.loads(output)
    except ValueError:
        message = problem.strip() or _("segue doctor has printed nothing that can be read.")
        return [Finding("error", message.splitlines()[0], "")]
    order = {"error": 0, "warning": 1}
    found = [Finding(text(row, "severity"), text(row, "message"), text(row, "advice")) for row in rows(listed)]
    return sorted(found, key=lambda finding: order.get(finding.severity, 2))


def not_run(failure: Failure) -> list[Finding]:
    return [Finding("error", _("The check could not be run: {reason}").format(reason=failure.message),
                    _("Install the command segue."))]
