/* The encoding of values: the encoder writes deterministic CBOR, and the decoder accepts only that. */
#include "abi_test.h"

/* Bytes with their length: a literal's own NUL is not part of it. */
#define BYTES(literal) literal, sizeof(literal) - 1

static void check_encoding(const segue_value *value, const char *expected, size_t length, int line) {
  void *bytes = NULL;
  size_t count = 0;
  abi_check_int(segue_value_encode(value, &bytes, &count, NULL), 0, "segue_value_encode", __FILE__, line);
  abi_check(count == length && memcmp(bytes, expected, length) == 0, "the encoding is as expected", __FILE__, line);
  segue_free(bytes);
}

static void encoding_knownValues(void) {
  segue_value *value = NULL;
  segue_value *element = NULL;
  segue_value_new_null(&value);
  check_encoding(value, BYTES("\xF6"), __LINE__);
  segue_value_unref(value);
  segue_value_new_bool(true, &value);
  check_encoding(value, BYTES("\xF5"), __LINE__);
  segue_value_unref(value);
  segue_value_new_integer(23, &value);
  check_encoding(value, BYTES("\x17"), __LINE__);
  segue_value_unref(value);
  segue_value_new_integer(24, &value);
  check_encoding(value, BYTES("\x18\x18"), __LINE__);
  segue_value_unref(value);
  segue_value_new_integer(-1, &value);
  check_encoding(value, BYTES("\x20"), __LINE__);
  segue_value_unref(value);
  segue_value_new_integer(INT64_MIN, &value);
  check_encoding(value, BYTES("\x3B\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), __LINE__);
  segue_value_unref(value);
  segue_value_new_double(1.5, &value);
  check_encoding(value, BYTES("\xF9\x3E\x00"), __LINE__);
  segue_value_unref(value);
  segue_value_new_string("a", &value);
  check_encoding(value, BYTES("\x61\x61"), __LINE__);
  segue_value_unref(value);
  segue_value_new_data("\x01\x02", 2, &value);
  check_encoding(value, BYTES("\x42\x01\x02"), __LINE__);
  segue_value_unref(value);

  segue_value_new_integer(1, &element);
  segue_value_new_array(&value);
  segue_value_append(value, element);
  check_encoding(value, BYTES("\x81\x01"), __LINE__);
  segue_value_unref(value);
  /* Keys stand in the order of their bytes, whatever order they came in. */
  segue_value_new_dictionary(&value);
  segue_value_set_for_name(value, "b", element);
  segue_value_set_for_name(value, "a", element);
  check_encoding(value, BYTES("\xA2\x61\x61\x01\x61\x62\x01"), __LINE__);
  segue_value_unref(value);
  segue_value_unref(element);
}

/* A dictionary with a value of each kind in it. */
static segue_value *make_everything(void) {
  static const uint8_t uuid[16] = {0xAA, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xFF};
  static const char *const names[] = {"null", "bool", "integer", "double", "string", "data",
                                      "date", "url",  "uuid",    "array",  "set",    "dictionary"};
  segue_value *dictionary = NULL;
  segue_value *made[12];
  size_t i;
  segue_value_new_dictionary(&dictionary);
  segue_value_new_null(&made[0]);
  segue_value_new_bool(false, &made[1]);
  segue_value_new_integer(INT64_MAX, &made[2]);
  segue_value_new_double(0.1, &made[3]);
  segue_value_new_string("\xE2\x82\xAC", &made[4]);
  segue_value_new_data("\0", 1, &made[5]);
  segue_value_new_date(-1.5, &made[6]);
  segue_value_new_url("https://example.com/?q=%20#f", &made[7]);
  segue_value_new_uuid(uuid, &made[8]);
  segue_value_new_array(&made[9]);
  segue_value_new_set(&made[10]);
  segue_value_new_dictionary(&made[11]);
  for (i = 0; i < 9; i++) {
    segue_value_append(made[9], made[i]);
    segue_value_append(made[10], made[i]);
    segue_value_set(made[11], made[i], made[9]);
  }
  for (i = 0; i < 12; i++) {
    CHECK_INT(segue_value_set_for_name(dictionary, names[i], made[i]), 0);
    segue_value_unref(made[i]);
  }
  return dictionary;
}

static void encoding_roundTripOfEveryKind(void) {
  segue_value *value = make_everything();
  segue_value *back = NULL;
  void *bytes = NULL;
  void *again = NULL;
  size_t length = 0;
  size_t length_again = 0;
  CHECK_INT(segue_value_encode(value, &bytes, &length, NULL), 0);
  CHECK_INT(segue_value_decode(bytes, length, &back, NULL), 0);
  CHECK(segue_value_is_equal(value, back));
  CHECK_INT(segue_value_encode(back, &again, &length_again, NULL), 0);
  CHECK(length == length_again && memcmp(bytes, again, length) == 0);
  segue_free(bytes);
  segue_free(again);
  segue_value_unref(value);
  segue_value_unref(back);
}

/* Every proper prefix of an encoding is malformed, and so is an encoding with bytes after it. */
static void encoding_truncatedAndTrailing(void) {
  segue_value *value = make_everything();
  segue_value *back = NULL;
  void *bytes = NULL;
  uint8_t longer[4096];
  size_t length = 0;
  size_t cut;
  CHECK_INT(segue_value_encode(value, &bytes, &length, NULL), 0);
  CHECK(length < sizeof longer);
  for (cut = 0; cut < length && segue_value_decode(bytes, cut, &back, NULL) == -EBADMSG; cut++) {
  }
  CHECK_INT((long)cut, (long)length);
  if (length < sizeof longer) {
    memcpy(longer, bytes, length);
    longer[length] = 0xF6;
    CHECK_INT(segue_value_decode(longer, length + 1, &back, NULL), -EBADMSG);
  }
  CHECK(back == NULL);
  segue_free(bytes);
  segue_value_unref(value);
}

static void encoding_onlyTheDeterministicFormIsTaken(void) {
  static const struct {
    const char *bytes;
    size_t length;
  } malformed[] = {
      {BYTES("\xD8\x20\x64\x61\x3A\x20\x62")},             /* a URL with a space */
      {BYTES("\xD8\x20\x64\x61\x3A\x09\x62")},             /* and with a control character */
      {BYTES("\x18\x17")},                                 /* 23 in two bytes */
      {BYTES("\x19\x00\x18")},                             /* 24 in three */
      {BYTES("\x1B\x80\x00\x00\x00\x00\x00\x00\x00")},     /* more than an int64 */
      {BYTES("\xFA\x3F\xC0\x00\x00")},                     /* 1.5 in four bytes, where two do */
      {BYTES("\x61\xFF")},                                 /* no UTF-8 */
      {BYTES("\x7F\x61\x61\xFF")},                         /* text of unknown length */
      {BYTES("\x9F\x01\xFF")},                             /* an array of unknown length */
      {BYTES("\xBF\xFF")},                                 /* a dictionary of unknown length */
      {BYTES("\xA2\x61\x62\x01\x61\x61\x01")},             /* keys in the wrong order */
      {BYTES("\xA2\x61\x61\x01\x61\x61\x01")},             /* a key twice */
      {BYTES("\xA1\x80\x01")},                             /* an array as a key */
      {BYTES("\x9B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF")},     /* more elements than there is memory */
      {BYTES("\x5B\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF")},     /* more bytes than there is memory */
      {BYTES("\xF7")},                                     /* undefined */
      {BYTES("\xE0")},                                     /* a simple value that nobody knows */
      {BYTES("\x1C")},                                     /* reserved */
      {BYTES("\xFF")},                                     /* a break outside */
      {BYTES("\xDB\x00\x00\x00\x00\x12\x34\x56\x78\x01")}, /* a tag that nobody knows */
  };
  size_t i;
  for (i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
    segue_value *value = NULL;
    segue_error *error = NULL;
    if (segue_value_decode(malformed[i].bytes, malformed[i].length, &value, &error) != -EBADMSG) CHECK_INT((long)i, -1);
    CHECK(value == NULL);
    CHECK(segue_error_get_message(error)[0] != '\0');
    segue_error_unref(error);
  }
}

/* Arrays in arrays, as deep as the bytes are long: an attack on the stack. */
static void encoding_depthIsLimited(void) {
  static uint8_t deep[100000];
  segue_value *value = NULL;
  memset(deep, 0x81, sizeof deep);
  deep[sizeof deep - 1] = 0x01;
  CHECK_INT(segue_value_decode(deep, sizeof deep, &value, NULL), -EBADMSG);
  CHECK_INT(segue_value_decode(deep + sizeof deep - 18, 18, &value, NULL), -EBADMSG);
  CHECK(value == NULL);
  CHECK_INT(segue_value_decode(deep + sizeof deep - 16, 16, &value, NULL), 0);
  segue_value_unref(value);
}

const abi_test encoding_tests[] = {
    TEST(encoding_knownValues),          TEST(encoding_roundTripOfEveryKind),
    TEST(encoding_truncatedAndTrailing), TEST(encoding_onlyTheDeterministicFormIsTaken),
    TEST(encoding_depthIsLimited),       {NULL, NULL},
};
