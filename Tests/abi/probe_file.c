/* The commands on files that userInfo names. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

static void progressed(segue_activity *activity, uint64_t done, uint64_t size, void *userdata) {
  (void)activity;
  char numbers[2][24];
  snprintf(numbers[0], sizeof numbers[0], "%" PRIu64, done);
  snprintf(numbers[1], sizeof numbers[1], "%" PRIu64, size);
  text_print("event progress", (const char *)userdata, numbers[0], numbers[1], NULL);
  mischief_in("progress");
}

static void ended(
    segue_activity *activity, const char *path, uint64_t size, const uint8_t *sha256, const segue_error *error,
    void *userdata) {
  (void)activity;
  char number[24];
  char digest[65] = "-";
  if (error != NULL) {
    snprintf(number, sizeof number, "%d", (int)segue_error_get_code(error));
    text_print(
        "event no-file", (const char *)userdata, number, segue_error_get_message(error),
        path == NULL && size == 0 && sha256 == NULL ? NULL : "path", NULL);
  } else {
    snprintf(number, sizeof number, "%" PRIu64, size);
    for (int i = 0; sha256 != NULL && i < 32; i++) snprintf(digest + 2 * i, 3, "%02x", sha256[i]);
    text_print("event file", (const char *)userdata, path, number, digest, NULL);
  }
  mischief_in("file");
}

static segue_activity *activity_of(const char *name) {
  const named *found = names_activity(name);
  return found == NULL ? NULL : found->activity;
}

static int bring(char **arguments) {
  return segue_activity_bring_file(
      activity_of(arguments[2]), text_decode(arguments[3]), progressed, ended, strdup(arguments[1]), free);
}

static int cancel(char **arguments) {
  return segue_activity_cancel_file(activity_of(arguments[1]), text_decode(arguments[2]));
}

static int allow(char **arguments) {
  segue_activity *activity = activity_of(arguments[1]);
  bool allowed = atoi(arguments[2]) != 0;
  int result = segue_activity_set_allows_files(activity, allowed);
  return result == 0 && segue_activity_allows_files(activity) != allowed ? -5 : result;
}

const command file_commands[] = {
    {"allow-files", 2, allow},
    {"bring-file", 3, bring},
    {"cancel-file", 2, cancel},
    {NULL, 0, NULL},
};
