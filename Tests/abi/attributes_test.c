/* The attributes of an activity other than title, URL and userInfo, and the deletion of stored copies (C2, C5 to C8,
 * C13, C14, S7). */
#include "abi_test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

typedef int (*text_setter)(segue_activity *activity, const char *text);
typedef int (*text_getter)(const segue_activity *activity, char **out_text);
typedef int (*flag_setter)(segue_activity *activity, bool flag);
typedef bool (*flag_getter)(const segue_activity *activity);

static void C2_attributesAreEmptyAtFirst(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  char here[] = "";
  char *text = here;
  char **list = &text;
  size_t count = 9;
  double date = 0;
  CHECK_INT(segue_activity_copy_referrer_url(activity, &text), 0);
  CHECK(text == NULL);
  text = here;
  CHECK_INT(segue_activity_copy_target_content_identifier(activity, &text), 0);
  CHECK(text == NULL);
  text = here;
  CHECK_INT(segue_activity_copy_persistent_identifier(activity, &text), 0);
  CHECK(text == NULL);
  CHECK_INT(segue_activity_copy_keywords(activity, &list, &count), 0);
  CHECK(list == NULL);
  CHECK_INT((long)count, 0);
  list = &text;
  CHECK_INT(segue_activity_copy_required_keys(activity, &list, &count), 0);
  CHECK(list == NULL);
  CHECK_INT(segue_activity_get_expiration_date(activity, &date), 0);
  CHECK(date == HUGE_VAL);
  CHECK(!segue_activity_is_eligible_for_search(activity));
  CHECK(!segue_activity_is_eligible_for_public_indexing(activity));
  CHECK(!segue_activity_is_eligible_for_prediction(activity));
  CHECK(!segue_activity_allows_snapshot(activity));
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C2_keywordsAreSetAndTakenBack(void) {
  static const char *const words[] = {"walk", "", "Z\xC3\xBCrich"};
  static const char *const malformed[] = {"good", "\xC3"};
  const char *missing[] = {"good", NULL};
  const char *many[65];
  char long_word[130];
  const char *long_words[1];
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  char **copy = NULL;
  size_t count = 0;
  size_t i;
  memset(long_word, 'x', sizeof long_word);
  long_word[129] = '\0';
  long_words[0] = long_word;
  for (i = 0; i < 65; i++) many[i] = "word";
  CHECK_INT(segue_activity_set_keywords(activity, words, 3), 0);
  CHECK_INT(segue_activity_set_keywords(activity, malformed, 2), -EINVAL);
  CHECK_INT(segue_activity_set_keywords(activity, missing, 2), -EINVAL);
  CHECK_INT(segue_activity_set_keywords(activity, NULL, 1), -EINVAL);
  CHECK_INT(segue_activity_set_keywords(activity, many, 65), -E2BIG);
  CHECK_INT(segue_activity_set_keywords(activity, many, 64), 0);
  CHECK_INT(segue_activity_set_keywords(activity, words, 3), 0);
  /* The library does not read an array that is longer than allowed. */
  CHECK_INT(segue_activity_set_keywords(activity, words, (size_t)-1), -EINVAL);
  CHECK_INT(segue_activity_set_keywords(activity, words, ((size_t)-1) / 2), -E2BIG);
  CHECK_INT(segue_activity_set_keywords(activity, long_words, 1), -E2BIG);
  CHECK_INT(segue_activity_copy_keywords(activity, &copy, &count), 0);
  CHECK_INT((long)count, 3);
  CHECK_TEXT(copy[0], "walk");
  CHECK_TEXT(copy[1], "");
  CHECK_TEXT(copy[2], "Z\xC3\xBCrich");
  segue_free(copy);
  long_word[128] = '\0';
  CHECK_INT(segue_activity_set_keywords(activity, long_words, 1), 0);
  CHECK_INT(segue_activity_set_keywords(activity, many, 64), 0);
  CHECK_INT(segue_activity_set_keywords(activity, NULL, 0), 0);
  CHECK_INT(segue_activity_copy_keywords(activity, &copy, &count), 0);
  CHECK(copy == NULL);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

/* The two identifiers have the same limits. */
static void C2_identifiersAreSetAndTakenBack(void) {
  static const text_setter setters[] = {
      segue_activity_set_target_content_identifier, segue_activity_set_persistent_identifier};
  static const text_getter getters[] = {
      segue_activity_copy_target_content_identifier, segue_activity_copy_persistent_identifier};
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  char long_text[514];
  char *text = NULL;
  int i;
  for (i = 0; i < 2; i++) {
    memset(long_text, 'x', sizeof long_text);
    long_text[513] = '\0';
    CHECK_INT(setters[i](activity, "chapter/7"), 0);
    CHECK_INT(setters[i](activity, "\xFF"), -EINVAL);
    CHECK_INT(setters[i](activity, long_text), -E2BIG);
    long_text[512] = '\0';
    CHECK_INT(setters[i](activity, long_text), 0);
    CHECK_INT(setters[i](activity, "chapter/7"), 0);
    CHECK_INT(getters[i](activity, &text), 0);
    CHECK_TEXT(text, "chapter/7");
    segue_free(text);
    long_text[512] = '\0';
    CHECK_INT(setters[i](activity, long_text), 0);
    CHECK_INT(setters[i](activity, NULL), 0);
    CHECK_INT(getters[i](activity, &text), 0);
    CHECK(text == NULL);
  }
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C8_referrerURLIsHTTPOnly(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  char *url = NULL;
  CHECK_INT(segue_activity_set_referrer_url(activity, "https://example.com/from?a#b"), 0);
  CHECK_INT(segue_activity_set_referrer_url(activity, "file:///etc/passwd"), -EINVAL);
  CHECK_INT(segue_activity_copy_referrer_url(activity, &url), 0);
  CHECK_TEXT(url, "https://example.com/from?a#b");
  segue_free(url);
  CHECK_INT(segue_activity_set_referrer_url(activity, NULL), 0);
  CHECK_INT(segue_activity_copy_referrer_url(activity, &url), 0);
  CHECK(url == NULL);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C5_requiredKeysAreUnsetOrAList(void) {
  static const char *const keys[] = {"page", "line"};
  const char *many[257];
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  char **copy = NULL;
  size_t count = 0;
  for (count = 0; count < 257; count++) many[count] = "word";
  CHECK_INT(segue_activity_set_required_keys(activity, many, 256), 0);
  CHECK_INT(segue_activity_set_required_keys(activity, keys, 2), 0);
  CHECK_INT(segue_activity_set_required_keys(activity, NULL, 2), -EINVAL);
  CHECK_INT(segue_activity_set_required_keys(activity, many, 257), -E2BIG);
  CHECK_INT(segue_activity_copy_required_keys(activity, &copy, &count), 0);
  CHECK_INT((long)count, 2);
  CHECK_TEXT(copy[1], "line");
  segue_free(copy);
  /* The activity requires no key, which is not the same as unset. */
  CHECK_INT(segue_activity_set_required_keys(activity, keys, 0), 0);
  CHECK_INT(segue_activity_copy_required_keys(activity, &copy, &count), 0);
  CHECK(copy != NULL);
  CHECK_INT((long)count, 0);
  segue_free(copy);
  CHECK_INT(segue_activity_set_required_keys(activity, NULL, 0), 0);
  CHECK_INT(segue_activity_copy_required_keys(activity, &copy, &count), 0);
  CHECK(copy == NULL);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C6_onlyHandoffIsAllowedAtFirst(void) {
  static const flag_setter setters[] = {
      segue_activity_set_eligible_for_search, segue_activity_set_eligible_for_public_indexing,
      segue_activity_set_eligible_for_prediction, segue_activity_set_allows_snapshot};
  static const flag_getter getters[] = {
      segue_activity_is_eligible_for_search, segue_activity_is_eligible_for_public_indexing,
      segue_activity_is_eligible_for_prediction, segue_activity_allows_snapshot};
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  int i;
  int other;
  for (i = 0; i < 4; i++) {
    CHECK(!getters[i](activity));
    CHECK_INT(setters[i](activity, true), 0);
    for (other = 0; other < 4; other++) CHECK(getters[other](activity) == (other == i));
    CHECK(segue_activity_is_eligible_for_handoff(activity));
    CHECK_INT(setters[i](activity, false), 0);
  }
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C7_everyDateIsTaken(void) {
  static const double dates[] = {1.5, 0, -1e300, 1e300, 4102444800.25, -HUGE_VAL};
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  double date = 0;
  size_t i;
  CHECK_INT(segue_activity_become_current(activity), 0);
  for (i = 0; i < sizeof dates / sizeof dates[0]; i++) {
    CHECK_INT(segue_activity_set_expiration_date(activity, dates[i]), 0);
    CHECK_INT(segue_activity_get_expiration_date(activity, &date), 0);
    CHECK(date == dates[i]);
    segue_application_dispatch(application);
    /* The activity stays current and valid. */
    CHECK(segue_activity_is_current(activity));
    CHECK(!segue_activity_is_invalid(activity));
  }
  CHECK_INT(segue_activity_set_expiration_date(activity, strtod("nan", NULL)), -EINVAL);
  CHECK_INT(segue_activity_get_expiration_date(activity, &date), 0);
  CHECK(date == -HUGE_VAL);
  CHECK_INT(segue_activity_set_expiration_date(activity, HUGE_VAL), 0);
  CHECK_INT(segue_activity_get_expiration_date(activity, &date), 0);
  CHECK(date == HUGE_VAL);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C11_invalidActivityRefusesEverySetter(void) {
  static const char *const words[] = {"word"};
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  CHECK_INT(segue_activity_invalidate(activity), 0);
  CHECK_INT(segue_activity_set_keywords(activity, words, 1), -ESTALE);
  CHECK_INT(segue_activity_set_required_keys(activity, words, 1), -ESTALE);
  CHECK_INT(segue_activity_set_referrer_url(activity, "https://example.com/"), -ESTALE);
  CHECK_INT(segue_activity_set_target_content_identifier(activity, "id"), -ESTALE);
  CHECK_INT(segue_activity_set_persistent_identifier(activity, "id"), -ESTALE);
  CHECK_INT(segue_activity_set_expiration_date(activity, 1), -ESTALE);
  CHECK_INT(segue_activity_set_eligible_for_search(activity, true), -ESTALE);
  CHECK_INT(segue_activity_set_eligible_for_public_indexing(activity, true), -ESTALE);
  CHECK_INT(segue_activity_set_eligible_for_prediction(activity, true), -ESTALE);
  CHECK_INT(segue_activity_set_allows_snapshot(activity, true), -ESTALE);
  CHECK(!segue_activity_is_eligible_for_search(activity));
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C14_noAttributeSetsNeedsSave(void) {
  static const char *const words[] = {"word"};
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  CHECK_INT(segue_activity_set_target_content_identifier(activity, "window"), 0);
  CHECK_INT(segue_activity_set_keywords(activity, words, 1), 0);
  CHECK_INT(segue_activity_set_persistent_identifier(activity, "id"), 0);
  CHECK_INT(segue_activity_set_expiration_date(activity, 4e9), 0);
  CHECK(!segue_activity_needs_save(activity));
  CHECK_INT(segue_activity_get_save_reason(activity), SEGUE_SAVE_REASON_NONE);
  CHECK(!segue_activity_was_continued_in_browser(activity));
  segue_activity_unref(activity);
  segue_application_unref(application);
}

typedef struct deletion {
  int calls;
  int destroyed;
  int has_application;
  segue_error_code code;
} deletion;

SEGUE_BEGIN_DECLS

static void deleted(segue_application *application, const segue_error *error, void *userdata) {
  deletion *here = (deletion *)userdata;
  here->calls++;
  here->has_application = application != NULL;
  here->code = segue_error_get_code(error);
}

static void forget(void *userdata) {
  ((deletion *)userdata)->destroyed++;
}

SEGUE_END_DECLS

static void C13_nothingToDeleteIsDoneInTheNextDispatch(void) {
  segue_application *application = abi_application();
  deletion empty = {0, 0, 0, 1};
  CHECK_INT(segue_application_delete_saved(application, NULL, 0, deleted, &empty, forget), 0);
  CHECK_INT(empty.calls, 0);
  while (empty.calls == 0) CHECK(segue_application_wait(application, -1) >= 0);
  CHECK_INT(empty.has_application, 1);
  CHECK_INT(empty.code, 0);
  CHECK_INT(empty.destroyed, 1);
  segue_application_unref(application);
  CHECK_INT(empty.calls, 1);
}

static void C13_theCompletionComesAlsoWhenTheApplicationCloses(void) {
  static const char *const ids[] = {"one", "two"};
  segue_application *application = abi_application();
  deletion some = {0, 0, 0, 0};
  deletion all = {0, 0, 0, 0};
  CHECK_INT(segue_application_delete_saved(application, ids, 2, deleted, &some, forget), 0);
  CHECK_INT(segue_application_delete_all_saved(application, deleted, &all, forget), 0);
  CHECK_INT(segue_application_delete_all_saved(application, NULL, NULL, NULL), 0);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(some.calls + all.calls, 0);
  segue_application_unref(application);
  CHECK_INT(some.calls, 1);
  CHECK_INT(some.has_application, 0);
  CHECK_INT(some.code, SEGUE_ERROR_CONNECTION_UNAVAILABLE);
  CHECK_INT(some.destroyed, 1);
  CHECK_INT(all.calls, 1);
  CHECK_INT(all.code, SEGUE_ERROR_CONNECTION_UNAVAILABLE);
  CHECK_INT(all.destroyed, 1);
}

static void C13_badArgumentsAreRefusedWithoutACompletion(void) {
  static const char *const malformed[] = {"good", "\xC3"};
  char long_id[514];
  const char *long_ids[1];
  segue_application *application = abi_application();
  deletion none = {0, 0, 0, 0};
  int i;
  memset(long_id, 'x', sizeof long_id);
  long_id[513] = '\0';
  long_ids[0] = long_id;
  CHECK_INT(segue_application_delete_saved(application, NULL, 1, deleted, &none, forget), -EINVAL);
  CHECK_INT(segue_application_delete_saved(application, malformed, 2, deleted, &none, forget), -EINVAL);
  CHECK_INT(segue_application_delete_saved(application, long_ids, 1, deleted, &none, forget), -E2BIG);
  CHECK_INT(segue_application_delete_saved(application, malformed, 257, deleted, &none, forget), -E2BIG);
  CHECK_INT(none.destroyed, 4);
  for (i = 0; i < 64; i++) CHECK_INT(segue_application_delete_all_saved(application, NULL, NULL, NULL), 0);
  CHECK_INT(segue_application_delete_all_saved(application, deleted, &none, forget), -E2BIG);
  CHECK_INT(none.destroyed, 5);
  segue_application_unref(application);
  CHECK_INT(none.calls, 0);
}

SEGUE_BEGIN_DECLS

/* Sets two keys to the same number in one call, 2000 times. */
static void *set_pairs(void *given) {
  segue_activity *activity = (segue_activity *)given;
  segue_value *pair = NULL;
  segue_value *number = NULL;
  int64_t i;
  segue_value_new_dictionary(&pair);
  for (i = 1; i <= 2000; i++) {
    segue_value_new_integer(i, &number);
    segue_value_set_for_name(pair, "left", number);
    segue_value_set_for_name(pair, "right", number);
    segue_activity_add_user_info_entries(activity, pair);
    number = segue_value_unref(number);
  }
  segue_value_unref(pair);
  return NULL;
}

SEGUE_END_DECLS

static void S7_whatIsReadInOneCallIsNeverTorn(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  pthread_t thread;
  int64_t last = 0;
  int64_t numbers[2] = {0, 0};
  CHECK_INT(segue_activity_add_integer(activity, "left", 0), 0);
  CHECK_INT(segue_activity_add_integer(activity, "right", 0), 0);
  CHECK_INT(pthread_create(&thread, NULL, set_pairs, activity), 0);
  while (last < 2000) {
    segue_value *info = NULL;
    segue_value *left = NULL;
    segue_value *right = NULL;
    CHECK_INT(segue_activity_copy_user_info(activity, &info), 0);
    CHECK_INT(segue_value_get_for_name(info, "left", &left), 0);
    CHECK_INT(segue_value_get_for_name(info, "right", &right), 0);
    segue_value_get_integer(left, &numbers[0]);
    segue_value_get_integer(right, &numbers[1]);
    CHECK(numbers[0] == numbers[1]);
    CHECK(numbers[0] >= last);
    last = numbers[0];
    segue_value_unref(info);
  }
  pthread_join(thread, NULL);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

const abi_test attributes_tests[] = {
    TEST(C2_attributesAreEmptyAtFirst),
    TEST(C2_keywordsAreSetAndTakenBack),
    TEST(C2_identifiersAreSetAndTakenBack),
    TEST(C5_requiredKeysAreUnsetOrAList),
    TEST(C6_onlyHandoffIsAllowedAtFirst),
    TEST(C7_everyDateIsTaken),
    TEST(C8_referrerURLIsHTTPOnly),
    TEST(C11_invalidActivityRefusesEverySetter),
    TEST(C13_nothingToDeleteIsDoneInTheNextDispatch),
    TEST(C13_theCompletionComesAlsoWhenTheApplicationCloses),
    TEST(C13_badArgumentsAreRefusedWithoutACompletion),
    TEST(C14_noAttributeSetsNeedsSave),
    TEST(S7_whatIsReadInOneCallIsNeverTorn),
    {NULL, NULL},
};
