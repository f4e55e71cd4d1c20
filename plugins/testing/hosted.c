#include "hosted.h"

#include <stdlib.h>

static int failures;

void hosted_check(int holds, const char *what, const char *file, int line) {
  if (holds) return;
  failures++;
  printf("  %s:%d: %s\n", file, line, what);
}

void hosted_check_int(long is, long expected, const char *what, const char *file, int line) {
  if (is == expected) return;
  failures++;
  printf("  %s:%d: %s is %ld, not %ld\n", file, line, what, is, expected);
}

void hosted_check_number(double is, double expected, const char *what, const char *file, int line) {
  if (!(is < expected) && !(is > expected)) return;
  failures++;
  printf("  %s:%d: %s is %g, not %g\n", file, line, what, is, expected);
}

void hosted_check_text(const char *is, const char *expected, const char *what, const char *file, int line) {
  if (is == NULL ? expected == NULL : expected != NULL && strcmp(is, expected) == 0) return;
  failures++;
  printf("  %s:%d: %s is \"%s\"\n", file, line, what, is == NULL ? "(null)" : is);
}

void hosted_check_integer(hosted *here, const char *key, int64_t expected, const char *file, int line) {
  int64_t is = -1;
  hosted_check_int(segue_plugin_object_get_integer(here->object, key, &is, NULL), 0, key, file, line);
  hosted_check_int((long)is, (long)expected, key, file, line);
}

void hosted_check_double(hosted *here, const char *key, double expected, const char *file, int line) {
  double is = -1;
  hosted_check_int(segue_plugin_object_get_double(here->object, key, &is, NULL), 0, key, file, line);
  hosted_check_number(is, expected, key, file, line);
}

void hosted_check_string(hosted *here, const char *key, const char *expected, const char *file, int line) {
  char *is = NULL;
  hosted_check_int(segue_plugin_object_copy_string(here->object, key, &is, NULL), 0, key, file, line);
  hosted_check_text(is, expected, key, file, line);
  segue_free(is);
}

void hosted_check_absent(hosted *here, const char *key, const char *file, int line) {
  segue_value *value = NULL;
  hosted_check_int(segue_plugin_object_copy_property(here->object, key, &value, NULL), 0, key, file, line);
  hosted_check(value != NULL && segue_value_get_kind(value) == SEGUE_VALUE_NULL, key, file, line);
  segue_value_unref(value);
}

static void did_restore(segue_plugin_object *object, segue_activity *activity, void *userdata) {
  hosted *here = userdata;
  (void)object;
  (void)activity;
  here->restored++;
}

static void did_fail(segue_plugin_object *object, segue_activity *activity, const segue_error *error, void *userdata) {
  hosted *here = userdata;
  (void)object;
  (void)activity;
  snprintf(here->failure, sizeof here->failure, "%s", segue_error_get_message(error));
}

/* Without what it is about a test says nothing. */
static void need(int result, const char *what, segue_error *const *error) {
  if (result >= 0) return;
  printf("FAIL %s: %s (%s)\n", what, error == NULL ? "" : segue_error_get_message(*error), strerror(-result));
  exit(1);
}

static segue_plugin_object *make_object(hosted *here, const char *id, const char *key_prefix) {
  segue_plugin_object_methods methods = SEGUE_PLUGIN_OBJECT_METHODS_INIT;
  segue_plugin_object *object = NULL;
  segue_error *error = NULL;
  methods.did_restore = did_restore;
  methods.did_fail = did_fail;
  need(
      segue_plugin_object_new(here->plugin, id, key_prefix, &methods, here, NULL, &object, &error), "the object",
      &error);
  return object;
}

static const char *object_kind;

segue_plugin_object *hosted_another(hosted *here, const char *key_prefix) {
  return make_object(here, object_kind, key_prefix);
}

static void set_up(hosted *here, const char *plugin_id) {
  segue_application_options options = SEGUE_APPLICATION_OPTIONS_INIT;
  segue_error *error = NULL;
  char *path = NULL;
  memset(here, 0, sizeof *here);
  options.bus_address = "unix:path=/nonexistent/segue/bus";
  need(segue_application_new("org.segue.PluginTest", &options, &here->application, &error), "the application", &error);
  need(segue_plugin_copy_path(plugin_id, PLUGIN_PREFIX, &path), plugin_id, NULL);
  need(segue_plugin_load(here->application, path, PLUGIN_PREFIX, &here->plugin, &error), path, &error);
  segue_free(path);
  here->object = hosted_another(here, NULL);
  hosted_empty(here);
}

static void tear_down(hosted *here) {
  segue_activity_unref(here->activity);
  segue_plugin_object_unref(here->object);
  segue_plugin_unref(here->plugin);
  segue_application_unref(here->application);
}

void hosted_empty(hosted *here) {
  segue_activity_unref(here->activity);
  here->activity = NULL;
  need(
      segue_activity_new(here->application, "org.segue.plugintest.trying", &here->activity, NULL), "an activity", NULL);
}

void hosted_save(hosted *here) {
  hosted_empty(here);
  here->failure[0] = '\0';
  int result = segue_responder_update(segue_plugin_object_get_responder(here->object), here->activity);
  CHECK((result == 0) == (here->failure[0] == '\0'));
}

bool hosted_restore(hosted *here) {
  int before = here->restored;
  here->failure[0] = '\0';
  int result = segue_responder_restore(segue_plugin_object_get_responder(here->object), here->activity);
  CHECK((result == 0) == (here->failure[0] == '\0'));
  CHECK((here->restored == before + 1) == (result == 0));
  return here->restored > before;
}

int hosted_run(const char *plugin_id, const char *object_id, const hosted_test *tests, size_t count) {
  int failed = 0;
  object_kind = object_id;
  /* A crash must not swallow the names of the tests before it. */
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (size_t i = 0; i < count; i++) {
    hosted here;
    failures = 0;
    set_up(&here, plugin_id);
    tests[i].run(&here);
    tear_down(&here);
    printf("%s %s\n", failures == 0 ? "PASS" : "FAIL", tests[i].name);
    if (failures > 0) failed++;
  }
  printf("%s: %zu tests passed, %d failed\n", plugin_id, count - (size_t)failed, failed);
  return failed == 0 ? 0 : 1;
}
