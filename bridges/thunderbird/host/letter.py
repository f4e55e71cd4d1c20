"""What a draft says, between Thunderbird's words for it and those of RFC 5322."""

import dataclasses
import email
import email.message
import email.policy
import re
import textwrap
from dataclasses import dataclass

import addresses
from clean import clean
from segue import _open_fields as fields
from segue.open_types import Mail

#: Bytes of a message, as one value of userInfo may have.
LONGEST_MESSAGE = 64 * 1024
#: Characters of a subject that are read, and bytes of a header of a part, whose reader takes seconds for a long one.
LONGEST_SUBJECT = 8 * 1024
LONGEST_CONTENT_HEADER = 1000
_RECIPIENTS = ("to", "cc", "bcc")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CONTENT_HEADER = re.compile(rb"(?im)^content-(?:type|disposition|transfer-encoding)[ \t]*:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*")


@dataclass(frozen=True)
class Letter:
    """A message that is being written."""

    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    subject: str = ""
    #: The address that it is sent from.
    sender: str = ""
    body: str = ""
    is_html: bool = False

    @classmethod
    def of_details(cls, details):
        """Of what the extension says."""
        recipients = {name: _addresses(details.get(name)) for name in _RECIPIENTS}
        body = details.get("body")
        if not isinstance(body, str):
            raise ValueError("The draft has no text.")
        # Half of a character of UTF-16, as a script may have it, cannot be written.
        body = body.encode(errors="replace").decode()
        subject, sender = (details.get(name) if isinstance(details.get(name), str) else "" for name in ("subject", "from"))
        is_html = details.get("isPlainText") is not True
        return cls(**recipients, subject=fields.line(subject), sender=fields.line(sender), is_html=is_html,
                   body=clean(body) if is_html else _plain(body))

    def details(self):
        """For the extension, which hands them to Thunderbird."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {**{name: list(value) if isinstance(value, tuple) else value for name, value in values.items()
                   if name not in ("is_html", "sender")}, "from": self.sender, "isPlainText": not self.is_html}

    # The type that every application may claim.

    def mail(self):
        content = self.message()
        if len(content) > LONGEST_MESSAGE:
            raise ValueError(
                f"The draft has {len(content) // 1024} KiB, and not more than {LONGEST_MESSAGE // 1024} KiB go on elsewhere.")
        return Mail(message=content)

    def message(self):
        """The headers are in UTF-8, as RFC 6532 has them: nothing in them needs to be read to be written."""
        lists = {"From": (self.sender,), "To": self.to, "Cc": self.cc, "Bcc": self.bcc}
        head = [f"{name}: " + ",\r\n ".join(values) for name, values in lists.items() if any(values)]
        if self.subject:
            head.append("Subject: " + "\r\n ".join(textwrap.wrap(self.subject, 200, break_long_words=False,
                                                                  break_on_hyphens=False)))
        part = email.message.EmailMessage(policy=email.policy.SMTP)
        part.set_content(self.body, subtype="html" if self.is_html else "plain", charset="utf-8")
        return "".join(f"{line}\r\n" for line in head).encode(errors="replace") + part.as_bytes()

    @classmethod
    def of_mail(cls, mail):
        """Of what another device has sent; ValueError where it is no message."""
        if mail.message is None:
            return cls(to=addresses.split(mail.to or ""), subject=mail.subject or "", body=mail.body or "")
        if len(mail.message) > LONGEST_MESSAGE:
            raise ValueError("The message is too long.")
        if any(len(each[0]) > LONGEST_CONTENT_HEADER for each in _CONTENT_HEADER.finditer(mail.message)):
            raise ValueError("A header of the message is too long.")
        try:
            return cls._read(mail.message)
        except ValueError:
            raise
        except Exception as error:
            # The readers of parts and of character sets raise what they like.
            raise ValueError(f"The message cannot be read: {type(error).__name__}") from None

    @classmethod
    def _read(cls, content):
        message = email.message_from_bytes(content, policy=email.policy.default)
        raw = {}
        for name, value in message.raw_items():
            raw.setdefault(name.lower(), _utf8(value))
        if not raw:
            raise ValueError("The message is not one as RFC 5322 has it.")
        recipients = {name: addresses.split(raw.get(name, "")) for name in _RECIPIENTS}
        sender = addresses.split(raw.get("from", ""))
        part = message.get_body(("html", "plain"))
        is_html = part is not None and part.get_content_subtype() == "html"
        body = part.get_content() if part is not None else ""
        body = body.replace("\r\n", "\n").removesuffix("\n")
        return cls(**recipients, subject=fields.line(addresses.decoded(raw.get("subject", "")[:LONGEST_SUBJECT])),
                   sender=sender[0] if sender else "", body=clean(body) if is_html else _plain(body), is_html=is_html)


def _plain(text):
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _addresses(values):
    """As Thunderbird shows them."""
    if values is None:
        return ()
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise ValueError("The draft's recipients are not addresses.")
    if len(values) > addresses.MOST:
        raise ValueError(f"The draft has more than {addresses.MOST} recipients in one line.")
    return tuple(filter(None, map(addresses.one, values)))


def _utf8(value):
    return re.sub(r"[\r\n]+", "", value).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
