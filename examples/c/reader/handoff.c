#include "handoff.h"

#include <glib.h>
#include <segue/segue.h>
#include <string.h>
#include <unistd.h>

#include "open_text.h"
#include "position.h"

/* The keys of userInfo, besides those of the position. Other versions of the reader rely on them. */
#define KEY_DIGEST "sha256"
#define KEY_LINE_TEXT "lineText"
#define KEY_SEARCH "search"

/* Longer text is of no use for finding a place again, and userInfo is best kept below 3 KiB. */
#define TEXT_MAXIMUM 512

struct handoff {
  reader *model;
  handoff_listener listener;
  segue_application *application;
  segue_responder *responder;
  position *position;       /* NULL: without a position to save, the reader takes no part in Segue */
  segue_activity *activity; /* the page on offer, NULL while no file is open */
  bool exit_in_save;
};

/* Whether another application than the reader has made it, or may continue it. */
static bool is_open_text(const segue_activity *activity) {
  return strcmp(segue_activity_get_type(activity), OPEN_TEXT_TYPE) == 0;
}

/* Saving: beside the position, the activity gets entries by which the place is found again in a changed text. */

static void update(segue_responder *responder, segue_activity *activity, void *userdata) {
  (void)responder;
  handoff *joined = userdata;
  const reader *model = joined->model;
  if (joined->exit_in_save) _exit(0);
  if (model->open == NULL) return;
  if (is_open_text(activity)) {
    open_text_write(activity, model);
    return;
  }
  segue_activity_add_string(activity, KEY_DIGEST, document_digest(model->open));
  const char *text = reader_line_text(model);
  if (strlen(text) <= TEXT_MAXIMUM) segue_activity_add_string(activity, KEY_LINE_TEXT, text);
  if (model->search != NULL && strlen(model->search) <= TEXT_MAXIMUM) {
    segue_activity_add_string(activity, KEY_SEARCH, model->search);
  }
}

/* Restoring: the way back. Each key may be missing. */

static char *copy_string(const segue_activity *activity, const char *key) {
  char *string = NULL;
  if (segue_activity_copy_string(activity, key, &string) < 0) return NULL;
  char *copy = g_strdup(string);
  segue_free(string);
  return copy;
}

static void was_continued(segue_activity *activity, void *userdata) {
  (void)activity;
  handoff *joined = userdata;
  joined->listener.was_continued(joined->listener.self);
}

/* Puts an activity on offer in the place of the former one, which the library invalidates. */
static void offer(handoff *joined, segue_activity *activity) {
  segue_activity_delegate delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  delegate.was_continued = was_continued;
  segue_activity_ref(activity);
  segue_activity_set_delegate(activity, &delegate, joined, NULL);
  segue_activity_set_title(activity, document_name(joined->model->open));
  /* The keys of the position are the reader's own. */
  segue_responder_set_user_activity(position_responder(joined->position), is_open_text(activity) ? NULL : activity);
  segue_responder_set_user_activity(joined->responder, activity);
  segue_activity_unref(joined->activity);
  joined->activity = activity;
}

/* Goes on at a place that has come. */
static void go_on(handoff *joined, segue_activity *activity, const reader_place *place, const char *failure) {
  reader_match match = reader_restore(joined->model, place);
  if (failure != NULL) reader_set_notice(joined->model, "%s", failure);
  /* The activity is this device's own now, and on offer in its turn. If the screen shows what the activity says, it is
   * not marked as changed: devices that show the same page do not offer it to each other. */
  if (match != READER_MISSING) offer(joined, activity);
  if (match != READER_SAME) handoff_moved(joined);
  joined->listener.did_continue(joined->listener.self, match, place->path == NULL ? "" : place->path);
}

/* A text of any application. It is on offer in its turn as such, so that it can go back to where it came from. */
static void restore_open_text(handoff *joined, segue_activity *activity) {
  open_text text;
  open_text_read(activity, &text);
  const reader_place place = {
      .path = text.path, .digest = text.digest, .words = text.words, .line = text.line, .top = text.line};
  go_on(joined, activity, &place, NULL);
  open_text_clear(&text);
}

/* The position has restored before this, or could not. */
static void restore(segue_responder *responder, segue_activity *activity, void *userdata) {
  (void)responder;
  handoff *joined = userdata;
  if (is_open_text(activity)) {
    restore_open_text(joined, activity);
    return;
  }
  const char *failure = position_failure(joined->position);
  char *path = failure == NULL ? position_copy_path(joined->position) : NULL;
  char *digest = copy_string(activity, KEY_DIGEST);
  char *line_text = copy_string(activity, KEY_LINE_TEXT);
  char *search = copy_string(activity, KEY_SEARCH);
  const reader_place place = {
      .path = path,
      .digest = digest,
      .line_text = line_text,
      .search = search,
      .line = position_line(joined->position),
      .top = position_top(joined->position),
  };
  go_on(joined, activity, &place, failure);
  g_free(path);
  g_free(digest);
  g_free(line_text);
  g_free(search);
}

/* The application's delegate. */

static bool will_continue(segue_application *application, segue_continuation *continuation, void *userdata) {
  (void)application;
  handoff *joined = userdata;
  joined->listener.will_continue(
      joined->listener.self, segue_continuation_get_title(continuation),
      segue_continuation_get_device_name(continuation));
  return true;
}

static bool continue_activity(
    segue_application *application, segue_activity *activity, segue_restoration *restoration, void *userdata) {
  (void)application;
  handoff *joined = userdata;
  if (is_open_text(activity)) return segue_restoration_restore(restoration, &joined->responder, 1) == 0;
  if (strcmp(segue_activity_get_type(activity), READER_ACTIVITY_TYPE) != 0) return false;
  segue_responder *responders[] = {position_responder(joined->position), joined->responder};
  return segue_restoration_restore(restoration, responders, 2) == 0;
}

static void did_fail(
    segue_application *application, segue_continuation *continuation, const segue_error *error, void *userdata) {
  (void)application;
  (void)continuation;
  handoff *joined = userdata;
  joined->listener.did_fail(
      joined->listener.self, segue_error_get_code(error), segue_error_get_message(error),
      segue_error_get_advice(error));
}

static void state_changed(
    segue_application *application, segue_application_state state, const segue_error *error, void *userdata) {
  (void)application;
  handoff *joined = userdata;
  const char *name = "unknown";
  switch (state) {
    case SEGUE_APPLICATION_REGISTERING: name = "registering"; break;
    case SEGUE_APPLICATION_REGISTERED: name = "registered"; break;
    case SEGUE_APPLICATION_NAME_TAKEN: name = "name-taken"; break;
    case SEGUE_APPLICATION_LOST: name = "lost"; break;
    default: break;
  }
  joined->listener.state_changed(joined->listener.self, name, segue_error_get_message(error));
}

static int join(handoff *joined) {
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  methods.update_user_activity_state = update;
  methods.restore_user_activity_state = restore;
  int result = segue_responder_new(joined->application, &methods, joined, NULL, &joined->responder);
  if (result < 0) return result;
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  delegate.will_continue = will_continue;
  delegate.continue_activity = continue_activity;
  delegate.did_fail = did_fail;
  delegate.state_changed = state_changed;
  result = segue_application_set_delegate(joined->application, &delegate, joined, NULL);
  return result < 0 ? result : segue_application_ready(joined->application);
}

handoff *handoff_new(reader *model, const handoff_listener *listener, char **out_reason) {
  handoff *joined = g_new0(handoff, 1);
  joined->model = model;
  joined->listener = *listener;
  segue_error *error = NULL;
  int result = segue_application_new(READER_APP_ID, NULL, &joined->application, &error);
  if (result == 0) joined->position = position_new(joined->application, out_reason);
  /* Without the position the reader shows files, and offers none of them. */
  if (result == 0 && joined->position == NULL) return joined;
  if (result == 0) result = join(joined);
  if (result >= 0) return joined;
  const char *message = segue_error_get_message(error);
  *out_reason = g_strdup(message[0] != '\0' ? message : strerror(-result));
  segue_error_unref(error);
  handoff_free(joined);
  return NULL;
}

void handoff_free(handoff *joined) {
  segue_activity_unref(joined->activity);
  segue_responder_unref(joined->responder);
  position_free(joined->position);
  segue_application_unref(joined->application);
  g_free(joined);
}

bool handoff_takes_part(const handoff *joined) {
  return joined->position != NULL;
}

int handoff_fd(const handoff *joined) {
  return segue_application_get_fd(joined->application);
}

void handoff_dispatch(handoff *joined) {
  segue_application_dispatch(joined->application);
}

void handoff_opened(handoff *joined) {
  if (!handoff_takes_part(joined)) return;
  /* A new activity for each document: on the other devices it is another thing to go on with. */
  segue_activity *activity = NULL;
  if (segue_activity_new(joined->application, READER_ACTIVITY_TYPE, &activity, NULL) < 0) return;
  offer(joined, activity);
  segue_activity_unref(activity);
  handoff_moved(joined);
}

void handoff_moved(handoff *joined) {
  if (joined->activity == NULL) return;
  position_set(joined->position, joined->model);
  segue_activity_set_needs_save(joined->activity, true);
}

void handoff_exit_in_save(handoff *joined) {
  joined->exit_in_save = true;
  handoff_moved(joined);
}
