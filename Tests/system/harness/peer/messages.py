"""Control messages, and the messages on channels, as dictionaries."""

import os
import struct
import uuid

import cbor2

from ..encoding import encode

#: Bytes of padding in a control message, and the step that its length is a multiple of.
STEP = 256


def identifier(text=None):
    """An activity's or continuation's id, from its 32 digits; a new one without them."""
    return uuid.UUID(text) if text else uuid.UUID(bytes=os.urandom(16))


def digits(id_):
    """An id as the command line and the bus write it."""
    return id_.hex


def control(message):
    """A control message's bytes, padded."""
    message = {**message, "padding": bytes(STEP)}
    message["padding"] = bytes(STEP + -len(encode(message)) % STEP)
    return encode(message)


def offer(application, id_=None, **more):
    """An offer; `more` adds keys or replaces them, and removes those that are None."""
    entries = {
        "id": id_ or identifier(), "revision": 1, "version": 0, "type": application.type, "app": application.id,
        "tier": 0, **more}
    return {key: value for key, value in entries.items() if value is not None}


def offers(sequence, list_):
    return {"kind": "offers", "sequence": sequence, "offers": list_}


def continued(activity, application, continuation=None, **more):
    return {
        "kind": "continued", "activity": activity, "app": application.id,
        "continuation": continuation or identifier(), **more}


def acknowledged(continuation):
    return {"kind": "acknowledged", "continuation": continuation}


def fetch(activity, app, continuation=None, version=0, **more):
    return {
        "kind": "fetch", "continuation": continuation or identifier(), "activity": activity, "app": app,
        "version": version, **more}


def stream(activity, continuation):
    return {"kind": "stream", "continuation": continuation, "activity": activity}


def answer(head, info=b""):
    """A fetch's answer: the head behind its length, and the encoded userInfo."""
    encoded = encode(head)
    return struct.pack(">I", len(encoded)) + encoded + info


def snapshot(activity, type_, info=None, revision=1, **more):
    """The answer that a fetch wants; `info` is a userInfo, encoded already or not."""
    head = {"kind": "snapshot", "activity": activity, "type": type_, "revision": revision, **more}
    return answer(head, info if isinstance(info, bytes) else encode(info or {}))


def failure(code, message="", advice=""):
    return answer({"kind": "failure", "code": code, "message": message, "advice": advice})


def answered(data):
    """The head of an answer, and its userInfo, None behind a failure."""
    length, = struct.unpack_from(">I", data)
    head = cbor2.loads(data[4:4 + length])
    rest = data[4 + length:]
    return head, cbor2.loads(rest) if rest else None
