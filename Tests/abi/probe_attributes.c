/* The commands on an activity's attributes other than title, URL and userInfo, and on stored copies. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probe.h"

#define TEXTS 300

static segue_activity *target(char **arguments) {
  const named *found = names_activity(arguments[1]);
  return found == NULL ? NULL : found->activity;
}

/* Splits a word at its commas and decodes the parts; "-" has none. */
static size_t split(char *word, const char **texts) {
  size_t count = 0;
  char *rest = NULL;
  if (strcmp(word, "-") == 0) return 0;
  for (char *text = strtok_r(word, ",", &rest); text != NULL && count < TEXTS; text = strtok_r(NULL, ",", &rest)) {
    texts[count++] = text_decode(text);
  }
  return count;
}

static int keywords(char **arguments) {
  const char *texts[TEXTS];
  size_t count = split(arguments[2], texts);
  return segue_activity_set_keywords(target(arguments), texts, count);
}

static int required(char **arguments) {
  const char *texts[TEXTS];
  if (strcmp(arguments[2], "unset") == 0) return segue_activity_set_required_keys(target(arguments), NULL, 0);
  size_t count = split(arguments[2], texts);
  return segue_activity_set_required_keys(target(arguments), texts, count);
}

static int referrer(char **arguments) {
  return segue_activity_set_referrer_url(target(arguments), text_decode_nullable(arguments[2]));
}

static int content_identifier(char **arguments) {
  return segue_activity_set_target_content_identifier(target(arguments), text_decode_nullable(arguments[2]));
}

static int persistent(char **arguments) {
  return segue_activity_set_persistent_identifier(target(arguments), text_decode_nullable(arguments[2]));
}

static int search(char **arguments) {
  return segue_activity_set_eligible_for_search(target(arguments), atoi(arguments[2]) != 0);
}

static int snapshot(char **arguments) {
  return segue_activity_set_allows_snapshot(target(arguments), atoi(arguments[2]) != 0);
}

static int expire(char **arguments) {
  struct timespec now;
  if (strcmp(arguments[2], "never") == 0) return segue_activity_set_expiration_date(target(arguments), HUGE_VAL);
  clock_gettime(CLOCK_REALTIME, &now);
  double date = (double)now.tv_sec + (double)now.tv_nsec / 1e9 + strtod(arguments[2], NULL) / 1000;
  return segue_activity_set_expiration_date(target(arguments), date);
}

static int show(char **arguments) {
  segue_activity *activity = target(arguments);
  char *title = NULL;
  char *url = NULL;
  char *window = NULL;
  uint64_t revision = 0;
  int result = segue_activity_copy_title(activity, &title);
  if (result == 0) result = segue_activity_copy_webpage_url(activity, &url);
  if (result == 0) result = segue_activity_copy_target_content_identifier(activity, &window);
  if (result == 0) result = segue_activity_get_revision(activity, &revision);
  if (result == 0) {
    char number[32];
    snprintf(number, sizeof number, "%llu", (unsigned long long)revision);
    text_print("show", title == NULL ? "" : title, url == NULL ? "" : url, window == NULL ? "" : window, number, NULL);
  }
  segue_free(title);
  segue_free(url);
  segue_free(window);
  return result;
}

static int reasons(char **arguments) {
  probe.tells_reasons = atoi(arguments[1]) != 0;
  return 0;
}

/* The thread of `pairs`, while there is one. */
static struct {
  pthread_t thread;
  segue_activity *activity;
  bool runs;
  int64_t count; /* of whole pairs that were set */
} pairs;

static void *set_pairs(void *unused) {
  segue_value *pair = NULL;
  (void)unused;
  segue_value_new_dictionary(&pair);
  for (int64_t i = 0; __atomic_load_n(&pairs.runs, __ATOMIC_ACQUIRE); i++) {
    segue_value *number = NULL;
    segue_value_new_integer(i, &number);
    segue_value_set_for_name(pair, "left", number);
    segue_value_set_for_name(pair, "right", number);
    segue_activity_add_user_info_entries(pairs.activity, pair);
    __atomic_add_fetch(&pairs.count, 1, __ATOMIC_SEQ_CST);
    segue_value_unref(number);
  }
  segue_value_unref(pair);
  return NULL;
}

void probe_await_pair(void) {
  /* The thread may have set the next pair that it counts before this call. */
  int64_t last = __atomic_load_n(&pairs.count, __ATOMIC_SEQ_CST) + 2;
  while (pairs.runs && __atomic_load_n(&pairs.count, __ATOMIC_SEQ_CST) < last) sched_yield();
}

static int start_pairs(char **arguments) {
  segue_activity *activity = target(arguments);
  if (activity == NULL || pairs.runs) return -EINVAL;
  pairs.activity = segue_activity_ref(activity);
  pairs.runs = true;
  return -pthread_create(&pairs.thread, NULL, set_pairs, NULL);
}

static int stop_pairs(char **arguments) {
  (void)arguments;
  if (!pairs.runs) return -EINVAL;
  __atomic_store_n(&pairs.runs, false, __ATOMIC_RELEASE);
  pthread_join(pairs.thread, NULL);
  pairs.activity = segue_activity_unref(pairs.activity);
  return 0;
}

static void deleted(segue_application *application, const segue_error *error, void *userdata) {
  char code[16];
  snprintf(code, sizeof code, "%d", (int)segue_error_get_code(error));
  text_print("event deleted", (const char *)userdata, code, application == NULL ? "closing" : NULL, NULL);
}

static int delete_saved(char **arguments) {
  const char *texts[TEXTS];
  size_t count = split(arguments[2], texts);
  return segue_application_delete_saved(probe.application, texts, count, deleted, strdup(arguments[1]), free);
}

static int delete_all(char **arguments) {
  return segue_application_delete_all_saved(probe.application, deleted, strdup(arguments[1]), free);
}

const command attribute_commands[] = {
    {"keywords", 2, keywords},         {"required", 2, required},       {"referrer", 2, referrer},
    {"target", 2, content_identifier}, {"persistent", 2, persistent},   {"search", 2, search},
    {"snapshot", 2, snapshot},         {"expire", 2, expire},           {"show", 1, show},
    {"reasons", 1, reasons},           {"start-pairs", 1, start_pairs}, {"stop-pairs", 0, stop_pairs},
    {"delete-saved", 2, delete_saved}, {"delete-all", 1, delete_all},   {NULL, 0, NULL},
};
