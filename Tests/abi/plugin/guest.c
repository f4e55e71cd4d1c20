/* The object "guest", which calls its host as a test asks; and the plugin's entry. */
#include "guest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

typedef struct guest {
  const segue_plugin_host *host;
} guest;

static int (*on_call_function)(void *userdata);
static void *on_call_userdata;

static void on_call(int (*called)(void *userdata), void *userdata) {
  on_call_function = called;
  on_call_userdata = userdata;
}

static int call(void) {
  return on_call_function == NULL ? 0 : on_call_function(on_call_userdata);
}

static int set_number(void *object, int32_t number) {
  (void)object;
  (void)number;
  return call();
}

static const segue_plugin_host *get_host(void *object) {
  return ((guest *)object)->host;
}

static const segue_plugin_closures *closures(void *object) {
  const segue_plugin_host *host = get_host(object);
  return host->get_extension(host, SEGUE_PLUGIN_CLOSURES);
}

static int make(
    void *object, const char *signature, segue_plugin_closure_function handler, void *userdata,
    segue_destroy_function destroy, segue_plugin_function *out_function, void **out_closure) {
  return closures(object)->make(get_host(object), signature, handler, userdata, destroy, out_function, out_closure);
}

static int release(void *object, void *closure) {
  return closures(object)->release(get_host(object), closure);
}

static const void *get_extension(void *object, const char *id) {
  static const guest_functions functions = {get_host, make, release, on_call};
  (void)object;
  return strcmp(id, GUEST_EXTENSION) == 0 ? &functions : NULL;
}

static int update(void *object, segue_activity *activity) {
  const segue_plugin_host *host = get_host(object);
  segue_value *dictionary = NULL;
  segue_value *value = NULL;
  host->values->new_dictionary(&dictionary);
  host->values->new_string("a guest's", &value);
  host->values->set_for_name(dictionary, "guest", value);
  int result = host->activities->add_user_info_entries(activity, dictionary);
  host->values->unref(value);
  host->values->unref(dictionary);
  return result;
}

static int restore(void *object, segue_activity *activity) {
  const segue_plugin_host *host = get_host(object);
  segue_value *dictionary = NULL;
  segue_value *value = NULL;
  if (host->activities->copy_user_info(activity, &dictionary) < 0) return -EIO;
  int result = host->values->get_for_name(dictionary, "guest", &value);
  host->values->unref(dictionary);
  return result;
}

static int create(const segue_plugin_host *host, void **out_object) {
  if (host->struct_size < sizeof *host || strcmp(host->app_id, "org.segue.AbiTest") != 0) return -EPROTO;
  guest *made = malloc(sizeof *made);
  if (made == NULL) return -ENOMEM;
  made->host = host;
  *out_object = made;
  int result = call();
  if (result < 0) free(made);
  return result;
}

static const segue_plugin_property properties[] = {
    {"number", "i", SEGUE_PROPERTY_PORTABLE, NULL, NULL, FUNCTION(set_number), NULL}};

const segue_plugin_object_descriptor guest_descriptor = {
    .struct_size = sizeof guest_descriptor,
    .property_size = sizeof(segue_plugin_property),
    .id = "guest",
    .name = "A guest",
    .create = create,
    .destroy = free,
    .properties = properties,
    .property_count = 1,
    .update_user_activity_state = update,
    .restore_user_activity_state = restore,
    .get_extension = get_extension,
};

static int refuse(const segue_plugin_host *host, void **out_object) {
  (void)host;
  (void)out_object;
  return -EBUSY;
}

static const segue_plugin_object_descriptor unmakeable = {
    .struct_size = sizeof unmakeable,
    .property_size = sizeof(segue_plugin_property),
    .id = "unmakeable",
    .name = "What cannot be made",
    .create = refuse,
    .destroy = free,
};

static const segue_plugin_object_descriptor *const descriptors[] = {
    &types_descriptor, &together_descriptor, &faults_descriptor, &guest_descriptor, &unmakeable};
static const segue_plugin_object_factory factory = {sizeof factory, 5, descriptors};

static const void *get_factory(const char *id) {
  return strcmp(id, SEGUE_PLUGIN_OBJECT_FACTORY) == 0 ? &factory : NULL;
}

SEGUE_PLUGIN_EXPORT const segue_plugin_entry segue_entry = {
    .struct_size = sizeof segue_entry,
    .abi = SEGUE_PLUGIN_ABI,
    .id = "org.segue.abi-test",
    .init = call,
    .get_factory = get_factory,
};
