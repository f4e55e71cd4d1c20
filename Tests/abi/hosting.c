/* The host that the tests of hosting share. */
#include "hosting.h"

#include <stdlib.h>

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
  host *here = (host *)userdata;
  (void)application;
  here->lines++;
  strncpy(here->line, line, sizeof here->line - 1);
}

SEGUE_END_DECLS

void host_begin(host *here, const char *id, const char *prefix) {
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

void host_end(host *here) {
  segue_plugin_object_unref(here->object);
  segue_plugin_unref(here->plugin);
  segue_activity_unref(here->activity);
  CHECK(segue_application_dispatch(here->application) >= 0);
  CHECK_INT(here->destroyed, 1);
  segue_application_unref(here->application);
}

segue_responder *host_responder(host *here) {
  return segue_plugin_object_get_responder(here->object);
}

const guest_functions *host_guest(host *here, void **out_object) {
  const void *functions = NULL;
  CHECK_INT(segue_plugin_object_get_extension(here->object, "org.segue.none/1", &functions, out_object), -ENOENT);
  CHECK_INT(segue_plugin_object_get_extension(here->object, GUEST_EXTENSION, &functions, out_object), 0);
  return (const guest_functions *)functions;
}
