/*
 * continuing FIFO [--once]: the application that continues. In its responder's restore callback, when the state is
 * read, it writes a time stamp to the FIFO. With --once it ends then, so that the next continuation launches it again.
 */
#include <segue/segue.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

static int fifo;
static int is_once;
static int64_t last = -1;

static void restore(segue_responder *responder, segue_activity *activity, void *data) {
  int64_t count = -1;
  segue_application *app = data;
  (void)responder;
  for (int i = 0; i < BENCH_TEXTS; i++) {
    char key[] = BENCH_TEXT_KEY "0";
    char *text = NULL;
    key[sizeof key - 2] = (char)('0' + i);
    if (segue_activity_copy_string(activity, key, &text) < 0) fail("continuing", "no text");
    if (strlen(text) != BENCH_TEXT_LENGTH) fail("continuing", "not the text that was saved");
    segue_free(text);
  }
  segue_activity_get_integer(activity, BENCH_COUNT_KEY, &count);
  uint64_t stamp = now();
  if (count <= last) fail("continuing", "not the state that was saved last");
  last = count;
  if (write(fifo, &stamp, sizeof stamp) != sizeof stamp) abort();
  if (is_once) segue_application_quit(app);
}

static bool take(segue_application *app, segue_activity *activity, segue_restoration *restoration, void *data) {
  segue_responder *const responder = data;
  (void)app, (void)activity;
  return segue_restoration_restore(restoration, &responder, 1) == 0;
}

int main(int count, char **given) {
  if (count < 2) fail("continuing", "usage: continuing FIFO [--once]");
  fifo = open_fifo(given[1]);
  is_once = count > 2 && strcmp(given[2], "--once") == 0;
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  segue_application *app;
  segue_responder *responder;
  methods.restore_user_activity_state = restore;
  delegate.continue_activity = take;
  if (segue_application_new(BENCH_APP, NULL, &app, NULL) < 0) fail("continuing", "no application");
  if (segue_responder_new(app, &methods, app, NULL, &responder) < 0) fail("continuing", "no responder");
  segue_application_set_delegate(app, &delegate, responder, NULL);
  segue_application_ready(app);
  int result = segue_application_run(app);
  segue_responder_unref(responder);
  segue_application_unref(app);
  return result < 0;
}
