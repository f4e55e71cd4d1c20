/* Hosts the plugin as an application does: saves one object's state into an activity, and restores another from it. It
 * needs no daemon. */
#include <segue/segue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The error of the call that failed. */
static segue_error *error;

static void expect(int holds, const char *what) {
  if (holds) return;
  printf("FAIL %s %s\n", what, segue_error_get_message(error));
  exit(1);
}

static void did_restore(segue_plugin_object *object, segue_activity *activity, void *userdata) {
  (void)object, (void)activity;
  ++*(int *)userdata;
}

static void did_fail(segue_plugin_object *object, segue_activity *activity, const segue_error *why, void *userdata) {
  (void)object, (void)activity, (void)userdata;
  printf("     as it should: %s\n", segue_error_get_message(why));
}

int main(void) {
  segue_application_options options = SEGUE_APPLICATION_OPTIONS_INIT;
  segue_plugin_object_methods methods = SEGUE_PLUGIN_OBJECT_METHODS_INIT;
  segue_application *application = NULL;
  segue_activity *activity = NULL;
  segue_plugin *plugin = NULL;
  segue_plugin_object *here = NULL;
  segue_plugin_object *there = NULL;
  int64_t count = 0;
  char *label = NULL;
  char *path = NULL;
  int restored = 0;

  /* The test has no bus: it must not offer anything to other devices. */
  options.bus_address = "unix:path=/nonexistent";
  expect(segue_application_new("org.example.Test", &options, &application, &error) == 0, "application");
  expect(segue_activity_new(application, "org.example.test", &activity, &error) == 0, "activity");
  expect(segue_plugin_copy_path("@PLUGIN_ID@", PREFIX, &path) == 0, "the plugin's place");
  expect(segue_plugin_load(application, path, PREFIX, &plugin, &error) == 0, "loading");
  methods.did_restore = did_restore;
  methods.did_fail = did_fail;
  expect(segue_plugin_object_new(plugin, "counter", NULL, &methods, &restored, NULL, &here, &error) == 0, "object");
  expect(segue_plugin_object_new(plugin, "counter", NULL, &methods, &restored, NULL, &there, &error) == 0, "object");

  /* One object saves, another restores. */
  expect(segue_plugin_object_set_integer(here, "counter.count", 42, &error) == 0, "setting the count");
  expect(segue_plugin_object_set_string(here, "counter.label", "sheep", &error) == 0, "setting the label");
  expect(segue_responder_update(segue_plugin_object_get_responder(here), activity) == 0, "saving");
  expect(segue_responder_restore(segue_plugin_object_get_responder(there), activity) == 0, "restoring");
  expect(restored == 1, "restoring");
  expect(segue_plugin_object_get_integer(there, "counter.count", &count, &error) == 0 && count == 42, "count");
  expect(segue_plugin_object_copy_string(there, "counter.label", &label, &error) == 0, "label");
  expect(label != NULL && strcmp(label, "sheep") == 0, "the label is another one");

  /* An activity that the object refuses changes nothing. */
  segue_activity_add_integer(activity, "counter.count", -1);
  expect(segue_responder_restore(segue_plugin_object_get_responder(there), activity) < 0, "a failure is told");
  expect(restored == 1, "a count below 0 was restored");
  expect(segue_plugin_object_get_integer(there, "counter.count", &count, &error) == 0 && count == 42, "count");

  segue_free(label);
  segue_free(path);
  segue_plugin_object_unref(there);
  segue_plugin_object_unref(here);
  segue_plugin_unref(plugin);
  segue_activity_unref(activity);
  segue_application_unref(application);
  puts("PASS @PLUGIN_ID@ saves and restores");
  return 0;
}
