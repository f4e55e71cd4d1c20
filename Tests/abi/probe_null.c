/*
 * Every function with NULL for a handle, with a handle of another kind, and with NULL for an argument that may not be
 * NULL. No call may crash; those that return a result return -EINVAL.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

static int calls;
static const char *surprise;
static int surprising_result;

/* Compilers warn where they see NULL go where it may not; here they do not see it. */
static void *volatile none = NULL;

static void expect(int result, int expected, const char *call) {
  calls++;
  if (result == expected || surprise != NULL) return;
  surprise = call;
  surprising_result = result;
}

#define REFUSES(call) expect((call), -EINVAL, #call)
#define IS_NULL(call) expect((call) == NULL, 1, #call)
#define IS_FALSE(call) expect((call), false, #call)
#define IS_EMPTY(call) expect(strcmp((call), "") == 0, 1, #call)
#define RUNS(call) ((call), expect(0, 0, #call))

static void no_streams(segue_activity *activity, int input, int output, const segue_error *error, void *userdata) {
  (void)activity;
  (void)input;
  (void)output;
  (void)error;
  (void)userdata;
}

static void no_states(
    segue_application *application, segue_activity *const *activities, size_t count, const segue_error *error,
    void *userdata) {
  (void)application;
  (void)activities;
  (void)count;
  (void)error;
  (void)userdata;
}

static void no_file(
    segue_activity *activity, const char *path, uint64_t size, const uint8_t *sha256, const segue_error *error,
    void *userdata) {
  (void)activity;
  (void)path;
  (void)size;
  (void)sha256;
  (void)error;
  (void)userdata;
}

static void as_application(void *bad) {
  segue_activity *activity;
  segue_responder *responder;
  segue_window *window;
  char *sentence;
  const segue_window_methods methods = SEGUE_WINDOW_METHODS_INIT;
  segue_document *document;
  const segue_document_methods document_methods = SEGUE_DOCUMENT_METHODS_INIT;
  REFUSES(segue_document_new(bad, NULL, "text/plain", &document_methods, NULL, NULL, &document, NULL));
  REFUSES(segue_application_set_delegate(bad, NULL, NULL, NULL));
  REFUSES(segue_application_ready(bad));
  REFUSES(segue_application_adopt_thread(bad));
  REFUSES(segue_application_get_state(bad));
  REFUSES(segue_application_copy_launch_type(bad, &sentence));
  REFUSES(segue_application_copy_current_activity(bad, &activity));
  REFUSES(segue_application_set_main_window(bad, NULL));
  REFUSES(segue_application_explain_current(bad, &activity, &sentence));
  REFUSES(segue_window_new(bad, &methods, NULL, NULL, &window));
  REFUSES(segue_application_get_fd(bad));
  REFUSES(segue_application_dispatch(bad));
  REFUSES(segue_application_wait(bad, 0));
  REFUSES(segue_application_run(bad));
  REFUSES(segue_application_quit(bad));
  REFUSES(segue_application_wake(bad));
  REFUSES(segue_activity_new(bad, "org.segue.none", &activity, NULL));
  REFUSES(segue_responder_new(bad, probe_methods(), NULL, NULL, &responder));
  REFUSES(segue_application_delete_saved(bad, NULL, 0, NULL, NULL, NULL));
  REFUSES(segue_application_delete_all_saved(bad, NULL, NULL, NULL));
  REFUSES(segue_application_get_last_states(bad, NULL, NULL, 1, no_states, NULL, NULL));
  segue_offer **offers;
  size_t count;
  REFUSES(segue_application_copy_offers(bad, &offers, &count));
  IS_NULL(segue_application_get_app_id(bad));
  IS_NULL(segue_application_unref(bad));
}

static void as_activity(void *bad) {
  uint8_t id[16];
  uint8_t uuid[16] = {0};
  void *bytes;
  size_t length;
  uint64_t revision;
  bool boolean;
  int64_t integer;
  double number;
  char *string;
  char **list;
  size_t count;
  segue_value *value;
  REFUSES(segue_activity_set_delegate(bad, NULL, NULL, NULL));
  REFUSES(segue_activity_get_id(bad, id));
  REFUSES(segue_activity_get_revision(bad, &revision));
  REFUSES(segue_activity_get_continued_from(bad, id, &revision));
  IS_FALSE(segue_activity_is_current(bad));
  IS_FALSE(segue_activity_is_invalid(bad));
  REFUSES(segue_activity_set_title(bad, NULL));
  REFUSES(segue_activity_copy_title(bad, &string));
  REFUSES(segue_activity_set_webpage_url(bad, NULL));
  REFUSES(segue_activity_copy_webpage_url(bad, &string));
  REFUSES(segue_activity_set_eligible_for_handoff(bad, true));
  IS_FALSE(segue_activity_is_eligible_for_handoff(bad));
  REFUSES(segue_activity_set_referrer_url(bad, NULL));
  REFUSES(segue_activity_copy_referrer_url(bad, &string));
  REFUSES(segue_activity_set_target_content_identifier(bad, NULL));
  REFUSES(segue_activity_copy_target_content_identifier(bad, &string));
  REFUSES(segue_activity_set_persistent_identifier(bad, NULL));
  REFUSES(segue_activity_copy_persistent_identifier(bad, &string));
  REFUSES(segue_activity_set_keywords(bad, NULL, 0));
  REFUSES(segue_activity_copy_keywords(bad, &list, &count));
  REFUSES(segue_activity_set_required_keys(bad, NULL, 0));
  REFUSES(segue_activity_copy_required_keys(bad, &list, &count));
  REFUSES(segue_activity_set_expiration_date(bad, 0));
  REFUSES(segue_activity_get_expiration_date(bad, &number));
  REFUSES(segue_activity_set_eligible_for_search(bad, true));
  IS_FALSE(segue_activity_is_eligible_for_search(bad));
  REFUSES(segue_activity_set_eligible_for_public_indexing(bad, true));
  IS_FALSE(segue_activity_is_eligible_for_public_indexing(bad));
  REFUSES(segue_activity_set_eligible_for_prediction(bad, true));
  IS_FALSE(segue_activity_is_eligible_for_prediction(bad));
  REFUSES(segue_activity_set_eligible_for_restoration(bad, true));
  IS_FALSE(segue_activity_is_eligible_for_restoration(bad));
  uint64_t restored;
  REFUSES(segue_activity_get_restored_age(bad, &restored));
  REFUSES(segue_activity_get_restored_version(bad, &restored));
  REFUSES(segue_activity_set_allows_snapshot(bad, true));
  IS_FALSE(segue_activity_allows_snapshot(bad));
  REFUSES(segue_activity_set_supports_continuation_streams(bad, true));
  IS_FALSE(segue_activity_supports_continuation_streams(bad));
  REFUSES(segue_activity_get_continuation_streams(bad, no_streams, NULL, NULL));
  REFUSES(segue_activity_set_allows_files(bad, true));
  IS_FALSE(segue_activity_allows_files(bad));
  REFUSES(segue_activity_bring_file(bad, "file:///a", NULL, no_file, NULL, NULL));
  REFUSES(segue_activity_cancel_file(bad, "file:///a"));
  REFUSES(segue_activity_get_save_reason(bad));
  IS_FALSE(segue_activity_was_continued_in_browser(bad));
  REFUSES(segue_activity_set_user_info(bad, NULL));
  REFUSES(segue_activity_add_user_info_entries(bad, none));
  REFUSES(segue_activity_copy_user_info(bad, &value));
  REFUSES(segue_activity_add_bool(bad, "key", true));
  REFUSES(segue_activity_add_integer(bad, "key", 1));
  REFUSES(segue_activity_add_double(bad, "key", 1));
  REFUSES(segue_activity_add_string(bad, "key", ""));
  REFUSES(segue_activity_get_bool(bad, "key", &boolean));
  REFUSES(segue_activity_get_integer(bad, "key", &integer));
  REFUSES(segue_activity_get_double(bad, "key", &number));
  REFUSES(segue_activity_copy_string(bad, "key", &string));
  REFUSES(segue_activity_add_url(bad, "key", "a:b"));
  REFUSES(segue_activity_add_data(bad, "key", NULL, 0));
  REFUSES(segue_activity_add_date(bad, "key", 1));
  REFUSES(segue_activity_add_uuid(bad, "key", uuid));
  REFUSES(segue_activity_copy_url(bad, "key", &string));
  REFUSES(segue_activity_copy_data(bad, "key", &bytes, &length));
  REFUSES(segue_activity_get_date(bad, "key", &number));
  REFUSES(segue_activity_get_uuid(bad, "key", uuid));
  REFUSES(segue_activity_remove(bad, "key"));
  REFUSES(segue_activity_set_needs_save(bad, true));
  IS_FALSE(segue_activity_needs_save(bad));
  REFUSES(segue_activity_become_current(bad));
  REFUSES(segue_activity_resign_current(bad));
  REFUSES(segue_activity_invalidate(bad));
  IS_NULL(segue_activity_get_type(bad));
  IS_NULL(segue_activity_unref(bad));
}

static void as_offer(void *bad) {
  uint64_t milliseconds;
  IS_EMPTY(segue_offer_get_id(bad));
  IS_EMPTY(segue_offer_get_activity_type(bad));
  IS_EMPTY(segue_offer_get_title(bad));
  IS_EMPTY(segue_offer_get_web_host(bad));
  IS_EMPTY(segue_offer_get_app_id(bad));
  IS_EMPTY(segue_offer_get_app_name(bad));
  IS_EMPTY(segue_offer_get_device_id(bad));
  IS_EMPTY(segue_offer_get_device_name(bad));
  expect(segue_offer_is_here(bad), 0, "segue_offer_is_here");
  expect(segue_offer_is_stored(bad), 0, "segue_offer_is_stored");
  REFUSES(segue_offer_get_age(bad, &milliseconds));
  REFUSES(segue_offer_continue(bad, NULL, NULL, NULL, NULL));
  IS_NULL(segue_offer_unref(bad));
}

static void as_responder_or_continuation(void *bad) {
  segue_activity *activity;
  uint64_t milliseconds;
  uint8_t id[16];
  segue_continuation *continuation;
  segue_responder *responder;
  segue_window *window;
  char *url;
  REFUSES(segue_document_close(bad));
  REFUSES(segue_document_set_url(bad, NULL));
  REFUSES(segue_document_set_role(bad, SEGUE_DOCUMENT_VIEWED));
  REFUSES(segue_document_copy_url(bad, &url));
  REFUSES(segue_document_set_user_activity(bad, NULL));
  REFUSES(segue_document_copy_user_activity(bad, &activity));
  IS_NULL(segue_document_get_responder(bad));
  IS_NULL(segue_document_unref(bad));
  REFUSES(segue_responder_set_user_activity(bad, NULL));
  REFUSES(segue_responder_set_next_responder(bad, NULL));
  REFUSES(segue_responder_copy_next_responder(bad, &responder));
  IS_NULL(segue_window_get_responder(bad));
  REFUSES(segue_window_set_focused_responder(bad, NULL));
  REFUSES(segue_window_copy_focused_responder(bad, &responder));
  REFUSES(segue_restoration_copy_window(bad, &window));
  IS_NULL(segue_window_unref(bad));
  REFUSES(segue_responder_copy_user_activity(bad, &activity));
  REFUSES(segue_responder_update(bad, none));
  REFUSES(segue_responder_restore(bad, none));
  REFUSES(segue_continuation_get_time_left(bad, &milliseconds));
  REFUSES(segue_continuation_get_age(bad, &milliseconds));
  REFUSES(segue_continuation_get_id(bad, id));
  expect(segue_continuation_is_stored(bad), 0, "segue_continuation_is_stored(bad)");
  REFUSES(segue_restoration_copy_continuation(bad, &continuation));
  REFUSES(segue_restoration_restore(bad, NULL, 0));
  IS_EMPTY(segue_continuation_get_activity_type(bad));
  IS_EMPTY(segue_continuation_get_title(bad));
  IS_EMPTY(segue_continuation_get_device_name(bad));
  IS_EMPTY(segue_continuation_get_activation_token(bad));
  IS_NULL(segue_responder_unref(bad));
  IS_NULL(segue_continuation_unref(bad));
  IS_NULL(segue_restoration_unref(bad));
}

static void as_value(void *bad) {
  bool boolean;
  int64_t integer;
  double number;
  const char *string;
  const void *bytes;
  void *encoded;
  size_t length;
  uint8_t uuid[16];
  segue_value *value;
  REFUSES(segue_value_get_kind(bad));
  IS_FALSE(segue_value_is_equal(bad, bad));
  REFUSES(segue_value_get_bool(bad, &boolean));
  REFUSES(segue_value_get_integer(bad, &integer));
  REFUSES(segue_value_get_double(bad, &number));
  REFUSES(segue_value_get_string(bad, &string));
  REFUSES(segue_value_get_data(bad, &bytes, &length));
  REFUSES(segue_value_get_date(bad, &number));
  REFUSES(segue_value_get_uuid(bad, uuid));
  REFUSES(segue_value_get_count(bad, &length));
  REFUSES(segue_value_append(bad, bad));
  REFUSES(segue_value_get_at(bad, 0, &value));
  REFUSES(segue_value_set(bad, bad, NULL));
  REFUSES(segue_value_get(bad, bad, &value));
  REFUSES(segue_value_get_entry(bad, 0, &value, &value));
  REFUSES(segue_value_set_for_name(bad, "name", NULL));
  REFUSES(segue_value_get_for_name(bad, "name", &value));
  REFUSES(segue_value_encode(bad, &encoded, &length, NULL));
  IS_NULL(segue_value_unref(bad));
}

static void as_error(void *bad) {
  IS_EMPTY(segue_error_get_name(bad));
  IS_EMPTY(segue_error_get_message(bad));
  IS_EMPTY(segue_error_get_advice(bad));
  IS_NULL(segue_error_unref(bad));
}

/* A reference to NULL is NULL. */
static void references(void) {
  IS_NULL(segue_application_ref(none));
  IS_NULL(segue_activity_ref(none));
  IS_NULL(segue_responder_ref(none));
  IS_NULL(segue_document_ref(none));
  IS_NULL(segue_continuation_ref(none));
  IS_NULL(segue_restoration_ref(none));
  IS_NULL(segue_value_ref(none));
  IS_NULL(segue_offer_ref(none));
  IS_NULL(segue_error_ref(none));
}

static void without_handles(void) {
  segue_application *application = NULL;
  segue_value *value = NULL;
  REFUSES(segue_application_new(none, NULL, &application, NULL));
  REFUSES(segue_application_new("org.segue.None", NULL, none, NULL));
  REFUSES(segue_value_new_null(none));
  REFUSES(segue_value_new_bool(true, none));
  REFUSES(segue_value_new_integer(1, none));
  REFUSES(segue_value_new_double(1, none));
  REFUSES(segue_value_new_string(none, &value));
  REFUSES(segue_value_new_string("", none));
  REFUSES(segue_value_new_data(NULL, 1, &value));
  REFUSES(segue_value_new_data(NULL, 0, none));
  REFUSES(segue_value_new_date(0, none));
  REFUSES(segue_value_new_url(none, &value));
  REFUSES(segue_value_new_url("a:b", none));
  REFUSES(segue_value_new_uuid(none, &value));
  REFUSES(segue_value_new_array(none));
  REFUSES(segue_value_new_set(none));
  REFUSES(segue_value_new_dictionary(none));
  REFUSES(segue_value_decode(none, 1, &value, NULL));
  REFUSES(segue_value_decode("\xF6", 1, none, NULL));
  size_t length;
  void *bytes;
  REFUSES(segue_stream_read_exactly(0, NULL, 1, 0, NULL));
  REFUSES(segue_stream_write_all(0, NULL, 1, 0));
  REFUSES(segue_stream_read_message(0, 1, 0, none, &length));
  REFUSES(segue_stream_read_message(0, 1, 0, &bytes, none));
  REFUSES(segue_stream_write_message(0, NULL, 1, 0));
  REFUSES(segue_stream_copy_error(0, none));
  RUNS(segue_application_options_init(none, 24));
  RUNS(segue_application_delegate_init(none, 24));
  RUNS(segue_activity_delegate_init(none, 24));
  RUNS(segue_responder_methods_init(none, 24));
  RUNS(segue_window_methods_init(none, 24));
  RUNS(segue_document_methods_init(none, 24));
  RUNS(segue_free(NULL));
  expect(segue_error_get_code(NULL), 0, "segue_error_get_code(NULL)");
}

/* Calls with a good handle, and NULL for another argument. */
static void with_good_handles(segue_activity *activity, segue_value *dictionary) {
  uint8_t uuid[16] = {0};
  bool boolean;
  int64_t integer;
  double number;
  char *string;
  char **list;
  size_t length;
  void *bytes;
  segue_value *value;
  segue_activity *made;
  segue_responder *responder;
  segue_window *window;
  const segue_window_methods methods = SEGUE_WINDOW_METHODS_INIT;
  segue_document *document;
  const segue_document_methods document_methods = SEGUE_DOCUMENT_METHODS_INIT;
  REFUSES(segue_document_new(probe.application, NULL, none, &document_methods, NULL, NULL, &document, NULL));
  REFUSES(segue_document_new(probe.application, NULL, "text/plain", none, NULL, NULL, &document, NULL));
  REFUSES(segue_document_new(probe.application, NULL, "text/plain", &document_methods, NULL, NULL, none, NULL));
  segue_activity_add_integer(activity, "key", 1);
  REFUSES(segue_application_copy_current_activity(probe.application, none));
  segue_offer **offers;
  REFUSES(segue_application_copy_offers(probe.application, none, &length));
  REFUSES(segue_application_copy_offers(probe.application, &offers, none));
  REFUSES(segue_activity_new(probe.application, none, &made, NULL));
  REFUSES(segue_activity_new(probe.application, "org.segue.none", none, NULL));
  REFUSES(segue_responder_new(probe.application, none, NULL, NULL, &responder));
  REFUSES(segue_responder_new(probe.application, probe_methods(), NULL, NULL, none));
  REFUSES(segue_window_new(probe.application, none, NULL, NULL, &window));
  REFUSES(segue_window_new(probe.application, &methods, NULL, NULL, none));
  REFUSES(segue_application_explain_current(probe.application, none, &string));
  REFUSES(segue_application_explain_current(probe.application, &made, none));
  REFUSES(segue_activity_get_id(activity, none));
  segue_streams_function nobody;
  memset(&nobody, 0, sizeof nobody);
  REFUSES(segue_activity_get_continuation_streams(activity, nobody, NULL, NULL));
  segue_states_function no_one;
  memset(&no_one, 0, sizeof no_one);
  REFUSES(segue_application_get_last_states(probe.application, NULL, NULL, 1, no_one, NULL, NULL));
  REFUSES(segue_application_get_last_states(probe.application, NULL, NULL, 0, no_states, NULL, NULL));
  REFUSES(segue_activity_get_restored_age(activity, none));
  REFUSES(segue_activity_get_restored_version(activity, none));
  segue_file_function nobody_else;
  memset(&nobody_else, 0, sizeof nobody_else);
  REFUSES(segue_activity_bring_file(activity, "file:///a", NULL, nobody_else, NULL, NULL));
  REFUSES(segue_activity_bring_file(activity, none, NULL, no_file, NULL, NULL));
  REFUSES(segue_activity_cancel_file(activity, none));
  REFUSES(segue_activity_get_revision(activity, none));
  REFUSES(segue_activity_copy_title(activity, none));
  REFUSES(segue_activity_copy_webpage_url(activity, none));
  REFUSES(segue_activity_copy_referrer_url(activity, none));
  REFUSES(segue_activity_copy_target_content_identifier(activity, none));
  REFUSES(segue_activity_copy_persistent_identifier(activity, none));
  REFUSES(segue_activity_set_keywords(activity, NULL, 1));
  REFUSES(segue_activity_copy_keywords(activity, none, &length));
  REFUSES(segue_activity_copy_keywords(activity, &list, none));
  REFUSES(segue_activity_set_required_keys(activity, NULL, 1));
  REFUSES(segue_activity_copy_required_keys(activity, none, &length));
  REFUSES(segue_activity_get_expiration_date(activity, none));
  REFUSES(segue_application_delete_saved(probe.application, NULL, 1, NULL, NULL, NULL));
  REFUSES(segue_activity_add_user_info_entries(activity, none));
  REFUSES(segue_activity_copy_user_info(activity, none));
  REFUSES(segue_activity_add_bool(activity, none, true));
  REFUSES(segue_activity_add_integer(activity, none, 1));
  REFUSES(segue_activity_add_double(activity, none, 1));
  REFUSES(segue_activity_add_string(activity, none, ""));
  REFUSES(segue_activity_add_string(activity, "key", none));
  REFUSES(segue_activity_get_bool(activity, none, &boolean));
  REFUSES(segue_activity_get_integer(activity, none, &integer));
  REFUSES(segue_activity_get_integer(activity, "key", none));
  REFUSES(segue_activity_get_double(activity, none, &number));
  REFUSES(segue_activity_copy_string(activity, none, &string));
  REFUSES(segue_activity_add_url(activity, none, "a:b"));
  REFUSES(segue_activity_add_url(activity, "key", none));
  REFUSES(segue_activity_add_data(activity, none, NULL, 0));
  REFUSES(segue_activity_add_data(activity, "key", NULL, 1));
  REFUSES(segue_activity_add_date(activity, none, 1));
  REFUSES(segue_activity_add_uuid(activity, none, uuid));
  REFUSES(segue_activity_add_uuid(activity, "key", none));
  REFUSES(segue_activity_copy_url(activity, none, &string));
  REFUSES(segue_activity_copy_url(activity, "key", none));
  REFUSES(segue_activity_copy_data(activity, none, &bytes, &length));
  REFUSES(segue_activity_copy_data(activity, "key", none, &length));
  REFUSES(segue_activity_copy_data(activity, "key", &bytes, none));
  REFUSES(segue_activity_get_date(activity, none, &number));
  REFUSES(segue_activity_get_uuid(activity, none, uuid));
  REFUSES(segue_activity_get_uuid(activity, "key", none));
  REFUSES(segue_activity_remove(activity, none));
  IS_FALSE(segue_value_is_equal(dictionary, none));
  REFUSES(segue_value_get_count(dictionary, none));
  REFUSES(segue_value_set(dictionary, none, dictionary));
  REFUSES(segue_value_set_for_name(dictionary, none, dictionary));
  REFUSES(segue_value_get(dictionary, none, &value));
  REFUSES(segue_value_get_for_name(dictionary, none, &value));
  REFUSES(segue_value_encode(dictionary, none, &length, NULL));
  REFUSES(segue_value_encode(dictionary, &bytes, none, NULL));
}

int null_arguments(char **arguments) {
  (void)arguments;
  segue_activity *activity = NULL;
  segue_value *dictionary = NULL;
  int result = segue_activity_new(probe.application, "org.segue.none", &activity, NULL);
  if (result == 0) result = segue_value_new_dictionary(&dictionary);
  if (result < 0) return result;
  calls = 0;
  surprise = NULL;
  void *bad[] = {none, activity};
  for (int i = 0; i < 2; i++) {
    as_application(bad[i]);
    as_responder_or_continuation(bad[i]);
    as_value(bad[i]);
    as_error(bad[i]);
    as_offer(bad[i]);
    as_activity(i == 0 ? none : (void *)dictionary);
  }
  references();
  without_handles();
  with_good_handles(activity, dictionary);
  segue_activity_unref(activity);
  segue_value_unref(dictionary);
  if (surprise == NULL) {
    printf("null-args ok %d\n", calls);
  } else {
    char number[16];
    snprintf(number, sizeof number, "%d", surprising_result);
    text_print("null-args surprise", number, surprise, NULL);
  }
  return 0;
}
