/* Properties of a plugin's objects: the values that each type takes, saving, and restoring. */
#include "hosting.h"

#include <math.h>
#include <stdlib.h>

static segue_value *integers(const int64_t *numbers, size_t count) {
  segue_value *array = NULL;
  size_t i;
  CHECK_INT(segue_value_new_array(&array), 0);
  for (i = 0; i < count; i++) {
    segue_value *number = NULL;
    CHECK_INT(segue_value_new_integer(numbers[i], &number), 0);
    CHECK_INT(segue_value_append(array, number), 0);
    segue_value_unref(number);
  }
  return array;
}

/* Sets a property from a value, which this function frees, and checks the result. */
static void set(host *here, const char *key, segue_value *value, int expected) {
  CHECK_INT(segue_plugin_object_set_property(here->object, key, value, NULL), expected);
  segue_value_unref(value);
}

static void check_property(host *here, const char *key, segue_value *expected) {
  segue_value *value = NULL;
  CHECK_INT(segue_plugin_object_copy_property(here->object, key, &value, NULL), 0);
  CHECK(value != NULL && segue_value_is_equal(value, expected));
  segue_value_unref(value);
  segue_value_unref(expected);
}

/* An error's message names plugin, object and key. */
static void check_refusal(int result, int expected, segue_error *error, const char *object, const char *key) {
  char names[128];
  CHECK_INT(result, expected);
  sprintf(names, "org.segue.abi-test, %s, %s: ", object, key);
  CHECK(strncmp(segue_error_get_message(error), names, strlen(names)) == 0);
  segue_error_unref(error);
}

/* Integers: the ends of each range, and the values beyond them. */
static const struct {
  const char *key;
  int64_t least;
  int64_t most;
} ranges[] = {
    {"C", -128, 127},
    {"y", 0, 255},
    {"n", -32768, 32767},
    {"q", 0, 65535},
    {"i", INT32_MIN, INT32_MAX},
    {"u", 0, UINT32_MAX},
    {"x", INT64_MIN, INT64_MAX},
    {"t", 0, INT64_MAX},
};

static void property_integersKeepToTheirRange(void) {
  host here;
  size_t i;
  host_begin(&here, "types", NULL);
  for (i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
    int64_t number = 1;
    CHECK_INT(segue_plugin_object_set_integer(here.object, ranges[i].key, ranges[i].least, NULL), 0);
    CHECK_INT(segue_plugin_object_get_integer(here.object, ranges[i].key, &number, NULL), 0);
    CHECK(number == ranges[i].least);
    CHECK_INT(segue_plugin_object_set_integer(here.object, ranges[i].key, ranges[i].most, NULL), 0);
    if (ranges[i].least > INT64_MIN) {
      segue_error *error = NULL;
      int result = segue_plugin_object_set_integer(here.object, ranges[i].key, ranges[i].least - 1, &error);
      check_refusal(result, -EINVAL, error, "types", ranges[i].key);
    }
    if (ranges[i].most < INT64_MAX) {
      segue_error *error = NULL;
      int result = segue_plugin_object_set_integer(here.object, ranges[i].key, ranges[i].most + 1, &error);
      check_refusal(result, -EINVAL, error, "types", ranges[i].key);
    }
    CHECK_INT(segue_plugin_object_get_integer(here.object, ranges[i].key, &number, NULL), 0);
    CHECK(number == ranges[i].most);
    CHECK_INT(segue_plugin_object_set_double(here.object, ranges[i].key, 1, NULL), -EINVAL);
  }
  host_end(&here);
}

static void property_numbersTextAndTruth(void) {
  host here;
  double number = 0;
  char *text = NULL;
  segue_value *value = NULL;
  host_begin(&here, "types", NULL);
  CHECK_INT(segue_plugin_object_set_double(here.object, "d", -0.125, NULL), 0);
  CHECK_INT(segue_plugin_object_get_double(here.object, "d", &number, NULL), 0);
  CHECK(number == -0.125);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "d", 3, NULL), 0);
  CHECK_INT(segue_plugin_object_get_double(here.object, "d", &number, NULL), 0);
  CHECK(number == 3);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "d", ((int64_t)1 << 53) + 1, NULL), -EINVAL);
  CHECK_INT(segue_plugin_object_set_double(here.object, "F", 0.1, NULL), 0);
  CHECK_INT(segue_plugin_object_get_double(here.object, "F", &number, NULL), 0);
  CHECK(number == (double)0.1F);
  CHECK_INT(segue_plugin_object_set_double(here.object, "F", 1e39, NULL), -EINVAL);
  CHECK_INT(segue_plugin_object_set_double(here.object, "F", HUGE_VAL, NULL), 0);
  CHECK_INT(segue_value_new_bool(true, &value), 0);
  set(&here, "b", value, 0);
  CHECK_INT(segue_value_new_bool(true, &value), 0);
  check_property(&here, "b", value);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "b", 1, NULL), -EINVAL);
  CHECK_INT(segue_value_new_date(1.5, &value), 0);
  set(&here, "D", value, 0);
  CHECK_INT(segue_value_new_date(1.5, &value), 0);
  check_property(&here, "D", value);
  CHECK_INT(segue_plugin_object_set_double(here.object, "D", 1.5, NULL), -EINVAL);
  CHECK_INT(segue_plugin_object_set_string(here.object, "s", "\xC3\xA4 text", NULL), 0);
  CHECK_INT(segue_plugin_object_copy_string(here.object, "s", &text, NULL), 0);
  CHECK_TEXT(text, "\xC3\xA4 text");
  segue_free(text);
  CHECK_INT(segue_plugin_object_set_string(here.object, "s", "\xFF", NULL), -EINVAL);
  CHECK_INT(segue_plugin_object_set_string(here.object, "U", "https://example.org/", NULL), 0);
  CHECK_INT(segue_value_new_url("https://example.org/", &value), 0);
  check_property(&here, "U", value);
  CHECK_INT(segue_plugin_object_set_string(here.object, "U", "no URL", NULL), -EINVAL);
  CHECK_INT(segue_value_new_string("https://example.org/", &value), 0);
  set(&here, "U", value, -EINVAL);
  host_end(&here);
}

static void property_arraysAndDataAndAnything(void) {
  static const char *const keys[] = {"aC", "an", "aq", "ai", "au", "ax", "aF", "ad"};
  static const int64_t numbers[] = {1, 2, 127};
  static const int64_t large[] = {1, (int64_t)1 << 40};
  host here;
  segue_value *value = NULL;
  segue_value *array = NULL;
  size_t i;
  host_begin(&here, "types", NULL);
  for (i = 0; i < 6; i++) {
    set(&here, keys[i], integers(numbers, 3), 0);
    check_property(&here, keys[i], integers(numbers, 3));
    set(&here, keys[i], integers(numbers, 0), 0);
    check_property(&here, keys[i], integers(numbers, 0));
    set(&here, keys[i], integers(large, 2), i == 5 ? 0 : -EINVAL);
  }
  for (i = 6; i < 8; i++) {
    set(&here, keys[i], integers(numbers, 3), 0);
    CHECK_INT(segue_plugin_object_copy_property(here.object, keys[i], &array, NULL), 0);
    CHECK_INT(segue_value_get_at(array, 2, &value), 0);
    CHECK_INT(segue_value_get_kind(value), SEGUE_VALUE_DOUBLE);
    segue_value_unref(array);
  }
  CHECK_INT(segue_value_new_data("a\0b", 3, &value), 0);
  set(&here, "ay", value, 0);
  CHECK_INT(segue_value_new_data("a\0b", 3, &value), 0);
  check_property(&here, "ay", value);
  set(&here, "ay", integers(numbers, 3), -EINVAL);
  CHECK_INT(segue_value_new_array(&array), 0);
  CHECK_INT(segue_value_new_string("one", &value), 0);
  CHECK_INT(segue_value_append(array, value), 0);
  segue_value_unref(value);
  CHECK_INT(segue_value_new_string("", &value), 0);
  CHECK_INT(segue_value_append(array, value), 0);
  segue_value_unref(value);
  segue_value_ref(array);
  segue_value_ref(array);
  set(&here, "as", array, 0);
  check_property(&here, "as", array);
  set(&here, "ai", array, -EINVAL);
  set(&here, "v", integers(numbers, 3), 0);
  check_property(&here, "v", integers(numbers, 3));
  host_end(&here);
}

static void property_optionalOnesMayBeAbsent(void) {
  static const char *const keys[] = {"mn", "mD", "ms", "may"};
  host here;
  segue_value *value = NULL;
  char *text = NULL;
  int64_t number = 0;
  size_t i;
  host_begin(&here, "types", NULL);
  for (i = 0; i < 4; i++) {
    CHECK_INT(segue_value_new_null(&value), 0);
    check_property(&here, keys[i], value);
  }
  CHECK_INT(segue_plugin_object_get_integer(here.object, "mn", &number, NULL), -EINVAL);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "mn", -5, NULL), 0);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "mn", &number, NULL), 0);
  CHECK_INT((long)number, -5);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "mn", 40000, NULL), -EINVAL);
  CHECK_INT(segue_plugin_object_copy_string(here.object, "ms", &text, NULL), 0);
  CHECK(text == NULL);
  CHECK_INT(segue_plugin_object_set_string(here.object, "ms", "", NULL), 0);
  CHECK_INT(segue_plugin_object_copy_string(here.object, "ms", &text, NULL), 0);
  CHECK_TEXT(text, "");
  segue_free(text);
  /* An empty value is not absent. */
  CHECK_INT(segue_value_new_data(NULL, 0, &value), 0);
  set(&here, "may", value, 0);
  CHECK_INT(segue_value_new_data(NULL, 0, &value), 0);
  check_property(&here, "may", value);
  for (i = 0; i < 4; i++) {
    CHECK_INT(segue_value_new_null(&value), 0);
    set(&here, keys[i], value, 0);
    CHECK_INT(segue_value_new_null(&value), 0);
    check_property(&here, keys[i], value);
  }
  CHECK_INT(segue_value_new_null(&value), 0);
  set(&here, "s", value, -EINVAL);
  host_end(&here);
}

static void property_anotherObjectRestoresWhatOneHasSaved(void) {
  host here;
  segue_plugin_object *other = NULL;
  segue_value *info = NULL;
  segue_value *again = NULL;
  host_begin(&here, "types", "left.");
  CHECK_INT(segue_plugin_object_set_integer(here.object, "x", INT64_MIN, NULL), 0);
  CHECK_INT(segue_plugin_object_set_string(here.object, "ms", "may be", NULL), 0);
  CHECK_INT(segue_responder_update(host_responder(&here), here.activity), 0);
  CHECK_INT(here.failed, 0);
  CHECK_INT(segue_activity_copy_user_info(here.activity, &info), 0);
  CHECK_INT(segue_plugin_object_new(here.plugin, "types", "left.", NULL, NULL, NULL, &other, NULL), 0);
  CHECK_INT(segue_responder_restore(segue_plugin_object_get_responder(other), here.activity), 0);
  CHECK_INT(segue_activity_set_user_info(here.activity, NULL), 0);
  CHECK_INT(segue_responder_update(segue_plugin_object_get_responder(other), here.activity), 0);
  CHECK_INT(segue_activity_copy_user_info(here.activity, &again), 0);
  CHECK(segue_value_is_equal(info, again));
  segue_value_unref(again);
  segue_value_unref(info);
  segue_plugin_object_unref(other);
  host_end(&here);
}

static void property_whatIsMissingGetsItsDefault(void) {
  host here;
  double number = 0;
  int64_t integer = 0;
  char *text = NULL;
  host_begin(&here, "types", NULL);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "i", 7, NULL), 0);
  CHECK_INT(segue_plugin_object_set_string(here.object, "ms", "may be", NULL), 0);
  CHECK_INT(segue_activity_add_integer(here.activity, "unknown", 1), 0);
  CHECK_INT(segue_responder_restore(host_responder(&here), here.activity), 0);
  CHECK_TEXT(here.failure, "");
  CHECK_INT(here.restored, 1);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "C", &integer, NULL), 0);
  CHECK_INT((long)integer, -3);
  CHECK_INT(segue_plugin_object_get_double(here.object, "F", &number, NULL), 0);
  CHECK(number == 2.5);
  CHECK_INT(segue_plugin_object_get_double(here.object, "d", &number, NULL), 0);
  CHECK(number == -0.1);
  CHECK_INT(segue_plugin_object_copy_string(here.object, "s", &text, NULL), 0);
  CHECK_TEXT(text, "a text");
  segue_free(text);
  CHECK_INT(segue_plugin_object_copy_string(here.object, "U", &text, NULL), 0);
  CHECK_TEXT(text, "segue:x");
  segue_free(text);
  /* A property without a default keeps its value, and an optional one becomes absent. */
  CHECK_INT(segue_plugin_object_get_integer(here.object, "i", &integer, NULL), 0);
  CHECK_INT((long)integer, 7);
  CHECK_INT(segue_plugin_object_copy_string(here.object, "ms", &text, NULL), 0);
  CHECK(text == NULL);
  host_end(&here);
}

static void property_aBadPayloadChangesNothing(void) {
  host here;
  int64_t integer = 0;
  host_begin(&here, "types", NULL);
  CHECK_INT(segue_activity_add_integer(here.activity, "i", 1), 0);
  CHECK_INT(segue_activity_add_integer(here.activity, "y", 300), 0);
  CHECK_INT(segue_responder_restore(host_responder(&here), here.activity), -EINVAL);
  CHECK_INT(here.restored, 0);
  CHECK_INT(here.failed, 1);
  CHECK_TEXT(here.failure, "org.segue.abi-test, types, y: 300 is beyond a uint8");
  CHECK(segue_application_dispatch(here.application) >= 0);
  CHECK_TEXT(here.line, here.failure);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "i", &integer, NULL), 0);
  CHECK_INT((long)integer, 0);
  host_end(&here);
}

static void property_oneFunctionRestoresWhatBelongsTogether(void) {
  host here;
  int64_t integer = 0;
  double number = 0;
  segue_value *entries = NULL;
  segue_value *url = NULL;
  host_begin(&here, "together", NULL);
  CHECK_INT(segue_activity_add_double(here.activity, "time", 2.5), 0);
  CHECK_INT(segue_responder_restore(host_responder(&here), here.activity), -EINVAL);
  CHECK_TEXT(here.failure, "org.segue.abi-test, together, url: it is required, and missing");
  CHECK_INT(segue_value_new_url("https://example.org/a", &url), 0);
  CHECK_INT(segue_value_new_dictionary(&entries), 0);
  CHECK_INT(segue_value_set_for_name(entries, "url", url), 0);
  CHECK_INT(segue_activity_add_user_info_entries(here.activity, entries), 0);
  segue_value_unref(entries);
  CHECK_INT(segue_activity_add_integer(here.activity, "track", 2), 0);
  CHECK_INT(segue_responder_restore(host_responder(&here), here.activity), 0);
  CHECK_INT(here.restored, 1);
  check_property(&here, "url", url);
  CHECK_INT(segue_plugin_object_get_double(here.object, "time", &number, NULL), 0);
  CHECK(number == 2.5);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "track", &integer, NULL), 0);
  CHECK_INT((long)integer, 2);
  /* The restore function refuses: the setters that ran before it have set their properties. */
  CHECK_INT(segue_activity_add_double(here.activity, "time", -1), 0);
  CHECK_INT(segue_activity_add_integer(here.activity, "volume", 50), 0);
  CHECK_INT(segue_responder_restore(host_responder(&here), here.activity), -EIO);
  CHECK(strncmp(here.failure, "org.segue.abi-test, together: its restore function has failed: ", 63) == 0);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "volume", &integer, NULL), 0);
  CHECK_INT((long)integer, 50);
  host_end(&here);
}

static void property_faultsAreNamed(void) {
  static const char *const keys[] = {"null", "not-utf8", "no-url", "endless", "many", "strings", "beyond", "never"};
  host here;
  int64_t number = 0;
  size_t i;
  host_begin(&here, "faults", NULL);
  for (i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    segue_value *value = NULL;
    segue_error *error = NULL;
    int result = segue_plugin_object_copy_property(here.object, keys[i], &value, &error);
    CHECK_INT(segue_error_get_code(error), SEGUE_ERROR_PLUGIN_FAILED);
    check_refusal(result, -EIO, error, "faults", keys[i]);
    CHECK(value == NULL);
  }
  /* The object saves the properties that it can, and reports each of the others. */
  CHECK_INT(segue_responder_update(host_responder(&here), here.activity), -EIO);
  CHECK_INT(here.failed, 8);
  CHECK_INT(segue_activity_get_integer(here.activity, "fine", &number), 0);
  CHECK(number > 0);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "failing", 1, NULL), 0);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "failing", 0, NULL), -EIO);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "failing", -1, NULL), -EIO);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "failing", &number, NULL), -EACCES);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "fine", 1, NULL), -EACCES);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "unknown", 1, NULL), -ENOENT);
  CHECK_INT(segue_activity_add_integer(here.activity, "first", 1), 0);
  CHECK_INT(segue_activity_add_integer(here.activity, "failing", 0), 0);
  CHECK_INT(segue_responder_restore(host_responder(&here), here.activity), -EIO);
  CHECK(strncmp(here.failure, "org.segue.abi-test, faults, failing: its setter has failed: ", 60) == 0);
  CHECK_INT(here.restored, 0);
  host_end(&here);
}

static void property_whatCannotBeMade(void) {
  host here;
  segue_plugin *again = NULL;
  segue_plugin_object *object = NULL;
  segue_error *error = NULL;
  char prefix[130];
  int destroyed = 0;
  host_begin(&here, "types", NULL);
  CHECK_INT(segue_plugin_load(here.application, PLUGIN, ABI_PREFIX, &again, NULL), 0);
  CHECK(again == here.plugin);
  CHECK_TEXT(segue_plugin_get_id(again), "org.segue.abi-test");
  CHECK_TEXT(segue_plugin_get_name(again), "Tests");
  CHECK_TEXT(segue_plugin_get_version(again), "0.1");
  segue_plugin_unref(again);
  CHECK_INT(segue_plugin_object_new(here.plugin, "none", NULL, NULL, &destroyed, abi_count, &object, &error), -ENOENT);
  segue_error_unref(error);
  CHECK_INT(
      segue_plugin_object_new(here.plugin, "unmakeable", NULL, NULL, &destroyed, abi_count, &object, &error), -EIO);
  CHECK_INT(segue_error_get_code(error), SEGUE_ERROR_PLUGIN_FAILED);
  segue_error_unref(error);
  memset(prefix, 'p', sizeof prefix - 1);
  prefix[sizeof prefix - 1] = '\0';
  CHECK_INT(segue_plugin_object_new(here.plugin, "types", prefix, NULL, &destroyed, abi_count, &object, NULL), -EINVAL);
  CHECK_INT(segue_plugin_object_new(here.plugin, "types", "\xFF", NULL, &destroyed, abi_count, &object, NULL), -EINVAL);
  CHECK_INT(destroyed, 4);
  CHECK(object == NULL);
  host_end(&here);
}

const abi_test property_tests[] = {
    TEST(property_integersKeepToTheirRange),
    TEST(property_numbersTextAndTruth),
    TEST(property_arraysAndDataAndAnything),
    TEST(property_optionalOnesMayBeAbsent),
    TEST(property_anotherObjectRestoresWhatOneHasSaved),
    TEST(property_whatIsMissingGetsItsDefault),
    TEST(property_aBadPayloadChangesNothing),
    TEST(property_oneFunctionRestoresWhatBelongsTogether),
    TEST(property_faultsAreNamed),
    TEST(property_whatCannotBeMade),
    {NULL, NULL},
};
