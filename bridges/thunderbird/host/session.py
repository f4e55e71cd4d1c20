"""One Thunderbird and its drafts: docs/mail.md has the messages."""

import select
import sys
import time

import segue
from letter import Letter
from pipe import Ended, Refused
from segue.open_types import Mail

ID = "org.segue.Thunderbird"
#: Seconds in which the extension says what stands in a draft.
DETAILS_TIME = 1
#: Compose windows that are activities, and characters of the name of one.
MOST_DRAFTS = 64
LONGEST_KEY = 64
#: Bytes of a title, as the library takes it.
TITLE_LENGTH = 512


class NotSaved(Exception):
    """The draft does not go on; the text says why."""


class Draft:
    """A compose window's activity."""

    def __init__(self, session, key):
        self.session, self.key = session, key
        #: Whether it was saved since it was marked, and whether it went on elsewhere since the user was at it.
        self.was_saved = self.has_gone = False
        self.activity = segue.Activity(session.app, Mail.TYPE)
        self.activity.on_will_save(self.save)
        self.activity.on_was_continued(self.gone)

    def name(self, subject):
        """Shows the subject as the title."""
        title = " ".join(subject.split()) if isinstance(subject, str) else ""
        self.activity.title = title.encode(errors="replace")[:TITLE_LENGTH].decode(errors="ignore") or "Draft"

    def mark(self):
        """The user is at it."""
        self.has_gone = False
        self.activity.needs_save = True

    def gone(self):
        """The window stays: what it shows is nowhere else until the other device has saved or sent it."""
        self.has_gone = True

    def save(self):
        try:
            details = self.session.details(self.key)
            letter = Letter.of_details(details)
            self.activity.user_info = letter.mail().to_user_info()
            self.name(letter.subject)
        except (NotSaved, ValueError) as error:
            # A former state is not what the user has written.
            self.activity.user_info = {}
            if self.activity.save_reason != segue.SaveReason.OFFER:
                self.session.tell({"type": "unsaved", "key": self.key, "reason": str(error)})
            raise
        finally:
            self.was_saved = True

    def saved(self):
        """Marks it anew after it was saved: nobody tells of each letter that is typed into the address or the subject."""
        if self.was_saved:
            self.was_saved = False
            if not self.has_gone:
                self.activity.needs_save = True


class Session:
    def __init__(self, pipe):
        self.pipe = pipe
        self.drafts = {}
        #: Messages that came while another one was waited for.
        self.early = []
        self.requests = self.continuations = 0
        self.app = segue.Application(ID)
        self.app.on_continue(self.arrived)
        self.app.on_state_changed(self.tell_state)
        self.app.exception_handler = lambda error: print(f"segue-thunderbird: {error}", file=sys.stderr)
        self.handlers = {
            "hello": self.hello, "draft": self.draft, "left": self.left, "moved": self.moved, "closed": self.closed,
            "details": lambda message: None, "failed": self.failed}

    def run(self):
        """Until Thunderbird ends."""
        try:
            while True:
                self.app.dispatch()
                for draft in self.drafts.values():
                    draft.saved()
                if self.take_messages():
                    continue
                if self.pipe in select.select([self.pipe, self.app], [], [])[0]:
                    self.pipe.fill()
        except Ended:
            return 0
        finally:
            self.app.close()

    def tell(self, message):
        self.pipe.send(message)

    def next_message(self):
        """None without one that has come whole; what is none is answered."""
        while True:
            try:
                return self.pipe.next()
            except Refused as refused:
                self.tell({"type": "error", "of": "", "reason": str(refused)})

    def take_messages(self):
        """Whether there was one."""
        was_one = False
        while (message := self.early.pop(0) if self.early else self.next_message()) is not None:
            was_one = True
            of = message["type"][:LONGEST_KEY]
            handler = self.handlers.get(of)
            try:
                if handler is None:
                    raise Refused("There is no such message.")
                handler(message)
            except Refused as refused:
                self.tell({"type": "error", "of": of, "reason": str(refused)})
        return was_one

    # Messages of the extension.

    def hello(self, message):
        if message.get("version") != 1:
            raise Refused("The extension is of another version.")
        self.app.ready()
        self.tell_state(self.app.state, None)

    def tell_state(self, state, error):
        reason = None
        if state == segue.ApplicationState.NAME_TAKEN:
            reason = "Another profile of Thunderbird takes part already."
        elif state != segue.ApplicationState.REGISTERED:
            reason = str(error) if error else "Asking Segue…"
        self.tell({"type": "ready", "version": 1, **({"reason": reason} if reason else {})})

    def key_of(self, message):
        key = message.get("key")
        if not isinstance(key, str) or not 0 < len(key) <= LONGEST_KEY:
            raise Refused("It has no key.")
        return key

    def draft(self, message):
        """The user is in this compose window."""
        key = self.key_of(message)
        draft = self.drafts.get(key)
        if draft is None:
            if len(self.drafts) >= MOST_DRAFTS:
                raise Refused(f"{MOST_DRAFTS} drafts are open already.")
            draft = self.drafts[key] = Draft(self, key)
        draft.name(message.get("subject"))
        draft.mark()
        draft.activity.become_current()

    def left(self, message):
        if (draft := self.drafts.get(self.key_of(message))) is not None:
            draft.activity.resign_current()

    def moved(self, message):
        if (draft := self.drafts.get(self.key_of(message))) is not None:
            if "subject" in message:
                draft.name(message["subject"])
            draft.mark()

    def closed(self, message):
        if (draft := self.drafts.pop(self.key_of(message), None)) is not None:
            draft.activity.invalidate()

    def failed(self, message):
        print(f"segue-thunderbird: Thunderbird did not open a draft: {str(message.get('reason'))[:200]}", file=sys.stderr)

    # Questions to the extension.

    def details(self, key):
        """What stands in the draft now."""
        self.requests += 1
        request = self.requests
        self.tell({"type": "where", "request": request, "key": key})
        deadline = time.monotonic() + DETAILS_TIME
        while True:
            message = self.next_message()
            if message is None:
                if not self.pipe.is_ready(deadline):
                    raise NotSaved("Thunderbird does not say what stands in the draft.")
                self.pipe.fill()
            elif message["type"] != "details":
                self.early.append(message)
                if message["type"] == "closed" and message.get("key") == key:
                    raise NotSaved("The draft was closed.")
            elif message.get("request") == request:
                if isinstance(message.get("problem"), str):
                    raise NotSaved(message["problem"][:200])
                return message

    # Drafts of other devices.

    def arrived(self, activity, restoration):
        try:
            letter = Letter.of_mail(Mail.from_user_info(activity.user_info))
        except ValueError as error:
            print(f"segue-thunderbird: a draft of another device is declined: {error}", file=sys.stderr)
            return False
        self.continuations += 1
        self.tell({"type": "open", "continuation": self.continuations, **letter.details()})
        return True
