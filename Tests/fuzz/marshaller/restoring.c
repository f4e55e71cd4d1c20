/* Restoring objects from a whole userInfo: no property is set unless all entries fit, and values that were set come
 * back. */
#include <errno.h>
#include <string.h>

#include "marshaller.h"

/* The number of callbacks that an object has made about its restoring and saving, and the last error's code. */
typedef struct outcome {
  int restored;
  int failed;
  int32_t code;
} outcome;

static void did_restore(segue_plugin_object *object, segue_activity *activity, void *userdata) {
  (void)object;
  (void)activity;
  ((outcome *)userdata)->restored++;
}

static void did_fail(segue_plugin_object *object, segue_activity *activity, const segue_error *error, void *userdata) {
  outcome *told = userdata;
  (void)object;
  (void)activity;
  told->failed++;
  told->code = segue_error_get_code(error);
  fuzz_check_shown(segue_error_get_message(error));
}

static segue_plugin_object *make(const char *id, outcome *told) {
  segue_plugin_object_methods methods = SEGUE_PLUGIN_OBJECT_METHODS_INIT;
  segue_plugin_object *object = NULL;
  methods.did_restore = did_restore;
  methods.did_fail = did_fail;
  memset(told, 0, sizeof *told);
  CHECK(segue_plugin_object_new(fuzz.plugin, id, NULL, &methods, told, NULL, &object, NULL) == 0);
  return object;
}

static segue_activity *make_activity(void) {
  segue_activity *activity = NULL;
  CHECK(segue_activity_new(fuzz.application, "org.segue.abitest.reading", &activity, NULL) == 0);
  return activity;
}

static void restore(segue_plugin_object *object, segue_activity *activity) {
  CHECK(segue_responder_restore(segue_plugin_object_get_responder(object), activity) <= 0);
}

/* Lets the object save into a new activity. */
static segue_activity *save(segue_plugin_object *object) {
  segue_activity *activity = make_activity();
  CHECK(segue_responder_update(segue_plugin_object_get_responder(object), activity) <= 0);
  return activity;
}

/* Another object restores what this one saves, and saves the same. */
static void check_again(const char *id, segue_plugin_object *object, const outcome *told) {
  segue_activity *first = save(object);
  if (told->failed == 0) {
    outcome other_told;
    segue_plugin_object *other = make(id, &other_told);
    segue_value *saved = NULL;
    segue_value *saved_again = NULL;
    restore(other, first);
    CHECK(other_told.restored == 1 && other_told.failed == 0);
    segue_activity *second = save(other);
    CHECK(segue_activity_copy_user_info(first, &saved) == 0);
    CHECK(segue_activity_copy_user_info(second, &saved_again) == 0);
    CHECK(segue_value_is_equal(saved, saved_again));
    segue_value_unref(saved_again);
    segue_value_unref(saved);
    segue_activity_unref(second);
    segue_plugin_object_unref(other);
  } else {
    /* With the entries that it had before, userInfo has become too large. */
    CHECK(told->code == SEGUE_ERROR_LIMIT_EXCEEDED);
  }
  segue_activity_unref(first);
}

/* userInfo from an input: an encoded dictionary, or entries one after the other, each a byte for the key, one for the
 * length of the value, and the value. */
static segue_value *entries(const char *const *keys, size_t key_count, const uint8_t *data, size_t size) {
  segue_value *dictionary = fuzz_decode(data, size);
  if (dictionary != NULL && segue_value_get_kind(dictionary) == SEGUE_VALUE_DICTIONARY) return dictionary;
  segue_value_unref(dictionary);
  CHECK(segue_value_new_dictionary(&dictionary) == 0);
  while (size >= 2 && data[1] <= size - 2) {
    segue_value *value = fuzz_decode(data + 2, data[1]);
    if (value != NULL) CHECK(segue_value_set_for_name(dictionary, keys[data[0] % key_count], value) == 0);
    segue_value_unref(value);
    size -= 2 + (size_t)data[1];
    data += 2 + data[1];
  }
  return dictionary;
}

/* An activity with this userInfo; NULL if userInfo is too large. */
static segue_activity *with_user_info(const segue_value *dictionary) {
  segue_activity *activity = make_activity();
  int result = segue_activity_set_user_info(activity, dictionary);
  if (result == 0) return activity;
  CHECK(result == -E2BIG);
  return segue_activity_unref(activity);
}

/* The entry as the property holds it; NULL if there is none, or it does not fit. */
static segue_value *returned_entry(const segue_value *info, const char *key, const char *type) {
  segue_value *entry = NULL;
  return segue_value_get_for_name(info, key, &entry) == 0 ? fuzz_returned(type, entry) : NULL;
}

static int has(const segue_value *info, const char *key) {
  segue_value *entry = NULL;
  return segue_value_get_for_name(info, key, &entry) == 0;
}

/* Checks that a property holds the value `expected`, which this function frees. */
static void check_holds(const segue_plugin_object *object, const char *key, segue_value *expected) {
  segue_value *value = fuzz_get(object, key);
  CHECK(segue_value_is_equal(value, expected));
  segue_value_unref(value);
  segue_value_unref(expected);
}

void fuzz_restoring_types(const uint8_t *data, size_t size) {
  const char *keys[FUZZ_TYPES];
  outcome told;
  outcome fresh_told;
  int fits = 1;
  for (size_t i = 0; i < FUZZ_TYPES; i++) keys[i] = fuzz_types[i].key;
  segue_value *info = entries(keys, FUZZ_TYPES, data, size);
  segue_activity *activity = with_user_info(info);
  segue_plugin_object *object = make("types", &told);
  segue_plugin_object *fresh = make("types", &fresh_told);
  if (activity != NULL) {
    for (size_t i = 0; i < FUZZ_TYPES; i++) {
      segue_value *returned = returned_entry(info, keys[i], keys[i]);
      if (has(info, keys[i]) && returned == NULL) fits = 0;
      segue_value_unref(returned);
    }
    restore(object, activity);
    CHECK(told.restored == fits && told.failed == !fits);
    for (size_t i = 0; i < FUZZ_TYPES; i++) {
      segue_value *expected = NULL;
      if (fits) expected = returned_entry(info, keys[i], keys[i]);
      if (fits && expected == NULL && fuzz_types[i].missing != NULL) {
        expected = fuzz_decode(fuzz_types[i].missing, fuzz_types[i].missing_size);
      }
      check_holds(object, keys[i], expected == NULL ? fuzz_get(fresh, keys[i]) : expected);
    }
    told.failed = 0;
    if (fits) check_again("types", object, &told);
  }
  segue_plugin_object_unref(fresh);
  segue_plugin_object_unref(object);
  segue_activity_unref(activity);
  segue_value_unref(info);
}

/* Whether the functions of the plugin (Tests/abi/plugin/together.c) accept values that fit their types. */
static int takes(const segue_value *url, const segue_value *time) {
  const char *text = NULL;
  double seconds = 0;
  CHECK(segue_value_get_string(url, &text) == 0);
  if (time != NULL) CHECK(segue_value_get_double(time, &seconds) == 0);
  return strlen(text) < 64 && !(seconds < 0);
}

static void check_together(segue_plugin_object *object, const segue_value *info, const outcome *told) {
  static const uint8_t zero[] = {0xF9, 0, 0};
  static const uint8_t null[] = {0xF6};
  segue_value *url = returned_entry(info, "url", "U");
  segue_value *time = returned_entry(info, "time", "d");
  segue_value *track = returned_entry(info, "track", "mi");
  segue_value *volume = returned_entry(info, "volume", "y");
  int64_t loudness = 0;
  int64_t number = 0;
  if (volume != NULL) CHECK(segue_value_get_integer(volume, &loudness) == 0);
  int fits = url != NULL && (time != NULL || !has(info, "time")) && (track != NULL || !has(info, "track")) &&
             (volume != NULL || !has(info, "volume"));
  int is_set = fits && loudness <= 100;
  int is_whole = is_set && takes(url, time);
  CHECK(told->restored == is_whole && told->failed == !is_whole);
  if (!is_whole) CHECK(told->code == (fits ? SEGUE_ERROR_PLUGIN_FAILED : SEGUE_ERROR_INVALID_ARGUMENT));
  CHECK(segue_plugin_object_get_integer(object, "volume", &number, NULL) == 0);
  CHECK(number == (is_set ? loudness : 0));
  if (is_whole) {
    /* To the plugin, track 0 is none. */
    if (track != NULL && segue_value_get_integer(track, &number) == 0 && number == 0) track = segue_value_unref(track);
    check_holds(object, "url", segue_value_ref(url));
  }
  check_holds(object, "time", is_whole && time != NULL ? segue_value_ref(time) : fuzz_decode(zero, sizeof zero));
  check_holds(object, "track", is_whole && track != NULL ? segue_value_ref(track) : fuzz_decode(null, sizeof null));
  segue_value_unref(volume);
  segue_value_unref(track);
  segue_value_unref(time);
  segue_value_unref(url);
}

void fuzz_restoring_together(const uint8_t *data, size_t size) {
  static const char *const keys[] = {"url", "time", "track", "volume"};
  outcome told;
  segue_value *info = entries(keys, 4, data, size);
  segue_activity *activity = with_user_info(info);
  segue_plugin_object *object = make("together", &told);
  if (activity != NULL) {
    restore(object, activity);
    check_together(object, info, &told);
    if (told.failed == 0) check_again("together", object, &told);
  }
  segue_plugin_object_unref(object);
  segue_activity_unref(activity);
  segue_value_unref(info);
}
