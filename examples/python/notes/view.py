"""The text on the screen: its part of the activity is the selection, and how far the text is scrolled."""

import re

from gi.repository import Gtk

import place
import segue.gtk

#: What ends a line for GTK.
LINE_END = re.compile("\r\n|\n|\r|\u2029")


class View(segue.gtk.Responder, Gtk.TextView):
    def __init__(self, handoff):
        super().__init__(
            handoff, monospace=True, wrap_mode=Gtk.WrapMode.WORD_CHAR, left_margin=12, right_margin=12, top_margin=12,
            bottom_margin=12)
        self.update_property([Gtk.AccessibleProperty.LABEL], ["Text"])
        self.buffer = self.get_buffer()
        self.needs_save_at(self.buffer, "changed", "notify::cursor-position", "notify::has-selection")

    @property
    def text(self):
        # All of it, with what is not shown as text.
        return self.buffer.get_slice(*self.buffer.get_bounds(), True)

    def show(self, text):
        """Puts another text in place, where it may not be taken back."""
        self.buffer.begin_irreversible_action()
        self.buffer.set_text(text)
        self.buffer.end_irreversible_action()
        self.buffer.set_modified(False)
        self.buffer.place_cursor(self.buffer.get_start_iter())

    # The part of the activity.

    def update_user_activity_state(self, activity):
        activity.user_info.update(self.places())

    def restore_user_activity_state(self, activity):
        self.go(activity.user_info)

    def places(self):
        lines = self.lines()
        top, _ = self.get_line_at_y(self.get_visible_rect().y)
        buffer = self.buffer
        marks = {"caret": buffer.get_insert(), "anchor": buffer.get_selection_bound()}
        found = {key: buffer.get_iter_at_mark(mark) for key, mark in marks.items()}
        return {key: place.of(lines, at.get_line(), at.get_line_offset()) for key, at in [*found.items(), ("top", top)]}

    def go(self, places):
        lines = self.lines()
        caret, anchor, top = (self.at(lines, places.get(key)) for key in ("caret", "anchor", "top"))
        self.buffer.select_range(caret, anchor)
        if top.get_line() == 0:
            # With the margin above it.
            self.get_vadjustment().set_value(0)
        else:
            # A mark and not the place itself: the view scrolls when it knows how high its lines are.
            self.scroll_to_mark(self.buffer.create_mark("top", top, True), 0, True, 0, 0)

    def at(self, lines, wanted):
        return self.buffer.get_iter_at_line_offset(*place.find(lines, wanted))[1]

    def lines(self):
        return LINE_END.split(self.text)
