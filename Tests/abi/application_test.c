/* The application: how it is made, what it refuses, and how it ends. */
#include "abi_test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void application_idsAreChecked(void) {
  static const char *const bad[] = {"",           "Reader",     ".org.segue", "org.segue.", "org..segue",
                                    "org.9segue", "org.se gue", "org/segue",  "\xFF.segue", "org.segu\xC3\xA9"};
  segue_application *application = NULL;
  char long_id[251];
  size_t i;
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    CHECK_INT(segue_application_new(bad[i], NULL, &application, NULL), -EINVAL);
    CHECK(application == NULL);
  }
  /* The library appends ".Segue" to the id, and a bus name has at most 255 bytes. */
  memset(long_id, 'a', sizeof long_id);
  long_id[1] = '.';
  long_id[250] = '\0';
  CHECK_INT(segue_application_new(long_id, NULL, &application, NULL), -EINVAL);
  CHECK(application == NULL);
}

static void application_idIsKept(void) {
  segue_application *application = abi_application();
  CHECK_TEXT(segue_application_get_app_id(application), "org.segue.AbiTest");
  CHECK(segue_application_ref(application) == application);
  CHECK(segue_application_unref(application) == NULL);
  CHECK_TEXT(segue_application_get_app_id(application), "org.segue.AbiTest");
  segue_application_unref(application);
}

/* A program built with a newer header has a longer struct; the part that this library does not know must be zero. */
typedef struct newer_options {
  segue_application_options known;
  uint64_t unknown;
} newer_options;

static int try_options(const segue_application_options *options) {
  segue_application *application = NULL;
  int result = segue_application_new("org.segue.AbiTest", options, &application, NULL);
  CHECK((application != NULL) == (result == 0));
  segue_application_unref(application);
  return result;
}

static void application_optionsAreChecked(void) {
  newer_options options;
  memset(&options, 0, sizeof options);
  options.known.struct_size = (uint32_t)sizeof options.known;
  options.known.bus_address = "unix:path=/nonexistent/segue/bus";
  CHECK_INT(try_options(&options.known), 0);
  options.known.flags = (uint64_t)1 << 63;
  CHECK_INT(try_options(&options.known), -EINVAL);
  options.known.flags = 0;
  options.known.reserved = 1;
  CHECK_INT(try_options(&options.known), -EINVAL);
  options.known.reserved = 0;
  options.known.struct_size = 0;
  CHECK_INT(try_options(&options.known), -EINVAL);
  options.known.struct_size = 4;
  CHECK_INT(try_options(&options.known), -EINVAL);
  options.known.struct_size = (uint32_t)sizeof options;
  CHECK_INT(try_options(&options.known), 0);
  options.unknown = 1;
  CHECK_INT(try_options(&options.known), -EINVAL);
  options.known.struct_size = (uint32_t)sizeof options.known;
  CHECK_INT(try_options(&options.known), 0);
  options.known.bus_address = "\xFF";
  CHECK_INT(try_options(&options.known), -EINVAL);
}

/* A later version's struct may be longer; the members that this version does not know are 0 in it. */
static void application_optionsHaveAtMost4KiB(void) {
  static union {
    segue_application_options known;
    unsigned char room[4097];
  } options;
  options.known.bus_address = "unix:path=/nonexistent/segue/bus";
  options.known.struct_size = 4096;
  CHECK_INT(try_options(&options.known), 0);
  options.known.struct_size = 4097;
  CHECK_INT(try_options(&options.known), -EINVAL);
}

static void application_delegateIsReplacedAndDestroyedOnce(void) {
  segue_application *application = abi_application();
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  int destroyed[4] = {0, 0, 0, 0};
  CHECK_INT(segue_application_set_delegate(application, &delegate, &destroyed[0], abi_count), 0);
  CHECK_INT(segue_application_set_delegate(application, &delegate, &destroyed[1], abi_count), 0);
  CHECK_INT(destroyed[0], 1);
  CHECK_INT(segue_application_set_delegate(application, NULL, NULL, NULL), 0);
  CHECK_INT(destroyed[1], 1);
  delegate.struct_size = 0;
  CHECK_INT(segue_application_set_delegate(application, &delegate, &destroyed[2], abi_count), -EINVAL);
  CHECK_INT(destroyed[2], 1);
  delegate.struct_size = (uint32_t)sizeof delegate;
  CHECK_INT(segue_application_set_delegate(application, &delegate, &destroyed[3], abi_count), 0);
  CHECK_INT(destroyed[3], 0);
  segue_application_unref(application);
  CHECK_INT(destroyed[0], 1);
  CHECK_INT(destroyed[1], 1);
  CHECK_INT(destroyed[2], 1);
  CHECK_INT(destroyed[3], 1);
}

static void application_readyMayBeCalledTwice(void) {
  segue_application *application = abi_application();
  CHECK_INT(segue_application_ready(application), 0);
  CHECK_INT(segue_application_ready(application), 0);
  segue_application_unref(application);
}

static void application_handlesAreDroppedInAnyOrder(void) {
  const segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_responder *responder = NULL;
  CHECK_INT(segue_responder_new(application, &methods, NULL, NULL, &responder), 0);
  CHECK_INT(segue_responder_set_user_activity(responder, activity), 0);
  segue_application_unref(application);
  CHECK_INT(segue_activity_set_title(activity, "title"), -ESHUTDOWN);
  CHECK_INT(segue_activity_become_current(activity), -ESHUTDOWN);
  CHECK_INT(segue_responder_set_user_activity(responder, activity), -ESHUTDOWN);
  segue_activity_unref(activity);
  segue_responder_unref(responder);
}

/* How many of an activity's predicates hold. */
static int predicates_that_hold(const segue_activity *activity) {
  return segue_activity_is_current(activity) + segue_activity_is_eligible_for_handoff(activity) +
         segue_activity_is_eligible_for_search(activity) + segue_activity_is_eligible_for_public_indexing(activity) +
         segue_activity_is_eligible_for_prediction(activity) + segue_activity_allows_snapshot(activity) +
         segue_activity_needs_save(activity);
}

static void predicates_areFalseOnAnyTrouble(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_activity *invalid = abi_activity(application);
  segue_value *value = NULL;
  CHECK_INT(segue_value_new_bool(true, &value), 0);
  CHECK_INT(segue_activity_set_eligible_for_search(activity, true), 0);
  CHECK_INT(segue_activity_set_eligible_for_public_indexing(activity, true), 0);
  CHECK_INT(segue_activity_set_eligible_for_prediction(activity, true), 0);
  CHECK_INT(segue_activity_set_allows_snapshot(activity, true), 0);
  CHECK_INT(segue_activity_set_needs_save(activity, true), 0);
  CHECK_INT(segue_activity_become_current(activity), 0);
  CHECK_INT(segue_activity_invalidate(invalid), 0);
  CHECK_INT(predicates_that_hold(activity), 7);
  CHECK(segue_activity_is_invalid(invalid));

  CHECK_INT(predicates_that_hold((segue_activity *)(void *)application), 0);
  CHECK(!segue_activity_is_invalid((segue_activity *)(void *)value));
  CHECK(!segue_activity_was_continued_in_browser((segue_activity *)(void *)value));
  CHECK(segue_value_is_equal(value, value));
  CHECK(!segue_value_is_equal(value, (segue_value *)(void *)activity));

  segue_application_unref(application);
  CHECK_INT(predicates_that_hold(activity), 0);
  CHECK(!segue_activity_is_invalid(invalid));
  CHECK(!segue_activity_was_continued_in_browser(activity));
  segue_activity_unref(activity);
  segue_activity_unref(invalid);
  segue_value_unref(value);
}

static void handles_ofAnotherKindAreRefused(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_value *value = NULL;
  segue_value_new_null(&value);
  CHECK_INT(segue_application_ready((segue_application *)(void *)activity), -EINVAL);
  CHECK_INT(segue_application_dispatch((segue_application *)(void *)value), -EINVAL);
  CHECK_INT(segue_application_get_state((segue_application *)(void *)value), -EINVAL);
  CHECK_INT(segue_activity_become_current((segue_activity *)(void *)application), -EINVAL);
  CHECK_INT(segue_activity_set_title((segue_activity *)(void *)value, "title"), -EINVAL);
  CHECK_INT(segue_activity_set_user_info(activity, (segue_value *)(void *)application), -EINVAL);
  CHECK_INT(segue_value_get_kind((segue_value *)(void *)activity), -EINVAL);
  CHECK_INT(segue_value_append((segue_value *)(void *)activity, value), -EINVAL);
  CHECK(segue_activity_get_type((segue_activity *)(void *)value) == NULL);
  /* The wrong object was not harmed. */
  CHECK_INT(segue_value_get_kind(value), SEGUE_VALUE_NULL);
  segue_value_unref(value);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static int call_ready(void *application) {
  return segue_application_ready((segue_application *)application);
}

static int call_dispatch(void *application) {
  return segue_application_dispatch((segue_application *)application);
}

static int call_become_current(void *activity) {
  return segue_activity_become_current((segue_activity *)activity);
}

static int call_set_title(void *activity) {
  return segue_activity_set_title((segue_activity *)activity, "from another thread");
}

static void threads_theWrongOneIsRefused(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  CHECK_INT(abi_on_another_thread(call_ready, application), -EPERM);
  CHECK_INT(abi_on_another_thread(call_dispatch, application), -EPERM);
  CHECK_INT(abi_on_another_thread(call_become_current, activity), -EPERM);
  CHECK(!segue_activity_is_current(activity));
  CHECK_INT(abi_on_another_thread(call_set_title, activity), 0);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static int destroyed_by_fork;
static void count_fork(void *userdata) {
  ++*(int *)userdata;
}

/* In the child: the number of the first call that does not say -ECHILD, or 0. */
static int call_in_child(segue_application *application, segue_activity *activity) {
  int64_t integer = 0;
  uint8_t id[16];
  if (segue_application_dispatch(application) != -ECHILD) return 1;
  if (segue_application_ready(application) != -ECHILD) return 2;
  if (segue_application_get_fd(application) != -ECHILD) return 3;
  if (segue_activity_set_title(activity, "child") != -ECHILD) return 4;
  if (segue_activity_get_integer(activity, "a", &integer) != -ECHILD) return 5;
  if (segue_activity_become_current(activity) != -ECHILD) return 6;
  if (segue_activity_get_id(activity, id) != -ECHILD) return 8;
  if (segue_activity_set_keywords(activity, NULL, 0) != -ECHILD) return 9;
  if (segue_application_delete_all_saved(application, NULL, NULL, NULL) != -ECHILD) return 10;
  segue_activity_unref(activity);
  segue_application_unref(application);
  /* The child left the parent's objects alone: it did not close the application. */
  return destroyed_by_fork == 0 ? 0 : 7;
}

static void fork_childIsRefused(void) {
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  int status = -1;
  pid_t child;
  CHECK_INT(segue_application_set_delegate(application, &delegate, &destroyed_by_fork, count_fork), 0);
  child = fork();
  if (child == 0) _exit(call_in_child(application, activity));
  CHECK(child > 0);
  CHECK(waitpid(child, &status, 0) == child);
  CHECK_INT(status, 0);
  /* The parent goes on. */
  CHECK_INT(segue_activity_set_title(activity, "parent"), 0);
  segue_activity_unref(activity);
  segue_application_unref(application);
  CHECK_INT(destroyed_by_fork, 1);
}

const abi_test application_tests[] = {
    TEST(application_idsAreChecked),
    TEST(application_idIsKept),
    TEST(application_optionsAreChecked),
    TEST(application_optionsHaveAtMost4KiB),
    TEST(application_delegateIsReplacedAndDestroyedOnce),
    TEST(application_readyMayBeCalledTwice),
    TEST(application_handlesAreDroppedInAnyOrder),
    TEST(predicates_areFalseOnAnyTrouble),
    TEST(handles_ofAnotherKindAreRefused),
    TEST(threads_theWrongOneIsRefused),
    TEST(fork_childIsRefused),
    {NULL, NULL},
};
