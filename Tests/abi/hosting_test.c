/* Hosting a plugin: its objects' properties, restoring, closures, and what goes wrong in it. */
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi_test.h"
#include "plugin/guest.h"

/* Where the Makefile has put the plugin. */
#define PLUGIN ABI_PREFIX "/lib/segue/plugins/org.segue.abi-test.so"

/* Compilers warn where they see NULL go where it may not; here they do not see it. */
static void *volatile none = NULL;
static void (*volatile no_function)(void *userdata) = NULL;

typedef struct host {
  segue_application *application;
  segue_plugin *plugin;
  segue_plugin_object *object;
  segue_activity *activity;
  int restored;
  int failed;
  int destroyed;
  char failure[256];
  char line[256];
} host;

SEGUE_BEGIN_DECLS

static void did_restore(segue_plugin_object *object, segue_activity *activity, void *userdata) {
  (void)object;
  (void)activity;
  ((host *)userdata)->restored++;
}

static void did_fail(segue_plugin_object *object, segue_activity *activity, const segue_error *error, void *userdata) {
  host *here = (host *)userdata;
  (void)object;
  (void)activity;
  here->failed++;
  strncpy(here->failure, segue_error_get_message(error), sizeof here->failure - 1);
}

static void destroy(void *userdata) {
  ((host *)userdata)->destroyed++;
}

static void note_line(segue_application *application, const char *line, void *userdata) {
  (void)application;
  strncpy(((host *)userdata)->line, line, sizeof((host *)userdata)->line - 1);
}

SEGUE_END_DECLS

static void begin(host *here, const char *id, const char *prefix) {
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  segue_plugin_object_methods methods = SEGUE_PLUGIN_OBJECT_METHODS_INIT;
  segue_error *error = NULL;
  memset(here, 0, sizeof *here);
  methods.did_restore = did_restore;
  methods.did_fail = did_fail;
  delegate.log = note_line;
  here->application = abi_application();
  here->activity = abi_activity(here->application);
  CHECK_INT(segue_application_set_delegate(here->application, &delegate, here, NULL), 0);
  CHECK_INT(segue_plugin_load(here->application, PLUGIN, ABI_PREFIX, &here->plugin, &error), 0);
  CHECK_TEXT(segue_error_get_message(error), "");
  if (here->plugin == NULL) exit(1);
  CHECK_INT(segue_plugin_object_new(here->plugin, id, prefix, &methods, here, destroy, &here->object, &error), 0);
  CHECK_TEXT(segue_error_get_message(error), "");
  if (here->object == NULL) exit(1);
}

static void end(host *here) {
  segue_plugin_object_unref(here->object);
  segue_plugin_unref(here->plugin);
  segue_activity_unref(here->activity);
  CHECK(segue_application_dispatch(here->application) >= 0);
  CHECK_INT(here->destroyed, 1);
  segue_application_unref(here->application);
}

static segue_responder *responder(host *here) {
  return segue_plugin_object_get_responder(here->object);
}

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

/* Sets a property from a value that this frees, and checks the result. */
static void set(host *here, const char *key, segue_value *value, int expected) {
  CHECK_INT(segue_plugin_object_set_property(here->object, key, value, NULL), expected);
  segue_value_unref(value);
}

static void check_property(host *here, const char *key, segue_value *expected) {
  segue_value *value = NULL;
  CHECK_INT(segue_plugin_object_copy_property(here->object, key, &value, NULL), 0);
  CHECK(value != NULL && segue_value_is_equal(value, expected) == 1);
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

/* Integers: the ends of each range, and what is beyond. */
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

static void hosting_integersKeepToTheirRange(void) {
  host here;
  size_t i;
  begin(&here, "types", NULL);
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
  end(&here);
}

static void hosting_numbersTextAndTruth(void) {
  host here;
  double number = 0;
  char *text = NULL;
  segue_value *value = NULL;
  begin(&here, "types", NULL);
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
  CHECK_INT(segue_value_new_bool(1, &value), 0);
  set(&here, "b", value, 0);
  CHECK_INT(segue_value_new_bool(1, &value), 0);
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
  end(&here);
}

static void hosting_arraysAndDataAndAnything(void) {
  static const char *const keys[] = {"aC", "an", "aq", "ai", "au", "ax", "aF", "ad"};
  static const int64_t numbers[] = {1, 2, 127};
  static const int64_t large[] = {1, (int64_t)1 << 40};
  host here;
  segue_value *value = NULL;
  segue_value *array = NULL;
  size_t i;
  begin(&here, "types", NULL);
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
  end(&here);
}

static void hosting_optionalOnesMayBeAbsent(void) {
  static const char *const keys[] = {"mn", "mD", "ms", "may"};
  host here;
  segue_value *value = NULL;
  char *text = NULL;
  int64_t number = 0;
  size_t i;
  begin(&here, "types", NULL);
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
  /* Empty is not absent. */
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
  end(&here);
}

static void hosting_anotherObjectRestoresWhatOneHasSaved(void) {
  host here;
  segue_plugin_object *other = NULL;
  segue_value *info = NULL;
  segue_value *again = NULL;
  begin(&here, "types", "left.");
  CHECK_INT(segue_plugin_object_set_integer(here.object, "x", INT64_MIN, NULL), 0);
  CHECK_INT(segue_plugin_object_set_string(here.object, "ms", "may be", NULL), 0);
  CHECK_INT(segue_responder_update(responder(&here), here.activity), 0);
  CHECK_INT(here.failed, 0);
  CHECK_INT(segue_activity_copy_user_info(here.activity, &info), 0);
  CHECK_INT(segue_plugin_object_new(here.plugin, "types", "left.", NULL, NULL, NULL, &other, NULL), 0);
  CHECK_INT(segue_responder_restore(segue_plugin_object_get_responder(other), here.activity), 0);
  CHECK_INT(segue_activity_set_user_info(here.activity, NULL), 0);
  CHECK_INT(segue_responder_update(segue_plugin_object_get_responder(other), here.activity), 0);
  CHECK_INT(segue_activity_copy_user_info(here.activity, &again), 0);
  CHECK_INT(segue_value_is_equal(info, again), 1);
  segue_value_unref(again);
  segue_value_unref(info);
  segue_plugin_object_unref(other);
  end(&here);
}

static void hosting_whatIsMissingGetsItsDefault(void) {
  host here;
  double number = 0;
  int64_t integer = 0;
  char *text = NULL;
  begin(&here, "types", NULL);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "i", 7, NULL), 0);
  CHECK_INT(segue_plugin_object_set_string(here.object, "ms", "may be", NULL), 0);
  CHECK_INT(segue_activity_add_integer(here.activity, "unknown", 1), 0);
  CHECK_INT(segue_responder_restore(responder(&here), here.activity), 0);
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
  /* Without a default nothing is set, and an optional one is absent. */
  CHECK_INT(segue_plugin_object_get_integer(here.object, "i", &integer, NULL), 0);
  CHECK_INT((long)integer, 7);
  CHECK_INT(segue_plugin_object_copy_string(here.object, "ms", &text, NULL), 0);
  CHECK(text == NULL);
  end(&here);
}

static void hosting_aBadPayloadChangesNothing(void) {
  host here;
  int64_t integer = 0;
  begin(&here, "types", NULL);
  CHECK_INT(segue_activity_add_integer(here.activity, "i", 1), 0);
  CHECK_INT(segue_activity_add_integer(here.activity, "y", 300), 0);
  CHECK_INT(segue_responder_restore(responder(&here), here.activity), 0);
  CHECK_INT(here.restored, 0);
  CHECK_INT(here.failed, 1);
  CHECK_TEXT(here.failure, "org.segue.abi-test, types, y: 300 is beyond a uint8");
  CHECK_TEXT(here.line, here.failure);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "i", &integer, NULL), 0);
  CHECK_INT((long)integer, 0);
  end(&here);
}

static void hosting_oneFunctionRestoresWhatBelongsTogether(void) {
  host here;
  int64_t integer = 0;
  double number = 0;
  segue_value *entries = NULL;
  segue_value *url = NULL;
  begin(&here, "together", NULL);
  CHECK_INT(segue_activity_add_double(here.activity, "time", 2.5), 0);
  CHECK_INT(segue_responder_restore(responder(&here), here.activity), 0);
  CHECK_TEXT(here.failure, "org.segue.abi-test, together, url: it is required, and missing");
  CHECK_INT(segue_value_new_url("https://example.org/a", &url), 0);
  CHECK_INT(segue_value_new_dictionary(&entries), 0);
  CHECK_INT(segue_value_set_for_name(entries, "url", url), 0);
  CHECK_INT(segue_activity_add_user_info_entries(here.activity, entries), 0);
  segue_value_unref(entries);
  CHECK_INT(segue_activity_add_integer(here.activity, "track", 2), 0);
  CHECK_INT(segue_responder_restore(responder(&here), here.activity), 0);
  CHECK_INT(here.restored, 1);
  check_property(&here, "url", url);
  CHECK_INT(segue_plugin_object_get_double(here.object, "time", &number, NULL), 0);
  CHECK(number == 2.5);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "track", &integer, NULL), 0);
  CHECK_INT((long)integer, 2);
  CHECK_INT(segue_plugin_object_set_double(here.object, "time", 1, NULL), -EACCES);
  /* The function refuses: the setters that came before it have set. */
  CHECK_INT(segue_activity_add_double(here.activity, "time", -1), 0);
  CHECK_INT(segue_activity_add_integer(here.activity, "volume", 50), 0);
  CHECK_INT(segue_responder_restore(responder(&here), here.activity), 0);
  CHECK(strncmp(here.failure, "org.segue.abi-test, together: its restore function has failed: ", 63) == 0);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "volume", &integer, NULL), 0);
  CHECK_INT((long)integer, 50);
  end(&here);
}

static void hosting_faultsAreNamed(void) {
  static const char *const keys[] = {"null", "not-utf8", "no-url", "endless", "many", "strings", "beyond", "never"};
  host here;
  int64_t number = 0;
  size_t i;
  begin(&here, "faults", NULL);
  for (i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    segue_value *value = NULL;
    segue_error *error = NULL;
    int result = segue_plugin_object_copy_property(here.object, keys[i], &value, &error);
    CHECK_INT(segue_error_get_code(error), SEGUE_ERROR_PLUGIN_FAILED);
    check_refusal(result, -EIO, error, "faults", keys[i]);
    CHECK(value == NULL);
  }
  /* What can be saved is saved, and each of the others told of. */
  CHECK_INT(segue_responder_update(responder(&here), here.activity), 0);
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
  CHECK_INT(segue_responder_restore(responder(&here), here.activity), 0);
  CHECK(strncmp(here.failure, "org.segue.abi-test, faults, failing: its setter has failed: ", 60) == 0);
  CHECK_INT(here.restored, 0);
  end(&here);
}

static void hosting_whatCannotBeMade(void) {
  host here;
  segue_plugin *again = NULL;
  segue_plugin_object *object = NULL;
  segue_error *error = NULL;
  char prefix[130];
  int destroyed = 0;
  begin(&here, "types", NULL);
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
  end(&here);
}

/* The object "guest" and its host. */

static const guest_functions *guest_of(host *here, void **out_object) {
  const void *functions = NULL;
  CHECK_INT(segue_plugin_object_get_extension(here->object, "org.segue.none/1", &functions, out_object), -ENOENT);
  CHECK_INT(segue_plugin_object_get_extension(here->object, GUEST_EXTENSION, &functions, out_object), 0);
  return (const guest_functions *)functions;
}

static void hosting_anObjectMayReadAndWriteTheActivityItself(void) {
  host here;
  char *text = NULL;
  begin(&here, "guest", NULL);
  CHECK_INT(segue_responder_update(responder(&here), here.activity), 0);
  CHECK_INT(segue_activity_copy_string(here.activity, "guest", &text), 0);
  CHECK_TEXT(text, "a guest's");
  segue_free(text);
  CHECK_INT(segue_responder_restore(responder(&here), here.activity), 0);
  CHECK_INT(here.restored, 1);
  CHECK_INT(segue_activity_set_user_info(here.activity, NULL), 0);
  CHECK_INT(segue_responder_restore(responder(&here), here.activity), 0);
  CHECK(strncmp(here.failure, "org.segue.abi-test, guest: its restore_user_activity_state has failed: ", 71) == 0);
  end(&here);
}

static void hosting_changesAreMarked(void) {
  host here;
  void *object = NULL;
  begin(&here, "types", NULL);
  CHECK_INT(segue_responder_set_user_activity(responder(&here), here.activity), 0);
  CHECK_INT(segue_activity_set_needs_save(here.activity, 0), 0);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "y", 300, NULL), -EINVAL);
  CHECK_INT(segue_activity_needs_save(here.activity), 0);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "y", 3, NULL), 0);
  CHECK_INT(segue_activity_needs_save(here.activity), 1);
  end(&here);
  begin(&here, "guest", NULL);
  CHECK_INT(segue_responder_set_user_activity(responder(&here), here.activity), 0);
  CHECK_INT(segue_activity_set_needs_save(here.activity, 0), 0);
  {
    const segue_plugin_host *from = guest_of(&here, &object)->get_host(object);
    CHECK_INT(from->needs_save(from), 0);
  }
  CHECK_INT(segue_activity_needs_save(here.activity), 1);
  end(&here);
}

SEGUE_BEGIN_DECLS

static int call_from_elsewhere(void *argument) {
  const segue_plugin_host *from = (const segue_plugin_host *)argument;
  return from->needs_save(from);
}

/* What a deferred function has to count, and where. */
typedef struct deferral {
  const segue_plugin_host *host;
  int called;
  int destroyed;
} deferral;

static void count_call(void *userdata) {
  ((deferral *)userdata)->called++;
}

static void count_destroy(void *userdata) {
  ((deferral *)userdata)->destroyed++;
}

static int defer_from_elsewhere(void *argument) {
  deferral *deferred = (deferral *)argument;
  return deferred->host->defer(deferred->host, count_call, deferred, count_destroy);
}

/* A closure's handler: 10 * the first argument, in the width of the result's type. */
static void times_ten(void *userdata, void *result, const void *const *arguments) {
  ++*(int *)userdata;
  *(int16_t *)result = (int16_t)(10 * *(const int8_t *)arguments[0]);
}

static void add_up(void *userdata, void *result, const void *const *arguments) {
  ++*(int *)userdata;
  *(double *)result = *(const double *)arguments[0] + (double)*(const float *)arguments[1] +
                      (double)*(const int64_t *)arguments[2] + (double)strlen(*(const char *const *)arguments[3]) +
                      (double)**(const int *const *)arguments[4];
}

static void only_count(void *userdata, void *result, const void *const *arguments) {
  (void)arguments;
  if (result == NULL) ++*(int *)userdata;
}

typedef int16_t (*times_ten_fn)(int8_t number);
typedef double (*add_up_fn)(double, float, int64_t, const char *, const int *);
typedef void (*only_count_fn)(void);

SEGUE_END_DECLS

static void hosting_aForeignThreadIsRefused(void) {
  host here;
  void *object = NULL;
  const segue_plugin_host *from;
  begin(&here, "guest", NULL);
  from = guest_of(&here, &object)->get_host(object);
  CHECK_INT(abi_on_another_thread(call_from_elsewhere, (void *)from), -EPERM);
  CHECK(segue_application_dispatch(here.application) >= 0);
  CHECK(strncmp(here.line, "org.segue.abi-test, guest: ", 27) == 0);
  CHECK(strstr(here.line, "needs_save") != NULL);
  CHECK_INT(from->needs_save((segue_plugin_host *)none), -EINVAL);
  CHECK_INT(from->log(from, (const char *)none), -EINVAL);
  CHECK_INT(from->log(from, "\xFF"), -EINVAL);
  CHECK_INT(from->log(from, "a\nline"), 0);
  CHECK_TEXT(here.line, "org.segue.abi-test, guest: a line");
  CHECK(from->get_extension(from, "org.segue.none/1") == NULL);
  CHECK(from->get_extension(from, (const char *)none) == NULL);
  end(&here);
}

static void hosting_deferredCallsComeAtTheNextDispatch(void) {
  host here;
  void *object = NULL;
  deferral deferred;
  begin(&here, "guest", NULL);
  memset(&deferred, 0, sizeof deferred);
  deferred.host = guest_of(&here, &object)->get_host(object);
  CHECK_INT(abi_on_another_thread(defer_from_elsewhere, &deferred), 0);
  CHECK_INT(deferred.called, 0);
  CHECK(segue_application_dispatch(here.application) >= 0);
  CHECK_INT(deferred.called, 1);
  CHECK_INT(deferred.destroyed, 1);
  CHECK_INT(deferred.host->defer(deferred.host, no_function, &deferred, count_destroy), -EINVAL);
  CHECK_INT(deferred.destroyed, 2);
  CHECK_INT(deferred.host->defer((segue_plugin_host *)none, count_call, &deferred, count_destroy), -EINVAL);
  CHECK_INT(deferred.destroyed, 3);
  /* Not after the object: its userdata is freed all the same. */
  segue_plugin_object_unref(here.object);
  here.object = NULL;
  CHECK_INT(defer_from_elsewhere(&deferred), 0);
  end(&here);
  CHECK_INT(deferred.called, 1);
  CHECK_INT(deferred.destroyed, 4);
}

static void hosting_closuresAreFunctions(void) {
  host here;
  void *object = NULL;
  const guest_functions *guest;
  segue_plugin_function made = NULL;
  void *closures[3] = {NULL, NULL, NULL};
  int calls = 0;
  int destroyed = 0;
  const int seven = 7;
  begin(&here, "guest", NULL);
  guest = guest_of(&here, &object);
  CHECK_INT(guest->make(object, "n(C)", times_ten, &calls, NULL, &made, &closures[0]), 0);
  CHECK_INT(((times_ten_fn)made)(-12), -120);
  CHECK_INT(guest->make(object, "d(dFxsp)", add_up, &calls, abi_count, &made, &closures[1]), 0);
  CHECK(((add_up_fn)made)(0.5, 0.25F, -2, "four", &seven) == 9.75);
  CHECK_INT(calls, 2);
  CHECK_INT(guest->release(object, closures[1]), 0);
  CHECK_INT(calls, 3);
  CHECK_INT(guest->release(object, closures[1]), -EINVAL);
  CHECK_INT(guest->release(object, NULL), 0);
  CHECK_INT(guest->make(object, "()", only_count, &calls, abi_count, &made, &closures[2]), 0);
  ((only_count_fn)made)();
  CHECK_INT(calls, 4);
  CHECK_INT(guest->make(object, "i", only_count, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(guest->make(object, "ii()", only_count, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(guest->make(object, "(ai)", only_count, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(guest->make(object, "(i)i", only_count, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(
      guest->make(object, "(xxxxxxxxxxxxxxxxx)", only_count, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(guest->make(object, NULL, only_count, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(guest->make(object, "()", NULL, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(destroyed, 7);
  /* What is left is released with the object. */
  end(&here);
  CHECK_INT(calls, 5);
}

static void hosting_handlesAreChecked(void) {
  host here;
  segue_plugin *plugin = NULL;
  segue_plugin_object *object = NULL;
  char *path = NULL;
  const void *extension = NULL;
  void *made = NULL;
  int64_t number = 0;
  int destroyed = 0;
  begin(&here, "types", NULL);
  CHECK_INT(segue_plugin_load((segue_application *)none, PLUGIN, ABI_PREFIX, &plugin, NULL), -EINVAL);
  CHECK_INT(segue_plugin_load(here.application, (const char *)none, ABI_PREFIX, &plugin, NULL), -EINVAL);
  CHECK_INT(segue_plugin_load(here.application, PLUGIN, "relative", &plugin, NULL), -EINVAL);
  CHECK_INT(segue_plugin_load(here.application, PLUGIN, NULL, &plugin, NULL), -EACCES);
  CHECK_INT(
      segue_plugin_load(here.application, ABI_PREFIX "/lib/segue/plugins/org.segue.none.so", ABI_PREFIX, &plugin, NULL),
      -ENOENT);
  CHECK(plugin == NULL);
  CHECK_INT(segue_plugin_copy_path("org.segue.abi-test", ABI_PREFIX, &path), 0);
  CHECK_TEXT(path, PLUGIN);
  segue_free(path);
  CHECK_INT(segue_plugin_copy_path("org.segue.none", ABI_PREFIX, &path), -ENOENT);
  CHECK_INT(segue_plugin_copy_path("../abi-test", ABI_PREFIX, &path), -EINVAL);
  CHECK_INT(segue_plugin_copy_path((const char *)none, NULL, &path), -EINVAL);
  CHECK_INT(
      segue_plugin_object_new((segue_plugin *)none, "types", NULL, NULL, &destroyed, abi_count, &object, NULL),
      -EINVAL);
  CHECK_INT(
      segue_plugin_object_new((segue_plugin *)here.object, "types", NULL, NULL, &destroyed, abi_count, &object, NULL),
      -EINVAL);
  CHECK_INT(
      segue_plugin_object_new(here.plugin, (const char *)none, NULL, NULL, &destroyed, abi_count, &object, NULL),
      -EINVAL);
  CHECK_INT(destroyed, 3);
  CHECK_TEXT(segue_plugin_get_id((segue_plugin *)here.object), "");
  CHECK(segue_plugin_object_get_responder((segue_plugin_object *)here.plugin) == NULL);
  CHECK(segue_plugin_object_get_responder(here.object) == (segue_responder *)here.object);
  CHECK_INT(segue_plugin_object_set_integer(here.object, (const char *)none, 1, NULL), -EINVAL);
  CHECK_INT(segue_plugin_object_set_integer((segue_plugin_object *)here.activity, "i", 1, NULL), -EINVAL);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "i", (int64_t *)none, NULL), -EINVAL);
  CHECK_INT(segue_plugin_object_get_extension(here.object, (const char *)none, &extension, &made), -EINVAL);
  CHECK(segue_plugin_object_unref(segue_plugin_object_ref(here.object)) == NULL);
  CHECK(segue_plugin_unref(segue_plugin_ref(here.plugin)) == NULL);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "i", &number, NULL), 0);
  end(&here);
}

static void hosting_theApplicationEndsBeforeItsObjects(void) {
  host here;
  int64_t number = 0;
  begin(&here, "types", NULL);
  CHECK(segue_application_unref(here.application) == NULL);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "i", &number, NULL), -ESHUTDOWN);
  CHECK(segue_plugin_object_unref(here.object) == NULL);
  CHECK_INT(here.destroyed, 1);
  CHECK(segue_plugin_unref(here.plugin) == NULL);
  CHECK(segue_activity_unref(here.activity) == NULL);
}

static void hosting_aDocumentTakesAnObjectAlong(void) {
  host here;
  segue_document_methods methods = SEGUE_DOCUMENT_METHODS_INIT;
  segue_document *document = NULL;
  segue_activity *activity = NULL;
  int64_t number = 0;
  begin(&here, "types", NULL);
  CHECK_INT(segue_document_new(here.application, NULL, "text/plain", &methods, NULL, NULL, &document, NULL), 0);
  CHECK_INT(segue_document_add_responder(document, responder(&here)), 0);
  CHECK_INT(segue_document_add_responder(document, responder(&here)), 0);
  CHECK_INT(segue_document_add_responder(document, segue_document_get_responder(document)), -EINVAL);
  CHECK_INT(segue_document_set_user_activity(document, here.activity), 0);
  CHECK_INT(segue_responder_copy_user_activity(responder(&here), &activity), 0);
  CHECK(activity == here.activity);
  segue_activity_unref(activity);
  /* Restoring the document restores what goes with it. */
  CHECK_INT(segue_activity_add_integer(here.activity, "i", 5), 0);
  CHECK_INT(segue_responder_restore(segue_document_get_responder(document), here.activity), 0);
  CHECK_INT(here.restored, 1);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "i", &number, NULL), 0);
  CHECK_INT((long)number, 5);
  CHECK_INT(segue_document_remove_responder(document, responder(&here)), 0);
  CHECK_INT(segue_document_remove_responder(document, responder(&here)), 0);
  CHECK_INT(segue_responder_copy_user_activity(responder(&here), &activity), 0);
  CHECK(activity == NULL);
  segue_document_unref(document);
  end(&here);
}

SEGUE_BEGIN_DECLS

/* What the plugin's functions do on behalf of a clumsy application. */

static int drop_object(void *userdata) {
  host *here = (host *)userdata;
  here->object = segue_plugin_object_unref(here->object);
  CHECK(segue_application_dispatch(here->application) >= 0);
  return -EBUSY;
}

static int close_application(void *userdata) {
  host *here = (host *)userdata;
  here->application = segue_application_unref(here->application);
  return 0;
}

static int load_again(void *userdata) {
  segue_plugin *plugin = NULL;
  segue_application *application = *(segue_application **)userdata;
  CHECK_INT(segue_plugin_load(application, PLUGIN, ABI_PREFIX, &plugin, NULL), -EINVAL);
  return 0;
}

/* A closure whose end releases another one. */
typedef struct releaser {
  const segue_plugin_host *host;
  void *other;
  int calls;
} releaser;

static void release_other(void *userdata) {
  releaser *end = (releaser *)userdata;
  const segue_plugin_closures *closures =
      (const segue_plugin_closures *)end->host->get_extension(end->host, SEGUE_PLUGIN_CLOSURES);
  end->calls++;
  /* The object is destroyed, and its closures are gone with it. */
  CHECK_INT(closures->release(end->host, end->other), -EINVAL);
}

SEGUE_END_DECLS

static void hosting_anObjectIsDroppedInItsSetter(void) {
  host here;
  void *object = NULL;
  const guest_functions *guest;
  segue_error *error = NULL;
  begin(&here, "guest", NULL);
  guest = guest_of(&here, &object);
  guest->on_call(drop_object, &here);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "number", 1, &error), -EIO);
  CHECK(segue_error_get_code(error) == SEGUE_ERROR_PLUGIN_FAILED);
  guest->on_call(NULL, NULL);
  segue_error_unref(error);
  end(&here);
}

static void hosting_anApplicationIsClosedInCreate(void) {
  host here;
  void *object = NULL;
  const guest_functions *guest;
  segue_plugin_object *other = NULL;
  begin(&here, "guest", NULL);
  guest = guest_of(&here, &object);
  guest->on_call(close_application, &here);
  CHECK_INT(segue_plugin_object_new(here.plugin, "guest", NULL, NULL, NULL, NULL, &other, NULL), -EIO);
  CHECK(other == NULL);
  guest->on_call(NULL, NULL);
  segue_plugin_object_unref(here.object);
  segue_plugin_unref(here.plugin);
  segue_activity_unref(here.activity);
  CHECK_INT(here.destroyed, 1);
}

static void hosting_whatInitMayDo(void) {
  host here;
  host there;
  void *object = NULL;
  const guest_functions *guest;
  begin(&here, "guest", NULL);
  guest = guest_of(&here, &object);
  memset(&there, 0, sizeof there);
  there.application = abi_application();
  guest->on_call(load_again, &there.application);
  CHECK_INT(segue_plugin_load(there.application, PLUGIN, ABI_PREFIX, &there.plugin, NULL), 0);
  segue_plugin_unref(there.plugin);
  segue_application_unref(there.application);
  there.application = abi_application();
  there.plugin = NULL;
  guest->on_call(close_application, &there);
  CHECK_INT(segue_plugin_load(there.application, PLUGIN, ABI_PREFIX, &there.plugin, NULL), -EIO);
  CHECK(there.plugin == NULL);
  guest->on_call(NULL, NULL);
  end(&here);
}

static void hosting_aClosuresEndReleasesAnother(void) {
  host here;
  void *object = NULL;
  const guest_functions *guest;
  segue_plugin_function made = NULL;
  releaser ends[2];
  void *closures[2] = {NULL, NULL};
  int i;
  begin(&here, "guest", NULL);
  guest = guest_of(&here, &object);
  memset(ends, 0, sizeof ends);
  for (i = 0; i < 2; i++) {
    ends[i].host = guest->get_host(object);
    CHECK_INT(guest->make(object, "()", only_count, &ends[i], release_other, &made, &closures[i]), 0);
  }
  for (i = 0; i < 2; i++) ends[i].other = closures[1 - i];
  end(&here);
  CHECK_INT(ends[0].calls + ends[1].calls, 2);
}

static void hosting_aForkedChildIsRefused(void) {
  host here;
  void *object = NULL;
  deferral deferred;
  int status = -1;
  pid_t child;
  begin(&here, "guest", NULL);
  memset(&deferred, 0, sizeof deferred);
  deferred.host = guest_of(&here, &object)->get_host(object);
  child = fork();
  if (child == 0) {
    const segue_plugin_host *from = deferred.host;
    _exit(
        from->needs_save(from) == -ECHILD && from->log(from, "line") == -ECHILD &&
                defer_from_elsewhere(&deferred) == -ECHILD && deferred.destroyed == 1
            ? 0
            : 1);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK_INT(status, 0);
  end(&here);
}

static void hosting_aDocumentTakesAnObjectFromAnother(void) {
  host here;
  segue_document_methods methods = SEGUE_DOCUMENT_METHODS_INIT;
  segue_document *documents[2] = {NULL, NULL};
  segue_activity *activity = NULL;
  int i;
  begin(&here, "types", NULL);
  for (i = 0; i < 2; i++) {
    CHECK_INT(segue_document_new(here.application, NULL, "text/plain", &methods, NULL, NULL, &documents[i], NULL), 0);
    CHECK_INT(segue_document_add_responder(documents[i], responder(&here)), 0);
  }
  CHECK_INT(segue_document_set_user_activity(documents[1], here.activity), 0);
  CHECK_INT(segue_document_set_user_activity(documents[0], NULL), 0);
  CHECK_INT(segue_responder_copy_user_activity(responder(&here), &activity), 0);
  CHECK(activity == here.activity);
  segue_activity_unref(activity);
  /* With a closed one nothing goes any more. */
  CHECK_INT(segue_document_close(documents[0]), 0);
  CHECK_INT(segue_document_add_responder(documents[0], responder(&here)), -ESTALE);
  CHECK_INT(segue_responder_copy_user_activity(responder(&here), &activity), 0);
  CHECK(activity == here.activity);
  segue_activity_unref(activity);
  for (i = 0; i < 2; i++) segue_document_unref(documents[i]);
  end(&here);
}

const abi_test hosting_tests[] = {
    TEST(hosting_integersKeepToTheirRange),
    TEST(hosting_numbersTextAndTruth),
    TEST(hosting_arraysAndDataAndAnything),
    TEST(hosting_optionalOnesMayBeAbsent),
    TEST(hosting_anotherObjectRestoresWhatOneHasSaved),
    TEST(hosting_whatIsMissingGetsItsDefault),
    TEST(hosting_aBadPayloadChangesNothing),
    TEST(hosting_oneFunctionRestoresWhatBelongsTogether),
    TEST(hosting_faultsAreNamed),
    TEST(hosting_whatCannotBeMade),
    TEST(hosting_anObjectMayReadAndWriteTheActivityItself),
    TEST(hosting_changesAreMarked),
    TEST(hosting_aForeignThreadIsRefused),
    TEST(hosting_deferredCallsComeAtTheNextDispatch),
    TEST(hosting_closuresAreFunctions),
    TEST(hosting_handlesAreChecked),
    TEST(hosting_theApplicationEndsBeforeItsObjects),
    TEST(hosting_aDocumentTakesAnObjectAlong),
    TEST(hosting_anObjectIsDroppedInItsSetter),
    TEST(hosting_anApplicationIsClosedInCreate),
    TEST(hosting_whatInitMayDo),
    TEST(hosting_aClosuresEndReleasesAnother),
    TEST(hosting_aForkedChildIsRefused),
    TEST(hosting_aDocumentTakesAnObjectFromAnother),
    {NULL, NULL},
};
