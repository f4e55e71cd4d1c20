"""Reads the content of a device's windows, through AT-SPI: a command a line, in JSON, and an answer a line.

["find", SECONDS, WORD...]  waits until something is shown with all these words: in its text, or as its role, as the
                            text of something around it, or as its state ("selected", "active",
                            "focused")
["none", SECONDS, WORD...]  waits until nothing is
["area", SECONDS, ROLE, TITLE]      waits until a window shows something of this role: where in the window
["window", SECONDS, TITLE, BEFORE]  waits until the window with this title shows something else than BEFORE
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

STATES = {"selected": Atspi.StateType.SELECTED, "active": Atspi.StateType.ACTIVE, "focused": Atspi.StateType.FOCUSED}
context = GLib.MainContext.default()


def children(item: Any) -> Iterator[Any]:
    for index in range(item.get_child_count()):
        child = item.get_child_at_index(index)
        if child is not None:
            yield child


def whole(item: Any) -> str:
    """The text of an item. An entry of GTK 4.8 gives none up to -1, which stands for its end elsewhere."""
    text: str = Atspi.Text.get_text(item, 0, Atspi.Text.get_character_count(item))
    return text


def shown(item: Any, found: list[Any], place: tuple[str, ...] = ()) -> None:
    """Collects all visible items: their texts, their marks (roles and the texts around them), and their middles."""
    try:
        states = item.get_state_set()
        if not states.contains(Atspi.StateType.VISIBLE) and item.get_role() != Atspi.Role.APPLICATION:
            return
        text = item.get_name() or ""
        offered = item.get_interfaces()
        if "EditableText" in offered:
            text = whole(item)
        if text:
            box = "Component" in offered and Atspi.Component.get_extents(item, Atspi.CoordType.WINDOW)
            marks = [item.get_role_name(), *place]
            marks += [name for name, state in STATES.items() if states.contains(state)]
            found.append({
                "text": text, "marks": marks,
                "at": [box.x + box.width // 2, box.y + box.height // 2] if box else None})
        for child in children(item):
            shown(child, found, (*place, text) if text else place)
    except GLib.Error:
        pass  # The item has gone meanwhile.


def look() -> list[Any]:
    found: list[Any] = []
    for application in children(Atspi.get_desktop(0)):
        shown(application, found)
    return found


def parts(item: Any) -> Iterator[Any]:
    """The visible items inside an item, at any depth."""
    for child in children(item):
        if child.get_state_set().contains(Atspi.StateType.VISIBLE):
            yield child
            yield from parts(child)


def window(title: str) -> Any:
    for application in children(Atspi.get_desktop(0)):
        for item in children(application):
            if item.get_name() == title:
                return item
    return None


def look_at(title: str) -> Any:
    """The content of a window: its text with the caret and the selection, how far it is scrolled, labels and buttons;
    None if there is no such window."""
    labels: list[str] = []
    buttons: list[str] = []
    seen: dict[str, Any] = {
        "text": "", "caret": 0, "selected": "", "scrolled": 0.0, "labels": labels, "buttons": buttons}
    try:
        shown_window = window(title)
        for item in parts(shown_window) if shown_window is not None else ():
            role = item.get_role()
            if role == Atspi.Role.TEXT:
                seen["text"] = whole(item)
                seen["caret"] = Atspi.Text.get_caret_offset(item)
                if Atspi.Text.get_n_selections(item):
                    selected = Atspi.Text.get_selection(item, 0)
                    seen["selected"] = seen["text"][selected.start_offset:selected.end_offset]
            elif "Value" in item.get_interfaces():
                # The value of a scroll bar.
                seen["scrolled"] = max(seen["scrolled"], Atspi.Value.get_current_value(item))
            elif role == Atspi.Role.LABEL:
                labels.append(item.get_name())
            elif role == Atspi.Role.PUSH_BUTTON:
                buttons.append(item.get_name())
        return seen if shown_window is not None else None
    except GLib.Error:
        return None  # An item has gone while it was read.


def area(role: str, title: str) -> list[int] | None:
    try:
        shown_window = window(title)
        for item in parts(shown_window) if shown_window is not None else ():
            if item.get_role_name() == role:
                box = Atspi.Component.get_extents(item, Atspi.CoordType.WINDOW)
                return [box.x, box.y, box.width, box.height]
    except GLib.Error:
        pass  # It has gone meanwhile.
    return None


def agrees(item: Any, words: tuple[str, ...]) -> bool:
    return all(word in item["marks"] or word in item["text"] for word in words)


def found(command: str, *words: Any) -> Any:
    """The answer to a command, once there is one."""
    if command == "window":
        title, before = words
        seen = look_at(title)
        return {"found": seen} if seen not in (None, before) else None
    if command == "area":
        place = area(*words)
        return {"found": place} if place is not None else None
    matching = [item for item in look() if agrees(item, words)]
    if command == "find":
        return {"found": matching[0]} if matching else None
    return None if matching else {"found": None}


def answer(command: str, seconds: float, *words: Any) -> Any:
    end = time.monotonic() + seconds
    while True:
        if (outcome := found(command, *words)) is not None:
            return outcome
        if time.monotonic() > end:
            return {"late": [item["text"] for item in look()]}
        # This waits until something has changed, or it is time to look again.
        context.iteration(True)


Atspi.init()
Atspi.set_timeout(2000, 2000)
listener = Atspi.EventListener.new(lambda event: None)
for kind in ("state-changed:showing", "text-changed", "property-change", "children-changed"):
    listener.register(f"object:{kind}")
GLib.timeout_add(100, lambda: True)  # Not every toolkit reports every change.
for line in sys.stdin:
    print(json.dumps(answer(*json.loads(line))), flush=True)
