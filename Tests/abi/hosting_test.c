/* Plugins and their objects in an application: handles, documents, and who ends first. */
#include "hosting.h"

/* Compilers warn where they see NULL go where it may not; here they do not see it. */
static void *volatile none = NULL;

SEGUE_BEGIN_DECLS

/* The plugin's functions call these on behalf of a clumsy application. */

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

SEGUE_END_DECLS

static void hosting_anObjectMayReadAndWriteTheActivityItself(void) {
  host here;
  char *text = NULL;
  host_begin(&here, "guest", NULL);
  CHECK_INT(segue_responder_update(host_responder(&here), here.activity), 0);
  CHECK_INT(segue_activity_copy_string(here.activity, "guest", &text), 0);
  CHECK_TEXT(text, "a guest's");
  segue_free(text);
  CHECK_INT(segue_responder_restore(host_responder(&here), here.activity), 0);
  CHECK_INT(here.restored, 1);
  CHECK_INT(segue_activity_set_user_info(here.activity, NULL), 0);
  CHECK_INT(segue_responder_restore(host_responder(&here), here.activity), -EIO);
  CHECK(strncmp(here.failure, "org.segue.abi-test, guest: its restore_user_activity_state has failed: ", 71) == 0);
  host_end(&here);
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
  host_begin(&here, "types", NULL);
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
  host_end(&here);
}

static void hosting_theApplicationEndsBeforeItsObjects(void) {
  host here;
  int64_t number = 0;
  host_begin(&here, "types", NULL);
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
  host_begin(&here, "types", NULL);
  CHECK_INT(segue_document_new(here.application, NULL, "text/plain", &methods, NULL, NULL, &document, NULL), 0);
  CHECK_INT(segue_document_add_responder(document, host_responder(&here)), 0);
  CHECK_INT(segue_document_add_responder(document, host_responder(&here)), 0);
  CHECK_INT(segue_document_add_responder(document, segue_document_get_responder(document)), -EINVAL);
  CHECK_INT(segue_document_set_user_activity(document, here.activity), 0);
  CHECK_INT(segue_responder_copy_user_activity(host_responder(&here), &activity), 0);
  CHECK(activity == here.activity);
  segue_activity_unref(activity);
  /* Restoring the document restores the object that belongs to it. */
  CHECK_INT(segue_activity_add_integer(here.activity, "i", 5), 0);
  CHECK_INT(segue_responder_restore(segue_document_get_responder(document), here.activity), 0);
  CHECK_INT(here.restored, 1);
  CHECK_INT(segue_plugin_object_get_integer(here.object, "i", &number, NULL), 0);
  CHECK_INT((long)number, 5);
  CHECK_INT(segue_document_remove_responder(document, host_responder(&here)), 0);
  CHECK_INT(segue_document_remove_responder(document, host_responder(&here)), 0);
  CHECK_INT(segue_responder_copy_user_activity(host_responder(&here), &activity), 0);
  CHECK(activity == NULL);
  segue_document_unref(document);
  host_end(&here);
}

static void hosting_anObjectIsDroppedInItsSetter(void) {
  host here;
  void *object = NULL;
  const guest_functions *guest;
  segue_error *error = NULL;
  host_begin(&here, "guest", NULL);
  guest = host_guest(&here, &object);
  guest->on_call(drop_object, &here);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "number", 1, &error), -EIO);
  CHECK(segue_error_get_code(error) == SEGUE_ERROR_PLUGIN_FAILED);
  guest->on_call(NULL, NULL);
  segue_error_unref(error);
  host_end(&here);
}

static void hosting_anApplicationIsClosedInCreate(void) {
  host here;
  void *object = NULL;
  const guest_functions *guest;
  segue_plugin_object *other = NULL;
  host_begin(&here, "guest", NULL);
  guest = host_guest(&here, &object);
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
  host_begin(&here, "guest", NULL);
  guest = host_guest(&here, &object);
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
  host_end(&here);
}

static void hosting_aDocumentTakesAnObjectFromAnother(void) {
  host here;
  segue_document_methods methods = SEGUE_DOCUMENT_METHODS_INIT;
  segue_document *documents[2] = {NULL, NULL};
  segue_activity *activity = NULL;
  int i;
  host_begin(&here, "types", NULL);
  for (i = 0; i < 2; i++) {
    CHECK_INT(segue_document_new(here.application, NULL, "text/plain", &methods, NULL, NULL, &documents[i], NULL), 0);
    CHECK_INT(segue_document_add_responder(documents[i], host_responder(&here)), 0);
  }
  CHECK_INT(segue_document_set_user_activity(documents[1], here.activity), 0);
  CHECK_INT(segue_document_set_user_activity(documents[0], NULL), 0);
  CHECK_INT(segue_responder_copy_user_activity(host_responder(&here), &activity), 0);
  CHECK(activity == here.activity);
  segue_activity_unref(activity);
  /* A closed document refuses every call. */
  CHECK_INT(segue_document_close(documents[0]), 0);
  CHECK_INT(segue_document_add_responder(documents[0], host_responder(&here)), -ESTALE);
  CHECK_INT(segue_responder_copy_user_activity(host_responder(&here), &activity), 0);
  CHECK(activity == here.activity);
  segue_activity_unref(activity);
  for (i = 0; i < 2; i++) segue_document_unref(documents[i]);
  host_end(&here);
}

const abi_test hosting_tests[] = {
    TEST(hosting_anObjectMayReadAndWriteTheActivityItself),
    TEST(hosting_handlesAreChecked),
    TEST(hosting_theApplicationEndsBeforeItsObjects),
    TEST(hosting_aDocumentTakesAnObjectAlong),
    TEST(hosting_anObjectIsDroppedInItsSetter),
    TEST(hosting_anApplicationIsClosedInCreate),
    TEST(hosting_whatInitMayDo),
    TEST(hosting_aDocumentTakesAnObjectFromAnother),
    {NULL, NULL},
};
