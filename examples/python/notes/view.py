"""The text on the screen: its part of the activity is the selection, and how far the text is scrolled."""

import math
import re

from gi.repository import GLib, Gtk

import place
import segue.gtk

#: The line ends that GTK recognises.
LINE_END = re.compile("\r\n|\n|\r|\u2029")
#: For how many frames a place must stay where it was put, and how many frames are tried at most.
STEADY, LONGEST = 3, 120
#: Lines above the place of another application's text.
ABOVE = 4


class View(segue.gtk.Responder, Gtk.TextView):
    def __init__(self, handoff):
        super().__init__(
            handoff, monospace=True, wrap_mode=Gtk.WrapMode.WORD_CHAR, left_margin=12, right_margin=12, top_margin=12,
            bottom_margin=12)
        self.update_property([Gtk.AccessibleProperty.LABEL], ["Text"])
        self.buffer = self.get_buffer()
        #: The row at the top, and how many of its pixels are above the view, until the text is scrolled there.
        self.top = self.buffer.create_mark(None, self.buffer.get_start_iter(), True)
        self.hidden = 0
        self.scrolling = 0
        #: The other end of the selection, until the view has a display.
        self.anchor = self.buffer.create_mark(None, self.buffer.get_start_iter(), True)
        self.is_to_select = False
        #: Whether the selection is this view's alone, which other programs do not paste.
        self.is_apart = False
        self.connect("realize", _select)
        self.connect("unrealize", _join)
        # When the user types or scrolls, scrolling to the place ends.
        for controller, signal, acts in (
            (Gtk.EventControllerKey(), "key-pressed", (_end_scrolling, _used)),
            (Gtk.EventControllerScroll(flags=Gtk.EventControllerScrollFlags.BOTH_AXES), "scroll", (_end_scrolling,)),
            (Gtk.GestureClick(button=0), "pressed", (_used,)),
        ):
            controller.set_propagation_phase(Gtk.PropagationPhase.CAPTURE)
            for act in acts:
                controller.connect(signal, act)
            self.add_controller(controller)
        self.needs_save_at(self.buffer, "changed", "notify::cursor-position", "notify::has-selection")

    @property
    def text(self):
        # All of the text, including characters that are not shown.
        return self.buffer.get_slice(*self.buffer.get_bounds(), True)

    def show(self, text):
        """Replaces the text, in a step that the user cannot undo."""
        self.buffer.begin_irreversible_action()
        self.buffer.set_text(text)
        self.buffer.end_irreversible_action()
        self.buffer.set_modified(False)
        self.buffer.place_cursor(self.buffer.get_start_iter())

    # The view's part of the activity.

    def update_user_activity_state(self, activity):
        activity.user_info.update(self.places())

    def restore_user_activity_state(self, activity):
        self.go(activity.user_info)

    def places(self):
        if not self.scrolling:
            self.note_top()
        lines, buffer = self.lines(), self.buffer
        anchor = self.anchor if self.is_to_select else buffer.get_selection_bound()
        marks = {"caret": buffer.get_insert(), "anchor": anchor, "top": self.top}
        found = {key: buffer.get_iter_at_mark(mark) for key, mark in marks.items()}
        places = {key: place.of(lines, at.get_line(), at.get_line_offset()) for key, at in found.items()}
        return {**places, "hidden": self.hidden}

    def note_top(self):
        y = self.get_visible_rect().y
        is_text, top = self.get_iter_at_location(0, y)
        self.buffer.move_mark(self.top, top if is_text else self.get_line_at_y(y)[0])
        self.hidden = y - self.get_iter_location(self.buffer.get_iter_at_mark(self.top)).y

    def go(self, places):
        lines = self.lines()
        caret, anchor, top = (self.at(lines, places.get(key)) for key in ("caret", "anchor", "top"))
        self.buffer.place_cursor(caret)
        self.buffer.move_mark(self.anchor, anchor)
        self.is_to_select = True
        if self.get_realized():
            self.select()
        self.buffer.move_mark(self.top, top)
        hidden = places.get("hidden")
        # The margin is above the first row.
        self.hidden = hidden if isinstance(hidden, int) else -self.get_top_margin() if top.is_start() else 0
        self.end_scrolling()
        self.frames, self.steady, self.reached = 0, 0, None
        self.scrolling = self.add_tick_callback(self.scroll)

    def select(self):
        """Selects up to the anchor. Other programs have that selection once the user does something here: to a window that
        no input has reached, Wayland refuses it, and GTK would then select nothing here either."""
        if not self.is_to_select:
            return
        self.is_to_select = False
        if not self.is_apart:
            self.is_apart = True
            self.buffer.remove_selection_clipboard(self.get_primary_clipboard())
        self.buffer.move_mark(self.buffer.get_selection_bound(), self.buffer.get_iter_at_mark(self.anchor))

    def join(self):
        if self.is_apart:
            self.is_apart = False
            self.buffer.add_selection_clipboard(self.get_primary_clipboard())

    def go_to(self, text):
        """Goes to the place of another application's text, with some lines above it."""
        lines = self.lines()
        line, column = place.found(lines, text)
        caret = place.of(lines, line, column)
        self.go({"caret": caret, "anchor": caret, "top": place.of(lines, max(line - ABOVE, 0), 0)})

    def scroll(self, view, clock):
        """Scrolls in each frame, until the place stays: a view that is not on the screen yet has no width at which its
        lines wrap, and the height of lines that were never shown is a guess."""
        if self.get_height() > 0:
            top = self.buffer.get_iter_at_mark(self.top)
            # GTK may name the start of a wrapped row by the end of one before it: the pixels count within the whole line.
            y, height = self.get_line_yrange(top)
            row = min(self.get_iter_location(top).y + self.hidden, y + height)
            distance = row - self.get_visible_rect().y
            adjustment = self.get_vadjustment()
            # The view reports its place in whole pixels, but may rest between two.
            adjustment.set_value(math.floor(adjustment.get_value()) + distance)
            reached = adjustment.get_value(), adjustment.get_upper()
            self.steady = self.steady + 1 if reached == self.reached else 0
            self.reached = reached
            self.frames += 1
        if self.steady < STEADY and self.frames < LONGEST:
            return GLib.SOURCE_CONTINUE
        self.scrolling = 0
        return GLib.SOURCE_REMOVE

    def end_scrolling(self):
        if self.scrolling:
            self.remove_tick_callback(self.scrolling)
            self.scrolling = 0

    def at(self, lines, wanted):
        return self.buffer.get_iter_at_line_offset(*place.find(lines, wanted))[1]

    def lines(self):
        return LINE_END.split(self.text)


# These are functions, since methods would keep the view alive.

def _end_scrolling(controller, *arguments):
    controller.get_widget().end_scrolling()
    return False


def _used(controller, *arguments):
    controller.get_widget().join()
    return False


def _select(view):
    view.select()


def _join(view):
    view.join()
