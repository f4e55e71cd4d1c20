/*
 * cold BUS ECHO RESTORED CONTINUED COUNT: the bus launches the least service, then the application that continues, in
 * turn; each is gone from the bus before the next. Arguments as in warm.c; ECHO is the name of an activatable service.
 * Prints "activated" (call to reply) and "restored" (call to restore callback), each with microseconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define WARM_UP 5

/* Waits until nobody owns a name that has had an owner since the match was added. */
static void wait_until_gone(DBusConnection *bus, const char *name) {
  for (;;) {
    DBusMessage *signal;
    while ((signal = dbus_connection_pop_message(bus)) != NULL) {
      const char *changed = "", *old = "", *new = "";
      int is_gone = dbus_message_is_signal(signal, DBUS_INTERFACE_DBUS, "NameOwnerChanged") &&
                    dbus_message_get_args(
                        signal, NULL, DBUS_TYPE_STRING, &changed, DBUS_TYPE_STRING, &old, DBUS_TYPE_STRING, &new,
                        DBUS_TYPE_INVALID) &&
                    strcmp(changed, name) == 0 && new[0] == '\0';
      dbus_message_unref(signal);
      if (is_gone) return;
    }
    if (!dbus_connection_read_write(bus, -1)) fail(name, "the bus is gone");
  }
}

static void watch(DBusConnection *bus, const char *name) {
  char rule[512];
  snprintf(rule, sizeof rule, "type='signal',sender='" DBUS_SERVICE_DBUS "',member='NameOwnerChanged',arg0='%s'", name);
  DBusError error = DBUS_ERROR_INIT;
  dbus_bus_add_match(bus, rule, &error);
  if (dbus_error_is_set(&error)) fail(name, error.message);
}

int main(int count, char **given) {
  if (count != 6) fail("cold", "usage: cold BUS ECHO RESTORED CONTINUED COUNT");
  DBusConnection *bus = open_bus(given[1]);
  int restored = open_fifo(given[3]);
  int continued = open_fifo(given[4]);
  int samples = atoi(given[5]);
  char offer[33];
  wait_for_offer(bus, offer);
  watch(bus, given[2]);
  watch(bus, BENCH_NAME);
  for (int i = -WARM_UP; i < samples; i++) {
    uint64_t start = now();
    call_echo(bus, given[2]);
    uint64_t activated = now();
    wait_until_gone(bus, given[2]);
    uint64_t called = now();
    continue_offer(bus, offer);
    uint64_t stamp = read_stamp(restored);
    (void)read_stamp(continued);
    wait_until_gone(bus, BENCH_NAME);
    if (i < 0) continue;
    printf("activated %.1f\n", (double)(activated - start) / 1e3);
    printf("restored %.1f\n", (double)(stamp - called) / 1e3);
  }
  return 0;
}
