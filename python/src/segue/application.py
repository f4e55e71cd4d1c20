"""The application: its callbacks, and its place in a main loop."""

from __future__ import annotations

import atexit
import os
import sys
from _thread import get_ident
from collections.abc import Callable, Iterable
from weakref import WeakSet

from . import _delegate, _handles, errors, values
from ._handles import Handle, caught, open_enum, taken_text
from ._native import ffi, lib
from .activity import Activity
from .continuation import Continuation, Restoration, Restoring
from .offer import Offer
from .outcome import Outcome
from .restoring import MOST, StateOutcome, StatesOutcome
from .states import ApplicationState, Current, CurrentReason
from .window import Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    import select
    from typing import Any, TypeVar

    from typing_extensions import Self

    from ._attachment import Attachment
    from .responder import Responder

    F = TypeVar("F", bound=Callable[..., object])

#: The longest time-out of poll in milliseconds, which it takes as a C int.
_LONGEST = 2**31 - 1


class Application(Handle):
    """The application of a desktop file. It belongs to the thread that makes it, and registers by itself.

    Its callbacks are methods that a subclass defines, or functions that its decorators name. `dispatch`, `wait` and
    `run` raise the exceptions of callbacks again, unless `exception_handler` is set, which then gets them. In a `with`
    statement the application is closed at the end.
    """

    _MEMBERS = (
        "will_continue", "continue_activity", "did_fail", "did_update", "state_changed", "activate", "open_urls", "log",
        "make_window", "open_document", "offers_changed")

    #: Gets the exceptions of callbacks, in place of the caller that dispatches; but not those that end a program, such
    #: as KeyboardInterrupt.
    exception_handler: Callable[[Exception], object] | None = None

    def __init__(self, app_id: str, *, own_app_id: bool = False, bus_address: str | None = None) -> None:
        options = ffi.new("segue_application_options *")
        options.struct_size = ffi.sizeof("segue_application_options")
        if own_app_id:
            options.flags = lib.SEGUE_APPLICATION_OWN_APP_ID
        if bus_address is not None:
            address = ffi.new("char[]", values.encode_text(bus_address, "bus_address"))
            options.bus_address = address
        out, out_error = ffi.new("segue_application **"), ffi.new("segue_error **")
        result = lib.segue_application_new(values.encode_text(app_id, "app_id"), options, out, out_error)
        errors.check_error(result, f"the application {app_id}", out_error)
        self._segue_own(out[0], lib.segue_application_unref)
        self.app_id = app_id
        self._thread = get_ident()
        self._process = os.getpid()
        #: The exceptions of callbacks, until a caller dispatches and can raise them again.
        self._raised: list[BaseException] = []
        #: The current activity, kept alive as long as it is current.
        self._current: Activity | None = None
        self._main_window: Callable[[], Window | None] | None = None
        #: The last window that make_window gave to the library, which must find it alive.
        self._made_window: Window | None = None
        self._restoring: list[Restoring] = []
        #: How many calls of `restore` and `update` by the program are under way: restoring in them is no turn of a
        #: restoration.
        self._by_hand = 0
        self._is_quitting = False
        #: The function with which the adapter of a main loop runs coroutines.
        self._spawn: Callable[[Any, Callable[[BaseException | None], None] | None], object] | None = None
        self._attachment: Attachment | None = None
        self._set_delegate()
        _open.add(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<segue.Application {self.app_id}{' (closed)' if self.is_closed else ''}>"

    # The callbacks, which a subclass or a decorator may replace. The defaults do what their docstrings say.

    def will_continue(self, continuation: Continuation) -> bool:
        """An activity is on its way. Return True if you show that yourself; by default the desktop shows it."""
        return False

    def continue_activity(self, activity: Activity, restoration: Restoration) -> Any:
        """The activity has arrived, and is yours. Return True if you take it. With segue.aio this may be a coroutine,
        which takes it."""
        return False

    def did_fail(self, continuation: Continuation, error: errors.Error) -> Any:
        """The activity will not come. Show the error, unless it is a UserCancelledError."""

    def did_update(self, activity: Activity) -> None:
        """The responders of an activity have updated it: this is the last chance to add to it."""

    def state_changed(self, state: ApplicationState | int, error: errors.Error | None) -> Any:
        """The state of the registration has changed; for NAME_TAKEN and LOST the error says why."""

    def activate(self, activation_token: str) -> Any:
        """org.freedesktop.Application.Activate, with own_app_id."""

    def open_urls(self, urls: list[str], activation_token: str) -> Any:
        """org.freedesktop.Application.Open, with own_app_id."""

    def log(self, line: str) -> None:
        """Gets a line for the developer. By default the line goes to standard error if SEGUE_LOG is set."""

    def make_window(self, activity: Activity) -> Window | None:
        """No window prefers or can show the activity: make one, keep it, and return it. None: it goes to no window in
        particular."""
        return None

    def open_document(self, url: str, activity: Activity, restoration: Restoration) -> Any:
        """The activity names a document, and continue_activity did not take it. Return True if you open the
        document."""
        return False

    def offers_changed(self) -> Any:
        """The list `offers` has changed."""

    def on_will_continue(self, function: F) -> F:
        return self._on("will_continue", function)

    def on_continue(self, function: F) -> F:
        return self._on("continue_activity", function)

    def on_fail(self, function: F) -> F:
        return self._on("did_fail", function)

    def on_update(self, function: F) -> F:
        return self._on("did_update", function)

    def on_state_changed(self, function: F) -> F:
        return self._on("state_changed", function)

    def on_activate(self, function: F) -> F:
        return self._on("activate", function)

    def on_open_urls(self, function: F) -> F:
        return self._on("open_urls", function)

    def on_log(self, function: F) -> F:
        return self._on("log", function)

    def on_make_window(self, function: F) -> F:
        return self._on("make_window", function)

    def on_open_document(self, function: F) -> F:
        return self._on("open_document", function)

    def on_offers_changed(self, function: F) -> F:
        return self._on("offers_changed", function)

    def _on(self, member: str, function: F) -> F:
        setattr(self, member, function)
        self._set_delegate()
        return function

    def _set_delegate(self) -> None:
        delegate = _handles.methods("segue_application_delegate", self, Application, self._MEMBERS)
        result = lib.segue_application_set_delegate(self._segue_pointer, delegate, ffi.NULL, ffi.NULL)
        errors.check(result, "the application's delegate")

    # The application's life.

    def ready(self) -> None:
        """Says that the application is set up: from now on it gets continuations, first those that launched it."""
        errors.check(lib.segue_application_ready(self._segue_pointer), "ready")

    @property
    def is_closed(self) -> bool:
        return self._segue is None

    def close(self) -> None:
        """Withdraws the application's offers and closes its connections. Closing twice is fine."""
        if self._segue is None:
            return
        if self._process == os.getpid() and self._thread != get_ident():
            raise errors.MisuseError("close: belongs to the thread that made the application")
        before = len(self._raised)
        if self._attachment is not None:
            # This comes before the descriptor is closed, since another may then get its number.
            self._attachment.close()
        self._segue_disown()
        _open.discard(self)
        self._current = self._made_window = self._main_window = None
        for restoring in self._restoring[:]:
            restoring.end(errors.ClosedError("The application was closed before all was restored."))
        self._raise(before)

    @property
    def launch_type(self) -> str | None:
        """The type of the activity that the application was launched for, and that waits for `ready`; None if there is
        none. It is known when the state is REGISTERED."""
        out = ffi.new("char **")
        errors.check(lib.segue_application_copy_launch_type(self._segue_pointer, out), "launch_type")
        return taken_text(out)

    @property
    def state(self) -> ApplicationState | int:
        state = errors.check(lib.segue_application_get_state(self._segue_pointer), "state")
        return open_enum(ApplicationState, state)

    # The current activity.

    @property
    def current_activity(self) -> Activity | None:
        out = ffi.new("segue_activity **")
        errors.check(lib.segue_application_copy_current_activity(self._segue_pointer, out), "current_activity")
        return Activity._taking(out[0], self) if out[0] else None

    def explain_current(self) -> Current:
        out, sentence = ffi.new("segue_activity **"), ffi.new("char **")
        result = lib.segue_application_explain_current(self._segue_pointer, out, sentence)
        reason = errors.check(result, "explain_current")
        activity = Activity._taking(out[0], self) if out[0] else None
        return Current(open_enum(CurrentReason, reason), activity, taken_text(sentence) or "")

    @property
    def main_window(self) -> Window | None:
        """The window that the user works in, as the program has set it; None if it is not a window of the application's,
        which ends no offer."""
        return self._main_window() if self._main_window else None

    @main_window.setter
    def main_window(self, window: Window | None) -> None:
        from weakref import ref

        pointer = ffi.NULL if window is None else window._segue_pointer
        errors.check(lib.segue_application_set_main_window(self._segue_pointer, pointer), "main_window")
        self._main_window = None if window is None else ref(window)

    # Offers that can be continued here.

    @property
    def offers(self) -> list[Offer]:
        """The offers that the application may continue now. Without an `offers_changed` callback the list is empty the
        first time, and is filled soon."""
        out, count = ffi.new("segue_offer ***"), ffi.new("size_t *")
        errors.check(lib.segue_application_copy_offers(self._segue_pointer, out, count), "offers")
        try:
            return [Offer._taking(out[0][index], self) for index in range(count[0])]
        finally:
            lib.segue_free(out[0])

    # The states that an earlier run has stored.

    def last_state(self, type: str | None = None, *, target: str | None = None) -> StateOutcome:
        """Asks for the last state that the application stored before it ended, or crashed: of this activity type, and
        of the window with this target content identifier; of any without them. Give the outcome a function
        (`when_done`), or await it: it has an activity, or None. Restore your objects from the activity, then put it on
        one of them, or make it current. It is not a continuation."""
        outcome = StateOutcome(self)
        self._ask_states(outcome, type, target, 1)
        return outcome

    def last_states(self, type: str | None = None, *, target: str | None = None, maximum: int = MOST) -> StatesOutcome:
        """As `last_state`, with all windows' states, the latest first."""
        outcome = StatesOutcome(self)
        self._ask_states(outcome, type, target, maximum)
        return outcome

    def _ask_states(self, outcome: StatesOutcome, type: str | None, target: str | None, maximum: int) -> None:
        if not 0 < maximum < 2**32:
            raise ValueError(f"maximum: 1 at least, not {maximum}")
        names = [ffi.NULL if text is None else ffi.new("char[]", values.encode_text(text, what))
                 for text, what in ((type, "type"), (target, "target"))]
        self._await(outcome, "last_states", lib.segue_application_get_last_states, self._segue_pointer, *names, maximum,
                    lib.python_segue_states)

    # Stored copies.

    def delete_saved(self, persistent_identifiers: Iterable[str]) -> Outcome:
        """Deletes the stored copies of activities with these persistent identifiers."""
        ids, count, _keep = values.text_array(persistent_identifiers, "persistent_identifiers")
        return self._ask("delete", lib.segue_application_delete_saved, self._segue_pointer, ids, count)

    def delete_all_saved(self) -> Outcome:
        """Deletes all stored copies of the application."""
        return self._ask("delete", lib.segue_application_delete_all_saved, self._segue_pointer)

    def _ask(self, what: str, call: Callable[..., int], *arguments: Any) -> Outcome:
        outcome = Outcome(self)
        self._await(outcome, what, call, *arguments, lib.python_segue_completion)
        return outcome

    def _await(self, outcome: Outcome, what: str, call: Callable[..., int], *arguments: Any) -> None:
        """Makes a call whose last argument is the function that ends the outcome."""
        handle = ffi.new_handle((self, outcome))
        # The handle is kept until the library destroys it, which it does on every path once the call is made.
        _delegate.asked.add(handle)
        errors.check(call(*arguments, handle, lib.python_segue_destroy), what)

    # The main loop.

    def fileno(self) -> int:
        """The descriptor to watch for readability, as long as the application is open; then `dispatch`."""
        return errors.check(lib.segue_application_get_fd(self._segue_pointer), "fileno")

    def dispatch(self) -> int:
        """Handles pending events, callbacks included, without waiting; returns their number."""
        return self._dispatch(self._segue_pointer)

    def _dispatch(self, pointer: Any) -> int:
        before = len(self._raised)
        result: int = lib.segue_application_dispatch(pointer)
        if len(self._raised) > before:
            self._raise(before)
        return errors.check(result, "dispatch")

    def wait(self, timeout: float | None = None) -> int:
        """Waits for events, at most so many seconds, and dispatches them; returns 0 on time-out or `wake`, and if the
        handler of a signal has closed the application meanwhile."""
        if timeout is not None and not timeout >= 0:
            raise ValueError(f"timeout: 0 seconds at least, or None, not {timeout}")
        ready = self._polling().poll(None if timeout is None else min(timeout * 1000, _LONGEST))
        pointer = self._segue
        return self._dispatch(pointer) if ready and pointer is not None else 0

    def run(self) -> None:
        """Waits and dispatches until `quit` or `close`, or until a callback raises."""
        waiting = self._polling()
        try:
            while not self._is_quitting and not self.is_closed:
                waiting.poll()
                # The handler of a signal may have closed the application.
                if (pointer := self._segue) is not None:
                    self._dispatch(pointer)
        finally:
            self._is_quitting = False

    def _polling(self) -> select.poll:
        """A poll object for the application: Python waits and not the library, so that signal handlers run
        meanwhile."""
        from select import POLLIN, poll

        waiting = poll()
        waiting.register(self.fileno(), POLLIN)
        return waiting

    def quit(self) -> None:
        """Makes `run` return, also one that is called later. Every thread and signal handlers may call it."""
        self._is_quitting = True
        self.wake()

    def wake(self) -> None:
        """Makes a `wait` on the application's thread return. Every thread may call it."""
        errors.check(lib.segue_application_wake(self._segue_pointer), "wake")

    # Exceptions, coroutines and restorations of callbacks.

    def _caught(self, error: BaseException) -> None:
        if isinstance(error, Exception) and self.exception_handler is not None:
            try:
                self.exception_handler(error)
                return
            except BaseException as another:
                error = another
        self._raised.append(error)

    def _note(self, line: str) -> None:
        """Writes a line for the developer, as the library does."""
        if _handles.overrides(self, Application, "log"):
            with caught(self):
                self.log(line)
        elif "SEGUE_LOG" in os.environ:
            sys.stderr.write(f"segue: {self.app_id}: {line}\n")

    def _raise(self, since: int = 0) -> None:
        """Raises the first exception of callbacks since then; the others are at least shown."""
        raised = self._raised[since:]
        del self._raised[since:]
        for error in raised[1:]:
            sys.excepthook(type(error), error, error.__traceback__)
        if raised:
            raise raised[0]

    def _coming(self, continuation: Continuation) -> None:
        """Runs before will_continue, for a toolkit's adapter."""

    def _failed(self, continuation: Continuation) -> None:
        """Runs before did_fail, for a toolkit's adapter."""

    def _go_on(self, answer: Any, ended: Callable[[BaseException | None], None] | None = None) -> bool:
        """Lets a callback's coroutine run, and returns whether the answer was one. `ended` gets what it raised."""
        if not hasattr(answer, "__await__"):
            return False
        if self._spawn is None:
            if hasattr(answer, "close"):
                answer.close()
            raise errors.MisuseError("a coroutine goes on only in asyncio: attach the application with segue.aio")
        self._spawn(answer, ended)
        return True

    def _turn(self, responder: Responder, pointer: Any, restore: Callable[[Activity], Any]) -> None:
        """Lets the responder restore; if that is its turn in a restoration, the restoration is notified."""
        activity = Activity._of(pointer, self)
        pending = [restoring for restoring in self._restoring if restoring.activity is activity and not self._by_hand]
        own = next((restoring for restoring in pending if restoring.takes(responder)), None)
        goes_on = False
        with caught(self):
            goes_on = self._go_on(restore(activity), own.finished if own else None)
        if own is not None and not goes_on:
            own.finished()

    def _hand(self, method: Callable[..., Any], activity: Any, restoration: Any, *before: str) -> int:
        """Hands an activity that has arrived to a method, and returns whether that took it."""
        taken = False
        arrived = Activity._of(activity, self)
        handler = Restoration(lib.segue_restoration_ref(restoration), self, arrived)
        with caught(self):
            unsaved = arrived.unsaved
            if unsaved:
                self._note(f"{arrived.type} has come without the parts of {', '.join(unsaved)}: these could not be "
                           "saved on the other device, whose log says why")
        with caught(self):
            answer = method(*before, arrived, handler)
            if answer is None:
                raise TypeError("Whether the activity is taken is to be told: True or False, not None.")
            taken = self._go_on(answer, handler._when_ended(answer)) or bool(answer)
        if not taken:
            for restoring in [restoring for restoring in self._restoring if restoring.activity is arrived]:
                restoring.end(errors.ApplicationError("The activity was not taken.", errors.ErrorCode.NOT_HANDLED))
        return taken


#: The applications to close at the end of the program, while all of Python is still there.
_open: WeakSet[Application] = WeakSet()


@atexit.register
def _close_all() -> None:
    for application in list(_open):
        if application._thread == get_ident():
            application.close()
