/* Values: every kind, and containers (C3). */
#include "abi_test.h"

#include <math.h>

static void C3_scalarsKeepWhatTheyWereMadeOf(void) {
  static const uint8_t uuid[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  uint8_t uuid_out[16] = {0};
  segue_value *value = NULL;
  bool boolean = false;
  int64_t integer = 0;
  double number = 0;
  const char *string = NULL;
  const void *bytes = NULL;
  size_t length = 99;

  CHECK_INT(segue_value_new_null(&value), 0);
  CHECK_INT(segue_value_get_kind(value), SEGUE_VALUE_NULL);
  segue_value_unref(value);

  CHECK_INT(segue_value_new_bool(true, &value), 0);
  CHECK_INT(segue_value_get_kind(value), SEGUE_VALUE_BOOL);
  CHECK_INT(segue_value_get_bool(value, &boolean), 0);
  CHECK(boolean);
  segue_value_unref(value);

  CHECK_INT(segue_value_new_integer(INT64_MIN, &value), 0);
  CHECK_INT(segue_value_get_kind(value), SEGUE_VALUE_INTEGER);
  CHECK_INT(segue_value_get_integer(value, &integer), 0);
  CHECK(integer == INT64_MIN);
  segue_value_unref(value);

  CHECK_INT(segue_value_new_double(-0.1, &value), 0);
  CHECK_INT(segue_value_get_kind(value), SEGUE_VALUE_DOUBLE);
  CHECK_INT(segue_value_get_double(value, &number), 0);
  CHECK(!(number < -0.1) && !(number > -0.1));
  segue_value_unref(value);

  CHECK_INT(segue_value_new_string("na\xC3\xAFve", &value), 0);
  CHECK_INT(segue_value_get_kind(value), SEGUE_VALUE_STRING);
  CHECK_INT(segue_value_get_string(value, &string), 0);
  CHECK_TEXT(string, "na\xC3\xAFve");
  segue_value_unref(value);

  CHECK_INT(segue_value_new_data("\0x", 2, &value), 0);
  CHECK_INT(segue_value_get_kind(value), SEGUE_VALUE_DATA);
  CHECK_INT(segue_value_get_data(value, &bytes, &length), 0);
  CHECK(length == 2 && memcmp(bytes, "\0x", 2) == 0);
  segue_value_unref(value);

  CHECK_INT(segue_value_new_data(NULL, 0, &value), 0);
  CHECK_INT(segue_value_get_data(value, &bytes, &length), 0);
  CHECK(length == 0);
  segue_value_unref(value);

  CHECK_INT(segue_value_new_date(1700000000.25, &value), 0);
  CHECK_INT(segue_value_get_kind(value), SEGUE_VALUE_DATE);
  CHECK_INT(segue_value_get_date(value, &number), 0);
  CHECK(!(number < 1700000000.25) && !(number > 1700000000.25));
  segue_value_unref(value);

  CHECK_INT(segue_value_new_url("mailto:a@example.com", &value), 0);
  CHECK_INT(segue_value_get_kind(value), SEGUE_VALUE_URL);
  CHECK_INT(segue_value_get_string(value, &string), 0);
  CHECK_TEXT(string, "mailto:a@example.com");
  segue_value_unref(value);

  CHECK_INT(segue_value_new_uuid(uuid, &value), 0);
  CHECK_INT(segue_value_get_kind(value), SEGUE_VALUE_UUID);
  CHECK_INT(segue_value_get_uuid(value, uuid_out), 0);
  CHECK(memcmp(uuid, uuid_out, 16) == 0);
  segue_value_unref(value);
}

static void C3_doubleIsReadFromAnExactInteger(void) {
  segue_value *value = NULL;
  double number = 0;
  segue_value_new_integer(3, &value);
  CHECK_INT(segue_value_get_double(value, &number), 0);
  CHECK(number > 2.5 && number < 3.5);
  segue_value_unref(value);
  segue_value_new_integer(INT64_MAX, &value);
  CHECK_INT(segue_value_get_double(value, &number), -ENXIO);
  CHECK(number < 3.5);
  segue_value_unref(value);
}

static void C3_malformedTextIsRefused(void) {
  segue_value *value = NULL;
  CHECK_INT(segue_value_new_string("\xFF", &value), -EINVAL);
  CHECK_INT(segue_value_new_string("\xC0\x80", &value), -EINVAL);
  CHECK_INT(segue_value_new_string("\xED\xA0\x80", &value), -EINVAL);
  CHECK_INT(segue_value_new_url("no-scheme", &value), -EINVAL);
  CHECK_INT(segue_value_new_url("", &value), -EINVAL);
  CHECK_INT(segue_value_new_url("http://a b", &value), -EINVAL);
  CHECK_INT(segue_value_new_url("http://a\nb", &value), -EINVAL);
  CHECK_INT(segue_value_new_url("1http://a", &value), -EINVAL);
  CHECK_INT(segue_value_new_url("http://\xFF", &value), -EINVAL);
  CHECK_INT(segue_value_new_date(HUGE_VAL, &value), -EINVAL);
  CHECK_INT(segue_value_new_date(-HUGE_VAL, &value), -EINVAL);
  CHECK_INT(segue_value_new_date(HUGE_VAL - HUGE_VAL, &value), -EINVAL);
  /* An out-parameter is left alone on failure. */
  CHECK(value == NULL);
}

static void C3_gettersRefuseOtherKinds(void) {
  segue_value *text = NULL;
  segue_value *integer = NULL;
  segue_value *element = NULL;
  bool boolean = true;
  int64_t whole = 5;
  double number = 5;
  const char *string = "kept";
  const void *bytes = NULL;
  size_t length = 5;
  uint8_t uuid[16] = {5};
  segue_value_new_string("text", &text);
  segue_value_new_integer(1, &integer);
  CHECK_INT(segue_value_get_bool(text, &boolean), -ENXIO);
  CHECK_INT(segue_value_get_integer(text, &whole), -ENXIO);
  CHECK_INT(segue_value_get_double(text, &number), -ENXIO);
  CHECK_INT(segue_value_get_string(integer, &string), -ENXIO);
  CHECK_INT(segue_value_get_data(text, &bytes, &length), -ENXIO);
  CHECK_INT(segue_value_get_date(text, &number), -ENXIO);
  CHECK_INT(segue_value_get_uuid(text, uuid), -ENXIO);
  CHECK_INT(segue_value_get_count(text, &length), -ENXIO);
  CHECK_INT(segue_value_append(text, integer), -ENXIO);
  CHECK_INT(segue_value_get_at(text, 0, &element), -ENXIO);
  CHECK_INT(segue_value_set(text, text, integer), -ENXIO);
  CHECK_INT(segue_value_get(text, text, &element), -ENXIO);
  CHECK_INT(segue_value_set_for_name(text, "key", integer), -ENXIO);
  CHECK_INT(segue_value_get_for_name(text, "key", &element), -ENXIO);
  CHECK_INT(segue_value_get_entry(text, 0, &element, &element), -ENXIO);
  CHECK(boolean);
  CHECK(whole == 5 && length == 5 && uuid[0] == 5 && bytes == NULL && element == NULL);
  CHECK_TEXT(string, "kept");
  segue_value_unref(text);
  segue_value_unref(integer);
}

static void C3_arrayKeepsOrderAndCopies(void) {
  segue_value *array = NULL;
  segue_value *inner = NULL;
  segue_value *one = NULL;
  segue_value *got = NULL;
  size_t count = 0;
  segue_value_new_array(&array);
  segue_value_new_array(&inner);
  segue_value_new_integer(1, &one);
  CHECK_INT(segue_value_append(array, one), 0);
  CHECK_INT(segue_value_append(array, inner), 0);
  /* The array has a copy of the added value. */
  CHECK_INT(segue_value_append(inner, one), 0);
  CHECK_INT(segue_value_get_count(array, &count), 0);
  CHECK_INT((long)count, 2);
  CHECK_INT(segue_value_get_at(array, 1, &got), 0);
  CHECK_INT(segue_value_get_count(got, &count), 0);
  CHECK_INT((long)count, 0);
  /* A borrowed element cannot be changed, since that would not change the container. */
  CHECK_INT(segue_value_append(got, one), -EROFS);
  CHECK_INT(segue_value_get_at(array, 1, &got), 0);
  CHECK_INT(segue_value_get_count(got, &count), 0);
  CHECK_INT((long)count, 0);
  CHECK_INT(segue_value_get_at(array, 2, &got), -ENOENT);
  CHECK_INT(segue_value_get_at(array, (size_t)-1, &got), -ENOENT);
  segue_value_unref(one);
  CHECK_INT(segue_value_get_at(array, 0, &got), 0);
  CHECK_INT(segue_value_get_kind(got), SEGUE_VALUE_INTEGER);
  segue_value_unref(array);
  segue_value_unref(inner);
}

/* An array may be added to itself: the array gets a copy, so that there is no cycle. */
static void C3_containerMayBeAddedToItself(void) {
  segue_value *array = NULL;
  size_t count = 0;
  segue_value_new_array(&array);
  CHECK_INT(segue_value_append(array, array), 0);
  CHECK_INT(segue_value_get_count(array, &count), 0);
  CHECK_INT((long)count, 1);
  segue_value_unref(array);
}

static void C3_setKeepsOneOfEquals(void) {
  segue_value *set = NULL;
  segue_value *other = NULL;
  segue_value *one = NULL;
  segue_value *two = NULL;
  size_t count = 0;
  segue_value_new_set(&set);
  segue_value_new_set(&other);
  segue_value_new_integer(1, &one);
  segue_value_new_integer(2, &two);
  CHECK_INT(segue_value_append(set, one), 0);
  CHECK_INT(segue_value_append(set, two), 0);
  CHECK_INT(segue_value_append(set, one), 0);
  CHECK_INT(segue_value_get_count(set, &count), 0);
  CHECK_INT((long)count, 2);
  segue_value_append(other, two);
  CHECK(!segue_value_is_equal(set, other));
  segue_value_append(other, one);
  CHECK(segue_value_is_equal(set, other));
  segue_value_unref(set);
  segue_value_unref(other);
  segue_value_unref(one);
  segue_value_unref(two);
}

static void C3_dictionarySetsGetsAndRemoves(void) {
  segue_value *dictionary = NULL;
  segue_value *one = NULL;
  segue_value *two = NULL;
  segue_value *key = NULL;
  segue_value *got = NULL;
  segue_value *got_key = NULL;
  int64_t integer = 0;
  size_t count = 9;
  segue_value_new_dictionary(&dictionary);
  segue_value_new_integer(1, &one);
  segue_value_new_integer(2, &two);
  CHECK_INT(segue_value_get_count(dictionary, &count), 0);
  CHECK_INT((long)count, 0);
  CHECK_INT(segue_value_set_for_name(dictionary, "a", one), 0);
  CHECK_INT(segue_value_set_for_name(dictionary, "a", two), 0);
  CHECK_INT(segue_value_get_for_name(dictionary, "a", &got), 0);
  CHECK_INT(segue_value_get_integer(got, &integer), 0);
  CHECK(integer == 2);
  CHECK_INT(segue_value_get_for_name(dictionary, "b", &got), -ENOENT);
  CHECK_INT(segue_value_set_for_name(dictionary, "\xFF", one), -EINVAL);

  /* A string's entry is the same by name and by a key that is a value. */
  segue_value_new_string("a", &key);
  CHECK_INT(segue_value_get(dictionary, key, &got), 0);
  CHECK_INT(segue_value_set(dictionary, one, two), 0);
  CHECK_INT(segue_value_get_count(dictionary, &count), 0);
  CHECK_INT((long)count, 2);
  /* In the order of the encoded keys, the integer comes before the string. */
  CHECK_INT(segue_value_get_entry(dictionary, 0, &got_key, &got), 0);
  CHECK_INT(segue_value_get_kind(got_key), SEGUE_VALUE_INTEGER);
  CHECK_INT(segue_value_get_entry(dictionary, 1, &got_key, &got), 0);
  CHECK_INT(segue_value_get_kind(got_key), SEGUE_VALUE_STRING);
  CHECK_INT(segue_value_get_entry(dictionary, 2, &got_key, &got), -ENOENT);

  CHECK_INT(segue_value_set(dictionary, key, NULL), 0);
  CHECK_INT(segue_value_get(dictionary, key, &got), -ENOENT);
  CHECK_INT(segue_value_set_for_name(dictionary, "never there", NULL), 0);
  segue_value_unref(dictionary);
  segue_value_unref(one);
  segue_value_unref(two);
  segue_value_unref(key);
}

static void C3_containersAreNoKeys(void) {
  segue_value *dictionary = NULL;
  segue_value *containers[3] = {NULL, NULL, NULL};
  segue_value *got = NULL;
  size_t i;
  size_t count = 9;
  segue_value_new_dictionary(&dictionary);
  segue_value_new_array(&containers[0]);
  segue_value_new_set(&containers[1]);
  segue_value_new_dictionary(&containers[2]);
  for (i = 0; i < 3; i++) {
    CHECK_INT(segue_value_set(dictionary, containers[i], dictionary), -EINVAL);
    CHECK(segue_value_get(dictionary, containers[i], &got) < 0);
    segue_value_unref(containers[i]);
  }
  CHECK_INT(segue_value_get_count(dictionary, &count), 0);
  CHECK_INT((long)count, 0);
  segue_value_unref(dictionary);
}

static void C3_equalityLooksAtKindAndContent(void) {
  segue_value *string = NULL;
  segue_value *url = NULL;
  segue_value *same = NULL;
  segue_value *one = NULL;
  segue_value *one_as_double = NULL;
  segue_value_new_string("a:b", &string);
  segue_value_new_url("a:b", &url);
  segue_value_new_string("a:b", &same);
  segue_value_new_integer(1, &one);
  segue_value_new_double(1, &one_as_double);
  CHECK(segue_value_is_equal(string, same));
  CHECK(!segue_value_is_equal(string, url));
  CHECK(!segue_value_is_equal(one, one_as_double));
  CHECK(segue_value_is_equal(one, one));
  segue_value_unref(string);
  segue_value_unref(url);
  segue_value_unref(same);
  segue_value_unref(one);
  segue_value_unref(one_as_double);
}

static void values_referencesAreCounted(void) {
  segue_value *value = NULL;
  segue_value_new_null(&value);
  CHECK(segue_value_ref(value) == value);
  CHECK(segue_value_unref(value) == NULL);
  CHECK_INT(segue_value_get_kind(value), SEGUE_VALUE_NULL);
  CHECK(segue_value_unref(value) == NULL);
}

const abi_test value_tests[] = {
    TEST(C3_scalarsKeepWhatTheyWereMadeOf), TEST(C3_doubleIsReadFromAnExactInteger),
    TEST(C3_malformedTextIsRefused),        TEST(C3_gettersRefuseOtherKinds),
    TEST(C3_arrayKeepsOrderAndCopies),      TEST(C3_containerMayBeAddedToItself),
    TEST(C3_setKeepsOneOfEquals),           TEST(C3_dictionarySetsGetsAndRemoves),
    TEST(C3_containersAreNoKeys),           TEST(C3_equalityLooksAtKindAndContent),
    TEST(values_referencesAreCounted),      {NULL, NULL},
};
