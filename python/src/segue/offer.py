"""An offer: what another device, or another application of this one, has open and this application may continue."""

from __future__ import annotations

from . import errors, values
from ._handles import Handle, find
from ._native import ffi, lib
from .outcome import Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .application import Application


class Offer(Handle):
    """Of `Application.offers`. What it says never changes: when it does, another stands in its place."""

    @classmethod
    def _taking(cls, pointer: Any, application: Application) -> Offer:
        """The object for a reference that is handed over: the one that there is, or a new one."""
        if (found := find(pointer)) is not None:
            lib.segue_offer_unref(pointer)
            known: Offer = found
            return known
        made = Offer.__new__(Offer)
        made._segue_application = application
        made._segue_own(pointer, lib.segue_offer_unref)
        return made

    @property
    def id(self) -> str:
        """The same text for the same activity of the same device, in each list, and for nothing else."""
        return errors.text(lib.segue_offer_get_id(self._segue_pointer))

    @property
    def activity_type(self) -> str:
        return errors.text(lib.segue_offer_get_activity_type(self._segue_pointer))

    @property
    def title(self) -> str:
        return errors.text(lib.segue_offer_get_title(self._segue_pointer))

    @property
    def web_host(self) -> str:
        """The host of its web page; "" without one."""
        return errors.text(lib.segue_offer_get_web_host(self._segue_pointer))

    @property
    def app_id(self) -> str:
        """The id of the application that the activity is of: often this one's own."""
        return errors.text(lib.segue_offer_get_app_id(self._segue_pointer))

    @property
    def app_name(self) -> str:
        """What that application is called on this device."""
        return errors.text(lib.segue_offer_get_app_name(self._segue_pointer))

    @property
    def device_id(self) -> str:
        """Stands for the device: the same text for all that comes from it."""
        return errors.text(lib.segue_offer_get_device_id(self._segue_pointer))

    @property
    def device_name(self) -> str:
        return errors.text(lib.segue_offer_get_device_name(self._segue_pointer))

    @property
    def is_here(self) -> bool:
        """Whether another application of this device has it open."""
        return bool(lib.segue_offer_is_here(self._segue_pointer))

    @property
    def is_stored(self) -> bool:
        """Whether its state is as it was last saved, since the application there has ended or the device is gone."""
        return bool(lib.segue_offer_is_stored(self._segue_pointer))

    @property
    def age(self) -> float:
        """Seconds since this device first saw it, or since what it keeps of it was stored."""
        out = ffi.new("uint64_t *")
        errors.check(lib.segue_offer_get_age(self._segue_pointer, out), "age")
        milliseconds: int = out[0]
        return milliseconds / 1000

    def continue_(self, activation_token: str | None = None) -> Outcome:
        """The user has chosen it: `will_continue` comes, then `continue_activity` or `did_fail`. The outcome is there
        when that has begun; its error says why it will not. `activation_token`: for the window that will show it."""
        token = ffi.NULL
        if activation_token is not None:
            token = ffi.new("char[]", values.encode_text(activation_token, "activation_token"))
        return self._segue_application._ask("continue", lib.segue_offer_continue, self._segue_pointer, token)

    def __repr__(self) -> str:
        return f"<segue.Offer of {self.activity_type} from {self.device_name}>"
