"""Open types: activities that any application may continue, whoever made them (docs/open-types.md).

    activity = segue.Activity(app, Reading.TYPE, user_info=Reading("file:///srv/me/book.pdf", page=12).to_user_info())

    reading = Reading.from_user_info(activity.user_info)   # ValueError where a required key is missing or refused

What comes from another device is checked: numbers are clamped, optional values that do not fit are left out, and nothing
of it names a command, an option or a file beyond the one that is to be opened.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlsplit

from . import _open_fields as fields
from ._open_fields import Refused

_T = TypeVar("_T", bound="OpenType")

#: The revision of the registry that this module knows.
REVISION = 1
#: Files up to this size have a digest.
DIGEST_SIZE = 64 * 1024 * 1024


def _entry(check: fields.Check) -> Any:
    return dataclasses.field(default=None, metadata={"check": check})


def _required(check: fields.Check) -> Any:
    return dataclasses.field(metadata={"check": check})


@dataclass(frozen=True)
class OpenType:
    """What the types have in common. A key is the name of the attribute, with hyphens."""

    #: The activity type.
    TYPE: ClassVar[str]

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is None and field.default is None:
                continue
            try:
                object.__setattr__(self, field.name, field.metadata["check"](value))
            except Refused as refused:
                raise ValueError(f"{field.name.replace('_', '-')}: {refused}") from None

    def to_user_info(self) -> dict[str, Any]:
        """The entries of userInfo; those that are None are left out."""
        values = {field.name.replace("_", "-"): getattr(self, field.name) for field in dataclasses.fields(self)}
        return {key: list(value) if isinstance(value, tuple) else value
                for key, value in values.items() if value is not None}

    @classmethod
    def from_user_info(cls: type[_T], user_info: Mapping[Any, Any]) -> _T:
        """Reads what another application has written. An optional value that does not fit counts as absent; a required
        one is a ValueError."""
        values: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            key = field.name.replace("_", "-")
            value = user_info.get(key)
            required = field.default is dataclasses.MISSING
            if value is None:
                if required:
                    raise ValueError(f"{key} is missing")
                continue
            try:
                values[field.name] = field.metadata["check"](value)
            except Refused as refused:
                if required:
                    raise ValueError(f"{key}: {refused}") from None
        return cls(**values)


@dataclass(frozen=True)
class Media(OpenType):
    """A film or a piece of music."""

    TYPE = "org.segue.open.Media"
    uri: str = _required(fields.uri)
    #: Seconds.
    position: float | None = _entry(fields.number(0))
    duration: float | None = _entry(fields.number(0))
    rate: float | None = _entry(fields.number(0.1, 10))
    playing: bool | None = _entry(fields.truth)
    title: str | None = _entry(fields.line)
    artist: str | None = _entry(fields.line)
    album: str | None = _entry(fields.line)
    #: An id or a language.
    audio_track: str | None = _entry(fields.line)
    subtitle_track: str | None = _entry(fields.line)
    chapter: int | None = _entry(fields.count(0))
    #: There is no position to restore.
    live: bool | None = _entry(fields.truth)

    @property
    def start(self) -> float | None:
        """Where to go on, in seconds, inside the duration; None for the beginning and where there is no place."""
        if self.live or not self.position:
            return None
        return min(self.position, self.duration) if self.duration else self.position


@dataclass(frozen=True)
class Reading(OpenType):
    """A document or a book at a place."""

    TYPE = "org.segue.open.Reading"
    uri: str = _required(fields.uri)
    #: From 1.
    page: int | None = _entry(fields.count())
    pages: int | None = _entry(fields.count())
    label: str | None = _entry(fields.line)
    #: A named destination.
    destination: str | None = _entry(fields.line)
    #: 0 to 1, of the whole.
    fraction: float | None = _entry(fields.number(0, 1))
    #: The resource inside a book, and 0 to 1 of that.
    href: str | None = _entry(fields.inside)
    part_fraction: float | None = _entry(fields.number(0, 1))
    cfi: str | None = _entry(fields.matching(r"epubcfi\([ -~]{1,1000}\)"))
    zoom: float | None = _entry(fields.number(0.01, 100))
    #: The text at the top, and what stands around it.
    text: str | None = _entry(fields.text)
    before: str | None = _entry(fields.text)
    after: str | None = _entry(fields.text)
    digest: str | None = _entry(fields.digest)

    def place(self, understood: set[str], digest: str | None = None) -> tuple[str, Any] | None:
        """The most exact place that the receiver understands, as its key and its value. `digest`: of the receiver's own
        file; with another one a CFI and a page are of another edition, and are not used."""
        same = digest is None or self.digest is None or digest == self.digest
        exact = [("cfi", self.cfi), ("destination", self.destination)] if same else [("destination", self.destination)]
        rest = [("text", self.text), ("href", (self.href, self.part_fraction or 0.0) if self.href else None)]
        page = min(self.page, self.pages) if self.page and self.pages else self.page
        ordered = exact + rest + ([("page", page)] if same else []) + [("fraction", self.fraction)]
        return next(((key, value) for key, value in ordered if value is not None and key in understood), None)


@dataclass(frozen=True)
class Text(OpenType):
    """A text in an editor."""

    TYPE = "org.segue.open.Text"
    uri: str = _required(fields.uri)
    #: From 1; the column counts Unicode scalars (see `column_of` and its siblings).
    line: int | None = _entry(fields.count())
    column: int | None = _entry(fields.count())
    #: A few words of context, which survive edits.
    before: str | None = _entry(fields.text)
    after: str | None = _entry(fields.text)
    #: Line, column, line, column.
    selection: tuple[int, int, int, int] | None = _entry(fields.counts(4))
    repository: str | None = _entry(fields.repository)
    #: Inside the repository.
    path: str | None = _entry(fields.inside)
    branch: str | None = _entry(fields.branch)
    head: str | None = _entry(fields.commit)
    digest: str | None = _entry(fields.digest)
    unsaved: bool | None = _entry(fields.truth)


@dataclass(frozen=True)
class Folder(OpenType):
    """A folder in a file manager."""

    TYPE = "org.segue.open.Folder"
    uri: str = _required(fields.folder)
    selected: tuple[str, ...] | None = _entry(fields.names(256))


@dataclass(frozen=True)
class Mail(OpenType):
    """A message that is being written: whole, or by its parts."""

    TYPE = "org.segue.open.Mail"
    #: RFC 5322.
    message: bytes | None = _entry(fields.data)
    to: str | None = _entry(fields.line)
    subject: str | None = _entry(fields.line)
    body: str | None = _entry(fields.text)
    cursor: int | None = _entry(fields.count(0))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.message is None and self.to is None and self.subject is None and self.body is None:
            raise ValueError("message, or one of to, subject and body, is missing")


@dataclass(frozen=True)
class Shell(OpenType):
    """A shell in a folder."""

    TYPE = "org.segue.open.Shell"
    folder: str = _required(fields.folder)
    #: Of a multiplexer.
    session: str | None = _entry(fields.matching(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}"))
    title: str | None = _entry(fields.line)


@dataclass(frozen=True)
class Conversation(OpenType):
    """A conversation with an assistant in a terminal."""

    TYPE = "org.segue.open.Conversation"
    #: A name from the receiver's own table of programs; never a path.
    program: str = _required(fields.matching(r"[a-z0-9][a-z0-9-]{0,31}"))
    session: str = _required(fields.matching(r"[0-9a-f][0-9a-f-]{7,63}"))
    folder: str | None = _entry(fields.folder)
    repository: str | None = _entry(fields.repository)
    path: str | None = _entry(fields.inside)
    branch: str | None = _entry(fields.branch)
    head: str | None = _entry(fields.commit)
    title: str | None = _entry(fields.line)
    #: Files that are brought.
    transcript: str | None = _entry(fields.uri)
    changes: str | None = _entry(fields.uri)


def column_of_bytes(text: str, offset: int) -> int:
    """The column, from 1 in scalars, of an offset in the line's UTF-8 bytes; clamped to the line."""
    return len(text.encode(errors="replace")[:max(offset, 0)].decode(errors="ignore")) + 1


def column_of_utf16(text: str, offset: int) -> int:
    """The same of an offset in UTF-16 units, as the Language Server Protocol counts."""
    return len(text.encode("utf-16-le", "replace")[:2 * max(offset, 0)].decode("utf-16-le", "ignore")) + 1


def bytes_of_column(text: str, column: int) -> int:
    """The offset in the line's UTF-8 bytes of a column; clamped to the line."""
    return len(text[:max(column, 1) - 1].encode(errors="replace"))


def utf16_of_column(text: str, column: int) -> int:
    """The same in UTF-16 units."""
    return len(text[:max(column, 1) - 1].encode("utf-16-le", "replace")) // 2


def repository_of(remote: str) -> str | None:
    """A git remote as host/path, without a scheme, a user and ".git"; None for a local one."""
    short = re.fullmatch(r"(?:[^@/\s]+@)?([A-Za-z0-9.-]+):(?!//)([^\s]+)", remote)
    if short:
        host, path = short[1], short[2]
    else:
        parts = urlsplit(remote)
        if parts.scheme not in ("http", "https", "ssh", "git") or not parts.hostname:
            return None
        host, path = parts.hostname, parts.path
    found = f"{host.lower()}/{path.strip('/').removesuffix('.git')}"
    try:
        return str(fields.repository(found))
    except Refused:
        return None


def digest_of(path: str | os.PathLike[str]) -> str | None:
    """The digest of a regular file; None for a larger one than `DIGEST_SIZE`, and for anything else."""
    try:
        # A pipe would wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > DIGEST_SIZE:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            # It may grow meanwhile.
            content = file.read(DIGEST_SIZE + 1)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return f"sha256:{hashlib.sha256(content).hexdigest()}" if len(content) <= DIGEST_SIZE else None
