/*
 * origin FIFO: the application that the activity comes from. Every save brings 1 KiB up to date; after every
 * continuation the state counts as changed again, so that each one takes the whole way. Then it writes a time stamp to
 * the FIFO: this side is done too, and the next sample finds it idle.
 */
#include <segue/segue.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

static int fifo;
static int64_t count;

static void save(segue_activity *activity, void *data) {
  char text[BENCH_TEXT_LENGTH + 1];
  (void)data;
  memset(text, 'a' + (int)(count % 26), BENCH_TEXT_LENGTH);
  text[BENCH_TEXT_LENGTH] = '\0';
  for (int i = 0; i < BENCH_TEXTS; i++) {
    char key[] = BENCH_TEXT_KEY "0";
    key[sizeof key - 2] = (char)('0' + i);
    segue_activity_add_string(activity, key, text);
  }
  segue_activity_add_integer(activity, BENCH_COUNT_KEY, count++);
}

static void was_continued(segue_activity *activity, void *data) {
  uint64_t stamp = now();
  (void)data;
  segue_activity_set_needs_save(activity, true);
  if (write(fifo, &stamp, sizeof stamp) != sizeof stamp) abort();
}

int main(int arguments, char **given) {
  if (arguments < 2) fail("origin", "usage: origin FIFO");
  fifo = open_fifo(given[1]);
  segue_activity_delegate delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  segue_application *app;
  segue_activity *activity;
  delegate.will_save = save;
  delegate.was_continued = was_continued;
  if (segue_application_new(BENCH_APP, NULL, &app, NULL) < 0) fail("origin", "no application");
  segue_application_ready(app);
  if (segue_activity_new(app, BENCH_TYPE, &activity, NULL) < 0) fail("origin", "no activity");
  segue_activity_set_delegate(activity, &delegate, NULL, NULL);
  segue_activity_set_title(activity, "A measured activity");
  segue_activity_set_needs_save(activity, true);
  segue_activity_become_current(activity);
  return segue_application_run(app) < 0;
}
