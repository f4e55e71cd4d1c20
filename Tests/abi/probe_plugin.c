/* The commands on objects of plugins, and their callbacks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/media-position/media-position.h"
#include "probe.h"

static segue_plugin_object *target(char **arguments) {
  const named *found = names_responder(arguments[1]);
  return found == NULL ? NULL : found->object;
}

static void did_restore(segue_plugin_object *object, segue_activity *activity, void *userdata) {
  (void)object;
  const named *restored = userdata;
  char *info = text_of_user_info(activity);
  text_print("event restored", restored->name, info, NULL);
  free(info);
}

static void did_fail(segue_plugin_object *object, segue_activity *activity, const segue_error *error, void *userdata) {
  (void)object;
  (void)activity;
  const named *failed = userdata;
  text_print("event object-failed", failed->name, segue_error_get_message(error), NULL);
}

/* Loading a plugin again gives the same one. */
static int load(const char *id, const char *prefix, segue_plugin **out_plugin) {
  char *path = NULL;
  segue_error *error = NULL;
  int result = segue_plugin_copy_path(id, prefix, &path);
  if (result < 0) return result;
  result = segue_plugin_load(probe.application, path, prefix, out_plugin, &error);
  if (result < 0) text_print("event not-loaded", id, segue_error_get_message(error), NULL);
  segue_error_unref(error);
  segue_free(path);
  return result;
}

static int make(char **arguments) {
  static const segue_plugin_object_methods methods = {
      .struct_size = sizeof methods,
      .did_restore = did_restore,
      .did_fail = did_fail,
  };
  if (names_responder(arguments[1]) != NULL) return -EEXIST;
  segue_plugin *plugin = NULL;
  int result = load(arguments[2], text_decode_nullable(arguments[5]), &plugin);
  if (result < 0) return result;
  named *made = names_new(arguments[1]);
  segue_plugin_object *object = NULL;
  result = segue_plugin_object_new(
      plugin, arguments[3], text_decode_nullable(arguments[4]), &methods, made, names_free, &object, NULL);
  segue_plugin_unref(plugin);
  /* On failure the library has freed what was made. */
  if (result < 0) return result;
  made->object = object;
  made->responder = segue_plugin_object_get_responder(object);
  names_add(made);
  return result;
}

static int set(char **arguments) {
  segue_value *value = NULL;
  int result = text_value(arguments[3], &value);
  if (result < 0) return result;
  result = segue_plugin_object_set_property(target(arguments), text_decode(arguments[2]), value, NULL);
  segue_value_unref(value);
  return result;
}

static int get(char **arguments) {
  segue_value *value = NULL;
  int result = segue_plugin_object_copy_property(target(arguments), text_decode(arguments[2]), &value, NULL);
  if (result < 0) return result;
  char *hex = text_of_value(value);
  text_print("property", arguments[2], hex, NULL);
  free(hex);
  segue_value_unref(value);
  return result;
}

static int play(char **arguments) {
  const void *extension = NULL;
  void *object = NULL;
  int result = segue_plugin_object_get_extension(target(arguments), SEGUE_MEDIA_POSITION, &extension, &object);
  if (result < 0) return result;
  const segue_media_position *media = extension;
  return media->set(object, text_decode(arguments[2]), strtod(arguments[3], NULL), strtod(arguments[4], NULL));
}

const command plugin_commands[] = {
    {"object", 5, make}, {"set-property", 3, set}, {"get-property", 2, get}, {"play", 4, play}, {NULL, 0, NULL},
};
