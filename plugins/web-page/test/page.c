#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

segue_application *app;
segue_plugin *plugin;
int failures;
int restores;
int errors;
char message[MESSAGE];

void check(int holds, const char *what, const char *file, int line) {
  if (holds) return;
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  failures++;
}

void check_int(long is, long expected, const char *what, const char *file, int line) {
  if (is == expected) return;
  fprintf(stderr, "%s:%d: %s is %ld, not %ld\n", file, line, what, is, expected);
  failures++;
}

void check_text(const char *is, const char *expected, const char *what, const char *file, int line) {
  if (is == expected || (is != NULL && expected != NULL && strcmp(is, expected) == 0)) return;
  fprintf(stderr, "%s:%d: %s is %s, not %s\n", file, line, what, is == NULL ? "NULL" : is, expected);
  failures++;
}

/* The library's callbacks. */

static void did_restore(segue_plugin_object *page, segue_activity *activity, void *data) {
  (void)page;
  (void)activity;
  (void)data;
  restores++;
}

static void did_fail(segue_plugin_object *page, segue_activity *activity, const segue_error *error, void *data) {
  (void)page;
  (void)activity;
  (void)data;
  errors++;
  snprintf(message, sizeof message, "%s", segue_error_get_message(error));
}

/* Short forms. */

segue_plugin_object *new_page(const char *key_prefix) {
  segue_plugin_object_methods methods = SEGUE_PLUGIN_OBJECT_METHODS_INIT;
  segue_plugin_object *page = NULL;
  methods.did_restore = did_restore;
  methods.did_fail = did_fail;
  CHECK_INT(segue_plugin_object_new(plugin, "page", key_prefix, &methods, NULL, NULL, &page, NULL), 0);
  if (page == NULL) exit(1);
  return page;
}

segue_activity *new_activity(void) {
  segue_activity *activity = NULL;
  CHECK_INT(segue_activity_new(app, "org.segue.web-page.test", &activity, NULL), 0);
  if (activity == NULL) exit(1);
  return activity;
}

int set_text(segue_plugin_object *page, const char *key, const char *text) {
  return segue_plugin_object_set_string(page, key, text, NULL);
}

void has_text(const segue_plugin_object *page, const char *key, const char *expected) {
  char *text = NULL;
  CHECK_INT(segue_plugin_object_copy_string(page, key, &text, NULL), 0);
  CHECK_TEXT(text, expected);
  segue_free(text);
}

double number(const segue_plugin_object *page, const char *key) {
  double is = -1;
  CHECK_INT(segue_plugin_object_get_double(page, key, &is, NULL), 0);
  return is;
}

segue_value *string(const char *text) {
  segue_value *value = NULL;
  CHECK_INT(segue_value_new_string(text, &value), 0);
  return value;
}

void put(segue_value *dictionary, const char *name, segue_value *owned) {
  CHECK_INT(segue_value_set_for_name(dictionary, name, owned), 0);
  segue_value_unref(owned);
}

segue_value *new_dictionary(void) {
  segue_value *dictionary = NULL;
  CHECK_INT(segue_value_new_dictionary(&dictionary), 0);
  return dictionary;
}

segue_value *new_fields(const char *name, const char *text) {
  segue_value *fields = new_dictionary();
  put(fields, name, string(text));
  return fields;
}

int set_fields(segue_plugin_object *page, segue_value *owned) {
  int result = segue_plugin_object_set_property(page, "page.fields", owned, NULL);
  segue_value_unref(owned);
  return result;
}

void has_fields(const segue_plugin_object *page, segue_value *owned) {
  segue_value *fields = NULL;
  CHECK_INT(segue_plugin_object_copy_property(page, "page.fields", &fields, NULL), 0);
  CHECK(segue_value_is_equal(fields, owned));
  segue_value_unref(fields);
  segue_value_unref(owned);
}

int restore(segue_plugin_object *page, segue_value *owned) {
  segue_activity *activity = new_activity();
  int before = restores;
  message[0] = '\0';
  CHECK_INT(segue_activity_set_user_info(activity, owned), 0);
  int result = segue_responder_restore(segue_plugin_object_get_responder(page), activity);
  CHECK((result == 0) == (restores > before));
  segue_value_unref(owned);
  segue_activity_unref(activity);
  return restores - before;
}

segue_value *new_page_info(const char *url) {
  segue_value *info = new_dictionary();
  segue_value *value = NULL;
  CHECK_INT(segue_value_new_url(url, &value), 0);
  put(info, "page.url", value);
  return info;
}
