"""The place on a page, so that it is found again in a window of another width, or in another browser."""

from __future__ import annotations

import dataclasses
import json
import math
import pathlib
from collections.abc import Mapping
from typing import Any

#: The script that reports the position, and restores it; in each page, hidden from the page's own scripts.
SCRIPT = "".join(pathlib.Path(__file__).with_name(name).read_text() for name in ("words.js", "position.js"))
#: The world that the script runs in, and the name of its message handler.
WORLD, HANDLER = "monkeybrowser", "position"
#: For how long a page may grow until it reaches the position.
SECONDS = 10.0
#: The script which says whether a page shows content, and how often it runs, in milliseconds, until the page does.
HAS_CONTENT = """
const body = Reflect.get(Document.prototype, "body", document);
return Boolean(body) && (body.innerText.trim() !== "" || Boolean(body.querySelector(
  "img, picture, video, audio, canvas, svg, iframe, object, embed, input, button, select, textarea")));
"""
LOOK = 250
#: No page is higher, or wider.
_LARGEST = 1e8
#: Characters of the words at the top of the view.
_LONGEST = 200


@dataclasses.dataclass(frozen=True)
class Position:
    """`offset` pixels down, which is `fraction` of the page's height; the page was laid out for that `width`.

    Where the width is the same again, so are the heights, and the offset is exact. Elsewhere the text breaks into other
    lines, and the fraction comes close. Other browsers tell no width, but the first words in the view, `text`, and how
    many pixels `below` its top they stand; -1 where that is not told.
    """

    offset: float = 0.0
    fraction: float = 0.0
    width: float = 0.0
    left: float = 0.0
    text: str = ""
    below: float = -1.0

    @classmethod
    def told(cls, json_text: str) -> Position:
        """The position that the script reports, which a page may falsify."""
        position = json.loads(json_text)
        return cls(
            _number(position.get("offset"), _LARGEST), _number(position.get("fraction"), 1.0),
            _number(position.get("width"), _LARGEST), _number(position.get("left"), _LARGEST),
            _text(position.get("text")), _number(position.get("below"), _LARGEST))

    @classmethod
    def received(cls, user_info: Mapping[Any, Any]) -> Position:
        """The position from another device. Missing or senseless values are 0: the page then opens at its top."""
        return cls(
            _number(user_info.get("ScrollOffset"), _LARGEST), _number(user_info.get("ScrollFraction"), 1.0),
            _number(user_info.get("ViewWidth"), _LARGEST))

    def to_share(self) -> dict[str, float]:
        return {"ScrollOffset": self.offset, "ScrollFraction": self.fraction, "ViewWidth": self.width}

    # The entries of the browsing type, which all browsers have in common; docs/browser-protocol.md.

    @classmethod
    def of_browser(cls, user_info: Mapping[Any, Any]) -> Position:
        return cls(
            offset=_number(user_info.get("scroll-y"), _LARGEST), fraction=_number(user_info.get("fraction"), 1.0),
            left=_number(user_info.get("scroll-x"), _LARGEST), text=_text(user_info.get("text")),
            below=_number(user_info["text-below"], _LARGEST) if "text-below" in user_info else -1.0)

    def to_browsers(self) -> dict[str, float | str]:
        place: dict[str, float | str] = {
            "scroll-x": self.left, "scroll-y": self.offset, "fraction": self.fraction, "text": self.text}
        if self.text and self.below >= 0:
            place["text-below"] = self.below
        return place

    def is_close_to(self, other: Position) -> bool:
        return self.width == other.width and abs(self.offset - other.offset) < 1.0


def _number(value: object, largest: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0.0
    # NaN is not between anything.
    return float(value) if math.isfinite(value) and 0 <= value <= largest else 0.0


def _text(value: object) -> str:
    return value[:_LONGEST].strip() if isinstance(value, str) else ""
