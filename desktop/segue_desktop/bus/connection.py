"""The connection to the daemon's private door, which alone carries titles and codes.

The way there is docs/bus.md's: `OpenDoor` on the session bus starts the daemon where it does not run, and gives a
descriptor of its socket and a token. Every step is asynchronous and has a time limit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from gi.repository import Gio, GLib

from ..model.failure import Failure, lost
from ..model.service import Service
from .reply import failure_of, read

DAEMON = "org.segue.Daemon1"
DOOR = "org.segue.Door1"
CONTROL = "org.segue.Control1"
#: How long an answer may take. The session bus itself gives up starting a program after 25 seconds.
ANSWER_SECONDS = 30
#: The daemon bounds every phase of a continuation itself; files may be long on their way.
CONTINUATION_SECONDS = 3600
#: The pause before the window looks for a daemon again that has ended, longer each time.
PAUSE_MILLISECONDS = 250
#: The version of the door that this program knows.
VERSION = 1

Done = Callable[[Any, "Failure | None"], object]


class Connection:
    """Connects, calls, listens, and connects anew where the daemon ends. `on_service` is called with each state,
    `on_signal` with each signal's name and values."""

    def __init__(self, on_service: Callable[[Service], object], on_signal: Callable[..., object]) -> None:
        self.service = Service()
        self._on_service, self._on_signal = on_service, on_signal
        self._bus: Any = None
        self._door: Any = None
        self._retry = 0
        self._is_closed = False
        self._watch = 0
        #: Answers to an attempt before this one are not heard any more.
        self._attempt = 0

    def start(self) -> None:
        self._watch = Gio.bus_watch_name(
            Gio.BusType.SESSION, DAEMON, Gio.BusNameWatcherFlags.NONE, lambda *_: self._appeared(), None)
        self.connect()

    def connect(self) -> None:
        """Looks for the daemon now, in place of any attempt that goes on."""
        self._attempt += 1
        if self._retry:
            GLib.source_remove(self._retry)
            self._retry = 0
        self._become(self.service.connecting())
        Gio.bus_get(Gio.BusType.SESSION, None, self._step(self._got_bus, Gio.bus_get_finish))

    def call(self, method: str, parameters: Any, done: Done, seconds: int = ANSWER_SECONDS) -> None:
        """Calls a method of Control1; `done` gets the reply's values, or a failure."""
        door = self._door
        if door is None:
            GLib.idle_add(lambda: done(None, self.service.failure or lost()) and False)
            return

        def answered(values: Any, failure: Failure | None) -> None:
            if failure is None and door is self._door:
                self.service = self.service.proved()
            done(values, failure)

        send(door, None, CONTROL, method, parameters, answered, seconds)

    def close(self) -> None:
        self._is_closed = True
        self._attempt += 1
        if self._watch:
            Gio.bus_unwatch_name(self._watch)
        if self._retry:
            GLib.source_remove(self._retry)
        if self._door is not None:
            self._door.close(None, None)
            self._door = None

    # The way to the door

    def _step(self, then: Callable[[Any], object], finish: Callable[[Any], Any]) -> Callable[..., None]:
        """A callback of this attempt: an error ends the attempt."""
        attempt = self._attempt

        def done(_: Any, result: Any) -> None:
            try:
                value = finish(result)
            except GLib.Error as error:
                if attempt == self._attempt:
                    self._failed(failure_of(error))
                return
            if attempt == self._attempt:
                then(value)

        return done

    def _got_bus(self, bus: Any) -> None:
        self._bus = bus
        attempt = self._attempt
        bus.call_with_unix_fd_list(
            DAEMON, path_of(DAEMON), DAEMON, "OpenDoor", None, None, Gio.DBusCallFlags.NONE, ANSWER_SECONDS * 1000, None,
            None, self._opened, attempt)

    def _opened(self, bus: Any, result: Any, attempt: int) -> None:
        try:
            values, descriptors = bus.call_with_unix_fd_list_finish(result)
        except GLib.Error as error:
            if attempt == self._attempt:
                self._failed(failure_of(error))
            return
        index, token = values.unpack()
        descriptor = descriptors.get(index)

        def connected(door: Any) -> None:
            os.close(descriptor)
            self._greet(door, token)

        def finish(result: Any) -> Any:
            try:
                return Gio.DBusConnection.new_for_address_finish(result)
            except GLib.Error:
                os.close(descriptor)
                raise

        if attempt != self._attempt:
            os.close(descriptor)
            return
        Gio.DBusConnection.new_for_address(
            f"unix:path=/proc/self/fd/{descriptor}", Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT, None, None,
            self._step(connected, finish))

    def _greet(self, door: Any, token: str) -> None:
        attempt = self._attempt
        door.set_exit_on_close(False)
        door.connect("closed", lambda *_: self._closed(door, attempt))
        door.signal_subscribe(
            None, CONTROL, None, path_of(CONTROL), None, Gio.DBusSignalFlags.NONE, self._signalled)

        def greeted(_: Any, failure: Failure | None) -> None:
            if attempt != self._attempt:
                door.close(None, None)
            elif failure is not None:
                self._failed(failure)
            else:
                self._door = door
                # Until an answer has come, former failures still count: a daemon may end at each connection.
                self._become(Service(self.service.ready().presence, self.service.attempts))

        information = GLib.Variant("(uusa{sv})", (VERSION, VERSION, token, {}))
        send(door, None, DOOR, "Hello", information, greeted, ANSWER_SECONDS)

    # Its end

    def _closed(self, door: Any, attempt: int) -> None:
        if door is self._door:
            self._door = None
            self._failed(lost())
        elif attempt == self._attempt:
            self._failed(lost())

    def _failed(self, failure: Failure) -> None:
        if self._is_closed:
            return
        self._attempt += 1
        state = self.service.failed(failure)
        if state.tries_again:
            self.service = state
            self._become(state.connecting())
            self._retry = GLib.timeout_add(PAUSE_MILLISECONDS << state.attempts, self._again)
        else:
            self._become(state)

    def _again(self) -> bool:
        self._retry = 0
        self.connect()
        return False

    def _appeared(self) -> None:
        """Somebody has started the daemon."""
        if self._door is None and not self.service.tries_again:
            self.service = Service()
            self.connect()

    def _become(self, service: Service) -> None:
        self.service = service
        self._on_service(service)

    def _signalled(self, _door: Any, _sender: Any, _path: Any, _interface: Any, name: str, values: Any) -> None:
        self._on_signal(name, *values.unpack())


def path_of(interface: str) -> str:
    return "/" + interface.replace(".", "/")


def send(
        connection: Any, destination: str | None, interface: str, method: str, parameters: Any, done: Done,
        seconds: int) -> None:
    """Sends a call as a message: the reply of a plain call would lack the error's second argument, the advice."""
    message = Gio.DBusMessage.new_method_call(destination, path_of(interface), interface, method)
    if parameters is not None:
        message.set_body(parameters)

    def answered(source: Any, result: Any) -> None:
        try:
            reply = source.send_message_with_reply_finish(result)
        except GLib.Error as error:
            done(None, failure_of(error))
            return
        done(*read(reply))

    connection.send_message_with_reply(
        message, Gio.DBusSendMessageFlags.NONE, seconds * 1000, None, answered)
