/* The commands on windows, the chain of responders, and the focus. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

/* Whether a pattern, "*" or a text, is for this target. */
static bool matches(const char *pattern, const char *target) {
  return pattern != NULL && (strcmp(pattern, "*") == 0 || strcmp(pattern, target) == 0);
}

static bool prefers(segue_window *window, const char *target, void *userdata) {
  (void)window;
  const named *asked = userdata;
  text_print("event prefers", asked->name, target, NULL);
  mischief_in("prefers");
  return matches(asked->prefers, target);
}

static bool can_show(segue_window *window, const char *target, void *userdata) {
  (void)window;
  const named *asked = userdata;
  text_print("event can", asked->name, target, NULL);
  mischief_in("can");
  return matches(asked->can, target);
}

static bool continue_activity(
    segue_window *window, segue_activity *activity, segue_restoration *restoration, void *userdata) {
  (void)window;
  const named *chosen = userdata;
  text_print("event window-continue", chosen->name, NULL);
  mischief_in("window-continue");
  return probe_continue(activity, restoration);
}

int window_make(const char *name, bool continues) {
  segue_window_methods methods = SEGUE_WINDOW_METHODS_INIT;
  if (names_window(name) != NULL) return -EEXIST;
  named *made = names_new(name);
  made->can = strdup("*");
  methods.prefers_content = prefers;
  methods.can_show_content = can_show;
  if (continues) methods.continue_activity = continue_activity;
  segue_window *window = NULL;
  int result = segue_window_new(probe.application, &methods, made, names_free, &window);
  /* On failure the library has freed what was made. */
  if (result < 0) return result;
  made->window = window;
  names_add(made);
  return result;
}

static int make(char **arguments) {
  return window_make(arguments[1], strcmp(arguments[2], "continues") == 0);
}

static int set_pattern(char **pattern, char *word) {
  const char *text = text_decode_nullable(word);
  free(*pattern);
  *pattern = text == NULL ? NULL : strdup(text);
  return 0;
}

static int set_prefers(char **arguments) {
  named *window = names_window(arguments[1]);
  return window == NULL ? -EINVAL : set_pattern(&window->prefers, arguments[2]);
}

static int set_can(char **arguments) {
  named *window = names_window(arguments[1]);
  return window == NULL ? -EINVAL : set_pattern(&window->can, arguments[2]);
}

static int set_main(char **arguments) {
  const named *window = names_window(arguments[1]);
  if (window == NULL && strcmp(arguments[1], "-") != 0) return -EINVAL;
  return segue_application_set_main_window(probe.application, window == NULL ? NULL : window->window);
}

static int set_focus(char **arguments) {
  const named *window = names_window(arguments[1]);
  const named *responder = names_responder(arguments[2]);
  if (window == NULL || (responder == NULL && strcmp(arguments[2], "-") != 0)) return -EINVAL;
  return segue_window_set_focused_responder(window->window, responder == NULL ? NULL : responder->responder);
}

static int set_next(char **arguments) {
  const named *responder = names_responder(arguments[1]);
  const named *next = names_responder(arguments[2]);
  if (responder == NULL || (next == NULL && strcmp(arguments[2], "-") != 0)) return -EINVAL;
  return segue_responder_set_next_responder(responder->responder, next == NULL ? NULL : next->responder);
}

static int drop(char **arguments) {
  named *dropped = names_window(arguments[1]);
  if (dropped == NULL) return -EINVAL;
  names_remove(dropped);
  return 0;
}

static int why(char **arguments) {
  (void)arguments;
  static const char *const words[] = {"none", "explicit", "focus", "document", "last-set"};
  segue_activity *activity = NULL;
  char *sentence = NULL;
  segue_current_reason reason = segue_application_explain_current(probe.application, &activity, &sentence);
  if (reason < 0) return reason;
  bool known = reason < (segue_current_reason)(sizeof words / sizeof words[0]);
  text_print("why", known ? words[reason] : "?", activity == NULL ? "" : names_of_activity(activity), sentence, NULL);
  segue_activity_unref(activity);
  segue_free(sentence);
  return 0;
}

static int target(char **arguments) {
  const named *activity = names_activity(arguments[1]);
  if (activity == NULL) return -EINVAL;
  return segue_activity_set_target_content_identifier(activity->activity, text_decode_nullable(arguments[2]));
}

const command window_commands[] = {
    {"window", 2, make},      {"prefers", 2, set_prefers},
    {"can", 2, set_can},      {"main", 1, set_main},
    {"focus", 2, set_focus},  {"next", 2, set_next},
    {"drop-window", 1, drop}, {"why", 0, why},
    {"target", 2, target},    {NULL, 0, NULL},
};
