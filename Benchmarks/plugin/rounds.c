/*
 * plugin-rounds PREFIX: 1, 10, 100 and 1,000 objects of a plugin that are saved and restored together, and as many
 * responders of the application that do the same. A daemon must run. Prints microseconds: "update-N" and "restore-N"
 * of the objects, "own-update-N" and "own-restore-N" of the responders.
 */
#include <segue/segue.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common.h"
#include "record.h"

#define SAMPLES 100
#define MOST 1000
/* A dictionary has at most 256 entries, so that some objects share one. */
#define KEYS 250

static segue_application *app;
static segue_responder *objects[MOST];
static segue_responder *own[MOST];
static char keys[MOST][16];
static int64_t counts[MOST];
static segue_responder *first;
static uint64_t rounds;
static uint64_t restores;
static uint64_t began;
static uint64_t ended;
static int is_ready;

static void update(segue_responder *responder, segue_activity *activity, void *data) {
  int index = *(int *)data;
  (void)responder;
  segue_activity_add_integer(activity, keys[index], counts[index]);
}

static void restore(segue_responder *responder, segue_activity *activity, void *data) {
  int index = *(int *)data;
  (void)responder;
  if (segue_activity_get_integer(activity, keys[index], &counts[index]) == 0) restores++;
}

static void did_restore(segue_plugin_object *object, segue_activity *activity, void *data) {
  (void)object;
  (void)activity;
  (void)data;
  restores++;
}

static void begin(segue_responder *responder, segue_activity *activity, void *data) {
  (void)responder;
  (void)activity;
  (void)data;
  began = now();
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

static void make_all(const char *prefix) {
  static int numbers[MOST];
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_plugin_object_methods object_methods = SEGUE_PLUGIN_OBJECT_METHODS_INIT;
  segue_plugin *plugin;
  segue_error *error = NULL;
  char *path;
  methods.update_user_activity_state = begin;
  if (segue_responder_new(app, &methods, NULL, NULL, &first) < 0) fail("plugin", "no responder");
  methods.update_user_activity_state = update;
  methods.restore_user_activity_state = restore;
  object_methods.did_restore = did_restore;
  if (segue_plugin_copy_path(RECORD_PLUGIN, prefix, &path) < 0) fail("plugin", "it is not installed");
  if (segue_plugin_load(app, path, prefix, &plugin, &error) < 0) fail("plugin", segue_error_get_message(error));
  for (int i = 0; i < MOST; i++) {
    segue_plugin_object *object;
    char key_prefix[8];
    snprintf(key_prefix, sizeof key_prefix, "%d.", i % KEYS);
    snprintf(keys[i], sizeof keys[i], "%scount", key_prefix);
    numbers[i] = i;
    if (segue_responder_new(app, &methods, &numbers[i], NULL, &own[i]) < 0) fail("plugin", "no responder");
    if (segue_plugin_object_new(plugin, "number", key_prefix, &object_methods, NULL, NULL, &object, &error) < 0) {
      fail("plugin", segue_error_get_message(error));
    }
    objects[i] = segue_plugin_object_get_responder(object);
  }
}

/* One round over responders, of which the first notes the time; then all of them restore. */
static void measure(const char *name, segue_responder **responders, int count, int is_counted) {
  segue_activity *activity;
  if (segue_activity_new(app, BENCH_TYPE, &activity, NULL) < 0) fail("plugin", "no activity");
  segue_responder_set_user_activity(first, activity);
  for (int i = 0; i < count; i++) segue_responder_set_user_activity(responders[i], activity);
  uint64_t before = rounds;
  segue_activity_resign_current(activity);
  segue_activity_set_needs_save(activity, true);
  segue_activity_become_current(activity);
  while (rounds == before) {
    if (segue_application_wait(app, -1) < 0) fail("plugin", "no round came");
  }
  restores = 0;
  uint64_t start = now();
  for (int i = 0; i < count; i++) segue_responder_restore(responders[i], activity);
  uint64_t end = now();
  if (restores != (uint64_t)count) fail("plugin", "an object has not restored");
  if (is_counted) {
    printf("%supdate-%d %.3f\n", name, count, (double)(ended - began) / 1e3);
    printf("%srestore-%d %.3f\n", name, count, (double)(end - start) / 1e3);
  }
  segue_responder_set_user_activity(first, NULL);
  for (int i = 0; i < count; i++) segue_responder_set_user_activity(responders[i], NULL);
  segue_activity_unref(activity);
}

int main(int count, char **given) {
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  if (count != 2) return 2;
  delegate.did_update = did_update;
  delegate.state_changed = state_changed;
  if (segue_application_new(BENCH_APP, NULL, &app, NULL) < 0) fail("plugin", "no application");
  segue_application_set_delegate(app, &delegate, NULL, NULL);
  segue_application_ready(app);
  while (!is_ready) segue_application_wait(app, -1);
  make_all(given[1]);
  for (int responders = 1; responders <= MOST; responders *= 10) {
    for (int sample = -5; sample < SAMPLES; sample++) {
      measure("own-", own, responders, sample >= 0);
      measure("", objects, responders, sample >= 0);
    }
  }
  return 0;
}
