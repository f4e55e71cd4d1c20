"""The dialog in which this device is paired with another one."""

from gi.repository import Adw, GLib, Gtk

from . import model, qr
from .texts import _

#: Seconds between two signs to the daemon that the dialog is still shown (half of what it waits for).
RENEWAL = 55


class PairingDialog(Adw.Window):
    def __init__(self, client, parent):
        super().__init__(
            transient_for=parent, modal=True, default_width=460, default_height=540, title=_("Pair a Device"))
        self.client = client
        self.pairing = model.Pairing.of({"state": "open"})
        header = Adw.HeaderBar(css_classes=["flat"])
        self.page = Adw.StatusPage(icon_name="org.segue.Segue-symbolic", vexpand=True)
        self.digits = Gtk.Label(css_classes=["title-1", "numeric"], selectable=True)
        self.entry = Gtk.Entry(
            input_purpose=Gtk.InputPurpose.DIGITS, max_length=9, halign=Gtk.Align.CENTER, placeholder_text="123 456",
            css_classes=["title-2"])
        self.entry.update_property([Gtk.AccessibleProperty.LABEL], [_("The six digits")])
        self.entry.connect("activate", lambda entry: self.call("TypeDigits", "s", entry.get_text()))
        self.picture = Gtk.Picture(width_request=240, height_request=240, halign=Gtk.Align.CENTER, can_shrink=False)
        self.code = Gtk.Label(css_classes=["caption", "monospace"], selectable=True, wrap=True, wrap_mode=2, max_width_chars=40)
        self.typed = Gtk.Entry(placeholder_text="SEGUE:…", hexpand=True)
        self.typed.update_property([Gtk.AccessibleProperty.LABEL], [_("A code or an address of the other device")])
        self.typed.connect("activate", lambda entry: self.begin(entry.get_text().strip()))
        self.other = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12)
        self.other.append(self.button(_("Show a Code Instead"), lambda: self.begin(shows_code=True)))
        self.other.append(self.typed)
        self.answers = Gtk.Box(spacing=12, halign=Gtk.Align.CENTER, homogeneous=True)
        self.answers.append(self.button(_("No"), lambda: self.call("ConfirmPairing", "b", False)))
        self.answers.append(self.button(_("Yes"), lambda: self.call("ConfirmPairing", "b", True), "suggested-action"))
        self.again = self.button(_("Try Again"), lambda: self.begin(), "suggested-action")
        self.done = self.button(_("Done"), self.close, "suggested-action")
        self.spinner = Gtk.Spinner(spinning=True, width_request=24, height_request=24)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=18, halign=Gtk.Align.CENTER)
        for part in self.parts:
            box.append(part)
        self.page.set_child(box)
        content = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        content.append(header)
        content.append(self.page)
        self.toasts = Adw.ToastOverlay(child=content)
        self.set_content(self.toasts)
        self.timer = GLib.timeout_add_seconds(RENEWAL, self._renew)
        self.connect("close-request", self._closed)
        keys = Gtk.ShortcutController()
        keys.add_shortcut(Gtk.Shortcut(
            trigger=Gtk.ShortcutTrigger.parse_string("Escape"), action=Gtk.NamedAction.new("window.close")))
        self.add_controller(keys)
        self.begin()

    @property
    def parts(self):
        """Each part, with the states in which it is shown."""
        return {
            self.digits: ("showing",), self.entry: ("typing",), self.picture: ("code",), self.code: ("code",),
            self.answers: ("asking",), self.spinner: ("open", "reaching", "ending", "showing"), self.again: ("failed", "closed"),
            self.done: ("paired",), self.other: ("open",)}

    def button(self, label, pressed, style="pill"):
        made = Gtk.Button(label=label, halign=Gtk.Align.CENTER, css_classes=["pill", style])
        made.connect("clicked", lambda _button: pressed())
        return made

    def begin(self, target="", shows_code=False):
        """Pairs with whoever is found, by a code that is shown here, or with `target`: a code, or an address."""
        options = {"show-code": GLib.Variant("b", True)} if shows_code else {}
        if target.upper().startswith("SEGUE:"):
            options["code"] = GLib.Variant("s", target)
        elif target:
            options["addresses"] = GLib.Variant("as", [target])
        self.call("Pair", "a{sv}", options)

    def call(self, method, signature="", *values):
        self.client.call(
            method, signature, values, done=lambda *_values: self.refresh(),
            failed=lambda failure: self.toasts.add_toast(Adw.Toast(title=GLib.markup_escape_text(failure.sentence))))

    def refresh(self):
        self.client.call("GetPairing", done=lambda row: self.show(model.Pairing.of(row)))

    def show(self, pairing):
        self.pairing = pairing
        self.page.set_title(GLib.markup_escape_text(pairing.title))
        self.page.set_description(GLib.markup_escape_text(pairing.text))
        self.page.set_icon_name({"paired": "emblem-ok-symbolic", "failed": "dialog-warning-symbolic"}.get(
            pairing.state, "org.segue.Segue-symbolic" if not pairing.code and pairing.state == "open" else None))
        self.digits.set_label(pairing.digits)
        self.code.set_label(pairing.code)
        texture = qr.texture(pairing.code) if pairing.code else None
        self.picture.set_paintable(texture)
        shown = "code" if pairing.code else pairing.state
        for part, states in self.parts.items():
            part.set_visible(shown in states)
        self.picture.set_visible(texture is not None)
        # A code can be pasted, and digits typed, without a click before.
        for state, entry in (("typing", self.entry), ("open", self.typed)):
            if shown == state:
                entry.grab_focus()

    def _renew(self):
        if not self.pairing.has_ended:
            self.client.call("RenewPairing")
        return GLib.SOURCE_CONTINUE

    def _closed(self, _window):
        GLib.source_remove(self.timer)
        if not self.pairing.has_ended:
            self.client.call("EndPairing")
        return False
