"""echo.py NAME: the smallest service by PyGObject, as ../echo.c with --once: answers Echo with what it got, and
ends."""

import sys

from gi.repository import Gio, GLib

INTERFACE = """<node><interface name="org.segue.bench.Echo">
  <method name="Echo"><arg direction="in" type="ay"/><arg direction="out" type="ay"/></method>
</interface></node>"""

loop = GLib.MainLoop()
bus = Gio.bus_get_sync(Gio.BusType.SESSION)


def called(connection, sender, path, interface, method, parameters, invocation):
    invocation.return_value(parameters)
    connection.flush_sync()
    loop.quit()


bus.register_object("/org/segue/bench/Echo", Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0], called)
Gio.bus_own_name_on_connection(bus, sys.argv[1], Gio.BusNameOwnerFlags.NONE)
loop.run()
