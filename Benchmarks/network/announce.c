/*
 * announce BUS COUNT KDE-FROM KDE-TO KDE-PATH: an application on this device; BUS is the other one's. After a second in
 * which nothing happened its activity becomes current, and the signal on the other device's control interface is waited
 * for; half a second later KDE Connect shares a URL, after a second of idling too. Prints "ours" and "kde", each with
 * microseconds. KDE-FROM is "-" without KDE Connect.
 */
#include <segue/segue.h>
#include <stdio.h>
#include <stdlib.h>

#include "signals.h"

#define CONTROL "org.segue.Control1"
/* Samples that are not counted. */
#define WARM_UP 3
/* Half of the time between two samples of one side, in milliseconds. */
#define HALF 500

static void save(segue_activity *activity, void *data) {
  (void)data;
  segue_activity_add_integer(activity, BENCH_COUNT_KEY, 1);
}

/* Dispatches until there is nothing to do. */
static void settle(segue_application *app, int milliseconds) {
  uint64_t end = now() + (uint64_t)milliseconds * 1000000U;
  while (now() < end) segue_application_wait(app, (int32_t)((end - now()) / 1000000U) + 1);
}

int main(int arguments, char **given) {
  if (arguments != 6) fail("announce", "usage: announce BUS COUNT KDE-FROM KDE-TO KDE-PATH");
  DBusConnection *bus = open_bus(given[1]);
  int count = atoi(given[2]);
  struct kde kde;
  int has_kde = open_kde(&kde, given[3], given[4], given[5]);
  segue_activity_delegate delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  segue_application *app;
  segue_activity *activity;
  delegate.will_save = save;
  if (segue_application_new(BENCH_APP, NULL, &app, NULL) < 0) fail("announce", "no application");
  segue_application_ready(app);
  if (segue_activity_new(app, BENCH_TYPE, &activity, NULL) < 0) fail("announce", "no activity");
  segue_activity_set_delegate(activity, &delegate, NULL, NULL);
  settle(app, 1000);
  follow(bus, CONTROL, "OffersChanged");
  for (int i = -WARM_UP; i < count; i++) {
    uint64_t start = now();
    segue_activity_become_current(activity);
    /* Messages that wait to be sent leave. */
    segue_application_dispatch(app);
    double ours = (double)(wait_for_signal(bus, CONTROL, "OffersChanged") - start) / 1e3;
    settle(app, 10);
    segue_activity_resign_current(activity);
    settle(app, HALF / 2);
    rest(HALF / 2);
    double theirs = has_kde ? (double)share(&kde, "shareUrl", 16) / 1e3 : 0;
    rest(HALF);
    /* The signal that came meanwhile: the activity is no longer on offer. */
    dbus_connection_read_write(bus, 0);
    DBusMessage *message;
    while ((message = dbus_connection_pop_message(bus)) != NULL) dbus_message_unref(message);
    if (i < 0) continue;
    printf("ours %.1f\n", ours);
    if (has_kde) printf("kde %.1f\n", theirs);
  }
  segue_activity_unref(activity);
  segue_application_unref(app);
  return 0;
}
