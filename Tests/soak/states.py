"""The state of an activity: it names its activity and the number of its save, and has a digest of its content."""

import hashlib
import os

from harness.encoding import decode, hexadecimal

#: Bytes of one value: a state of more has several.
PART = 60_000


def digest(key, serial, parts):
    made = hashlib.sha256(f"{key} {serial} ".encode())
    for part in parts:
        made.update(part)
    return made.digest()


def make(key, serial, size):
    """A userInfo of about `size` bytes, as the probe takes it."""
    parts = [os.urandom(min(PART, size - start)) for start in range(0, size, PART)]
    return hexadecimal({"key": key, "serial": serial, "digest": digest(key, serial, parts), "parts": parts})


def read(text):
    """(key, serial) of a state that arrived; None if it is not as it was made."""
    try:
        info = decode(text)
        is_whole = info["digest"] == digest(info["key"], info["serial"], info["parts"])
        return (info["key"], info["serial"]) if is_whole else None
    except (ValueError, KeyError, TypeError):
        return None
