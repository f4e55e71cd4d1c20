"""Segue's CBOR against an independent one (cbor2, Debian's python3-cbor2).

Run with the system's Python: /usr/bin/python3 -m pytest Tests/python/codec_test.py
SEGUE_BIN is the directory of codec-probe (.build/debug unless set), SEGUE_SEED the seed to repeat a run with.

Values are compared in a neutral form, the probe's description: (kind, content). Python's own values would not do,
because 1, 1.0 and True are one dictionary key there, and datetime keeps neither all dates nor all fractions.
"""

import io
import json
import math
import os
import random
import struct
import subprocess
import uuid

import cbor2
import cbor2.decoder
import pytest

SEED = int(os.environ.get("SEGUE_SEED", random.SystemRandom().randrange(2**32)))
PROBE = os.path.join(os.environ.get("SEGUE_BIN", ".build/debug"), "codec-probe")
CANONICAL_NAN = "7ff8000000000000"


@pytest.fixture
def rng(request):
    print(f"SEGUE_SEED={SEED}")
    return random.Random(f"{SEED}/{request.node.name}")


# The probe.


def run(*arguments, frames=()):
    data = b"".join(struct.pack(">L", len(frame)) + frame for frame in frames)
    return subprocess.run([PROBE, *map(str, arguments)], input=data, stdout=subprocess.PIPE, check=True).stdout


def read_frame(stream):
    (length,) = struct.unpack(">L", stream.read(4))
    return stream.read(length)


def decode_all(frames):
    """For each frame (encoding, neutral value), or the error's message."""
    stream = io.BytesIO(run("decode", frames=frames))
    answers = []
    for _ in frames:
        if stream.read(1) == b"1":
            answers.append((read_frame(stream), from_description(json.loads(read_frame(stream)))))
        else:
            answers.append(read_frame(stream).decode())
    assert stream.read() == b""
    return answers


# Neutral values.


def from_description(description):
    kind, *content = description
    if kind == "null":
        return ("null", None)
    (content,) = content
    if kind == "array":
        return (kind, tuple(map(from_description, content)))
    if kind == "set":
        members = frozenset(map(from_description, content))
        assert len(members) == len(content)
        return (kind, members)
    if kind == "dictionary":
        pairs = [(from_description(key), from_description(value)) for key, value in content]
        assert len({key for key, _ in pairs}) == len(pairs)
        return (kind, frozenset(pairs))
    return (kind, content)


def bits(number):
    return CANONICAL_NAN if math.isnan(number) else struct.pack(">d", number).hex()


class Pairs(tuple):
    """A map as cbor2 found it, no key merged with another."""


class Members(tuple):
    """A tag 258 as cbor2 found it."""


class Date(tuple):
    """A tag 1 as cbor2 found it."""


def decode_map(decoder, subtype):
    length = decoder._decode_length(subtype, allow_indefinite=True)
    assert length is not None
    return Pairs((decoder._decode(), decoder._decode()) for _ in range(length))


# cbor2 reads heads, numbers and text as ever; only the kinds in which it loses distinctions are replaced.
cbor2.decoder.major_decoders[5] = decode_map
cbor2.decoder.semantic_decoders[1] = lambda decoder: Date([decoder._decode()])
cbor2.decoder.semantic_decoders[258] = lambda decoder: Members(decoder._decode())


def cbor2_neutral(encoding):
    stream = io.BytesIO(encoding)
    value = neutral(cbor2.decoder.CBORDecoder(stream).decode())
    assert stream.read() == b""
    return value


def neutral(value):
    if value is None:
        return ("null", None)
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, int):
        assert value.bit_length() <= 64, "a bignum, which has a tag of its own"
        return ("integer", str(value))
    if isinstance(value, float):
        return ("double", bits(value))
    if isinstance(value, str):
        return ("string", value.encode().hex())
    if isinstance(value, bytes):
        return ("data", value.hex())
    if isinstance(value, uuid.UUID):
        return ("uuid", value.hex)
    if isinstance(value, Date):
        return ("date", bits(float(value[0])))
    if isinstance(value, Members):
        return ("set", frozenset(map(neutral, value)))
    if isinstance(value, Pairs):
        pairs = [(neutral(key), neutral(item)) for key, item in value]
        assert len({key for key, _ in pairs}) == len(pairs)
        return ("dictionary", frozenset(pairs))
    if isinstance(value, list):
        return ("array", tuple(map(neutral, value)))
    assert type(value).__name__ == "CBORTag" and value.tag == 32, repr(value)
    return ("url", value.value.encode().hex())


# Random values, and their deterministic encoding from cbor2's pieces. cbor2's canonical mode sorts keys by length
# first (RFC 7049), so containers are put together here.


def head(major, length):
    stream = io.BytesIO()
    encoder = cbor2.encoder.CBOREncoder(stream)
    encoder.encode_length(major, length)
    return stream.getvalue()


def encode(value):
    kind, content = value
    if kind == "null":
        return cbor2.dumps(None)
    if kind == "bool":
        return cbor2.dumps(content)
    if kind == "integer":
        return cbor2.dumps(int(content))
    if kind == "double":
        return encode_float(unbits(content))
    if kind == "string":
        return cbor2.dumps(bytes.fromhex(content).decode())
    if kind == "data":
        return cbor2.dumps(bytes.fromhex(content))
    if kind == "date":
        seconds = unbits(content)
        integral = seconds == int(seconds) and abs(seconds) <= 2**53 and content != bits(-0.0)
        return head(6, 1) + (cbor2.dumps(int(seconds)) if integral else encode_float(seconds))
    if kind == "url":
        return head(6, 32) + cbor2.dumps(bytes.fromhex(content).decode())
    if kind == "uuid":
        return cbor2.dumps(uuid.UUID(content))
    if kind == "array":
        return head(4, len(content)) + b"".join(map(encode, content))
    if kind == "set":
        return head(6, 258) + head(4, len(content)) + b"".join(sorted(map(encode, content)))
    entries = sorted((encode(key), encode(item)) for key, item in content)
    return head(5, len(content)) + b"".join(key + item for key, item in entries)


def unbits(content):
    return struct.unpack(">d", bytes.fromhex(content))[0]


def encode_float(number):
    # The Python half of cbor2: the C half of 5.4.6 writes 32768...65504 as singles, though halves hold them.
    return cbor2.encoder.dumps(number, canonical=True)


def random_text(rng):
    tops = (0x7F, 0x7FF, 0xFFFF, 0x10FFFF)
    points = (rng.randint(0x20, rng.choice(tops)) for _ in range(rng.randrange(24)))
    return "".join(chr(p) for p in points if not (0x7F <= p <= 0x9F or 0xD800 <= p <= 0xDFFF))


def random_integer(rng):
    number = rng.getrandbits(rng.randrange(64)) if rng.random() < 0.5 else 2 ** rng.randrange(63) + rng.randint(-1, 1)
    return rng.choice((number, ~number))


def random_double(rng):
    special = (0.0, -0.0, math.inf, -math.inf, math.nan, 65504.0, 65520.0, 2.0**-24, 2.0**-25, 2.0**53, 2.0**53 + 2)
    choice = rng.randrange(6)
    if choice == 0:
        return rng.choice(special)
    if choice == 1:
        return struct.unpack(">e", rng.randbytes(2))[0]
    if choice == 2:
        return struct.unpack(">f", rng.randbytes(4))[0]
    if choice == 3:
        return struct.unpack(">d", rng.randbytes(8))[0]
    return float(random_integer(rng)) if choice == 4 else rng.uniform(-1e6, 1e6)


def random_scalar(rng):
    kind = rng.choice(("null", "bool", "integer", "double", "string", "data", "date", "url", "uuid"))
    if kind == "null":
        return (kind, None)
    if kind == "bool":
        return (kind, rng.random() < 0.5)
    if kind == "integer":
        return (kind, str(random_integer(rng)))
    if kind == "double":
        return (kind, bits(random_double(rng)))
    if kind == "string":
        return (kind, random_text(rng).encode().hex())
    if kind == "data":
        return (kind, rng.randbytes(rng.randrange(60)).hex())
    if kind == "date":
        seconds = rng.choice((random_double(rng), float(random_integer(rng))))
        return (kind, bits(seconds if math.isfinite(seconds) else 0.0))
    if kind == "url":
        return (kind, (rng.choice(("https://", "a:", "X+y-z.1:")) + random_text(rng).replace(" ", "")).encode().hex())
    return (kind, rng.randbytes(16).hex())


def random_value(rng, depth=0):
    if depth >= 8 or rng.randrange(4 + 2 * depth) >= 3:
        return random_scalar(rng)
    kind = rng.choice(("array", "set", "dictionary"))
    if kind == "dictionary":
        keys = {random_scalar(rng) for _ in range(rng.randrange(10))}
        return (kind, frozenset((key, random_value(rng, depth + 1)) for key in keys))
    items = [random_value(rng, depth + 1) for _ in range(rng.randrange(8))]
    return (kind, tuple(items) if kind == "array" else frozenset(items))


# The tests.


def test_python_values_come_back_as_the_same_bytes(rng):
    values = [random_value(rng) for _ in range(3000)]
    frames = [encode(value) for value in values]
    for value, frame, answer in zip(values, frames, decode_all(frames)):
        assert answer == (frame, value), frame.hex()


def test_cbor2_reads_what_swift_generated(rng):
    count = 3000
    stream = io.BytesIO(run("generate", rng.randrange(2**63), count))
    kinds = set()
    for _ in range(count):
        encoding = read_frame(stream)
        value = from_description(json.loads(read_frame(stream)))
        assert cbor2_neutral(encoding) == value, encoding.hex()
        assert encode(value) == encoding
        kinds.add(value[0])
    assert stream.read() == b"" and len(kinds) == 12


def mutated(rng, data):
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        if not data:
            break
        place = rng.randrange(len(data))
        choice = rng.randrange(5)
        if choice == 0:
            data[place] ^= 1 << rng.randrange(8)
        elif choice == 1:
            data[place] = rng.randrange(256)
        elif choice == 2:
            data.insert(place, rng.randrange(256))
        elif choice == 3:
            del data[place]
        else:
            del data[place:]
    return bytes(data)


def test_what_is_accepted_of_mutations_is_what_cbor2_reads(rng):
    frames = [mutated(rng, encode(random_value(rng))) for _ in range(8000)]
    accepted = 0
    for frame, answer in zip(frames, decode_all(frames)):
        if isinstance(answer, str):
            assert answer.startswith("Encoded value, byte "), answer
            continue
        accepted += 1
        encoding, value = answer
        assert encoding == frame
        assert cbor2_neutral(frame) == value, frame.hex()
        # The frame is deterministic by the other implementation's pieces too.
        assert encode(value) == frame
    print(f"{accepted} of {len(frames)} accepted")
    assert 400 < accepted < len(frames)


def test_mutations_that_are_refused_are_not_deterministic(rng):
    """No frame is refused that is a value in our form, which is one that cbor2 reads and encodes to the same bytes."""
    frames = [mutated(rng, encode(random_value(rng))) for _ in range(8000)]
    for frame, answer in zip(frames, decode_all(frames)):
        if not isinstance(answer, str) or "NUL" in answer or "URL" in answer:
            continue
        try:
            value = cbor2_neutral(frame)
            same = encode(value) == frame
        except Exception:  # a value that cbor2, or the neutral form, does not allow
            continue
        allowed = "more than" in answer or "64 bits" in answer or "as a key" in answer
        assert not same or allowed, (frame.hex(), answer)
