"""The addresses of a header. Python's own reader takes seconds for one that is made to be slow."""

import email.header
import re

from segue import _open_fields as fields

#: Addresses of a message, and characters of one header.
MOST = 500
LONGEST = 64 * 1024
#: Characters of one address.
_LONGEST_ONE = 1000


def split(text):
    """Each address of the list, as it is written."""
    if len(text) > LONGEST:
        raise ValueError("The recipients are too long.")
    parts, part, is_quoted, is_bracket, is_escaped = [], [], False, False, False
    for character in text:
        if is_escaped:
            is_escaped = False
        elif character == "\\" and is_quoted:
            is_escaped = True
        elif character == '"' and not is_bracket:
            is_quoted = not is_quoted
        elif not is_quoted:
            if character == "<":
                is_bracket = True
            elif character == ">":
                is_bracket = False
            elif character in ",;:" and not is_bracket:
                # A colon ends the name of a group.
                if character != ":":
                    parts.append("".join(part))
                part = []
                continue
        part.append(character)
    parts.append("".join(part))
    found = tuple(filter(None, map(one, parts)))
    if len(found) > MOST:
        raise ValueError(f"There are more than {MOST} recipients.")
    return found


def one(text):
    """One address, on one line, so that it is read as one; "" where there is none."""
    text = fields.line(text)
    if len(text) > _LONGEST_ONE:
        raise ValueError("An address is too long.")
    found = re.fullmatch(r"([^<>]*)<([^<>]*)>", text)
    if not found:
        return text
    name, address = found[1].strip(), found[2].strip()
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = re.sub(r"\\(.)", r"\1", name[1:-1])
    name = fields.line(decoded(name))
    if not name:
        return address
    if re.search(r'[()<>\[\]:;@\\,"]', name):
        name = '"' + re.sub(r'(["\\])', r"\\\1", name) + '"'
    return f"{name} <{address}>"


def decoded(text):
    """With its encoded words read, as RFC 2047 has them."""
    if "=?" not in text:
        return text
    try:
        return str(email.header.make_header(email.header.decode_header(text)))
    except (ValueError, LookupError):
        return text
