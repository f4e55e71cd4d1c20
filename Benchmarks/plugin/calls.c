/*
 * plugin-calls PREFIX: one property set, in four ways that take turns, of a plugin that is installed under PREFIX.
 * Prints nanoseconds a call: "set" through its declaration, "direct" its setter called as a function, "libffi" the same
 * by an interface that is prepared once, "gobject" the same by GObject's generic marshaller.
 */
#include <ffi.h>
#include <glib-object.h>
#include <segue/segue.h>
#include <stdio.h>
#include <stdlib.h>

#include "../common.h"
#include "record.h"

#define SAMPLES 1000
#define CALLS 1000

static segue_plugin_object *object;
static const record_functions *functions;
static void *held;
static ffi_cif interface;
static GClosure *closure;

static void make_object(const char *prefix) {
  segue_application *app;
  segue_plugin *plugin;
  segue_activity *activity;
  segue_error *error = NULL;
  const void *extension;
  char *path;
  if (segue_application_new(BENCH_APP, NULL, &app, NULL) < 0) fail("plugin", "no application");
  if (segue_plugin_copy_path(RECORD_PLUGIN, prefix, &path) < 0) fail("plugin", "it is not installed");
  if (segue_plugin_load(app, path, prefix, &plugin, &error) < 0) fail("plugin", segue_error_get_message(error));
  if (segue_plugin_object_new(plugin, "record", NULL, NULL, NULL, NULL, &object, &error) < 0) {
    fail("plugin", segue_error_get_message(error));
  }
  /* As in an application: each set marks the activity as in need of saving. */
  if (segue_activity_new(app, BENCH_TYPE, &activity, NULL) < 0) fail("plugin", "no activity");
  segue_responder_set_user_activity(segue_plugin_object_get_responder(object), activity);
  if (segue_plugin_object_get_extension(object, RECORD_FUNCTIONS, &extension, &held) < 0)
    fail("plugin", "no functions");
  functions = extension;
}

static void set(int64_t count) {
  if (segue_plugin_object_set_integer(object, "count", count, NULL) < 0) fail("plugin", "it was not set");
}

static void call_directly(int64_t count) {
  int (*volatile call)(void *, int64_t) = functions->set_count;
  if (call(held, count) < 0) fail("plugin", "the setter failed");
}

static void call_by_libffi(int64_t count) {
  void *arguments[] = {&held, &count};
  ffi_arg result;
  ffi_call(&interface, FFI_FN(functions->set_count), &result, arguments);
  if ((int)result < 0) fail("plugin", "the setter failed");
}

static void call_by_gobject(int64_t count) {
  static GValue values[2];
  static GValue result;
  if (values[0].g_type == 0) {
    g_value_init(&values[0], G_TYPE_POINTER);
    g_value_init(&values[1], G_TYPE_INT64);
    g_value_init(&result, G_TYPE_INT);
  }
  g_value_set_pointer(&values[0], held);
  g_value_set_int64(&values[1], count);
  g_cclosure_marshal_generic(closure, &result, 2, values, NULL, NULL);
  if (g_value_get_int(&result) < 0) fail("plugin", "the setter failed");
}

int main(int count, char **given) {
  static const struct {
    const char *name;
    void (*call)(int64_t count);
  } ways[] = {{"direct", call_directly}, {"libffi", call_by_libffi}, {"gobject", call_by_gobject}, {"set", set}};
  static ffi_type *parameters[] = {&ffi_type_pointer, &ffi_type_sint64};
  if (count != 2) return 2;
  make_object(given[1]);
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 2, &ffi_type_sint, parameters) != FFI_OK)
    fail("libffi", "no interface");
  closure = g_cclosure_new(G_CALLBACK(functions->set_count_with_data), NULL, NULL);
  for (int sample = -5; sample < SAMPLES; sample++) {
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
      uint64_t start = now();
      for (int64_t i = 0; i < CALLS; i++) ways[way].call(i);
      uint64_t end = now();
      int64_t is = -1;
      segue_plugin_object_get_integer(object, "count", &is, NULL);
      if (is != CALLS - 1) fail(ways[way].name, "it was not set");
      segue_plugin_object_set_integer(object, "count", -1, NULL);
      if (sample >= 0) printf("%s %.2f\n", ways[way].name, (double)(end - start) / CALLS);
    }
  }
  return 0;
}
