/* The commands on activities. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

/* The activity that a command names first; NULL is refused by the library like any other. */
static segue_activity *target(char **arguments) {
  const named *found = names_activity(arguments[1]);
  return found == NULL ? NULL : found->activity;
}

static int make(char **arguments) {
  segue_activity *activity = NULL;
  if (names_activity(arguments[1]) != NULL) return -EEXIST;
  int result = segue_activity_new(probe.application, text_decode(arguments[2]), &activity, NULL);
  if (result < 0) return result;
  named *made = names_new(arguments[1]);
  made->activity = activity;
  names_add(made);
  return result;
}

static int title(char **arguments) {
  return segue_activity_set_title(target(arguments), text_decode_nullable(arguments[2]));
}

static int url(char **arguments) {
  return segue_activity_set_webpage_url(target(arguments), text_decode_nullable(arguments[2]));
}

static int put(char **arguments) {
  segue_activity *activity = target(arguments);
  const char *key = text_decode(arguments[2]);
  const char *kind = arguments[3];
  char *value = arguments[4];
  if (strcmp(kind, "int") == 0) return segue_activity_add_integer(activity, key, strtoll(value, NULL, 10));
  if (strcmp(kind, "double") == 0) return segue_activity_add_double(activity, key, strtod(value, NULL));
  if (strcmp(kind, "bool") == 0) return segue_activity_add_bool(activity, key, atoi(value) != 0);
  if (strcmp(kind, "url") == 0) return segue_activity_add_url(activity, key, value);
  if (strcmp(kind, "string") != 0) return -EINVAL;
  const char *text = text_decode_nullable(value);
  return segue_activity_add_string(activity, key, text == NULL ? "" : text);
}

static int set_info(char **arguments) {
  segue_value *value = NULL;
  int result = text_value(arguments[2], &value);
  if (result < 0) return result;
  result = segue_activity_set_user_info(target(arguments), value);
  segue_value_unref(value);
  return result;
}

static int add_info(char **arguments) {
  segue_value *value = NULL;
  int result = text_value(arguments[2], &value);
  if (result < 0) return result;
  result = segue_activity_add_user_info_entries(target(arguments), value);
  segue_value_unref(value);
  return result;
}

static int dump(char **arguments) {
  const segue_activity *activity = target(arguments);
  if (activity == NULL) return -EINVAL;
  char *info = text_of_user_info(activity);
  text_print("info", arguments[1], info, NULL);
  free(info);
  return 0;
}

static int become_current(char **arguments) {
  return segue_activity_become_current(target(arguments));
}

static int resign(char **arguments) {
  return segue_activity_resign_current(target(arguments));
}

static int invalidate(char **arguments) {
  return segue_activity_invalidate(target(arguments));
}

static int needs_save(char **arguments) {
  return segue_activity_set_needs_save(target(arguments), atoi(arguments[2]) != 0);
}

static int flood(char **arguments) {
  segue_activity *activity = target(arguments);
  int result = 0;
  for (long count = strtol(arguments[2], NULL, 10); count > 0 && result >= 0; count--) {
    result = segue_activity_set_needs_save(activity, true);
  }
  return result;
}

static int eligible(char **arguments) {
  return segue_activity_set_eligible_for_handoff(target(arguments), atoi(arguments[2]) != 0);
}

static int set_delegate(char **arguments) {
  return segue_activity_set_delegate(target(arguments), probe_activity_delegate(), NULL, NULL);
}

static int drop(char **arguments) {
  named *dropped = names_activity(arguments[1]);
  if (dropped == NULL) return -EINVAL;
  names_remove(dropped);
  return 0;
}

const command activity_commands[] = {
    {"activity", 2, make},
    {"title", 2, title},
    {"url", 2, url},
    {"put", 4, put},
    {"info", 2, set_info},
    {"add", 2, add_info},
    {"dump", 1, dump},
    {"current", 1, become_current},
    {"resign", 1, resign},
    {"invalidate", 1, invalidate},
    {"needs-save", 2, needs_save},
    {"flood", 2, flood},
    {"eligible", 2, eligible},
    {"delegate", 1, set_delegate},
    {"drop", 1, drop},
    {NULL, 0, NULL},
};
