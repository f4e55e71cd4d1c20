/*
 * callbacks: what a callback costs in C, next to python/callbacks.py. Prints "callback" with the nanoseconds of one
 * round of many: a responder is called to restore, and reads an entry of userInfo. No bus is needed.
 */
#include <segue/segue.h>
#include <stdio.h>

#include "common.h"

#define SAMPLES 50
#define ROUNDS 10000

static int64_t sum;

static void restore(segue_responder *responder, segue_activity *activity, void *data) {
  int64_t line = 0;
  (void)responder, (void)data;
  segue_activity_get_integer(activity, "line", &line);
  sum += line;
}

int main(void) {
  segue_application_options options = SEGUE_APPLICATION_OPTIONS_INIT;
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_application *app;
  segue_activity *activity;
  segue_responder *responder;
  options.bus_address = "unix:path=/nonexistent";
  methods.restore_user_activity_state = restore;
  if (segue_application_new(BENCH_APP, &options, &app, NULL) < 0) fail("callbacks", "no application");
  if (segue_activity_new(app, BENCH_TYPE, &activity, NULL) < 0) fail("callbacks", "no activity");
  if (segue_responder_new(app, &methods, NULL, NULL, &responder) < 0) fail("callbacks", "no responder");
  segue_activity_add_integer(activity, "line", 1);
  for (int i = 0; i < SAMPLES; i++) {
    uint64_t start = now();
    for (int j = 0; j < ROUNDS; j++) segue_responder_restore(responder, activity);
    printf("callback %.1f\n", (double)(now() - start) / ROUNDS);
  }
  if (sum != (int64_t)SAMPLES * ROUNDS) fail("callbacks", "a round was lost");
  segue_responder_unref(responder);
  segue_activity_unref(activity);
  segue_application_unref(app);
  return 0;
}
