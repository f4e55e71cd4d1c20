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
    """An item of `Application.offers`. Its fields never change: when the offer changes, another object takes its
    place."""

    @classmethod
    def _taking(cls, pointer: Any, application: Application) -> Offer:
        """The object for a reference that is handed over: the existing one, or a new one."""
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
        """The offer's id: the same text for the same activity of the same device, in each list, and for no other."""
        return errors.text(lib.segue_offer_get_id(self._segue_pointer))

    @property
    def activity_type(self) -> str:
        return errors.text(lib.segue_offer_get_activity_type(self._segue_pointer))

    @property
    def title(self) -> str:
        return errors.text(lib.segue_offer_get_title(self._segue_pointer))

    @property
    def web_host(self) -> str:
        """The host of the activity's web page; "" without one."""
        return errors.text(lib.segue_offer_get_web_host(self._segue_pointer))

    @property
    def app_id(self) -> str:
        """The id of the application that the activity belongs to: often this one's own."""
        return errors.text(lib.segue_offer_get_app_id(self._segue_pointer))

    @property
    def app_name(self) -> str:
        """The name of that application on this device."""
        return errors.text(lib.segue_offer_get_app_name(self._segue_pointer))

    @property
    def device_id(self) -> str:
        """The device's id: the same text for all offers of that device."""
        return errors.text(lib.segue_offer_get_device_id(self._segue_pointer))

    @property
    def device_name(self) -> str:
        return errors.text(lib.segue_offer_get_device_name(self._segue_pointer))

    @property
    def is_here(self) -> bool:
        """Whether another application of this device has the activity open."""
        return bool(lib.segue_offer_is_here(self._segue_pointer))

    @property
    def is_stored(self) -> bool:
        """Whether the state is the last saved one, since the application there has ended or the device is gone."""
        return bool(lib.segue_offer_is_stored(self._segue_pointer))

    @property
    def age(self) -> float:
        """Seconds since this device first saw the offer, or since it stored the copy that it keeps."""
        out = ffi.new("uint64_t *")
        errors.check(lib.segue_offer_get_age(self._segue_pointer, out), "age")
        milliseconds: int = out[0]
        return milliseconds / 1000

    def continue_(self, activation_token: str | None = None) -> Outcome:
        """Continues the offer that the user has chosen: `will_continue` comes, then `continue_activity` or `did_fail`.
        The outcome is done when the continuation has begun; its error says why it will not begin. `activation_token` is
        for the window that will show the activity."""
        token = ffi.NULL
        if activation_token is not None:
            token = ffi.new("char[]", values.encode_text(activation_token, "activation_token"))
        return self._segue_application._ask("continue", lib.segue_offer_continue, self._segue_pointer, token)

    def __repr__(self) -> str:
        return f"<segue.Offer of {self.activity_type} from {self.device_name}>"
