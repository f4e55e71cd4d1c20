/*
 * stream-origin [FIFO]: an activity with continuation streams, each of which is answered on a thread of its own. When
 * it has been continued it writes a time stamp to the FIFO.
 */
#include <pthread.h>
#include <segue/segue.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common.h"
#include "bytes.h"

static int fifo = -1;

static void *answer(void *given) {
  int *pair = given;
  serve(pair[0], pair[1]);
  free(pair);
  return NULL;
}

static void did_receive_streams(segue_activity *activity, int input, int output, void *data) {
  pthread_t thread;
  int *pair = malloc(2 * sizeof *pair);
  (void)activity, (void)data;
  pair[0] = input;
  pair[1] = output;
  if (pthread_create(&thread, NULL, answer, pair) != 0) fail("stream-origin", "no thread");
  pthread_detach(thread);
}

/* Another state each time, so that it is on offer again. */
static void save(segue_activity *activity, void *data) {
  static int64_t count;
  (void)data;
  segue_activity_add_integer(activity, BENCH_COUNT_KEY, count++);
}

static void was_continued(segue_activity *activity, void *data) {
  uint64_t stamp = now();
  (void)data;
  segue_activity_set_needs_save(activity, true);
  if (fifo >= 0 && write(fifo, &stamp, sizeof stamp) != sizeof stamp) abort();
}

int main(int count, char **given) {
  if (count > 1) fifo = open_fifo(given[1]);
  segue_activity_delegate delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  segue_application *app;
  segue_activity *activity;
  delegate.will_save = save;
  delegate.was_continued = was_continued;
  delegate.did_receive_streams = did_receive_streams;
  if (segue_application_new(BENCH_APP, NULL, &app, NULL) < 0) fail("stream-origin", "no application");
  segue_application_ready(app);
  if (segue_activity_new(app, BENCH_TYPE, &activity, NULL) < 0) fail("stream-origin", "no activity");
  segue_activity_set_delegate(activity, &delegate, NULL, NULL);
  segue_activity_set_supports_continuation_streams(activity, true);
  segue_activity_set_title(activity, "A measured activity");
  segue_activity_set_needs_save(activity, true);
  segue_activity_become_current(activity);
  return segue_application_run(app) < 0;
}
