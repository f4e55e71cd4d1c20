/* userInfo (C3, C4). */
#include <math.h>

#include "abi_test.h"

static int64_t integer_of(const segue_activity *activity, const char *key) {
  int64_t integer = -1;
  CHECK_INT(segue_activity_get_integer(activity, key, &integer), 0);
  return integer;
}

static long count_of(const segue_activity *activity) {
  segue_value *info = NULL;
  size_t count = 0;
  CHECK_INT(segue_activity_copy_user_info(activity, &info), 0);
  CHECK_INT(segue_value_get_count(info, &count), 0);
  segue_value_unref(info);
  return (long)count;
}

/* A dictionary with one integer in it. */
static segue_value *entry(const char *key, int64_t integer) {
  segue_value *dictionary = NULL;
  segue_value *value = NULL;
  segue_value_new_dictionary(&dictionary);
  segue_value_new_integer(integer, &value);
  segue_value_set_for_name(dictionary, key, value);
  segue_value_unref(value);
  return dictionary;
}

static void C3_setUserInfoReplacesAllAndIsNeverAbsent(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_value *info = entry("b", 2);
  segue_value *array = NULL;
  int64_t integer = 7;
  segue_value_new_array(&array);
  CHECK_INT(segue_activity_add_integer(activity, "a", 1), 0);
  CHECK_INT(segue_activity_set_user_info(activity, info), 0);
  CHECK_INT(segue_activity_get_integer(activity, "a", &integer), -ENOENT);
  CHECK(integer == 7);
  CHECK(integer_of(activity, "b") == 2);
  /* The activity has a copy. */
  CHECK_INT(segue_value_set_for_name(info, "b", NULL), 0);
  CHECK(integer_of(activity, "b") == 2);
  CHECK_INT(segue_activity_set_user_info(activity, array), -ENXIO);
  CHECK_INT(segue_activity_add_user_info_entries(activity, array), -ENXIO);
  CHECK_INT(count_of(activity), 1);
  CHECK_INT(segue_activity_set_user_info(activity, NULL), 0);
  CHECK_INT(count_of(activity), 0);
  segue_value_unref(array);
  segue_value_unref(info);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C3_copyOfUserInfoIsTheCallers(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_value *info = NULL;
  segue_activity_add_integer(activity, "a", 1);
  CHECK_INT(segue_activity_copy_user_info(activity, &info), 0);
  CHECK_INT(segue_value_set_for_name(info, "a", NULL), 0);
  CHECK(integer_of(activity, "a") == 1);
  segue_activity_unref(activity);
  segue_application_unref(application);
  CHECK_INT(segue_value_get_kind(info), SEGUE_VALUE_DICTIONARY);
  segue_value_unref(info);
}

static void C3_limitsAreChecked(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_value *wide = NULL;
  segue_value *number = NULL;
  char key[160];
  int i;
  segue_value_new_integer(1, &number);
  segue_value_new_dictionary(&wide);
  for (i = 0; i < 257; i++) {
    snprintf(key, sizeof key, "key %d", i);
    CHECK_INT(segue_value_set_for_name(wide, key, number), 0);
  }
  CHECK_INT(segue_activity_set_user_info(activity, wide), -E2BIG);
  CHECK_INT(segue_value_set_for_name(wide, key, NULL), 0);
  CHECK_INT(segue_activity_set_user_info(activity, wide), 0);
  CHECK_INT(segue_activity_add_integer(activity, "one more", 1), -E2BIG);
  CHECK_INT(count_of(activity), 256);

  memset(key, 'k', 129);
  key[129] = '\0';
  CHECK_INT(segue_activity_set_user_info(activity, NULL), 0);
  CHECK_INT(segue_activity_add_integer(activity, key, 1), -E2BIG);
  key[128] = '\0';
  CHECK_INT(segue_activity_add_integer(activity, key, 1), 0);
  segue_value_unref(number);
  segue_value_unref(wide);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

/* A container around the value, which this function frees: a dictionary, an array and a set count alike. */
static segue_value *around(segue_value *value, int kind, int expected) {
  segue_value *outer = NULL;
  if (kind == 0) {
    CHECK_INT(segue_value_new_dictionary(&outer), 0);
    CHECK_INT(segue_value_set_for_name(outer, "in", value), expected);
  } else {
    CHECK_INT(kind == 1 ? segue_value_new_array(&outer) : segue_value_new_set(&outer), 0);
    CHECK_INT(segue_value_append(outer, value), expected);
  }
  segue_value_unref(value);
  return outer;
}

/* userInfo itself is the first of at most 16 containers inside one another. */
static void C3_containersInContainersAreSoDeep(void) {
  int kind;
  for (kind = 0; kind < 3; kind++) {
    segue_application *application = abi_application();
    segue_activity *activity = abi_activity(application);
    segue_value *deep = NULL;
    segue_value *info = NULL;
    int depth;
    segue_value_new_integer(1, &deep);
    for (depth = 1; depth <= 15; depth++) deep = around(deep, kind, 0);
    info = around(segue_value_ref(deep), 0, 0);
    CHECK_INT(segue_activity_set_user_info(activity, info), 0);
    CHECK_INT(count_of(activity), 1);
    segue_value_unref(info);
    /* A value with one more can be built, since it need not become state; an activity refuses it. */
    info = around(around(segue_value_ref(deep), kind, 0), 0, 0);
    CHECK_INT(segue_activity_set_user_info(activity, info), -E2BIG);
    CHECK_INT(segue_activity_add_user_info_entries(activity, info), -E2BIG);
    CHECK_INT(count_of(activity), 1);
    info = around(info, kind, -E2BIG);
    segue_value_unref(info);
    segue_value_unref(deep);
    segue_activity_unref(activity);
    segue_application_unref(application);
  }
}

static void C4_addUserInfoEntriesMerges(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_value *more = entry("b", 20);
  segue_activity_add_integer(activity, "a", 1);
  segue_activity_add_integer(activity, "b", 2);
  CHECK_INT(segue_activity_add_user_info_entries(activity, more), 0);
  CHECK(integer_of(activity, "a") == 1);
  CHECK(integer_of(activity, "b") == 20);
  CHECK_INT(count_of(activity), 2);
  segue_value_unref(more);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C4_shortcutsOfTheOtherKinds(void) {
  static const uint8_t uuid[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  static const char *const no_urls[] = {"", "list.txt", "file:///a b", "a:\n", "\xFF:a"};
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_value *info = NULL;
  segue_value *entry = NULL;
  uint8_t uuid_out[16] = {0};
  double date = 0;
  char *text = NULL;
  void *bytes = NULL;
  size_t length = 99;
  size_t i;
  static char large[65537];
  CHECK_INT(segue_activity_add_url(activity, "url", "file:///home/a/list.txt"), 0);
  CHECK_INT(segue_activity_add_data(activity, "data", "a\0b", 3), 0);
  CHECK_INT(segue_activity_add_data(activity, "empty", NULL, 0), 0);
  CHECK_INT(segue_activity_add_date(activity, "date", -1.5), 0);
  CHECK_INT(segue_activity_add_uuid(activity, "uuid", uuid), 0);
  CHECK_INT(segue_activity_add_string(activity, "string", "a:b"), 0);
  CHECK_INT(segue_activity_copy_url(activity, "url", &text), 0);
  CHECK_TEXT(text, "file:///home/a/list.txt");
  segue_free(text);
  CHECK_INT(segue_activity_copy_user_info(activity, &info), 0);
  CHECK_INT(segue_value_get_for_name(info, "url", &entry), 0);
  CHECK_INT(segue_value_get_kind(entry), SEGUE_VALUE_URL);
  segue_value_unref(info);
  CHECK_INT(segue_activity_copy_data(activity, "data", &bytes, &length), 0);
  CHECK(length == 3 && memcmp(bytes, "a\0b", 3) == 0);
  segue_free(bytes);
  CHECK_INT(segue_activity_copy_data(activity, "empty", &bytes, &length), 0);
  CHECK(length == 0 && bytes != NULL);
  segue_free(bytes);
  CHECK_INT(segue_activity_get_date(activity, "date", &date), 0);
  CHECK(date == -1.5);
  CHECK_INT(segue_activity_get_uuid(activity, "uuid", uuid_out), 0);
  CHECK(memcmp(uuid_out, uuid, sizeof uuid) == 0);
  /* A malformed value changes nothing; an entry of another kind, or a missing one, leaves the out-parameters alone. */
  for (i = 0; i < sizeof no_urls / sizeof no_urls[0]; i++) {
    CHECK_INT(segue_activity_add_url(activity, "url", no_urls[i]), -EINVAL);
  }
  CHECK_INT(segue_activity_add_date(activity, "date", HUGE_VAL), -EINVAL);
  CHECK_INT(segue_activity_add_data(activity, "data", large, sizeof large), -E2BIG);
  CHECK_INT(segue_activity_get_date(activity, "date", &date), 0);
  text = NULL;
  bytes = NULL;
  length = 99;
  CHECK_INT(segue_activity_copy_url(activity, "string", &text), -ENXIO);
  CHECK_INT(segue_activity_copy_data(activity, "string", &bytes, &length), -ENXIO);
  CHECK_INT(segue_activity_get_date(activity, "uuid", &date), -ENXIO);
  CHECK_INT(segue_activity_get_uuid(activity, "date", uuid_out), -ENXIO);
  CHECK_INT(segue_activity_copy_url(activity, "none", &text), -ENOENT);
  CHECK_INT(segue_activity_copy_data(activity, "none", &bytes, &length), -ENOENT);
  CHECK_INT(segue_activity_get_date(activity, "none", &date), -ENOENT);
  CHECK_INT(segue_activity_get_uuid(activity, "none", uuid_out), -ENOENT);
  CHECK(text == NULL && bytes == NULL && length == 99 && date == -1.5);
  CHECK(memcmp(uuid_out, uuid, sizeof uuid) == 0);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C4_anEntryIsRemoved(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_value *info = NULL;
  int64_t integer = 0;
  size_t count = 9;
  CHECK_INT(segue_activity_remove(activity, "line"), -ENOENT);
  CHECK_INT(segue_activity_add_integer(activity, "line", 1), 0);
  CHECK_INT(segue_activity_add_integer(activity, "page", 2), 0);
  CHECK_INT(segue_activity_remove(activity, "line"), 0);
  CHECK_INT(segue_activity_remove(activity, "line"), -ENOENT);
  CHECK_INT(segue_activity_get_integer(activity, "line", &integer), -ENOENT);
  CHECK_INT(segue_activity_copy_user_info(activity, &info), 0);
  CHECK_INT(segue_value_get_count(info, &count), 0);
  CHECK_INT((long)count, 1);
  segue_value_unref(info);
  CHECK_INT(segue_activity_invalidate(activity), 0);
  CHECK_INT(segue_activity_remove(activity, "page"), -ESTALE);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C4_shortcutsAddAndGetOneEntry(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  bool boolean = false;
  int64_t integer = 0;
  double number = 0;
  char *string = NULL;
  CHECK_INT(segue_activity_add_bool(activity, "bool", true), 0);
  CHECK_INT(segue_activity_add_integer(activity, "integer", -5), 0);
  CHECK_INT(segue_activity_add_double(activity, "double", 2.5), 0);
  CHECK_INT(segue_activity_add_string(activity, "string", "\xE2\x82\xAC"), 0);
  CHECK_INT(segue_activity_get_bool(activity, "bool", &boolean), 0);
  CHECK(boolean);
  CHECK_INT(segue_activity_get_integer(activity, "integer", &integer), 0);
  CHECK(integer == -5);
  CHECK_INT(segue_activity_get_double(activity, "double", &number), 0);
  CHECK(number > 2.4 && number < 2.6);
  CHECK_INT(segue_activity_get_double(activity, "integer", &number), 0);
  CHECK_INT(segue_activity_copy_string(activity, "string", &string), 0);
  CHECK_TEXT(string, "\xE2\x82\xAC");
  segue_free(string);
  CHECK_INT(segue_activity_get_bool(activity, "integer", &boolean), -ENXIO);
  CHECK_INT(segue_activity_get_integer(activity, "string", &integer), -ENXIO);
  CHECK_INT(segue_activity_get_double(activity, "bool", &number), -ENXIO);
  CHECK_INT(segue_activity_copy_string(activity, "bool", &string), -ENXIO);
  CHECK_INT(segue_activity_get_bool(activity, "none", &boolean), -ENOENT);
  CHECK_INT(segue_activity_get_integer(activity, "none", &integer), -ENOENT);
  CHECK_INT(segue_activity_get_double(activity, "none", &number), -ENOENT);
  CHECK_INT(segue_activity_copy_string(activity, "none", &string), -ENOENT);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C4_copyStringTakesAURL(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_value *dictionary = NULL;
  segue_value *url = NULL;
  char *string = NULL;
  segue_value_new_dictionary(&dictionary);
  segue_value_new_url("file:///tmp/a%20b", &url);
  segue_value_set_for_name(dictionary, SEGUE_DOCUMENT_URL_KEY, url);
  CHECK_INT(segue_activity_add_user_info_entries(activity, dictionary), 0);
  CHECK_INT(segue_activity_copy_string(activity, SEGUE_DOCUMENT_URL_KEY, &string), 0);
  CHECK_TEXT(string, "file:///tmp/a%20b");
  segue_free(string);
  segue_value_unref(url);
  segue_value_unref(dictionary);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void C4_malformedTextIsRefused(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  int64_t integer = 0;
  CHECK_INT(segue_activity_add_string(activity, "a", "\xFF"), -EINVAL);
  CHECK_INT(segue_activity_add_string(activity, "\xFF", "a"), -EINVAL);
  CHECK_INT(segue_activity_add_integer(activity, "\xFF", 1), -EINVAL);
  CHECK_INT(segue_activity_get_integer(activity, "\xFF", &integer), -EINVAL);
  CHECK_INT(count_of(activity), 0);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

const abi_test user_info_tests[] = {
    TEST(C3_setUserInfoReplacesAllAndIsNeverAbsent),
    TEST(C3_copyOfUserInfoIsTheCallers),
    TEST(C3_limitsAreChecked),
    TEST(C3_containersInContainersAreSoDeep),
    TEST(C4_addUserInfoEntriesMerges),
    TEST(C4_shortcutsOfTheOtherKinds),
    TEST(C4_anEntryIsRemoved),
    TEST(C4_shortcutsAddAndGetOneEntry),
    TEST(C4_copyStringTakesAURL),
    TEST(C4_malformedTextIsRefused),
    {NULL, NULL},
};
