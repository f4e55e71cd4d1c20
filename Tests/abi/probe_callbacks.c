#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe.h"

static bool is(const char *behaviour, const char *word) {
  return strcmp(behaviour, word) == 0;
}

/* The activity that came is called "continued" from now on. */
static void keep(segue_activity *activity) {
  named *former = names_activity("continued");
  if (former != NULL) names_remove(former);
  named *kept = names_new("continued");
  kept->activity = segue_activity_ref(activity);
  names_add(kept);
}

static void restore_some(segue_restoration *restoration, bool just_documents) {
  segue_responder *responders[64];
  size_t count = 0;
  for (named *at = probe.first; at != NULL && count < 64; at = at->next) {
    if (just_documents ? at->document != NULL : at->responder != NULL) responders[count++] = at->responder;
  }
  segue_restoration_restore(restoration, responders, count);
}

static void restore_all(segue_restoration *restoration) {
  restore_some(restoration, false);
}

static void put_on_first_responder(segue_activity *activity) {
  for (named *at = probe.first; at != NULL; at = at->next) {
    if (at->responder == NULL) continue;
    segue_responder_set_user_activity(at->responder, activity);
    return;
  }
}

/* Prints which continuation the next event belongs to. */
static void print_source(const char *event, const probe_source *source) {
  if (probe.tells_sources) text_print("event source", event, source->id, source->state, source->age, NULL);
}

static bool will_continue(segue_application *application, segue_continuation *continuation, void *userdata) {
  (void)application;
  (void)userdata;
  probe_note_source(continuation, &probe.coming);
  print_source("will-continue", &probe.coming);
  text_print(
      "event will-continue", segue_continuation_get_activity_type(continuation),
      segue_continuation_get_title(continuation), segue_continuation_get_device_name(continuation), NULL);
  const char *token = segue_continuation_get_activation_token(continuation);
  if (token != NULL && *token != '\0') text_print("event token", token, NULL);
  mischief_in("will-continue");
  if (is(probe.on.will_continue, "exit")) _exit(0);
  return !is(probe.on.will_continue, "refuse");
}

static void print_window(const segue_restoration *restoration) {
  segue_window *window = NULL;
  if (segue_restoration_copy_window(restoration, &window) < 0 || window == NULL) return;
  for (const named *at = probe.first; at != NULL; at = at->next) {
    if (at->window == window) text_print("event window", at->name, NULL);
  }
  segue_window_unref(window);
}

bool probe_continue(segue_activity *activity, segue_restoration *restoration) {
  const char *how = probe.on.continue_activity;
  char *info = text_of_user_info(activity);
  probe_note_restoration(restoration);
  print_source("continue", &probe.came);
  text_print("event continue", segue_activity_get_type(activity), info, NULL);
  free(info);
  print_window(restoration);
  streams_inside(activity);
  mischief_in("continue");
  if (is(how, "exit")) _exit(0);
  if (is(how, "refuse")) return false;
  keep(activity);
  if (is(how, "defer")) {
    segue_restoration_unref(probe.deferred);
    probe.deferred = segue_restoration_ref(restoration);
  } else if (!is(how, "drop")) {
    restore_all(restoration);
    put_on_first_responder(activity);
  }
  return true;
}

static bool continue_activity(
    segue_application *application, segue_activity *activity, segue_restoration *restoration, void *userdata) {
  (void)application;
  (void)userdata;
  return probe_continue(activity, restoration);
}

static segue_window *make_window(segue_application *application, segue_activity *activity, void *userdata) {
  (void)application;
  (void)userdata;
  text_print("event make-window", segue_activity_get_type(activity), NULL);
  mischief_in("make-window");
  if (!is(probe.on.make_window, "none")) window_make("made", is(probe.on.make_window, "continues"));
  const named *made = names_window("made");
  return made == NULL ? NULL : made->window;
}

static bool open_document(
    segue_application *application, const char *url, segue_activity *activity, segue_restoration *restoration,
    void *userdata) {
  (void)application;
  (void)userdata;
  const char *how = probe.on.open_document;
  char *info = text_of_user_info(activity);
  text_print("event open-document", url, info, NULL);
  free(info);
  mischief_in("open-document");
  if (is(how, "refuse")) return false;
  keep(activity);
  if (!is(how, "reuse") && !is(how, "documents") && document_open("opened", url, "text/plain") < 0) return false;
  if (!is(how, "drop")) restore_some(restoration, is(how, "documents"));
  return true;
}

static void did_fail(
    segue_application *application, segue_continuation *continuation, const segue_error *error, void *userdata) {
  (void)application;
  (void)userdata;
  char code[16];
  snprintf(code, sizeof code, "%d", (int)segue_error_get_code(error));
  probe_source failed = {.id = ""};
  probe_note_source(continuation, &failed);
  print_source("fail", &failed);
  text_print(
      "event fail", segue_continuation_get_activity_type(continuation), code, segue_error_get_message(error), NULL);
  mischief_in("fail");
}

static void did_update(segue_application *application, segue_activity *activity, void *userdata) {
  (void)application;
  (void)userdata;
  text_print("event did-update", names_of_activity(activity), NULL);
  mischief_in("did-update");
}

static void state_changed(
    segue_application *application, segue_application_state state, const segue_error *error, void *userdata) {
  (void)application;
  (void)error;
  (void)userdata;
  printf("event state %d\n", (int)state);
  mischief_in("state");
}

static void activate(segue_application *application, const char *activation_token, void *userdata) {
  (void)application;
  (void)userdata;
  text_print("event activate", activation_token, NULL);
}

static void open_urls(
    segue_application *application, const char *const *urls, size_t count, const char *activation_token,
    void *userdata) {
  (void)application;
  (void)activation_token;
  (void)userdata;
  for (size_t i = 0; i < count; i++) text_print("event open", urls[i], NULL);
}

static void will_save(segue_activity *activity, void *userdata) {
  (void)userdata;
  text_print("event will-save", names_of_activity(activity), NULL);
  mischief_in("will-save");
  segue_save_reason reason = segue_activity_get_save_reason(activity);
  if (!probe.tells_reasons || reason < 0) return;
  char number[16];
  snprintf(number, sizeof number, "%d", (int)reason);
  text_print("event reason", names_of_activity(activity), number, NULL);
}

static void was_continued(segue_activity *activity, void *userdata) {
  (void)userdata;
  const char *browser = segue_activity_was_continued_in_browser(activity) ? "browser" : NULL;
  text_print("event was-continued", names_of_activity(activity), browser, NULL);
  mischief_in("was-continued");
}

static segue_version_verdict check_version(segue_activity *activity, uint64_t version, void *userdata) {
  (void)userdata;
  char number[32];
  snprintf(number, sizeof number, "%llu", (unsigned long long)version);
  text_print("event version", names_of_activity(activity), number, NULL);
  if (is(probe.on.version, "refuse")) return SEGUE_VERSION_REFUSED;
  return is(probe.on.version, "mismatch") ? SEGUE_VERSION_MISMATCH : SEGUE_VERSION_AGREES;
}

static void update(segue_responder *responder, segue_activity *activity, void *userdata) {
  (void)responder;
  named *updated = userdata;
  text_print("event update", updated->name, names_of_activity(activity), NULL);
  mischief_in("update");
  const char *how = probe.on.update;
  if (is(how, "exit")) _exit(0);
  while (is(how, "hang")) pause();
  segue_activity_add_user_info_entries(activity, updated->state);
  if (is(how, "set-needs-save")) segue_activity_set_needs_save(activity, true);
  if (is(how, "set-title")) segue_activity_set_title(activity, "Updated");
  if (is(how, "await-pair")) probe_await_pair();
  if (is(how, "drop-self")) names_remove(updated);
  if (is(how, "close")) {
    probe.application = segue_application_unref(probe.application);
    probe.quits = true;
  }
}

static void restore(segue_responder *responder, segue_activity *activity, void *userdata) {
  (void)responder;
  const named *restored = userdata;
  char *info = text_of_user_info(activity);
  text_print("event restored", restored->name, info, NULL);
  free(info);
  mischief_in("restored");
}

void probe_changed(const named *changed, segue_activity *activity) {
  mischief_in("changed");
  if (!is(probe.on.changed, "tell")) return;
  text_print("event changed", changed->name, activity == NULL ? "" : names_of_activity(activity), NULL);
}

static void changed(segue_responder *responder, segue_activity *activity, void *userdata) {
  (void)responder;
  probe_changed(userdata, activity);
}

static segue_application_delegate delegate = {
    .struct_size = sizeof delegate,
    .will_continue = will_continue,
    .continue_activity = continue_activity,
    .did_fail = did_fail,
    .did_update = did_update,
    .state_changed = state_changed,
    .activate = activate,
    .open_urls = open_urls,
    .make_window = make_window,
    .open_document = open_document,
};

const segue_application_delegate *probe_delegate(void) {
  return &delegate;
}

const segue_application_delegate *probe_follow(void) {
  delegate.offers_changed = offers_changed;
  return &delegate;
}

int probe_without(const char *member) {
  if (is(member, "continue")) {
    delegate.continue_activity = NULL;
  } else if (is(member, "open-document")) {
    delegate.open_document = NULL;
  } else {
    return -EINVAL;
  }
  return 0;
}

const segue_activity_delegate *probe_activity_delegate(void) {
  static segue_activity_delegate delegate = {
      .struct_size = sizeof delegate,
      .will_save = will_save,
      .was_continued = was_continued,
  };
  delegate.did_receive_streams = is(probe.on.streams, "absent") ? NULL : received_streams;
  delegate.check_version = is(probe.on.version, "absent") ? NULL : check_version;
  return &delegate;
}

const segue_responder_methods *probe_methods(void) {
  static const segue_responder_methods methods = {
      .struct_size = sizeof methods,
      .update_user_activity_state = update,
      .restore_user_activity_state = restore,
      .user_activity_changed = changed,
  };
  return &methods;
}
