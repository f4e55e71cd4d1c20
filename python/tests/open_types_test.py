"""The helpers for open types: what is written, what is read of another application, and what is refused."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import pytest
import segue
from segue import open_types
from segue.open_types import Conversation, Folder, Mail, Media, Reading, Shell, Text

ALL: list[Any] = [
    Media("https://example.org/film.webm", position=61.5, duration=100.0, rate=1.5, playing=True, title="A film",
          artist="A", album="B", audio_track="de", subtitle_track="en", chapter=2, live=False),
    Reading("file:///srv/me/book.pdf", page=12, pages=200, label="xii", destination="intro", fraction=0.25, href="c1.html",
            part_fraction=0.5, cfi="epubcfi(/6/4!/4/2/1:0)", zoom=1.5, text="here", before="a", after="b",
            digest="sha256:" + "0" * 64),
    Text("file:///srv/me/a.c", line=3, column=7, before="int", after=";", selection=(1, 2, 3, 4),
         repository="example.org/me/project", path="src/a.c", branch="main", head="0123abc", unsaved=True),
    Folder("file:///srv/me", selected=("a", "b")), Mail(to="a@example.org", subject="Hello", body="Text", cursor=3),
    Mail(message=b"From: a\r\n\r\nb"), Shell("file:///srv/me", session="work", title="Work"),
    Conversation("assistant", "0123-4567-89ab", folder="file:///srv/me", title="Plan"),
]


@pytest.mark.parametrize("value", ALL, ids=lambda value: type(value).__name__)
def test_O1_aTypeIsReadAsItWasWritten(value: Any) -> None:
    info = value.to_user_info()
    assert type(value).from_user_info(info) == value
    assert type(value).from_user_info({**info, "unknown": 1, 7: "x"}) == value
    assert not any("_" in key for key in info)


def test_O1_userInfoCarriesIt() -> None:
    with segue.Application("org.segue.test.OpenTypes", bus_address="unix:path=/nonexistent") as application:
        for value in ALL:
            activity = segue.Activity(application, value.TYPE, user_info=value.to_user_info())
            assert type(value).from_user_info(activity.user_info) == value
            if dataclasses.fields(value)[0].name == "uri":
                assert isinstance(activity.user_info["uri"], segue.URL)


@pytest.mark.parametrize("uri", [
    "ftp://example.org/a", "javascript:alert(1)", "file://other/a", "file:///a/../b", "file:///a/%2e%2e/b", "file:a",
    "file:///a%0ab", "file:///a?b", "https://", "https://me:secret@example.org/", "/a", "", "https://example.org/a b",
    "file:///a\nb", "data:text/plain,x", 5, None, "https://example.org/" + "x" * 9000, "http://[", "file:///a%00b"])
@pytest.mark.parametrize("kind", [Media, Reading, Text, Folder])
def test_O5_anotherAddressIsRefused(kind: Any, uri: Any) -> None:
    with pytest.raises(ValueError, match="uri"):
        kind.from_user_info({"uri": uri})


@pytest.mark.parametrize("key, given, read", [
    ("page", 10**9, 10**9), ("page", -5, 1), ("page", 2.0, 2), ("page", float("nan"), None), ("page", "3", None),
    ("page", True, None), ("page", 10**30, 2**31 - 1), ("fraction", 7, 1.0), ("fraction", -1.0, 0.0),
    ("fraction", float("inf"), None), ("cfi", "epubcfi(/6)\x1b[31m", None), ("cfi", "/6/4", None),
    ("digest", "md5:0", None), ("label", "a\x1b[31m\nb", "a[31m b"), ("text", "a\tb\nc\x00", "a\tb\nc"),
    ("text", "x" * 9000, "x" * 4096), ("zoom", 0, 0.01), ("href", ["x"], None)])
def test_O5_valuesAreClampedOrLeftOut(key: Any, given: Any, read: Any) -> None:
    value = Reading.from_user_info({"uri": "file:///a", key: given})
    assert getattr(value, key.replace("-", "_")) == read


@pytest.mark.parametrize("info", [
    {"program": "/bin/sh", "session": "0123-4567"}, {"program": "sh -c", "session": "0123-4567"},
    {"program": "assistant", "session": "--resume"}, {"program": "assistant", "session": "0123"},
    {"program": "assistant"}, {"session": "0123-4567"}])
def test_O5_nothingBecomesAnArgumentButTheId(info: Any) -> None:
    with pytest.raises(ValueError, match="program|session"):
        Conversation.from_user_info(info)


def test_O5_aWriterIsToldOfWhatIsWrong() -> None:
    wrong: list[Any] = [lambda: Reading("ftp://x/y"), lambda: Media("file:///a", position=float("nan")), Mail,
                        lambda: Text("file:///a", path="../x"), lambda: Shell("file:///a", session="-x y")]
    for make in wrong:
        with pytest.raises(ValueError):
            make()


def test_theMostExactPlaceThatIsUnderstoodWins() -> None:
    reading = ALL[1]
    everything = {"cfi", "destination", "text", "href", "page", "fraction"}
    order = []
    while found := reading.place(everything):
        order.append(found[0])
        everything.remove(found[0])
    assert order == ["cfi", "destination", "text", "href", "page", "fraction"]
    # Another edition has other pages.
    other = "sha256:" + "1" * 64
    assert reading.place({"cfi", "page", "fraction"}, other) == ("fraction", 0.25)
    assert dataclasses.replace(reading, page=500).place({"page"}) == ("page", 200)
    assert reading.place(set()) is None


def test_mediaGoesOnInsideItsDuration() -> None:
    assert Media("file:///a", position=500, duration=100).start == 100
    assert Media("file:///a", position=5).start == 5
    assert Media("file:///a", position=5, live=True).start is None


@pytest.mark.parametrize("text", ["plain", "e\u0301 🦜 ß", "🦜🦜", ""])
def test_columnsAreConvertedAndClamped(text: Any) -> None:
    for column in range(1, len(text) + 2):
        assert open_types.column_of_bytes(text, open_types.bytes_of_column(text, column)) == column
        assert open_types.column_of_utf16(text, open_types.utf16_of_column(text, column)) == column
    for odd in [-1, 10**6]:
        assert open_types.column_of_bytes(text, odd) in (1, len(text) + 1)
        assert 0 <= open_types.bytes_of_column(text, odd) <= len(text.encode())
    # An offset inside a character is that of the character.
    assert open_types.column_of_bytes("🦜x", 2) == 1 and open_types.column_of_utf16("🦜x", 1) == 1


@pytest.mark.parametrize("remote, found", [
    ("https://me@Example.org/a/b.git", "example.org/a/b"), ("git@example.org:a/b.git", "example.org/a/b"),
    ("ssh://git@example.org:22/a/b", "example.org/a/b"), ("/srv/git/a", None), ("file:///srv/a", None), ("", None),
    ("https://example.org/a b", None)])
def test_remotesAreOneNameForOneRepository(remote: Any, found: Any) -> None:
    assert open_types.repository_of(remote) == found


def test_onlyRegularFilesHaveDigests(tmp_path: Any, monkeypatch: Any) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"abc")
    assert open_types.digest_of(file) == \
        "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    os.mkfifo(tmp_path / "pipe")
    assert [open_types.digest_of(path) for path in [tmp_path, tmp_path / "pipe", tmp_path / "none", "/dev/zero"]] == \
        [None] * 4
    monkeypatch.setattr(open_types, "DIGEST_SIZE", 2)
    assert open_types.digest_of(file) is None


@pytest.mark.parametrize("kind, needed, key, values", [
    ("Folder", {"uri": "file:///a"}, "selected", [["../../etc/passwd"], ["/etc/shadow"], [".."], ["a\nb"], [""]]),
    ("Text", {"uri": "file:///a"}, "repository", ["../../etc/x", "--mirror/x", "a.org/../x", "a.org/-x"]),
    ("Text", {"uri": "file:///a"}, "branch", ["--upload-pack=touch /tmp/x", "-x", "a..b", "a/", "a.lock", "a b", ".a"]),
    ("Text", {"uri": "file:///a"}, "path", ["../a", "/a", "a/./b", "a//b", "a\tb", ""]),
    ("Reading", {"uri": "file:///a"}, "href", ["../../../etc/passwd", "/etc/passwd"]),
    ("Shell", {"folder": "file:///a"}, "session", ["-CC", "a:b", ""]),
])
def test_noOptionAndNoOtherFile(kind: str, needed: dict[str, Any], key: str, values: list[Any]) -> None:
    for value in values:
        read = getattr(open_types, kind).from_user_info({**needed, key: value})
        assert not getattr(read, key), value


@pytest.mark.parametrize("kind, needed, key, value", [
    ("Folder", {"uri": "file:///a"}, "selected", ("a  b.txt", "a\u3000b", "-x")),
    ("Text", {"uri": "file:///a"}, "path", "a  b/.c"), ("Text", {"uri": "file:///a"}, "branch", "feature/ü-1.2"),
    ("Text", {"uri": "file:///a"}, "repository", "a.org:22/b/.c"), ("Reading", {"uri": "file:///a"}, "href", "OPS/1.xhtml"),
])
def test_namesStayAsTheyAre(kind: str, needed: dict[str, Any], key: str, value: Any) -> None:
    assert getattr(getattr(open_types, kind).from_user_info({**needed, key: value}), key) == value

