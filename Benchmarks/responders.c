/*
 * responders: update rounds over 1, 10, 100 and 1,000 responders, and a million needs_save sets. A daemon must run.
 * Prints, in microseconds: "round-N" from the first update callback to did_update, "bare-N" the same callbacks called
 * in a loop; "sets" a million sets of needs_save, "calls" a million calls of a function that does nothing; and
 * "saves", the rounds that followed from the million.
 */
#include <segue/segue.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

#define SAMPLES 200
#define SET_SAMPLES 10
#define MILLION 1000000
#define MOST 1000

static segue_application *app;
static segue_responder *responders[MOST];
static uint64_t updates;
static uint64_t rounds;
static uint64_t began;
static uint64_t ended;
static int is_ready;

static void update(segue_responder *responder, segue_activity *activity, void *data) {
  (void)responder;
  (void)activity;
  (void)data;
  if (updates++ == 0) began = now();
}

static void did_update(segue_application *application, segue_activity *activity, void *data) {
  (void)application;
  (void)activity;
  (void)data;
  ended = now();
  rounds++;
}

static void state_changed(
    segue_application *application, segue_application_state state, const segue_error *error, void *data) {
  (void)application;
  (void)error;
  (void)data;
  is_ready = state == SEGUE_APPLICATION_REGISTERED;
}

/* One round: what is on offer for the first time is saved once before, so that each takes an activity of its own. */
static segue_activity *new_activity(int count) {
  segue_activity *activity;
  if (segue_activity_new(app, BENCH_TYPE, &activity, NULL) < 0) fail("responders", "no activity");
  for (int i = 0; i < count; i++) segue_responder_set_user_activity(responders[i], activity);
  segue_activity_set_needs_save(activity, true);
  return activity;
}

static void run_round(segue_activity *activity) {
  uint64_t before = rounds;
  segue_activity_become_current(activity);
  updates = 0;
  while (rounds == before) {
    if (segue_application_wait(app, -1) < 0) fail("responders", "no round came");
  }
}

static void measure_rounds(int count) {
  void (*volatile call)(segue_responder *, segue_activity *, void *) = update;
  for (int i = -10; i < SAMPLES; i++) {
    segue_activity *activity = new_activity(count);
    run_round(activity);
    if (updates != (uint64_t)count) fail("responders", "a responder was not asked");
    double ours = (double)(ended - began) / 1e3;
    updates = 0;
    for (int j = 0; j < count; j++) call(responders[j], activity, NULL);
    did_update(app, activity, NULL);
    segue_activity_invalidate(activity);
    segue_activity_unref(activity);
    if (i < 0) continue;
    printf("round-%d %.3f\nbare-%d %.3f\n", count, ours, count, (double)(ended - began) / 1e3);
  }
  for (int i = 0; i < count; i++) segue_responder_set_user_activity(responders[i], NULL);
}

static void measure_sets(void) {
  segue_activity *activity = new_activity(1);
  for (int i = 0; i < SET_SAMPLES; i++) {
    uint64_t start = now();
    for (int j = 0; j < MILLION; j++) segue_activity_set_needs_save(activity, true);
    uint64_t set = now();
    for (int j = 0; j < MILLION; j++) (void)segue_version_number();
    uint64_t called = now();
    printf("sets %.1f\ncalls %.1f\n", (double)(set - start) / 1e3, (double)(called - set) / 1e3);
  }
  uint64_t before = rounds;
  run_round(activity);
  /* A save that is still pending would come now. */
  while (segue_application_dispatch(app) > 0) continue;
  printf("saves %llu\n", (unsigned long long)(rounds - before));
  segue_activity_unref(activity);
}

int main(void) {
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  delegate.did_update = did_update;
  delegate.state_changed = state_changed;
  methods.update_user_activity_state = update;
  if (segue_application_new(BENCH_APP, NULL, &app, NULL) < 0) fail("responders", "no application");
  segue_application_set_delegate(app, &delegate, NULL, NULL);
  segue_application_ready(app);
  while (!is_ready) segue_application_wait(app, -1);
  for (int i = 0; i < MOST; i++) {
    if (segue_responder_new(app, &methods, NULL, NULL, &responders[i]) < 0) fail("responders", "no responder");
  }
  for (int count = 1; count <= MOST; count *= 10) measure_rounds(count);
  measure_sets();
  for (int i = 0; i < MOST; i++) segue_responder_unref(responders[i]);
  segue_application_unref(app);
  return 0;
}
