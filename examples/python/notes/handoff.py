"""Activities from other devices: the window that waits for one, and the file that it opens."""

import os

from gi.repository import Gio

import segue
import segue.gtk
from file import Refused
from segue.open_types import Text
from window import Window


class Handoff(segue.gtk.Application):
    def __init__(self, toolkit):
        super().__init__(toolkit)
        #: A window for each continuation that is on its way.
        self.waiting = []

    def will_continue(self, continuation):
        window = Window(self)
        window.say(f"“{continuation.title}” is coming from {continuation.device_name}.", is_waiting=True)
        window.present()
        self.waiting.append(window)
        return True

    def did_fail(self, continuation, error):
        window = self.waiting.pop(0)
        if isinstance(error, segue.UserCancelledError):
            window.destroy()
        elif window.get_application() is not None:  # Otherwise the user has closed it.
            window.say(f"“{continuation.title}” did not come. {error.message} {error.advice}".rstrip())

    def continue_activity(self, activity, restoration):
        """A text that another application had, by the open type for it; this one's own come to open_document."""
        if activity.type != Text.TYPE:
            return False
        waiting = self.waiting.pop(0)
        if waiting.get_application() is None:
            waiting = Window(self)
        try:
            text = Text.from_user_info(activity.user_info)
        except ValueError as error:
            waiting.say(f"The other device has sent no text: {error}.")
            return False
        path = Gio.File.new_for_uri(text.uri).get_path()
        # Files of the kernel count as files, and some never end.
        if path is None or not os.path.isfile(path) or os.path.realpath(path).startswith(("/proc/", "/sys/")):
            waiting.say(f"{path or text.uri} is not a file here.")
            return False
        window = self.show(path, waiting)
        # In a window that had it before, its user is somewhere.
        if window is waiting and window.document is not None:
            window.view.go_to(text)
        return window.document is not None

    def open_document(self, url, activity, restoration):
        waiting = self.waiting.pop(0)
        if waiting.get_application() is None:
            waiting = Window(self)
        window = self.show(Gio.File.new_for_uri(url).get_path(), waiting)
        if window.document is None:
            return False
        restoration(window.document)
        return True

    def restore_window(self, activity):
        """Restores a window of the last run, from what GTK or Segue has kept. The file may have changed since."""
        activity.user_info.pop("digest", None)
        url = activity.user_info.get(segue.DOCUMENT_URL_KEY)
        return self.show(Gio.File.new_for_uri(url).get_path(), Window(self)) if url else Window(self)

    def show(self, path, window):
        """Opens a file in this window, or shows the window that has it open. If that fails, the window says why."""
        for other in self.toolkit.get_windows():
            if other.document is not None and other.document.file.is_at(path):
                window.destroy()
                other.present()
                return other
        try:
            window.open(path)
        except Refused as error:
            window.say(f"{error} It is not opened.")
        except OSError as error:
            window.say(f"{path} cannot be opened: {error.strerror}.")
        window.present()
        return window
