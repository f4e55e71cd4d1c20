/* The commands on responders. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

static int make(char **arguments) {
  if (names_responder(arguments[1]) != NULL) return -EEXIST;
  named *made = names_new(arguments[1]);
  segue_responder *responder = NULL;
  int result = segue_value_new_dictionary(&made->state);
  if (result < 0) {
    names_free(made);
    return result;
  }
  result = segue_responder_new(probe.application, probe_methods(), made, names_free, &responder);
  /* On failure the library has freed what was made. */
  if (result < 0) return result;
  made->responder = responder;
  names_add(made);
  return result;
}

static int attach(char **arguments) {
  const named *responder = names_responder(arguments[1]);
  const named *activity = names_activity(arguments[2]);
  if (responder == NULL || (activity == NULL && strcmp(arguments[2], "-") != 0)) return -EINVAL;
  return segue_responder_set_user_activity(responder->responder, activity == NULL ? NULL : activity->activity);
}

static int drop(char **arguments) {
  named *dropped = names_responder(arguments[1]);
  if (dropped == NULL) return -EINVAL;
  names_remove(dropped);
  return 0;
}

static int set_state(char **arguments) {
  const named *responder = names_responder(arguments[1]);
  if (responder == NULL) return -EINVAL;
  segue_value *value = NULL;
  int result = -EINVAL;
  if (strcmp(arguments[3], "int") == 0) {
    result = segue_value_new_integer(strtoll(arguments[4], NULL, 10), &value);
  } else if (strcmp(arguments[3], "string") == 0) {
    const char *text = text_decode_nullable(arguments[4]);
    result = segue_value_new_string(text == NULL ? "" : text, &value);
  }
  if (result == 0) result = segue_value_set_for_name(responder->state, text_decode(arguments[2]), value);
  segue_value_unref(value);
  return result;
}

const command responder_commands[] = {
    {"responder", 1, make},  {"attach", 2, attach}, {"drop-responder", 1, drop},
    {"state", 4, set_state}, {NULL, 0, NULL},
};
