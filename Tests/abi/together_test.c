/* Properties that only a restore function takes, and several that are set at once. */
#include "hosting.h"

static void put(segue_value *entries, const char *name, segue_value *value) {
  CHECK_INT(segue_value_set_for_name(entries, name, value), 0);
  segue_value_unref(value);
}

static void add_integer(segue_value *entries, const char *name, int64_t integer) {
  segue_value *value = NULL;
  CHECK_INT(segue_value_new_integer(integer, &value), 0);
  put(entries, name, value);
}

static void add_double(segue_value *entries, const char *name, double number) {
  segue_value *value = NULL;
  CHECK_INT(segue_value_new_double(number, &value), 0);
  put(entries, name, value);
}

static void check_url(host *here, const segue_value *expected) {
  segue_value *value = NULL;
  CHECK_INT(segue_plugin_object_copy_property(here->object, "url", &value, NULL), 0);
  CHECK(value != NULL && segue_value_is_equal(value, expected));
  segue_value_unref(value);
}

/* The application can set properties that have no setter, too: one, while the others keep their values, or several at
 * once. */
static void together_canBeSetByTheApplication(void) {
  host here;
  int64_t integer = 0;
  double number = 0;
  segue_error *error = NULL;
  segue_value *entries = NULL;
  segue_value *url = NULL;
  segue_value *null = NULL;
  host_begin(&here, "together", NULL);
  CHECK_INT(segue_responder_set_user_activity(host_responder(&here), here.activity), 0);
  CHECK_INT(segue_activity_set_needs_save(here.activity, false), 0);
  CHECK_INT(segue_value_new_null(&null), 0);
  CHECK_INT(segue_value_new_url("https://example.org/b", &url), 0);
  CHECK_INT(segue_value_new_dictionary(&entries), 0);
  CHECK_INT(segue_plugin_object_set_properties(here.object, null, NULL), -EINVAL);
  CHECK_INT(segue_plugin_object_set_properties(here.object, (const segue_value *)here.activity, NULL), -EINVAL);
  CHECK_INT(segue_plugin_object_set_properties(here.object, entries, NULL), 0);
  CHECK(!segue_activity_needs_save(here.activity));
  add_double(entries, "time", 3.5);
  CHECK_INT(segue_value_set_for_name(entries, "url", url), 0);
  add_integer(entries, "volume", 60);
  CHECK_INT(segue_plugin_object_set_properties(here.object, entries, NULL), 0);
  CHECK(segue_activity_needs_save(here.activity));
  CHECK_INT(here.restored, 0);
  check_url(&here, url);
  CHECK_INT(segue_plugin_object_get_double(here.object, "time", &number, NULL), 0);
  CHECK(number == 3.5);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "volume", &integer, NULL), 0);
  CHECK_INT((long)integer, 60);
  /* Sets one property by itself. */
  CHECK_INT(segue_activity_set_needs_save(here.activity, false), 0);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "track", 4, NULL), 0);
  CHECK(segue_activity_needs_save(here.activity));
  CHECK_INT(segue_plugin_object_set_double(here.object, "time", 4.5, NULL), 0);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "track", &integer, NULL), 0);
  CHECK_INT((long)integer, 4);
  check_url(&here, url);
  CHECK_INT(segue_plugin_object_set_double(here.object, "time", -1, NULL), -EIO);
  /* One value does not fit: no property changes. */
  add_integer(entries, "volume", 300);
  add_double(entries, "time", 9);
  CHECK_INT(segue_plugin_object_set_properties(here.object, entries, &error), -EINVAL);
  CHECK_TEXT(segue_error_get_message(error), "org.segue.abi-test, together, volume: 300 is beyond a uint8");
  error = segue_error_unref(error);
  CHECK_INT(segue_value_set_for_name(entries, "volume", NULL), 0);
  CHECK_INT(segue_value_set_for_name(entries, "url", null), 0);
  CHECK_INT(segue_plugin_object_set_properties(here.object, entries, &error), -EINVAL);
  CHECK_TEXT(segue_error_get_message(error), "org.segue.abi-test, together, url: it is required, and null");
  error = segue_error_unref(error);
  CHECK_INT(segue_value_set_for_name(entries, "url", url), 0);
  add_integer(entries, "unknown", 1);
  CHECK_INT(segue_plugin_object_set_properties(here.object, entries, NULL), -ENOENT);
  CHECK_INT(segue_plugin_object_get_double(here.object, "time", &number, NULL), 0);
  CHECK(number == 4.5);
  segue_value_unref(null);
  segue_value_unref(url);
  segue_value_unref(entries);
  host_end(&here);
}

static void together_whatNothingSets(void) {
  host here;
  segue_error *error = NULL;
  segue_value *entries = NULL;
  host_begin(&here, "faults", NULL);
  CHECK_INT(segue_value_new_dictionary(&entries), 0);
  add_integer(entries, "fine", 1);
  CHECK_INT(segue_plugin_object_set_properties(here.object, entries, &error), -EACCES);
  CHECK_TEXT(
      segue_error_get_message(error),
      "org.segue.abi-test, faults, fine: nothing sets it: it has no setter, and the restore function does not take it");
  segue_error_unref(error);
  segue_value_unref(entries);
  host_end(&here);
}

const abi_test together_tests[] = {
    TEST(together_canBeSetByTheApplication),
    TEST(together_whatNothingSets),
    {NULL, NULL},
};
