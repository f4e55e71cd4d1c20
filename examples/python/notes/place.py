"""A place in a text, which is found again in another version of the text."""

#: How many characters of a line's text are kept to recognise it.
LONGEST = 200


def of(lines, line, column):
    """The place as user_info holds it."""
    return {"line": line, "column": column, "text": lines[line][:LONGEST]}


def find(lines, place):
    """(line, column): of the nearest line with the same text, or else of the line with the same number. An entry that
    is missing, or of another type, as another version may have written it, counts as the start."""
    place = place if isinstance(place, dict) else {}
    line, column, text = (place.get(key) for key in ("line", "column", "text"))
    line = line if isinstance(line, int) else 0
    same = [number for number, other in enumerate(lines) if other[:LONGEST] == text]
    if same and text:
        line = min(same, key=lambda number: abs(number - line))
    line = min(max(line, 0), len(lines) - 1)
    return line, min(max(column if isinstance(column, int) else 0, 0), len(lines[line]))


def found(lines, text):
    """(line, column) of a segue.open_types.Text: of the nearest line that has its words, or else of its line."""
    line, before = (text.line or 1) - 1, text.before or ""
    words = before + (text.after or "")
    same = [number for number, other in enumerate(lines) if words in other] if words.strip() else []
    if same:
        line = min(same, key=lambda number: abs(number - line))
        return line, lines[line].index(words) + len(before)
    line = min(line, len(lines) - 1)
    return line, min((text.column or 1) - 1, len(lines[line]))
