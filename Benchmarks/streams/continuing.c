/*
 * stream-continuing SAMPLES RUNS BYTES: says "ready", continues the activity of stream-origin, and measures on one
 * stream after the other: "opened" (microseconds from asking for a stream to its first byte) so many times, then as
 * bytes.h has it.
 */
#include <segue/segue.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../common.h"
#include "bytes.h"

static segue_application *app;
static int samples, runs, opened;
static uint64_t bytes, asked;

static segue_activity *continued;
static int pair[2] = {-1, -1}; /* that came last */

static void got_streams(segue_activity *activity, int input, int output, const segue_error *error, void *data) {
  (void)activity, (void)data;
  if (error != NULL) fail("stream-continuing", segue_error_get_message(error));
  pair[0] = input;
  pair[1] = output;
}

/* Outside of the callback, which is not to wait. Gives false when all is measured. */
static bool use(void) {
  bool is_last = opened > samples;
  char byte;
  ask(pair[0], pair[1], 1);
  /* The first is not counted, nor the last, on which all else is measured. */
  if (opened > 0 && !is_last) printf("opened %.1f\n", (double)(now() - asked) / 1e3);
  if (is_last) measure(pair[0], pair[1], samples, runs, bytes);
  close(pair[1]);
  /* Until the other end has closed too the stream counts as open. */
  while (read(pair[0], &byte, 1) > 0) continue;
  close(pair[0]);
  pair[0] = -1;
  opened++;
  return !is_last;
}

static void open_stream(void) {
  asked = now();
  if (segue_activity_get_continuation_streams(continued, got_streams, NULL, NULL) < 0)
    fail("stream-continuing", "no streams");
}

static void state_changed(segue_application *of, segue_application_state state, const segue_error *error, void *data) {
  (void)of, (void)error, (void)data;
  if (state == SEGUE_APPLICATION_REGISTERED) puts("ready");
  fflush(stdout);
}

static bool take(segue_application *to, segue_activity *activity, segue_restoration *restoration, void *data) {
  (void)to, (void)restoration, (void)data;
  continued = segue_activity_ref(activity);
  open_stream();
  return true;
}

int main(int count, char **given) {
  if (count != 4) fail("stream-continuing", "usage: stream-continuing SAMPLES RUNS BYTES");
  samples = atoi(given[1]);
  runs = atoi(given[2]);
  bytes = strtoull(given[3], NULL, 10);
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  if (segue_application_new(BENCH_APP, NULL, &app, NULL) < 0) fail("stream-continuing", "no application");
  delegate.continue_activity = take;
  delegate.state_changed = state_changed;
  segue_application_set_delegate(app, &delegate, NULL, NULL);
  segue_application_ready(app);
  for (bool goes_on = true; goes_on;) {
    if (segue_application_wait(app, -1) < 0) return 1;
    if (pair[0] < 0) continue;
    goes_on = use();
    if (goes_on) open_stream();
  }
  return 0;
}
