/* The types of segue/plugin.h, written independently of the library; and setting one property. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "marshaller.h"

/* A type without a default, and one with a default, which is encoded. */
#define PLAIN(name) \
  { #name, NULL, 0 }
#define DEFAULT(name, bytes) \
  { #name, bytes, sizeof bytes - 1 }

const fuzz_key fuzz_types[FUZZ_TYPES] = {
    DEFAULT(b, "\xF5"),
    DEFAULT(C, "\x22"),
    PLAIN(y),
    PLAIN(n),
    PLAIN(q),
    PLAIN(i),
    PLAIN(u),
    PLAIN(x),
    PLAIN(t),
    DEFAULT(F, "\xF9\x41\x00"),
    DEFAULT(d, "\xFB\xBF\xB9\x99\x99\x99\x99\x99\x9A"),
    PLAIN(D),
    DEFAULT(
        s,
        "\x66"
        "a text"),
    DEFAULT(U, "\xD8\x20\x67segue:x"),
    PLAIN(v),
    PLAIN(ay),
    PLAIN(aC),
    PLAIN(an),
    PLAIN(aq),
    PLAIN(ai),
    PLAIN(au),
    PLAIN(ax),
    PLAIN(aF),
    PLAIN(ad),
    PLAIN(as),
    DEFAULT(mn, "\xF6"),
    DEFAULT(mD, "\xF6"),
    DEFAULT(ms, "\xF6"),
    DEFAULT(may, "\xF6"),
};

static segue_value *same(const segue_value *value) {
  return segue_value_ref((segue_value *)value);
}

/* An integer, if it is one in the range. */
static segue_value *in_range(const segue_value *value, int64_t least, int64_t most) {
  int64_t integer = 0;
  if (segue_value_get_integer(value, &integer) != 0) return NULL;
  return integer < least || integer > most ? NULL : same(value);
}

static segue_value *number(const segue_value *value, int is_float) {
  segue_value *returned = NULL;
  int64_t integer = 0;
  double exact = 0;
  if (segue_value_get_integer(value, &integer) == 0) {
    exact = is_float ? (double)(float)integer : (double)integer;
    /* The greatest integers are rounded to 2^63, which is not in their range. */
    if (exact >= 0x1p63 || (int64_t)exact != integer) return NULL;
  } else {
    if (segue_value_get_double(value, &exact) != 0) return NULL;
    if (is_float && isfinite(exact) && !isfinite((float)exact)) return NULL;
    if (is_float) exact = (float)exact;
  }
  CHECK(segue_value_new_double(exact, &returned) == 0);
  return returned;
}

static segue_value *array(const char *type, const segue_value *value) {
  segue_value *returned = NULL;
  size_t count = 0;
  if (*type == 'y') return segue_value_get_kind(value) == SEGUE_VALUE_DATA ? same(value) : NULL;
  if (segue_value_get_kind(value) != SEGUE_VALUE_ARRAY) return NULL;
  CHECK(segue_value_get_count(value, &count) == 0);
  CHECK(segue_value_new_array(&returned) == 0);
  for (size_t i = 0; i < count; i++) {
    segue_value *element = NULL;
    CHECK(segue_value_get_at(value, i, &element) == 0);
    element = fuzz_returned(type, element);
    if (element == NULL) return segue_value_unref(returned);
    CHECK(segue_value_append(returned, element) == 0);
    segue_value_unref(element);
  }
  return returned;
}

segue_value *fuzz_returned(const char *type, const segue_value *value) {
  segue_value_kind kind = segue_value_get_kind(value);
  if (*type == 'm') {
    if (kind == SEGUE_VALUE_NULL) return same(value);
    type++;
  }
  switch (*type) {
    case 'a': return array(type + 1, value);
    case 'b': return kind == SEGUE_VALUE_BOOL ? same(value) : NULL;
    case 'C': return in_range(value, INT8_MIN, INT8_MAX);
    case 'y': return in_range(value, 0, UINT8_MAX);
    case 'n': return in_range(value, INT16_MIN, INT16_MAX);
    case 'q': return in_range(value, 0, UINT16_MAX);
    case 'i': return in_range(value, INT32_MIN, INT32_MAX);
    case 'u': return in_range(value, 0, UINT32_MAX);
    case 'x': return in_range(value, INT64_MIN, INT64_MAX);
    case 't': return in_range(value, 0, INT64_MAX);
    case 'F': return number(value, 1);
    case 'd': return number(value, 0);
    case 'D': return kind == SEGUE_VALUE_DATE ? same(value) : NULL;
    case 's': return kind == SEGUE_VALUE_STRING ? same(value) : NULL;
    case 'U': return kind == SEGUE_VALUE_URL ? same(value) : NULL;
    default: return same(value);
  }
}

segue_value *fuzz_decode(const void *data, size_t size) {
  segue_value *value = NULL;
  segue_error *error = NULL;
  if (segue_value_decode(data, size, &value, &error) == 0) return value;
  fuzz_check_shown(segue_error_get_message(error));
  segue_error_unref(error);
  return NULL;
}

segue_value *fuzz_get(const segue_plugin_object *object, const char *key) {
  segue_value *value = NULL;
  CHECK(segue_plugin_object_copy_property(object, key, &value, NULL) == 0);
  return value;
}

static void check_refusal(int result, segue_error *error, const char *key) {
  char names[64];
  snprintf(names, sizeof names, "org.segue.abi-test, types, %s: ", key);
  CHECK(result == -EINVAL);
  CHECK(strncmp(segue_error_get_message(error), names, strlen(names)) == 0);
  fuzz_check_shown(segue_error_get_message(error));
  segue_error_unref(error);
}

/* Sets the property again, by the function for the value's kind, if there is one. */
static void set_by_kind(segue_plugin_object *object, const char *key, const segue_value *value, int expected) {
  int64_t integer = 0;
  double double_number = 0;
  const char *text = NULL;
  segue_value_kind kind = segue_value_get_kind(value);
  if (kind == SEGUE_VALUE_INTEGER) {
    int64_t again = 0;
    segue_value_get_integer(value, &integer);
    CHECK(segue_plugin_object_set_integer(object, key, integer, NULL) == expected);
    if (segue_plugin_object_get_integer(object, key, &again, NULL) == 0 && expected == 0) CHECK(again == integer);
  } else if (kind == SEGUE_VALUE_DOUBLE) {
    segue_value_get_double(value, &double_number);
    CHECK(segue_plugin_object_set_double(object, key, double_number, NULL) == expected);
  } else if (kind == SEGUE_VALUE_URL || (kind == SEGUE_VALUE_STRING && strchr(key, 'U') == NULL)) {
    char *again = NULL;
    segue_value_get_string(value, &text);
    if (kind == SEGUE_VALUE_URL && strchr(key, 'U') == NULL) return;
    CHECK(segue_plugin_object_set_string(object, key, text, NULL) == expected);
    if (expected != 0 || *key == 'v') return;
    CHECK(segue_plugin_object_copy_string(object, key, &again, NULL) == 0);
    CHECK(strcmp(again, text) == 0);
    segue_free(again);
  }
}

void fuzz_property(const uint8_t *data, size_t size) {
  segue_plugin_object *object = NULL;
  segue_value *value = size > 0 ? fuzz_decode(data + 1, size - 1) : NULL;
  if (value == NULL) return;
  const char *key = fuzz_types[data[0] % FUZZ_TYPES].key;
  CHECK(segue_plugin_object_new(fuzz.plugin, "types", NULL, NULL, NULL, NULL, &object, NULL) == 0);
  /* Twice, so that the value that was set before is dropped. */
  for (int i = 0; i < 2; i++) {
    segue_error *error = NULL;
    segue_value *before = fuzz_get(object, key);
    segue_value *expected = fuzz_returned(key, value);
    int result = segue_plugin_object_set_property(object, key, value, &error);
    segue_value *after = fuzz_get(object, key);
    if (expected == NULL) {
      check_refusal(result, error, key);
      CHECK(segue_value_is_equal(after, before));
    } else {
      CHECK(result == 0 && error == NULL);
      CHECK(segue_value_is_equal(after, expected));
    }
    set_by_kind(object, key, value, result);
    segue_value_unref(after);
    segue_value_unref(expected);
    segue_value_unref(before);
  }
  segue_plugin_object_unref(object);
  segue_value_unref(value);
}
