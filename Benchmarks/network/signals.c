#include "signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KDE_NAME "org.kde.kdeconnect"
#define KDE_SHARE "org.kde.kdeconnect.device.share"
#define URL_START "http://127.0.0.1/"
#define PATIENCE 20000

void follow(DBusConnection *bus, const char *interface, const char *member) {
  char rule[256];
  snprintf(rule, sizeof rule, "type='signal',interface='%s',member='%s'", interface, member);
  dbus_bus_add_match(bus, rule, NULL);
  dbus_connection_flush(bus);
}

uint64_t wait_for_signal(DBusConnection *bus, const char *interface, const char *member) {
  uint64_t start = now();
  for (;;) {
    DBusMessage *message;
    while ((message = dbus_connection_pop_message(bus)) != NULL) {
      int found = dbus_message_is_signal(message, interface, member);
      dbus_message_unref(message);
      if (found) return now();
    }
    if (!dbus_connection_read_write(bus, PATIENCE)) fail(member, "the bus is gone");
    if (now() - start > (uint64_t)PATIENCE * 1000000U) fail(member, "the signal did not come");
  }
}

int open_kde(struct kde *kde, const char *from, const char *to, const char *path) {
  kde->from = NULL;
  if (strcmp(from, "-") == 0) return 0;
  kde->from = open_bus(from);
  kde->to = open_bus(to);
  kde->path = path;
  follow(kde->to, KDE_SHARE, "shareReceived");
  return 1;
}

uint64_t share(const struct kde *kde, const char *member, int length) {
  size_t size = (size_t)length > sizeof URL_START ? (size_t)length : sizeof URL_START;
  char *url = malloc(size + 1);
  if (url == NULL) abort();
  memset(url, 'a', size);
  memcpy(url, URL_START, sizeof URL_START - 1);
  url[size] = '\0';
  DBusMessage *message = dbus_message_new_method_call(KDE_NAME, kde->path, KDE_SHARE, member);
  dbus_message_append_args(message, DBUS_TYPE_STRING, &url, DBUS_TYPE_INVALID);
  uint64_t start = now();
  dbus_connection_send(kde->from, message, NULL);
  dbus_connection_flush(kde->from);
  uint64_t end = wait_for_signal(kde->to, KDE_SHARE, "shareReceived");
  dbus_message_unref(message);
  free(url);
  /* Its reply, and whatever else came, is taken out of the way. */
  dbus_connection_read_write(kde->from, 0);
  while ((message = dbus_connection_pop_message(kde->from)) != NULL) dbus_message_unref(message);
  return end - start;
}

void rest(int milliseconds) {
  struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000L};
  nanosleep(&time, NULL);
}
