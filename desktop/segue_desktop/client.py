"""The daemon, at its private door (docs/bus.md): calls and signals of org.segue.Control1, with titles.

Everything is asynchronous and bounded in time. The client follows the daemon: it starts it, notices when it ends, and
is connected to the next one.
"""

import os

from gi.repository import Gio, GLib

from .texts import _

DAEMON, CONTROL = "org.segue.Daemon1", "org.segue.Control1"
#: Milliseconds. Continuing waits for the other device and the application as long as the daemon does.
CALL_TIME, CONTINUE_TIME = 15_000, 90_000
#: Milliseconds after which the door is tried again where the daemon was lost, one after the other. A daemon that does
#: not stay is not started for ever: after the last one the user has to ask for it.
RETRIES = (0, 500, 2_000, 10_000)


class Failure(Exception):
    """An error that the daemon has answered, or that it was not there: a sentence, and advice."""

    def __init__(self, message, advice=""):
        super().__init__(message)
        self.advice = advice

    @property
    def sentence(self):
        return f"{self} {self.advice}".strip()


class Client:
    def __init__(self, changed, signalled):
        """`changed` is called without arguments when the daemon comes or goes, `signalled` with a signal's name."""
        self.changed, self.signalled = changed, signalled
        #: The connection to the door, while there is one.
        self.door = None
        #: Why there is none; None while it is not known.
        self.problem = None
        self._bus = None
        self._is_entering = False
        self._retries = list(RETRIES)
        Gio.bus_get(Gio.BusType.SESSION, None, self._bus_came)

    # The way in

    def _bus_came(self, _source, result):
        try:
            self._bus = Gio.bus_get_finish(result)
        except GLib.Error as error:
            return self._lose(Failure(_("There is no session bus: {}").format(error.message)))
        Gio.bus_watch_name_on_connection(
            self._bus, DAEMON, Gio.BusNameWatcherFlags.NONE, lambda *_args: self.enter(), None)
        self.enter()

    def enter(self):
        """Goes through the door, unless this is so or under way."""
        if self._is_entering or self.door or not self._bus:
            return
        self._is_entering = True
        self._bus.call_with_unix_fd_list(
            DAEMON, "/org/segue/Daemon1", DAEMON, "OpenDoor", None, GLib.VariantType("(hs)"), Gio.DBusCallFlags.NONE,
            CALL_TIME, None, None, self._door_opened)

    def _door_opened(self, bus, result):
        try:
            value, descriptors = bus.call_with_unix_fd_list_finish(result)
            handle, token = value.unpack()
            descriptor = descriptors.get(handle)
        except GLib.Error as error:
            return self._lose(failure(error))
        address = Gio.UnixSocketAddress.new(f"/proc/self/fd/{descriptor}")

        def connected(client, result):
            os.close(descriptor)
            try:
                stream = client.connect_finish(result)
            except GLib.Error as error:
                return self._lose(failure(error))
            Gio.DBusConnection.new(stream, None, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT, None, None, greeted)

        def greeted(_source, result):
            try:
                door = Gio.DBusConnection.new_finish(result)
            except GLib.Error as error:
                return self._lose(failure(error))
            door.call(
                None, "/org/segue/Door1", "org.segue.Door1", "Hello", GLib.Variant("(uusa{sv})", (1, 1, token, {})), None,
                Gio.DBusCallFlags.NONE, CALL_TIME, None, lambda door, result: self._entered(door, result))

        Gio.SocketClient().connect_async(address, None, connected)

    def _entered(self, door, result):
        try:
            door.call_finish(result)
        except GLib.Error as error:
            return self._lose(failure(error))
        self._is_entering, self.door, self.problem, self._retries = False, door, None, list(RETRIES)
        door.connect("closed", lambda *_args: self._lose(Failure(_("The daemon has ended."))))
        door.signal_subscribe(
            None, CONTROL, None, "/org/segue/Control1", None, Gio.DBusSignalFlags.NO_MATCH_RULE,
            lambda _door, _sender, _path, _interface, name, _values: self.signalled(name))
        self.changed()

    def _lose(self, failure):
        self._is_entering, self.door, self.problem = False, None, failure
        # After an update or a crash the next one comes. The former one may still be about to end.
        if self._retries:
            GLib.timeout_add(self._retries.pop(0), lambda: self.enter())
        self.changed()

    # Calls

    def call(self, method, signature="", values=(), done=None, failed=None, timeout=CALL_TIME):
        """Calls a method of the control interface. `done` gets the reply's values, as plain Python ones; `failed` gets a
        Failure."""
        failed = failed or (lambda _failure: None)
        if not self.door:
            return failed(self.problem or Failure(_("The daemon is not there.")))

        def answered(door, result):
            try:
                values = door.call_finish(result).unpack()
            except GLib.Error as error:
                return failed(failure(error))
            if done:
                done(*values)

        self.door.call(
            None, "/org/segue/Control1", CONTROL, method, GLib.Variant(f"({signature})", tuple(values)), None,
            Gio.DBusCallFlags.NONE, timeout, None, answered)


def failure(error):
    """What a D-Bus error says: the daemon's have a sentence, a line feed or nothing, and advice."""
    text = error.message
    name = Gio.DBusError.get_remote_error(error) or ""
    if name:
        text = text.removeprefix(f"GDBus.Error:{name}: ")
    if name.startswith("org.freedesktop.DBus.Error.ServiceUnknown"):
        return Failure(_("Segue's daemon is not installed for this session."), _("Log in again, or run “segue doctor”."))
    return Failure(text)
