#include "common.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CONTROL_NAME "org.segue.Control1"
#define CONTROL_PATH "/org/segue/Control1"
#define CALL_TIMEOUT 20000

uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

void fail(const char *what, const char *why) {
  fprintf(stderr, "bench: %s: %s\n", what, why);
  exit(1);
}

DBusConnection *open_bus(const char *address) {
  DBusError error = DBUS_ERROR_INIT;
  DBusConnection *bus = dbus_connection_open_private(address, &error);
  if (bus == NULL || !dbus_bus_register(bus, &error)) fail(address, error.message);
  return bus;
}

DBusMessage *call(DBusConnection *bus, DBusMessage *message) {
  DBusError error = DBUS_ERROR_INIT;
  DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, message, CALL_TIMEOUT, &error);
  if (reply == NULL) fail(dbus_message_get_member(message), error.message);
  dbus_message_unref(message);
  return reply;
}

void call_echo(DBusConnection *bus, const char *name) {
  static const char payload[PAYLOAD_LENGTH];
  const char *bytes = payload;
  DBusMessage *message = dbus_message_new_method_call(name, ECHO_PATH, ECHO_INTERFACE, "Echo");
  dbus_message_append_args(message, DBUS_TYPE_ARRAY, DBUS_TYPE_BYTE, &bytes, PAYLOAD_LENGTH, DBUS_TYPE_INVALID);
  DBusMessage *reply = call(bus, message);
  int length = 0;
  if (!dbus_message_get_args(reply, NULL, DBUS_TYPE_ARRAY, DBUS_TYPE_BYTE, &bytes, &length, DBUS_TYPE_INVALID) ||
      length != PAYLOAD_LENGTH) {
    fail("Echo", "the bytes did not come back");
  }
  dbus_message_unref(reply);
}

/* The id of the first offer, copied; 0 where there is none. */
static int first_offer(DBusMessage *reply, char *id) {
  DBusMessageIter arguments, offers, entries;
  dbus_message_iter_init(reply, &arguments);
  dbus_message_iter_recurse(&arguments, &offers);
  if (dbus_message_iter_get_arg_type(&offers) != DBUS_TYPE_ARRAY) return 0;
  dbus_message_iter_recurse(&offers, &entries);
  for (; dbus_message_iter_get_arg_type(&entries) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entries)) {
    DBusMessageIter entry, value;
    const char *text;
    dbus_message_iter_recurse(&entries, &entry);
    dbus_message_iter_get_basic(&entry, &text);
    if (strcmp(text, "id") != 0) continue;
    dbus_message_iter_next(&entry);
    dbus_message_iter_recurse(&entry, &value);
    dbus_message_iter_get_basic(&value, &text);
    snprintf(id, 33, "%s", text);
    return 1;
  }
  return 0;
}

void wait_for_offer(DBusConnection *bus, char *id) {
  dbus_bus_add_match(bus, "type='signal',interface='" CONTROL_NAME "',member='OffersChanged'", NULL);
  dbus_connection_flush(bus);
  for (;;) {
    DBusMessage *message = dbus_message_new_method_call(CONTROL_NAME, CONTROL_PATH, CONTROL_NAME, "ListOffers");
    DBusMessage *reply = call(bus, message);
    int found = first_offer(reply, id);
    dbus_message_unref(reply);
    if (found) return;
    int changed = 0;
    while (!changed) {
      DBusMessage *signal;
      while ((signal = dbus_connection_pop_message(bus)) != NULL) {
        changed |= dbus_message_is_signal(signal, CONTROL_NAME, "OffersChanged");
        dbus_message_unref(signal);
      }
      if (!changed && !dbus_connection_read_write(bus, CALL_TIMEOUT)) fail("ListOffers", "the bus is gone");
    }
  }
}

void continue_offer(DBusConnection *bus, const char *id) {
  DBusMessageIter arguments, options;
  DBusMessage *message = dbus_message_new_method_call(CONTROL_NAME, CONTROL_PATH, CONTROL_NAME, "Continue");
  dbus_message_iter_init_append(message, &arguments);
  dbus_message_iter_append_basic(&arguments, DBUS_TYPE_STRING, &id);
  dbus_message_iter_open_container(&arguments, DBUS_TYPE_ARRAY, "{sv}", &options);
  dbus_message_iter_close_container(&arguments, &options);
  dbus_message_unref(call(bus, message));
}

uint64_t read_stamp(int fifo) {
  uint64_t stamp;
  if (read(fifo, &stamp, sizeof stamp) != sizeof stamp) fail("FIFO", "no time stamp came");
  return stamp;
}

int open_fifo(const char *path) {
  int fifo = open(path, O_RDWR | O_CLOEXEC);
  if (fifo < 0) fail(path, "cannot be opened");
  return fifo;
}
