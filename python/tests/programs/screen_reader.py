"""Reads what a device's windows show, through AT-SPI: a command a line, in JSON, and an answer a line.

["find", SECONDS, WORD...]  waits until something is shown with all these words: in its text, or as its role, as the
                            text of something around it, or as its state ("selected", "active",
                            "focused")
["none", SECONDS, WORD...]  waits until nothing is
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

STATES = {"selected": Atspi.StateType.SELECTED, "active": Atspi.StateType.ACTIVE, "focused": Atspi.StateType.FOCUSED}
context = GLib.MainContext.default()


def shown(item: Any, found: list[Any], place: tuple[str, ...] = ()) -> None:
    """Of what is visible: its text, its role and the texts of what is around it, and its middle."""
    try:
        states = item.get_state_set()
        if not states.contains(Atspi.StateType.VISIBLE) and item.get_role() != Atspi.Role.APPLICATION:
            return
        text = item.get_name() or ""
        offered = item.get_interfaces()
        if "EditableText" in offered:
            text = Atspi.Text.get_text(item, 0, -1)
        if text:
            box = "Component" in offered and Atspi.Component.get_extents(item, Atspi.CoordType.WINDOW)
            marks = [item.get_role_name(), *place]
            marks += [name for name, state in STATES.items() if states.contains(state)]
            found.append({
                "text": text, "marks": marks,
                "at": [box.x + box.width // 2, box.y + box.height // 2] if box else None})
        for index in range(item.get_child_count()):
            child = item.get_child_at_index(index)
            if child is not None:
                shown(child, found, (*place, text) if text else place)
    except GLib.Error:
        pass  # It has gone meanwhile.


def look() -> list[Any]:
    found: list[Any] = []
    desktop = Atspi.get_desktop(0)
    for index in range(desktop.get_child_count()):
        application = desktop.get_child_at_index(index)
        if application is not None:
            shown(application, found)
    return found


def agrees(item: Any, words: tuple[str, ...]) -> bool:
    return all(word in item["marks"] or word in item["text"] for word in words)


def answer(command: str, seconds: float, *words: str) -> Any:
    end = time.monotonic() + seconds
    while True:
        found = look()
        matching = [item for item in found if agrees(item, words)]
        if command == "find" and matching:
            return {"found": matching[0]}
        if command == "none" and not matching:
            return {"found": None}
        if time.monotonic() > end:
            return {"late": [item["text"] for item in found]}
        # Until something has changed, or is to be looked for again.
        context.iteration(True)


Atspi.init()
Atspi.set_timeout(2000, 2000)
listener = Atspi.EventListener.new(lambda event: None)
for kind in ("state-changed:showing", "text-changed", "property-change", "children-changed"):
    listener.register(f"object:{kind}")
GLib.timeout_add(100, lambda: True)  # Not every toolkit tells of everything.
for line in sys.stdin:
    print(json.dumps(answer(*json.loads(line))), flush=True)
