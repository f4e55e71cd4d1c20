"""The values of userInfo, in Python's own types, and the ones that it refuses."""

from __future__ import annotations

import datetime
import enum
import math
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
import segue

UTC = datetime.timezone.utc
ID = uuid.UUID("12345678-9abc-def0-1234-56789abcdef0")


@pytest.fixture
def activity() -> Iterator[segue.Activity]:
    """An activity of an application that finds no bus: values need none."""
    with segue.Application("org.segue.test.Values", bus_address="unix:path=/nonexistent") as application:
        yield segue.Activity(application, "org.segue.test.values")


VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2**63 - 1, -(2**63), 0.0, -2.5, 1e300, math.inf, "", "ein Wort", "\U0001f600", b"",
    b"\0\xff" * 100, ID, segue.URL("https://example.org/?q=1#f"), segue.URL("file:///home/a/list.txt"),
    datetime.datetime(2026, 11, 21, 19, 30, 0, 123456, UTC), datetime.datetime(1, 1, 1, tzinfo=UTC), [], [1, [2, []]],
    {1, "a", None}, {(1, 2), frozenset({3})}, {}, {"a": {"b": [{"c": None}]}},
    {None: 1, 2: 2, 2.5: 3, "t": 4, b"d": 5, ID: 6, segue.URL("x:y"): 7, datetime.datetime(2000, 1, 1, tzinfo=UTC): 8},
]


# Not by repr: a set's differs from process to process, and the processes that share the tests compare their names.
@pytest.mark.parametrize("value", VALUES, ids=[f"{type(value).__name__}-{at}" for at, value in enumerate(VALUES)])
def test_comesBackAsItWas(activity: segue.Activity, value: Any) -> None:
    activity.user_info = {"value": value}
    back = activity.user_info["value"]
    assert back == value and type(back) is type(value)


def test_nanComesBack(activity: segue.Activity) -> None:
    activity.user_info["value"] = math.nan
    assert math.isnan(activity.user_info["value"])


def test_whatIsLikeAValueIsTaken(activity: segue.Activity) -> None:
    class Number(enum.IntEnum):
        TWO = 2

    zone = datetime.timezone(datetime.timedelta(hours=2))
    activity.user_info = {
        "tuple": (1, 2), "frozen": frozenset({1}), "enum": Number.TWO, "array": bytearray(b"x"),
        "view": memoryview(b"y"), "zone": datetime.datetime(2026, 1, 1, 2, tzinfo=zone)}
    assert activity.user_info == {
        "tuple": [1, 2], "frozen": {1}, "enum": 2, "array": b"x", "view": b"y",
        "zone": datetime.datetime(2026, 1, 1, 0, tzinfo=UTC)}


def test_isADictionary(activity: segue.Activity) -> None:
    info = activity.user_info
    info["line"] = 3
    info["place"] = {"x": 1.5}
    info.update({"a": None}, b=True)
    assert info == {"line": 3, "place": {"x": 1.5}, "a": None, "b": True} and len(info) == 4
    assert activity.user_info["line"] == 3 and "line" in info and "other" not in info and [] not in info
    assert info.get("other", 7) == 7 and info.pop("line") == 3 and sorted(info) == ["a", "b", "place"]
    del info["a"]
    with pytest.raises(KeyError):
        del info["a"]
    with pytest.raises(KeyError):
        info["a"]
    assert info.setdefault("c", []) == [] and dict(activity.user_info) == info
    info.clear()
    assert not info and info == {}


SELF: list[Any] = []
SELF.append({"inner": SELF})
DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]

REFUSED: list[tuple[object, type[Exception], str]] = [
    (object(), TypeError, "user_info['places'][1]['at']: userInfo cannot hold a object"),
    (1j, TypeError, "user_info['places'][1]['at']"),
    (datetime.date(2026, 1, 1), TypeError, "cannot hold a date"),
    ({(1, 2): 3}, TypeError, "user_info['places'][1]['at'][(1, 2)]: a key cannot be a tuple"),
    (2**63, OverflowError, "user_info['places'][1]['at']: an integer beyond 64 bits"),
    (-(2**63) - 1, OverflowError, "beyond 64 bits"),
    (10**5000, OverflowError, "beyond 64 bits"),
    (datetime.datetime(2026, 1, 1), ValueError, "user_info['places'][1]['at']: a datetime without a time zone"),
    ("\ud800", ValueError, "user_info['places'][1]['at']: text with a lone surrogate"),
    ("a\0b", ValueError, "NUL"),
    (segue.URL("no url"), segue.InvalidArgumentError, "user_info['places'][1]['at']: 'no url' is not an absolute URL"),
    (SELF, ValueError, "user_info['places'][1]['at'][0]['inner']: contains itself"),
    (DEEP, segue.LimitExceededError, "user_info['places'][1]['at'][0][0]"),
    ("x" * (64 * 1024 + 1), segue.Error, "user_info['places'][1]['at']"),
    ({"k": {3: "\udfff"}}, ValueError, "user_info['places'][1]['at']['k'][3]"),
]


@pytest.mark.parametrize(("value", "error", "message"), REFUSED, ids=[str(index) for index in range(len(REFUSED))])
def test_saysWhereWhatItRefusesStands(
    activity: segue.Activity, value: Any, error: type[Exception], message: str,
) -> None:
    activity.user_info = {"before": 1}
    with pytest.raises(error) as raised:
        activity.user_info = {"places": [0, {"at": value}]}
    assert message in str(raised.value)
    # The activity has not changed.
    assert activity.user_info == {"before": 1}


@pytest.mark.parametrize("key", ["\ud800", "a\0b", 2**64, datetime.datetime(2026, 1, 1)], ids=repr)
def test_aKeyThatCannotBe(activity: segue.Activity, key: Any) -> None:
    with pytest.raises((ValueError, OverflowError), match="user_info"):
        activity.user_info[key] = 1
    with pytest.raises(KeyError):
        activity.user_info[key]
    assert activity.user_info == {}


def test_moreThanTheLimits(activity: segue.Activity) -> None:
    with pytest.raises(segue.LimitExceededError):
        activity.user_info = {str(number): number for number in range(257)}
    with pytest.raises(segue.LimitExceededError):
        activity.user_info["all"] = list(range(5000))
    with pytest.raises(TypeError, match="user_info: a dictionary is wanted"):
        activity.user_info = [1]  # type: ignore[assignment]


def test_whatOnlyOtherLanguagesSend(activity: segue.Activity) -> None:
    from segue import _native, values

    ffi, lib = _native.ffi, _native.lib
    # A set of a dictionary: Python has none. {1, {}} as a set.
    encoded = bytes.fromhex("d9010282" + "01a0")
    out = ffi.new("segue_value **")
    assert lib.segue_value_decode(encoded, len(encoded), out, ffi.NULL) == 0
    assert values.get(out[0]) == [1, {}]
    lib.segue_value_unref(out[0])
    # A date after the year 9999.
    assert lib.segue_value_new_date(1e15, out) == 0
    with pytest.raises(ValueError, match="user_info: the date"):
        values.get(out[0])
    lib.segue_value_unref(out[0])
