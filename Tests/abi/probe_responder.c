/* The commands on responders. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
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

#define HAMMERS 4

/* Threads that set and read one responder's activity, all at once. */
static struct {
  pthread_t threads[HAMMERS];
  segue_responder *responder;
  segue_activity *activities[2];
  long times;
  int running;
} hammer;

/* NULL if every call did what it should. */
static void *strike(void *first) {
  const long offset = first != NULL;
  for (long i = 0; i < hammer.times; i++) {
    segue_activity *got = NULL;
    segue_activity *set = (i + offset) % 3 == 2 ? NULL : hammer.activities[(i + offset) % 3];
    if (segue_responder_set_user_activity(hammer.responder, set) != 0) return "set_user_activity";
    if (segue_responder_copy_user_activity(hammer.responder, &got) != 0) return "copy_user_activity";
    if (got != NULL && got != hammer.activities[0] && got != hammer.activities[1]) return "another activity";
    segue_activity_unref(got);
  }
  return NULL;
}

/* Starts the threads, which go on while the main thread dispatches, until hammer-join. */
static int start_hammer(char **arguments) {
  const named *responder = names_responder(arguments[1]);
  const named *one = names_activity(arguments[2]);
  const named *other = names_activity(arguments[3]);
  if (responder == NULL || one == NULL || other == NULL || hammer.running > 0) return -EINVAL;
  hammer.responder = segue_responder_ref(responder->responder);
  hammer.activities[0] = segue_activity_ref(one->activity);
  hammer.activities[1] = segue_activity_ref(other->activity);
  hammer.times = strtol(arguments[4], NULL, 10);
  for (; hammer.running < HAMMERS; hammer.running++) {
    void *first = hammer.running % 2 == 0 ? NULL : &hammer;
    if (pthread_create(&hammer.threads[hammer.running], NULL, strike, first) != 0) return -EAGAIN;
  }
  return 0;
}

static int join_hammer(char **arguments) {
  (void)arguments;
  const char *wrong = NULL;
  for (; hammer.running > 0; hammer.running--) {
    void *result = NULL;
    pthread_join(hammer.threads[hammer.running - 1], &result);
    if (result != NULL) wrong = result;
  }
  segue_responder_unref(hammer.responder);
  segue_activity_unref(hammer.activities[0]);
  segue_activity_unref(hammer.activities[1]);
  text_print("hammer", wrong == NULL ? "well" : wrong, NULL);
  return 0;
}

const command responder_commands[] = {
    {"responder", 1, make},  {"attach", 2, attach},       {"drop-responder", 1, drop},
    {"state", 4, set_state}, {"hammer", 4, start_hammer}, {"hammer-join", 0, join_hammer},
    {NULL, 0, NULL},
};
