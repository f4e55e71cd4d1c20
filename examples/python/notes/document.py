"""An open file in a window, which is saved a moment after each change, when handed over, and when closed."""

from gi.repository import Gio, GLib

import back
import segue
from file import Changed, Refused

#: Milliseconds from the first unsaved change to the save.
PAUSE = 1000


class Document(segue.Document):
    """The document of a window. `tell` shows the user a sentence and the possible actions; None removes it."""

    def __init__(self, handoff, file, view, tell):
        super().__init__(handoff, Gio.File.new_for_path(str(file.path)).get_uri(), "text/plain")
        self.file, self.view, self.tell = file, view, tell
        self.pausing = 0
        #: The file is gone, or cannot be shown: the text on the screen is the only one.
        self.is_lost = False
        #: The version that an activity names, and the places in it, until that version has arrived.
        self.awaited = None
        self.is_closed = False
        self.add_responder(view)
        back.keep(self, view)
        self.monitor = Gio.File.new_for_path(str(file.path)).monitor_file(Gio.FileMonitorFlags.WATCH_MOVES, None)
        self.monitor.set_rate_limit(100)
        self.monitor.connect("changed", self.file_changed)
        self.changes = view.buffer.connect("changed", self.changed)

    # The document's part of the activity. The library adds the file's URL, and the view adds the place in it.

    def update_user_activity_state(self, activity):
        if activity.save_reason == segue.SaveReason.RESTORATION:
            # The place is enough for this device, where the file has the text a second after each change.
            return
        # The other device continues the file now: the text must be in the folder, from which that device gets it.
        if self.save():
            activity.user_info["digest"] = self.file.known

    def restore_user_activity_state(self, activity):
        digest = activity.user_info.get("digest")
        if digest in (None, self.file.known):
            if self.awaited:
                self.edit_older()
            return
        if not self.save():
            return
        # The file in the folder may arrive later than the activity.
        self.awaited = digest, activity.user_info.copy()
        self.look()
        if self.awaited:
            self.editable(False)
            self.tell(
                "The newest version of this file is still on its way. You see an older one.",
                {"Edit This One": self.edit_older})

    def user_activity_changed(self, activity):
        # The file was moved into a shared folder, or out of it.
        if not self.is_closed:
            back.keep(self, self.view)

    def edit_older(self):
        self.awaited = None
        self.tell(None)
        self.editable(True)

    def editable(self, is_editable):
        self.view.set_editable(is_editable and not self.file.is_read_only())

    # Saving.

    def changed(self, buffer):
        if not self.pausing:
            self.pausing = GLib.timeout_add(PAUSE, self.save)

    def end_pause(self):
        if self.pausing:
            GLib.source_remove(self.pausing)
            self.pausing = 0

    @property
    def is_saved(self):
        return not self.view.buffer.get_modified() and not self.is_lost

    def save(self):
        """Saves the text. Returns whether it is in the file."""
        self.end_pause()
        if self.is_saved:
            return True
        try:
            self.file.write(self.view.text)
        except (Changed, FileExistsError):
            self.ask()
        except (OSError, Refused) as error:
            self.tell(f"Not saved: {reason(error)}", {"Try Again": self.save, "Discard My Text": self.load})
        else:
            self.is_lost = False
            self.view.buffer.set_modified(False)
            self.tell(None)
        return self.is_saved

    # Changes by other programs.

    def file_changed(self, monitor, file, other, event):
        # A file that is written piece by piece is read when that has ended.
        if event not in (Gio.FileMonitorEvent.CREATED, Gio.FileMonitorEvent.CHANGED):
            self.look()

    def look(self):
        """Checks whether another program has changed the file."""
        try:
            is_known = self.file.now() == self.file.known
        except (OSError, Refused):
            is_known = False
        if not is_known:
            self.ask() if self.view.buffer.get_modified() else self.load()
        elif self.is_lost:
            # The file is back, unchanged.
            self.is_lost = False
            self.tell(None)

    def load(self):
        """Shows the file's text, or keeps the former text if the file cannot be read."""
        places = self.view.places()
        try:
            text = self.file.read()
        except (OSError, Refused) as error:
            self.is_lost = True
            is_gone = isinstance(error, FileNotFoundError)
            what = "This file is gone." if is_gone else f"This file has changed: {reason(error)}"
            self.tell(f"{what} You see what was in it.", {"Save It Again": self.keep_mine})
            return
        if self.awaited and self.awaited[0] == self.file.known:
            places = self.awaited[1]
            self.awaited = None
        self.is_lost = False
        self.view.buffer.handler_block(self.changes)
        self.view.show(text)
        self.view.buffer.handler_unblock(self.changes)
        self.view.go(places)
        if not self.awaited:
            self.editable(True)
            self.tell(None)

    def ask(self):
        self.tell(
            "Another program has changed this file since you have. Both versions are kept: which one goes on under "
            "this name?", {"Mine": self.keep_mine, "The Other": self.keep_other})

    def keep_mine(self):
        try:
            self.file.keep_other()
        except (OSError, Refused) as error:
            self.tell(f"Not saved: {reason(error)}", {"Try Again": self.keep_mine})
        else:
            self.save()

    def keep_other(self):
        try:
            self.file.keep(self.view.text)
        except OSError as error:
            self.tell(f"Not saved: {reason(error)}", {"Try Again": self.keep_other})
        else:
            self.view.buffer.set_modified(False)
            self.load()

    # The end.

    def close(self):
        self.is_closed = True
        self.end_pause()
        self.monitor.cancel()
        super().close()
        # A window that the user has closed does not come back.
        self.view.user_activity = None


def reason(error):
    return f"{error.strerror}." if isinstance(error, OSError) else str(error)
