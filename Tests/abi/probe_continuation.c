/* The commands on the source of a continuation and of an activity. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe.h"

static void write_id(const uint8_t *id, char *text) {
  for (int i = 0; i < 16; i++) snprintf(text + 2 * i, 3, "%02x", id[i]);
}

void probe_note_source(const segue_continuation *continuation, probe_source *noted) {
  uint8_t id[16];
  uint64_t age;
  if (segue_continuation_get_id(continuation, id) < 0) return;
  write_id(id, noted->id);
  strcpy(noted->state, segue_continuation_is_stored(continuation) ? "stored" : "live");
  int result = segue_continuation_get_age(continuation, &age);
  if (result == 0) {
    snprintf(noted->age, sizeof noted->age, "%" PRIu64, age);
  } else {
    strcpy(noted->age, result == -ENODATA ? "unknown" : "refused");
  }
}

void probe_note_restoration(const segue_restoration *restoration) {
  segue_continuation *continuation = NULL;
  if (segue_restoration_copy_continuation(restoration, &continuation) < 0) return;
  probe_note_source(continuation, &probe.came);
  segue_continuation_unref(continuation);
}

static int source(char **arguments) {
  (void)arguments;
  text_print(
      "source", probe.coming.id, probe.coming.state, probe.coming.age, probe.came.id, probe.came.state, probe.came.age,
      NULL);
  return 0;
}

static int from(char **arguments) {
  named *found = names_activity(arguments[1]);
  uint8_t id[16];
  uint64_t revision;
  char text[33];
  char number[32];
  if (found == NULL) return -EINVAL;
  int result = segue_activity_get_continued_from(found->activity, id, &revision);
  if (result < 0) return result;
  write_id(id, text);
  snprintf(number, sizeof number, "%" PRIu64, revision);
  text_print("from", text, number, NULL);
  return 0;
}

const command continuation_commands[] = {{"source", 0, source}, {"from", 1, from}, {NULL, 0, NULL}};
