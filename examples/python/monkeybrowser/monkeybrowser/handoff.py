"""All code that concerns Segue: each tab has an activity type, and its page is an activity of that type. A page of
another browser is an activity of the type that all browsers have."""

from __future__ import annotations

from typing import Any

import segue
import segue.gtk

from . import address
from .position import Position
from .tab import Tab
from .text import Bringing, Giving
from .window import Window

TYPE = "org.segue.monkeybrowser."
#: The length of a title, which is limited to 512 bytes.
TITLE_CHARACTERS = 120
#: The key in userInfo which says that the page's forms have text, which is sent by streams.
UNSENT = "Unsent"


class Page(segue.gtk.Responder, Tab):
    """A tab whose page can go on at another device."""

    def __init__(self, application: Handoff, kind: str, title: str) -> None:
        super().__init__(application, kind=kind, title=title)
        self.activity_type = TYPE + kind
        #: The activity that is being restored, until its page has begun to load.
        self._arriving: segue.Activity | None = None
        #: Fetches the text that was typed into the page on another device, until it has arrived.
        self._bringing: Bringing | None = None
        self.connect("opened", Page._opened)
        self.connect("loaded", Page._loaded)
        self.connect("changed", Page._changed)

    # Saving: when another device wants the activity, not whenever the user scrolls.

    def update_user_activity_state(self, activity: segue.Activity) -> None:
        if _is_of_browsers(activity):
            activity.user_info.update(self.position.to_browsers())
        else:
            activity.user_info["Url"] = address.to_share(self.url) or ""
            activity.user_info.update(self.position.to_share())
        # The other device asks for the text itself, which may be long.
        if self.has_unsent:
            activity.user_info[UNSENT] = True
        else:
            activity.user_info.pop(UNSENT, None)

    # Restoring. continue_activity has checked the address before.

    def restore_user_activity_state(self, activity: segue.Activity) -> None:
        self._arriving = activity
        if not self.is_continuing:
            # The window in which will_continue showed this was closed.
            self.show_coming("Continuing activity…")
        url = _address(activity)
        self._end_bringing()
        if activity.user_info.get(UNSENT) is True:
            self._bringing = Bringing(self, activity, url)
        self.open(url, _position(activity))

    # The tab's signals.

    def _opened(self) -> None:
        """Makes an activity for the new page; the former one is invalidated, since it had no other responder."""
        arriving, self._arriving = self._arriving, None
        url = address.to_share(self.url)
        if arriving is None:
            self._end_bringing()
        elif self._bringing is not None:
            self._bringing.opened()
        if url is not None and arriving is not None and self.is_continuing:
            # The activity is this device's own from now on, and the way back is open.
            Giving(self, arriving)
            self.user_activity = arriving
        else:
            self.user_activity = self._activity(url, url)

    def _loaded(self) -> None:
        if self._bringing is not None:
            self._bringing.loaded()

    def close(self) -> None:
        self._end_bringing()
        super().close()

    def _end_bringing(self) -> None:
        bringing, self._bringing = self._bringing, None
        if bringing is not None:
            bringing.give_up()

    def _changed(self) -> None:
        """The title, address or position of the same page has changed, or whether it has unsent text."""
        activity, url = self.user_activity, address.to_share(self.url)
        if activity is None or url is None:
            # The address cannot be sent, perhaps only for now: scripts change it, and back.
            self.user_activity = self._activity(url, self.page_title or url)
        else:
            activity.title = (self.page_title or url)[:TITLE_CHARACTERS]
            activity.webpage_url = url
            activity.supports_continuation_streams = self.has_unsent
            activity.needs_save = True

    def _activity(self, url: str | None, title: str | None) -> segue.Activity | None:
        """A new activity of the page, if its address can be sent."""
        if url is None:
            return None
        activity = segue.Activity(
            self.application, self.activity_type, title=(title or url)[:TITLE_CHARACTERS], webpage_url=url)
        Giving(self, activity)
        return activity


class PagesWindow(segue.gtk.Window, Window):
    """The window of such tabs. The user works in the tab that is shown, whichever widget has the keyboard focus."""

    def __init__(self, application: Handoff) -> None:
        super().__init__(application, make_tab=lambda kind, title: Page(application, kind, title))
        self._handoff = application
        #: The last tab that was chosen for a page of another browser.
        self._guest: Page | None = None
        self.connect("tab-changed", lambda _: self.focus_moved())
        self.focus_moved()

    def closed(self) -> None:
        self.close_tabs()
        self._handoff.window_closed()

    def responder_in_focus(self) -> segue.Responder:
        page: Page = self.tab
        return page

    def page(self, activity_type: str) -> Page | None:
        """The tab for such an activity. A page of another browser belongs to no tab; while a tab waits for it, the page
        opens in that one."""
        if activity_type != segue.BROWSING_WEB:
            return next((page for page in self.tabs.values() if page.activity_type == activity_type), None)
        if self._guest is None or not self._guest.is_continuing:
            self._guest = self.spare_tab
        return self._guest

    def arrived(self) -> None:
        """The page that comes next needs another tab, also while the one that has come is not shown yet."""
        self._guest = None


class Handoff(segue.gtk.Application):
    """The application, as Segue sees it."""

    def __init__(self, toolkit: Any) -> None:
        super().__init__(toolkit)
        self._window: PagesWindow | None = None
        #: The tab that was shown before the one that waits for an activity.
        self._before: Tab | None = None

    def open_window(self) -> PagesWindow:
        """The window, in front of the user; it is made when it is first needed."""
        if self._window is None:
            self._window = PagesWindow(self)
        self._window.present()
        return self._window

    def window_closed(self) -> None:
        """Forgets the window. An activity that is on its way opens another."""
        self._window = self._before = None

    def will_continue(self, continuation: segue.Continuation) -> bool:
        window = self.open_window()
        page = window.page(continuation.activity_type)
        if page is None:
            return False
        if not window.tab.is_continuing:
            self._before = window.tab
        window.show_tab(page)
        page.show_coming(f"Continuing activity… “{continuation.title}” from {continuation.device_name}")
        return True

    def continue_activity(self, activity: segue.Activity, restoration: segue.Restoration) -> bool:
        window = self.open_window()
        page = window.page(activity.type)
        if page is None:
            return False
        try:
            _address(activity)
        except address.Refused as refused:
            self._stay(window, page)
            window.notice.show_text("The page of the other device was not opened.", str(refused))
            return False
        restoration(page)
        window.show_tab(page)
        window.arrived()
        return True

    def did_fail(self, continuation: segue.Continuation, error: segue.Error) -> None:
        if isinstance(error, segue.UserCancelledError):
            # There is no message to show, so a window that was closed meanwhile stays closed.
            window = self._window
        else:
            window = self.open_window()
            window.notice.show_text(error.message, error.advice)
        page = window.page(continuation.activity_type) if window is not None else None
        if window is not None and page is not None:
            self._stay(window, page)

    def _stay(self, window: PagesWindow, page: Page) -> None:
        """Turns back to the former tab, whose page is still open, unless the user has opened a page in this one."""
        was_waiting = page.is_continuing
        page.end_coming()
        if was_waiting and window.tab is page and self._before is not None:
            window.show_tab(self._before)


def _is_of_browsers(activity: segue.Activity) -> bool:
    """Whether the activity is of the type of all browsers: its web page is the page, its userInfo the place on it."""
    return activity.type == segue.BROWSING_WEB


def _address(activity: segue.Activity) -> str:
    return address.received(
        activity.webpage_url if _is_of_browsers(activity) else activity.user_info.get("Url"))


def _position(activity: segue.Activity) -> Position:
    received = Position.of_browser if _is_of_browsers(activity) else Position.received
    return received(activity.user_info)
