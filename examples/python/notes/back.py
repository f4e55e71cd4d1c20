"""Back where the user was: the state of each window comes back after a crash or a new login."""

import segue

#: The type of the activities that other devices never see, of texts outside of shared folders.
PRIVATE = "org.segue.GtkNotes.window"


class PrivateActivity(segue.Activity):
    """The activity of a text that lies in no shared folder: its state is stored on this device alone."""

    def __init__(self, document):
        super().__init__(document.application, PRIVATE)
        self.is_eligible_for_handoff = False
        self.url = document.url

    def will_save(self):
        # The library adds this key only for documents in shared folders.
        self.user_info[segue.DOCUMENT_URL_KEY] = segue.URL(self.url)


def keep(document, view):
    """Has the state of the document's window stored: with the document's activity, or else with one of its own."""
    activity = document.user_activity or view.user_activity
    if activity is None:
        activity = view.user_activity = PrivateActivity(document)
    activity.is_eligible_for_restoration = True
    activity.persistent_identifier = document.url
