/*
 * echo NAME [--once]: the least that a D-Bus service can be: answers Echo with what it got. The floor under a message
 * there and back, and, with --once, under D-Bus activation: it ends after its first answer.
 */
#include <string.h>

#include "common.h"

int main(int count, char **given) {
  if (count < 2) fail("echo", "usage: echo NAME [--once]");
  DBusError error = DBUS_ERROR_INIT;
  DBusConnection *bus = dbus_bus_get_private(DBUS_BUS_SESSION, &error);
  if (bus == NULL || dbus_bus_request_name(bus, given[1], 0, &error) < 0) fail(given[1], error.message);
  /* Messages that came during the request for the name are queued already: handle them before the first wait. */
  do {
    DBusMessage *message;
    while ((message = dbus_connection_pop_message(bus)) != NULL) {
      const char *bytes;
      int length;
      if (dbus_message_is_method_call(message, ECHO_INTERFACE, "Echo") &&
          dbus_message_get_args(message, NULL, DBUS_TYPE_ARRAY, DBUS_TYPE_BYTE, &bytes, &length, DBUS_TYPE_INVALID)) {
        DBusMessage *reply = dbus_message_new_method_return(message);
        dbus_message_append_args(reply, DBUS_TYPE_ARRAY, DBUS_TYPE_BYTE, &bytes, length, DBUS_TYPE_INVALID);
        dbus_connection_send(bus, reply, NULL);
        dbus_connection_flush(bus);
        dbus_message_unref(reply);
        if (count > 2 && strcmp(given[2], "--once") == 0) return 0;
      }
      dbus_message_unref(message);
    }
  } while (dbus_connection_read_write(bus, -1));
  return 0;
}
