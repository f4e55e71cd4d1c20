/* Activities without a bus: type, title, URL, flags, being current, the end (C1, C2, C6, C8 to C12, C16, S1). */
#include "abi_test.h"

static void C1_typesAreChecked(void) {
  static const char *const good[] = {"org.segue", "com.example.app.view", "a-b.c_d", "9to5.mac", "A.B"};
  static const char *const bad[] = {"",           "org",         ".org.segue",       "org.segue.",
                                    "org..segue", "org segue.a", "org.segu\xC3\xA9", "a/b.c",
                                    "a.b\n",      "\xFF.a",      "org.segue.a*b"};
  segue_application *application = abi_application();
  segue_activity *activity = NULL;
  segue_error *error = NULL;
  size_t i;
  for (i = 0; i < sizeof good / sizeof good[0]; i++) {
    CHECK_INT(segue_activity_new(application, good[i], &activity, NULL), 0);
    CHECK_TEXT(segue_activity_get_type(activity), good[i]);
    activity = segue_activity_unref(activity);
  }
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    CHECK_INT(segue_activity_new(application, bad[i], &activity, &error), -EINVAL);
    CHECK(activity == NULL);
    CHECK_INT(segue_error_get_code(error), SEGUE_ERROR_INVALID_ARGUMENT);
    error = segue_error_unref(error);
  }
  segue_application_unref(application);
}

static void C1_typesHaveAtMost255Bytes(void) {
  segue_application *application = abi_application();
  segue_activity *activity = NULL;
  char type[257];
  memset(type, 'a', sizeof type);
  type[1] = '.';
  type[256] = '\0';
  CHECK_INT(segue_activity_new(application, type, &activity, NULL), -EINVAL);
  type[255] = '\0';
  CHECK_INT(segue_activity_new(application, type, &activity, NULL), 0);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C2_newActivityIsBlank(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_value *info = NULL;
  char here[] = "";
  char *text = here;
  size_t count = 9;
  CHECK_INT(segue_activity_copy_title(activity, &text), 0);
  CHECK(text == NULL);
  text = here;
  CHECK_INT(segue_activity_copy_webpage_url(activity, &text), 0);
  CHECK(text == NULL);
  CHECK(!segue_activity_needs_save(activity));
  CHECK(!segue_activity_is_current(activity));
  CHECK(!segue_activity_is_invalid(activity));
  CHECK_INT(segue_activity_copy_user_info(activity, &info), 0);
  CHECK_INT(segue_value_get_kind(info), SEGUE_VALUE_DICTIONARY);
  CHECK_INT(segue_value_get_count(info, &count), 0);
  CHECK_INT((long)count, 0);
  segue_value_unref(info);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C2_titleIsSetAndTakenBack(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  char *title = NULL;
  char long_title[514];
  memset(long_title, 'x', sizeof long_title);
  long_title[513] = '\0';
  CHECK_INT(segue_activity_set_title(activity, "R\xC3\xA9sum\xC3\xA9"), 0);
  CHECK_INT(segue_activity_set_title(activity, "\xC3"), -EINVAL);
  CHECK_INT(segue_activity_set_title(activity, long_title), -E2BIG);
  CHECK_INT(segue_activity_copy_title(activity, &title), 0);
  CHECK_TEXT(title, "R\xC3\xA9sum\xC3\xA9");
  segue_free(title);
  long_title[512] = '\0';
  CHECK_INT(segue_activity_set_title(activity, long_title), 0);
  CHECK_INT(segue_activity_set_title(activity, NULL), 0);
  CHECK_INT(segue_activity_copy_title(activity, &title), 0);
  CHECK(title == NULL);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C6_eligibleForHandoffAtFirst(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  CHECK(segue_activity_is_eligible_for_handoff(activity));
  CHECK_INT(segue_activity_set_eligible_for_handoff(activity, false), 0);
  CHECK(!segue_activity_is_eligible_for_handoff(activity));
  CHECK_INT(segue_activity_set_eligible_for_handoff(activity, true), 0);
  CHECK(segue_activity_is_eligible_for_handoff(activity));
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C8_webpageURLIsHTTPOnlyAndKeptAsItIs(void) {
  static const char *const bad[] = {
      "ftp://example.com/", "file:///etc/passwd",        "javascript:alert(1)",       "example.com", "", "http://a b/",
      "https://\xFF/",      "https://user@example.com/", "https://m\xC3\xBCnchen.de/"};
  static const char url[] = "https://example.com/a%20b?q=1&r=#part";
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  char *got = NULL;
  size_t i;
  CHECK_INT(segue_activity_set_webpage_url(activity, url), 0);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    CHECK_INT(segue_activity_set_webpage_url(activity, bad[i]), -EINVAL);
    CHECK_INT(segue_activity_copy_webpage_url(activity, &got), 0);
    CHECK_TEXT(got, url);
    segue_free(got);
  }
  CHECK_INT(segue_activity_set_webpage_url(activity, "http://example.com"), 0);
  CHECK_INT(segue_activity_set_webpage_url(activity, NULL), 0);
  CHECK_INT(segue_activity_copy_webpage_url(activity, &got), 0);
  CHECK(got == NULL);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C9_oneCurrentActivityPerApplication(void) {
  segue_application *application = abi_application();
  segue_activity *first = abi_activity(application);
  segue_activity *second = abi_activity(application);
  segue_activity *current = NULL;
  CHECK_INT(segue_application_copy_current_activity(application, &current), 0);
  CHECK(current == NULL);
  CHECK_INT(segue_activity_become_current(first), 0);
  CHECK(segue_activity_is_current(first));
  CHECK_INT(segue_activity_become_current(second), 0);
  CHECK(!segue_activity_is_current(first));
  CHECK(!segue_activity_is_invalid(first));
  CHECK_INT(segue_application_copy_current_activity(application, &current), 0);
  CHECK(current == second);
  segue_activity_unref(current);
  segue_activity_unref(first);
  segue_activity_unref(second);
  segue_application_unref(application);
}

static void C10_resignKeepsAndInvalidateEnds(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_activity *current = activity;
  CHECK_INT(segue_activity_become_current(activity), 0);
  CHECK_INT(segue_activity_resign_current(activity), 0);
  CHECK(!segue_activity_is_current(activity));
  CHECK(!segue_activity_is_invalid(activity));
  CHECK_INT(segue_application_copy_current_activity(application, &current), 0);
  CHECK(current == NULL);
  CHECK_INT(segue_activity_resign_current(activity), 0);
  CHECK_INT(segue_activity_become_current(activity), 0);
  CHECK_INT(segue_activity_invalidate(activity), 0);
  CHECK(segue_activity_is_invalid(activity));
  CHECK(!segue_activity_is_current(activity));
  CHECK_INT(segue_activity_invalidate(activity), 0);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C10_resignOfAnotherDoesNotTakeTheCurrentOne(void) {
  segue_application *application = abi_application();
  segue_activity *first = abi_activity(application);
  segue_activity *second = abi_activity(application);
  CHECK_INT(segue_activity_become_current(second), 0);
  CHECK_INT(segue_activity_resign_current(first), 0);
  CHECK(segue_activity_is_current(second));
  segue_activity_unref(first);
  segue_activity_unref(second);
  segue_application_unref(application);
}

static void C11_invalidActivityRefusesSetters(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_value *entries = NULL;
  char *title = NULL;
  segue_value_new_dictionary(&entries);
  segue_activity_set_title(activity, "kept");
  segue_activity_invalidate(activity);
  CHECK_INT(segue_activity_become_current(activity), SEGUE_ACTIVITY_IS_INVALID);
  CHECK(!segue_activity_is_current(activity));
  CHECK_INT(segue_activity_set_title(activity, "new"), -ESTALE);
  CHECK_INT(segue_activity_set_webpage_url(activity, "http://example.com"), -ESTALE);
  CHECK_INT(segue_activity_set_eligible_for_handoff(activity, false), -ESTALE);
  CHECK_INT(segue_activity_set_user_info(activity, entries), -ESTALE);
  CHECK_INT(segue_activity_add_user_info_entries(activity, entries), -ESTALE);
  CHECK_INT(segue_activity_add_integer(activity, "a", 1), -ESTALE);
  CHECK_INT(segue_activity_set_needs_save(activity, true), -ESTALE);
  /* Its attributes can still be read. */
  CHECK_INT(segue_activity_copy_title(activity, &title), 0);
  CHECK_TEXT(title, "kept");
  segue_free(title);
  segue_value_unref(entries);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C12_droppingTheLastReferenceWithdraws(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_activity *current = activity;
  segue_activity_become_current(activity);
  segue_activity_unref(activity);
  /* Any thread may drop it, so that this takes effect at the next dispatch only. */
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(segue_application_copy_current_activity(application, &current), 0);
  CHECK(current == NULL);
  segue_application_unref(application);
}

static void C16_idsAreNewForEachActivity(void) {
  segue_application *application = abi_application();
  segue_activity *first = abi_activity(application);
  segue_activity *second = abi_activity(application);
  uint8_t one[16] = {0};
  uint8_t other[16] = {0};
  uint8_t again[16] = {0};
  uint64_t revision = 99;
  CHECK_INT(segue_activity_get_id(first, one), 0);
  CHECK_INT(segue_activity_get_id(second, other), 0);
  CHECK_INT(segue_activity_get_id(first, again), 0);
  CHECK(memcmp(one, other, 16) != 0);
  CHECK(memcmp(one, again, 16) == 0);
  CHECK_INT(segue_activity_get_revision(first, &revision), 0);
  CHECK(revision != 99);
  /* An activity that was made here was continued from nothing. */
  revision = 99;
  CHECK_INT(segue_activity_get_continued_from(first, again, &revision), -ENOENT);
  CHECK(memcmp(one, again, 16) == 0);
  CHECK_INT((int)revision, 99);
  segue_activity_unref(first);
  segue_activity_unref(second);
  segue_application_unref(application);
}

static void S1_needsSaveIsAFlag(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  CHECK_INT(segue_activity_set_needs_save(activity, true), 0);
  CHECK_INT(segue_activity_set_needs_save(activity, true), 0);
  CHECK(segue_activity_needs_save(activity));
  CHECK_INT(segue_activity_set_needs_save(activity, false), 0);
  CHECK(!segue_activity_needs_save(activity));
  segue_activity_unref(activity);
  segue_application_unref(application);
}

/* C14: no plain setter asks for a save. */
static void C14_settersDoNotSetNeedsSave(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_activity_set_title(activity, "title");
  segue_activity_set_webpage_url(activity, "http://example.com");
  segue_activity_set_eligible_for_handoff(activity, false);
  segue_activity_add_integer(activity, "a", 1);
  CHECK(!segue_activity_needs_save(activity));
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void activities_delegateIsReplacedAndDestroyedOnce(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_activity_delegate delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  int destroyed[4] = {0, 0, 0, 0};
  CHECK_INT(segue_activity_set_delegate(activity, &delegate, &destroyed[0], abi_count), 0);
  CHECK_INT(segue_activity_set_delegate(activity, &delegate, &destroyed[1], abi_count), 0);
  CHECK_INT(destroyed[0], 1);
  CHECK_INT(segue_activity_set_delegate(activity, NULL, NULL, NULL), 0);
  CHECK_INT(destroyed[1], 1);
  delegate.reserved = 1;
  CHECK_INT(segue_activity_set_delegate(activity, &delegate, &destroyed[2], abi_count), -EINVAL);
  CHECK_INT(destroyed[2], 1);
  delegate.reserved = 0;
  CHECK_INT(segue_activity_set_delegate(activity, &delegate, &destroyed[3], abi_count), 0);
  CHECK_INT(destroyed[3], 0);
  segue_activity_unref(activity);
  segue_application_unref(application);
  CHECK_INT(destroyed[0], 1);
  CHECK_INT(destroyed[1], 1);
  CHECK_INT(destroyed[2], 1);
  CHECK_INT(destroyed[3], 1);
}

const abi_test activity_tests[] = {
    TEST(C1_typesAreChecked),
    TEST(C1_typesHaveAtMost255Bytes),
    TEST(C2_newActivityIsBlank),
    TEST(C2_titleIsSetAndTakenBack),
    TEST(C6_eligibleForHandoffAtFirst),
    TEST(C8_webpageURLIsHTTPOnlyAndKeptAsItIs),
    TEST(C9_oneCurrentActivityPerApplication),
    TEST(C10_resignKeepsAndInvalidateEnds),
    TEST(C10_resignOfAnotherDoesNotTakeTheCurrentOne),
    TEST(C11_invalidActivityRefusesSetters),
    TEST(C12_droppingTheLastReferenceWithdraws),
    TEST(C14_settersDoNotSetNeedsSave),
    TEST(C16_idsAreNewForEachActivity),
    TEST(S1_needsSaveIsAFlag),
    TEST(activities_delegateIsReplacedAndDestroyedOnce),
    {NULL, NULL},
};
