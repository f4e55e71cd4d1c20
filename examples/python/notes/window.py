"""A window: a text, or a message before there is a text."""

from gi.repository import GLib, GObject, Gtk, Pango

import segue.gtk
from document import Document
from file import TextFile
from view import View


class Window(segue.gtk.Window, Gtk.ApplicationWindow):
    def __init__(self, handoff):
        super().__init__(handoff, title="Notes", default_width=640, default_height=480)
        self.view = View(handoff)
        self.view.buffer.connect("modified-changed", lambda buffer: self.show_title())
        self.place = Gtk.Label(css_classes=["subtitle"], ellipsize=Pango.EllipsizeMode.END)
        self.name = Gtk.Label(css_classes=["title"], ellipsize=Pango.EllipsizeMode.END)
        self.set_titlebar(self.make_header())
        self.sentence = Gtk.Label(wrap=True, xalign=0, hexpand=True, margin_start=6)
        self.bar = Gtk.Box(css_classes=["toolbar"], spacing=6, visible=False)
        self.bar.append(self.sentence)
        self.choices = []
        scrolled = Gtk.ScrolledWindow(child=self.view, vexpand=True)
        self.view.needs_save_at(scrolled.get_vadjustment(), "value-changed")
        self.spinner = Gtk.Spinner()
        self.said = Gtk.Label(wrap=True, justify=Gtk.Justification.CENTER, max_width_chars=40)
        says = Gtk.Box(
            orientation=Gtk.Orientation.VERTICAL, spacing=18, halign=Gtk.Align.CENTER, valign=Gtk.Align.CENTER)
        says.append(self.spinner)
        says.append(self.said)
        self.pages = Gtk.Stack()
        self.pages.add_named(says, "says")
        self.pages.add_named(scrolled, "text")
        column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        column.append(self.bar)
        column.append(self.pages)
        self.set_child(column)
        self.say("Open a text file, or begin a new one.")

    def closed(self):
        """Disconnects callbacks: those of buttons and of the text hold the window, and the window holds them, a cycle
        through GTK that Python does not see."""
        self.tell(None)
        GObject.signal_handlers_destroy(self.view.buffer)

    def make_header(self):
        names = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, valign=Gtk.Align.CENTER)
        names.append(self.name)
        names.append(self.place)
        header = Gtk.HeaderBar(title_widget=names)
        for label, action in (("Open", "app.open"), ("New", "app.new")):
            header.pack_start(Gtk.Button(label=label, action_name=action))
        return header

    # Before there is a text.

    def say(self, sentence, is_waiting=False):
        self.said.set_text(sentence)
        self.spinner.set_visible(is_waiting)
        self.spinner.set_spinning(is_waiting)
        self.pages.set_visible_child_name("says")
        self.show_title()

    # The text.

    def open(self, path):
        """Shows a file. If it raises, the window is as before."""
        file = TextFile(path)
        try:
            text = file.read()
        except FileNotFoundError:
            # The file is made when it has text.
            text = ""
        self.view.show(text)
        self.document = Document(self.view.application, file, self.view, self.tell)
        # A hidden spinner that spins would have the window drawn for ever.
        self.spinner.set_spinning(False)
        self.pages.set_visible_child_name("text")
        self.show_title()
        self.view.grab_focus()
        if file.is_read_only():
            self.document.editable(False)
            self.tell("This file is read-only.", {})

    def show_title(self):
        if self.document is None:
            self.name.set_text("Notes")
            self.place.set_visible(False)
            return
        path = self.document.file.path
        self.set_title(path.name)
        self.name.set_text(f"• {path.name}" if self.view.buffer.get_modified() else path.name)
        self.place.set_text(str(path.parent).replace(GLib.get_home_dir(), "~", 1))
        self.place.set_visible(True)

    def tell(self, sentence, choices=None):
        """Shows a sentence above the text, and a button for each possible action."""
        for button in self.choices:
            self.bar.remove(button)
        self.choices = []
        for label, function in (choices or {}).items():
            button = Gtk.Button(label=label, css_classes=["raised"])
            button.connect("clicked", self.chosen, function)
            self.bar.append(button)
            self.choices.append(button)
        self.sentence.set_text(sentence or "")
        self.bar.set_visible(sentence is not None)

    def chosen(self, button, function):
        function()
        self.view.grab_focus()

    def do_close_request(self):
        """Returns True to keep the window open, if its text is nowhere else."""
        if self.document is not None:
            if not self.document.save():
                return True
            self.document.close()
        return Gtk.ApplicationWindow.do_close_request(self)
