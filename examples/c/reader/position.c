#include "position.h"

#include <glib.h>
#include <string.h>

#define PLUGIN "org.segue.text-position"

/* The properties of the plugin's object, as its README.md lists them. Its lines count from 1. */
#define OBJECT "position"
#define KEY_FILE "text.file"
#define KEY_LINE "text.line"
#define KEY_TOP "text.top"

struct position {
  segue_plugin *plugin;
  segue_plugin_object *object;
  char *failure;
};

static void did_restore(segue_plugin_object *object, segue_activity *activity, void *userdata) {
  (void)object;
  (void)activity;
  position *held = userdata;
  g_free(held->failure);
  held->failure = NULL;
}

/* Also called if the object could not save everything; then the failure is not used. */
static void did_fail(segue_plugin_object *object, segue_activity *activity, const segue_error *error, void *userdata) {
  (void)object;
  (void)activity;
  position *held = userdata;
  g_free(held->failure);
  held->failure = g_strdup(segue_error_get_message(error));
}

static int load(position *held, segue_application *application, segue_error **out_error) {
  char *path = NULL;
  /* The reader's own plugins before those of the system. */
  int result = segue_plugin_copy_path(PLUGIN, READER_PREFIX, &path);
  if (result == 0) result = segue_plugin_load(application, path, READER_PREFIX, &held->plugin, out_error);
  segue_free(path);
  if (result < 0) return result;
  segue_plugin_object_methods methods = SEGUE_PLUGIN_OBJECT_METHODS_INIT;
  methods.did_restore = did_restore;
  methods.did_fail = did_fail;
  return segue_plugin_object_new(held->plugin, OBJECT, NULL, &methods, held, NULL, &held->object, out_error);
}

position *position_new(segue_application *application, char **out_reason) {
  position *held = g_new0(position, 1);
  segue_error *error = NULL;
  int result = load(held, application, &error);
  if (result == 0) return held;
  const char *why = error == NULL ? "it is not installed" : segue_error_get_message(error);
  const char *advice = error == NULL ? "Install Segue's plugins." : segue_error_get_advice(error);
  *out_reason = g_strdup_printf("the plugin " PLUGIN " is needed: %s. %s", why, advice);
  segue_error_unref(error);
  position_free(held);
  return NULL;
}

void position_free(position *held) {
  if (held == NULL) return;
  segue_plugin_object_unref(held->object);
  segue_plugin_unref(held->plugin);
  g_free(held->failure);
  g_free(held);
}

segue_responder *position_responder(const position *held) {
  return segue_plugin_object_get_responder(held->object);
}

void position_set(position *held, const reader *model) {
  /* A URL and not a path: inside a folder that both devices share, a URL arrives as that of the other device's file. */
  segue_plugin_object_set_string(held->object, KEY_FILE, document_url(model->open), NULL);
  segue_plugin_object_set_integer(held->object, KEY_LINE, (int64_t)model->line + 1, NULL);
  segue_plugin_object_set_integer(held->object, KEY_TOP, (int64_t)model->top + 1, NULL);
}

const char *position_failure(const position *held) {
  return held->failure;
}

char *position_copy_path(const position *held) {
  char *url = NULL;
  if (segue_plugin_object_copy_string(held->object, KEY_FILE, &url, NULL) < 0 || url == NULL) return NULL;
  char *path = document_path_of_url(url);
  segue_free(url);
  return path;
}

static size_t get_line(const position *held, const char *key) {
  int64_t line = 0;
  return segue_plugin_object_get_integer(held->object, key, &line, NULL) == 0 && line > 0 ? (size_t)line - 1 : 0;
}

size_t position_line(const position *held) {
  return get_line(held, KEY_LINE);
}

size_t position_top(const position *held) {
  return get_line(held, KEY_TOP);
}
