#include "handoff.h"

#include <segue/segue.h>
#include <string.h>

#include "transfer.h"

/* The keys of userInfo. Other versions of the composer rely on them. */
#define KEY_TO "to"
#define KEY_SUBJECT "subject"
#define KEY_TEXT "text"
#define KEY_ATTACHMENTS "attachments"
#define KEY_NAME "name"
#define KEY_SIZE "size"

struct handoff {
  draft *mail;
  char *folder;
  handoff_listener listener;
  segue_application *application;
  segue_responder *responder;
  segue_activity *activity; /* the draft on offer; NULL while the mail is empty */
  bool is_fetching;
  /* Whether another device has continued the draft on offer, how many streams to that device are open, and whether it
   * has all that it asked for. */
  bool was_continued;
  guint open_streams;
  bool is_served;
};

static void offer(handoff *joined, segue_activity *activity);

/* Saving: the text goes into userInfo. The attachments would be too large; userInfo only has a list of them. */

static segue_value *list_of_attachments(const draft *mail) {
  segue_value *list = NULL;
  segue_value_new_array(&list);
  for (guint i = 0; i < mail->attachments->len; i++) {
    const attachment *file = draft_attachment(mail, i);
    segue_value *entry = NULL;
    segue_value *name = NULL;
    segue_value *size = NULL;
    segue_value_new_dictionary(&entry);
    segue_value_new_string(file->name, &name);
    segue_value_new_integer((int64_t)file->size, &size);
    segue_value_set_for_name(entry, KEY_NAME, name);
    segue_value_set_for_name(entry, KEY_SIZE, size);
    segue_value_append(list, entry);
    segue_value_unref(name);
    segue_value_unref(size);
    segue_value_unref(entry);
  }
  return list;
}

static void update(segue_responder *responder, segue_activity *activity, void *userdata) {
  (void)responder;
  const draft *mail = ((handoff *)userdata)->mail;
  segue_value *entries = NULL;
  segue_value *list = list_of_attachments(mail);
  segue_value_new_dictionary(&entries);
  segue_value_set_for_name(entries, KEY_ATTACHMENTS, list);
  segue_activity_add_user_info_entries(activity, entries);
  segue_value_unref(entries);
  segue_value_unref(list);
  segue_activity_add_string(activity, KEY_TO, mail->to);
  segue_activity_add_string(activity, KEY_SUBJECT, mail->subject);
  segue_activity_add_string(activity, KEY_TEXT, mail->text);
}

/* The origin: the other device asks for the attachments, and says when it has them. */

static void drop_if_taken(handoff *joined) {
  if (!joined->was_continued || joined->open_streams > 0) return;
  bool is_whole = joined->is_served || joined->mail->attachments->len == 0;
  joined->was_continued = false;
  if (is_whole) {
    segue_activity_invalidate(joined->activity);
    segue_responder_set_user_activity(joined->responder, NULL);
    joined->activity = segue_activity_unref(joined->activity);
    draft_reset(joined->mail);
  }
  joined->listener.was_taken(joined->listener.self, is_whole);
}

static void was_continued(segue_activity *activity, void *userdata) {
  (void)activity;
  handoff *joined = userdata;
  joined->was_continued = true;
  drop_if_taken(joined);
}

static void served(bool is_done, void *userdata) {
  handoff *joined = userdata;
  joined->open_streams--;
  joined->is_served = joined->is_served || is_done;
  drop_if_taken(joined);
}

static void did_receive_streams(segue_activity *activity, int input, int output, void *userdata) {
  (void)activity;
  handoff *joined = userdata;
  joined->open_streams++;
  transfer_serve(joined->mail, input, output, served, joined);
}

/* The continuing side: the text is in userInfo, and this side asks for the attachments. */

static void progress(guint index, guint64 so_far, void *userdata) {
  handoff *joined = userdata;
  attachment *file = draft_attachment(joined->mail, index);
  file->so_far = so_far;
  joined->listener.progress(joined->listener.self, file);
}

static void arrived(guint index, const char *path, void *userdata) {
  handoff *joined = userdata;
  attachment *file = draft_attachment(joined->mail, index);
  file->path = g_strdup(path);
  file->so_far = file->size;
  joined->listener.arrived(joined->listener.self, file);
}

static void missing(guint index, const char *reason, void *userdata) {
  handoff *joined = userdata;
  joined->listener.missing(joined->listener.self, draft_attachment(joined->mail, index), reason);
}

static void ended(void *userdata) {
  handoff *joined = userdata;
  joined->is_fetching = false;
  joined->listener.complete(joined->listener.self);
}

/* Each draft has a directory of its own, since two drafts may have attachments of the same name. */
static char *folder_of(const handoff *joined, const segue_activity *activity) {
  uint8_t id[16] = {0};
  char text[2 * sizeof id + 1] = "";
  segue_activity_get_id(activity, id);
  for (size_t i = 0; i < sizeof id; i++) g_snprintf(text + 2 * i, 3, "%02x", id[i]);
  char *folder = g_build_filename(joined->folder, text, NULL);
  g_mkdir_with_parents(folder, 0700);
  return folder;
}

static void got_streams(segue_activity *activity, int input, int output, const segue_error *error, void *userdata) {
  handoff *joined = userdata;
  const transfer_listener listener = {
      .progress = progress, .arrived = arrived, .missing = missing, .ended = ended, .userdata = joined};
  if (error == NULL) {
    char *folder = folder_of(joined, activity);
    transfer_fetch(joined->mail, folder, input, output, &listener);
    g_free(folder);
    return;
  }
  for (guint i = 0; i < joined->mail->attachments->len; i++) {
    if (draft_attachment(joined->mail, i)->path == NULL) missing(i, segue_error_get_message(error), joined);
  }
  ended(joined);
}

bool handoff_fetch(handoff *joined) {
  if (joined->is_fetching || joined->activity == NULL || draft_missing(joined->mail) == 0) return false;
  joined->is_fetching = segue_activity_get_continuation_streams(joined->activity, got_streams, joined, NULL) == 0;
  return joined->is_fetching;
}

static char *copy_string(const segue_activity *activity, const char *key) {
  char *string = NULL;
  if (segue_activity_copy_string(activity, key, &string) < 0) return g_strdup("");
  char *copy = g_strdup(string);
  segue_free(string);
  return copy;
}

static void restore_part(char **part, const segue_activity *activity, const char *key) {
  char *value = copy_string(activity, key);
  draft_set(part, value);
  g_free(value);
}

static void restore_attachments(draft *mail, const segue_activity *activity) {
  segue_value *entries = NULL;
  segue_value *list = NULL;
  size_t count = 0;
  if (segue_activity_copy_user_info(activity, &entries) < 0) return;
  if (segue_value_get_for_name(entries, KEY_ATTACHMENTS, &list) == 0) segue_value_get_count(list, &count);
  for (size_t i = 0; i < count && i < DRAFT_ATTACHMENTS; i++) {
    segue_value *entry = NULL;
    segue_value *value = NULL;
    const char *name = "";
    int64_t size = 0;
    segue_value_get_at(list, i, &entry);
    if (segue_value_get_for_name(entry, KEY_NAME, &value) == 0) segue_value_get_string(value, &name);
    if (segue_value_get_for_name(entry, KEY_SIZE, &value) == 0) segue_value_get_integer(value, &size);
    draft_expect(mail, name, size < 0 ? 0 : (guint64)size);
  }
  segue_value_unref(entries);
}

static void restore(segue_responder *responder, segue_activity *activity, void *userdata) {
  (void)responder;
  handoff *joined = userdata;
  draft_reset(joined->mail);
  restore_part(&joined->mail->to, activity, KEY_TO);
  restore_part(&joined->mail->subject, activity, KEY_SUBJECT);
  restore_part(&joined->mail->text, activity, KEY_TEXT);
  restore_attachments(joined->mail, activity);
  /* The activity is this device's own now, and on offer in its turn. */
  offer(joined, activity);
  joined->listener.did_continue(joined->listener.self);
  if (!handoff_fetch(joined)) joined->listener.complete(joined->listener.self);
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
  /* One mail at a time: another draft does not replace one that the user is writing. */
  bool is_busy = joined->is_fetching || (!draft_is_empty(joined->mail) && !joined->was_continued);
  if (is_busy || strcmp(segue_activity_get_type(activity), COMPOSER_ACTIVITY_TYPE) != 0) return false;
  return segue_restoration_restore(restoration, &joined->responder, 1) == 0;
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

/* On offer. */

static void offer(handoff *joined, segue_activity *activity) {
  segue_activity_delegate delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  delegate.was_continued = was_continued;
  delegate.did_receive_streams = did_receive_streams;
  segue_activity_ref(activity);
  segue_activity_set_delegate(activity, &delegate, joined, NULL);
  segue_activity_set_supports_continuation_streams(activity, true);
  segue_responder_set_user_activity(joined->responder, activity);
  segue_activity_unref(joined->activity);
  joined->activity = activity;
  joined->was_continued = joined->is_served = false;
}

void handoff_changed(handoff *joined) {
  segue_activity *activity = NULL;
  if (joined->activity == NULL &&
      segue_activity_new(joined->application, COMPOSER_ACTIVITY_TYPE, &activity, NULL) == 0) {
    offer(joined, activity);
    segue_activity_unref(activity);
  }
  segue_activity_set_title(joined->activity, joined->mail->subject[0] == '\0' ? "A mail" : joined->mail->subject);
  segue_activity_set_needs_save(joined->activity, true);
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
  result = segue_application_set_delegate(joined->application, &delegate, joined, NULL);
  return result < 0 ? result : segue_application_ready(joined->application);
}

handoff *handoff_new(draft *mail, const char *folder, const handoff_listener *listener, char **out_reason) {
  handoff *joined = g_new0(handoff, 1);
  joined->mail = mail;
  joined->folder = g_strdup(folder);
  joined->listener = *listener;
  segue_error *error = NULL;
  int result = segue_application_new(COMPOSER_APP_ID, NULL, &joined->application, &error);
  if (result == 0) result = join(joined);
  if (result >= 0) return joined;
  const char *message = segue_error_get_message(error);
  *out_reason = g_strdup(message[0] != '\0' ? message : g_strerror(-result));
  segue_error_unref(error);
  handoff_free(joined);
  return NULL;
}

void handoff_free(handoff *joined) {
  segue_activity_unref(joined->activity);
  segue_responder_unref(joined->responder);
  segue_application_unref(joined->application);
  g_free(joined->folder);
  g_free(joined);
}

int handoff_fd(const handoff *joined) {
  return segue_application_get_fd(joined->application);
}

void handoff_dispatch(handoff *joined) {
  segue_application_dispatch(joined->application);
}
