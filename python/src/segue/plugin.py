"""Plugins, and their objects as responders of the application."""

from __future__ import annotations

from . import _handles, errors, values
from ._handles import Handle, callback, caught, taken_text
from ._native import ffi, lib
from .activity import Activity
from .responder import Responder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .application import Application


class Plugin(Handle):
    """An installed plugin, by its id; once loaded, it stays loaded.

    `prefix` is the prefix that the application itself is installed in, as its build set it: never take it from the
    user, a file or the environment. Without a prefix only the system's plugins are found.
    """

    def __init__(self, application: Application, id: str, *, prefix: str | None = None) -> None:
        where = ffi.NULL if prefix is None else values.encode_text(prefix, "prefix")
        path = ffi.new("char **")
        errors.check(lib.segue_plugin_copy_path(values.encode_text(id, "id"), where, path), f"the plugin {id}")
        self._load(application, taken_text(path) or "", where)

    @classmethod
    def at(cls, application: Application, path: str, *, prefix: str | None = None) -> Plugin:
        """The plugin of a file, which must lie in the system's plugin directory or in that of the prefix."""
        made = cls.__new__(cls)
        made._load(application, path, ffi.NULL if prefix is None else values.encode_text(prefix, "prefix"))
        return made

    def _load(self, application: Application, path: str, prefix: Any) -> None:
        out, out_error = ffi.new("segue_plugin **"), ffi.new("segue_error **")
        result = lib.segue_plugin_load(
            application._segue_pointer, values.encode_text(path, "path"), prefix, out, out_error)
        errors.check_error(result, f"the plugin {path}", out_error)
        self._segue_application = application
        self._segue_own(out[0], lib.segue_plugin_unref)

    @property
    def id(self) -> str:
        return errors.text(lib.segue_plugin_get_id(self._segue_pointer))

    @property
    def name(self) -> str:
        return errors.text(lib.segue_plugin_get_name(self._segue_pointer))

    @property
    def version(self) -> str:
        return errors.text(lib.segue_plugin_get_version(self._segue_pointer))

    def __repr__(self) -> str:
        return f"<segue.Plugin {self.id} {self.version}>"


class PluginObject(Responder):
    """An object of a plugin: a responder that saves and restores by itself. Its properties are read and set by their
    keys: `place["text.line"] = 42`.

    A subclass may define `did_restore` and `did_fail`.
    """

    _MEMBERS = ("did_restore", "did_fail")
    # The last error of did_fail.
    _segue_failure: errors.Error | None = None

    def __init__(self, plugin: Plugin, id: str, *, key_prefix: str | None = None) -> None:
        methods = _handles.methods("segue_plugin_object_methods", self, PluginObject, ())
        # The callbacks are set even if they do nothing: they note that the object has had its turn.
        for member in self._MEMBERS:
            setattr(methods, member, getattr(lib, f"python_segue_plugin_object_methods_{member}"))
        prefix = ffi.NULL if key_prefix is None else values.encode_text(key_prefix, "key_prefix")
        out, out_error = ffi.new("segue_plugin_object **"), ffi.new("segue_error **")
        result = lib.segue_plugin_object_new(
            plugin._segue_pointer, values.encode_text(id, "id"), prefix, methods, ffi.NULL, ffi.NULL, out, out_error)
        errors.check_error(result, f"an object {id} of {plugin.id}", out_error)
        self._segue_application = plugin._segue_application
        self._segue_own(out[0], lib.segue_plugin_object_unref)

    # The callbacks, which a subclass may replace.

    def did_restore(self, activity: Activity) -> Any:
        """The object has restored: show what it holds now."""

    def did_fail(self, activity: Activity, error: errors.Error) -> Any:
        """The object could not restore, or could not save all properties."""

    @property
    def _segue_responder(self) -> Any:
        return lib.segue_plugin_object_get_responder(self._segue_pointer)

    def __getitem__(self, key: str) -> Any:
        """A property; None for an optional one that is absent."""
        out, out_error = ffi.new("segue_value **"), ffi.new("segue_error **")
        result = lib.segue_plugin_object_copy_property(
            self._segue_pointer, values.encode_text(key, "key"), out, out_error)
        errors.check_error(result, key, out_error)
        try:
            return values.get(out[0], key)
        finally:
            lib.segue_value_unref(out[0])

    def __setitem__(self, key: str, value: Any) -> None:
        """Sets a property; if it is a saved one, marks the activity as in need of saving."""
        name = values.encode_text(key, "key")
        out_error = ffi.new("segue_error **")
        if type(value) is str:
            # This function sets a property that is a URL, too.
            result = lib.segue_plugin_object_set_string(
                self._segue_pointer, name, values.encode_text(value, key), out_error)
        else:
            result = lib.segue_plugin_object_set_property(
                self._segue_pointer, name, values.new(value, key), out_error)
        errors.check_error(result, key, out_error)

    def set_properties(self, properties: Mapping[str, Any]) -> None:
        """Sets several properties together, as restoring does: for properties that the plugin restores by one function,
        such as a URL and the time within it. All are checked before any is set."""
        out_error = ffi.new("segue_error **")
        result = lib.segue_plugin_object_set_properties(
            self._segue_pointer, values.new(dict(properties), "properties"), out_error)
        errors.check_error(result, "properties", out_error)

    def _segue_call(self, call: Any, activity: Activity, what: str) -> None:
        """Makes the call, and raises the error that did_fail got."""
        self._segue_failure = None
        try:
            super()._segue_call(call, activity, what)
        except errors.Error as error:
            raise self._segue_failure or error from None

    def extension(self, id: str) -> tuple[int, int]:
        """The addresses of an extension's functions and of the object to call them with, for ctypes or cffi; they are
        valid as long as this object lives."""
        out, out_object = ffi.new("void **"), ffi.new("void **")
        result = lib.segue_plugin_object_get_extension(
            self._segue_pointer, values.encode_text(id, "id"), out, out_object)
        errors.check(result, f"the extension {id}")
        return int(ffi.cast("uintptr_t", out[0])), int(ffi.cast("uintptr_t", out_object[0]))


@callback("segue_plugin_object_methods", "did_restore")
def _did_restore(pointer: Any, activity: Any, userdata: Any) -> None:
    if (hosted := _handles.find(pointer)) is not None:
        hosted._segue_application._turn(hosted, activity, hosted.did_restore)


@callback("segue_plugin_object_methods", "did_fail")
def _did_fail(pointer: Any, activity: Any, error: Any, userdata: Any) -> None:
    if (hosted := _handles.find(pointer)) is not None:
        with caught(hosted._segue_application) as application:
            why = hosted._segue_failure = errors.exception(error)
            application._turn(hosted, activity, lambda activity: hosted.did_fail(activity, why))
