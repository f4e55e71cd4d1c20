/* The commands on the states that an earlier run of the application has stored. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

static segue_activity *target(char **arguments) {
  const named *found = names_activity(arguments[1]);
  return found == NULL ? NULL : found->activity;
}

static int restoration(char **arguments) {
  return segue_activity_set_eligible_for_restoration(target(arguments), atoi(arguments[2]) != 0);
}

static const char *flag(bool is_set, const char *name) {
  return is_set ? name : "";
}

/* Names an activity that has come, and prints what it is like. */
static void keep(segue_activity *activity, const char *prefix, size_t index) {
  char name[64];
  char version[24] = "none";
  uint64_t number = 0;
  uint64_t age = 0;
  char *title = NULL;
  char *window = NULL;
  char *info = text_of_user_info(activity);
  snprintf(name, sizeof name, "%s%zu", prefix, index);
  named *added = names_new(name);
  added->activity = segue_activity_ref(activity);
  names_add(added);
  if (segue_activity_get_restored_age(activity, &age) == 0 &&
      segue_activity_get_restored_version(activity, &number) == 0) {
    snprintf(version, sizeof version, "%llu", (unsigned long long)number);
  }
  segue_activity_copy_title(activity, &title);
  segue_activity_copy_target_content_identifier(activity, &window);
  double date = 0;
  segue_activity_get_expiration_date(activity, &date);
  char flags[96];
  snprintf(
      flags, sizeof flags, "%s%s%s%s%s%s%s", flag(segue_activity_is_eligible_for_handoff(activity), "handoff,"),
      flag(segue_activity_is_eligible_for_search(activity), "search,"),
      flag(segue_activity_allows_snapshot(activity), "snapshot,"),
      flag(segue_activity_is_eligible_for_restoration(activity), "restoration,"),
      flag(segue_activity_needs_save(activity), "unsaved,"), flag(segue_activity_is_current(activity), "current,"),
      flag(date < 1e15, "expires,"));
  text_print(
      "event last", name, segue_activity_get_type(activity), title == NULL ? "" : title, window == NULL ? "" : window,
      info, version, flags, NULL);
  free(info);
  segue_free(title);
  segue_free(window);
}

static void states(
    segue_application *application, segue_activity *const *activities, size_t count, const segue_error *error,
    void *userdata) {
  char number[24];
  char code[16];
  snprintf(number, sizeof number, "%zu", count);
  snprintf(code, sizeof code, "%d", (int)segue_error_get_code(error));
  text_print("event states", (const char *)userdata, number, code, application == NULL ? "closing" : NULL, NULL);
  for (size_t i = 0; i < count; i++) keep(activities[i], userdata, i);
}

/* states PREFIX TYPE TARGET MAXIMUM, "-" for any: the activities that come are called PREFIX0, PREFIX1, … */
static int ask(char **arguments) {
  return segue_application_get_last_states(
      probe.application, text_decode_nullable(arguments[2]), text_decode_nullable(arguments[3]),
      (size_t)strtoul(arguments[4], NULL, 10), states, strdup(arguments[1]), free);
}

const command state_commands[] = {{"restoration", 2, restoration}, {"states", 4, ask}, {NULL, 0, NULL}};
