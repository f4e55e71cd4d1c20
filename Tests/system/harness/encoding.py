"""The encoding of userInfo, written with Debian's cbor2: deterministic as in RFC 8949, section 4.2.1."""

import struct

import cbor2


def head(major, number):
    for limit, code, form in [(24, None, ""), (2**8, 24, ">B"), (2**16, 25, ">H"), (2**32, 26, ">I")]:
        if number < limit:
            first = bytes([major << 5 | (number if code is None else code)])
            return first + (struct.pack(form, number) if form else b"")
    return bytes([major << 5 | 27]) + struct.pack(">Q", number)


def encode(value):
    """cbor2's own canonical form has the older order of keys, so that containers are put together here."""
    if isinstance(value, dict):
        entries = sorted((encode(key), encode(element)) for key, element in value.items())
        return head(5, len(entries)) + b"".join(key + element for key, element in entries)
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(encode(element) for element in value)
    if isinstance(value, cbor2.CBORTag):
        return head(6, value.tag) + encode(value.value)
    return cbor2.dumps(value, canonical=True)


def hexadecimal(value):
    """The encoding as the probe takes and prints it."""
    return encode(value).hex()


def decode(text):
    return cbor2.loads(bytes.fromhex(text))
