/* Unwise things that a callback may do: drop everything that it was called for, or call the library back. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"

/* The deed that the command has armed; the callback does it once. */
static char armed_callback[24];
static char armed_deed[24];

static void drop(bool (*is_meant)(const named *)) {
  for (named *at = probe.first; at != NULL;) {
    named *next = at->next;
    if (is_meant(at)) names_remove(at);
    at = next;
  }
}

static bool is_responder(const named *entry) {
  return entry->responder != NULL;
}

static bool is_activity(const named *entry) {
  return entry->activity != NULL;
}

static bool is_window(const named *entry) {
  return entry->window != NULL;
}

static void invalidate_all(void) {
  for (const named *at = probe.first; at != NULL; at = at->next) {
    if (at->activity != NULL) segue_activity_invalidate(at->activity);
  }
}

static segue_responder *first_responder(void) {
  for (const named *at = probe.first; at != NULL; at = at->next) {
    if (at->responder != NULL) return at->responder;
  }
  return NULL;
}

/* The first call that did not return what it should; NULL if all did. */
static const char *call_back(void) {
  segue_activity *activity = NULL;
  segue_responder *responder = first_responder();
  if (segue_application_dispatch(probe.application) != -EDEADLK) return "dispatch";
  if (segue_application_wait(probe.application, 0) != -EDEADLK) return "wait";
  if (segue_application_run(probe.application) != -EDEADLK) return "run";
  if (segue_application_ready(probe.application) != 0) return "ready";
  if (segue_activity_new(probe.application, "org.segue.test.mischief", &activity, NULL) != 0) return "new";
  const char *wrong = NULL;
  if (responder != NULL && segue_responder_set_user_activity(responder, activity) != 0) wrong = "set_user_activity";
  if (segue_activity_set_needs_save(activity, true) != 0) wrong = "set_needs_save";
  if (segue_activity_become_current(activity) != 0) wrong = "become_current";
  if (segue_activity_is_current(activity) != 1) wrong = "is_current";
  if (segue_activity_resign_current(activity) != 0) wrong = "resign_current";
  if (segue_activity_become_current(activity) != 0) wrong = "become_current again";
  if (responder != NULL && segue_responder_set_user_activity(responder, NULL) != 0) wrong = "set_user_activity none";
  if (segue_activity_invalidate(activity) != 0) wrong = "invalidate";
  segue_activity_unref(activity);
  return wrong;
}

void mischief_in(const char *callback) {
  if (strcmp(callback, armed_callback) != 0) return;
  armed_callback[0] = '\0';
  text_print("event mischief", callback, armed_deed, NULL);
  bool all = strcmp(armed_deed, "drop-all") == 0;
  if (all || strcmp(armed_deed, "drop-responders") == 0) drop(is_responder);
  if (all || strcmp(armed_deed, "drop-activities") == 0) drop(is_activity);
  if (all || strcmp(armed_deed, "drop-windows") == 0) drop(is_window);
  if (strcmp(armed_deed, "exit") == 0) _exit(0);
  if (strcmp(armed_deed, "invalidate") == 0) invalidate_all();
  if (strcmp(armed_deed, "call-back") == 0) {
    const char *wrong = call_back();
    text_print("event called-back", wrong == NULL ? "well" : wrong, NULL);
  }
  if (all || strcmp(armed_deed, "drop-application") == 0) {
    segue_application *application = probe.application;
    probe.application = NULL;
    segue_application_unref(application);
  }
}

static int arm(char **arguments) {
  snprintf(armed_callback, sizeof armed_callback, "%s", arguments[1]);
  snprintf(armed_deed, sizeof armed_deed, "%s", arguments[2]);
  return 0;
}

const command mischief_commands[] = {
    {"mischief", 2, arm},
    {NULL, 0, NULL},
};
