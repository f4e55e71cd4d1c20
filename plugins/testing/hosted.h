/**
 * Helpers that the plugins' tests share: an application without a bus that hosts one object of the plugin. Each test
 * program puts its tests in a table and runs them by hosted_run.
 */
#ifndef PLUGINS_TESTING_HOSTED_H
#define PLUGINS_TESTING_HOSTED_H

#include <errno.h>
#include <segue/segue.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct hosted {
  segue_application *application;
  segue_plugin *plugin;
  segue_plugin_object *object;
  /** Where the object saves, and what it restores from. */
  segue_activity *activity;
  /** How often it has restored. */
  int restored;
  /** The message of the last did_fail; "" if it was not called. */
  char failure[512];
} hosted;

typedef struct hosted_test {
  const char *name;
  void (*run)(hosted *here);
} hosted_test;

#define TEST(name) \
  { #name, name }

/** Runs each test with an object of its own, and prints a closing line. @return what main returns. */
int hosted_run(const char *plugin_id, const char *object_id, const hosted_test *tests, size_t count);

/** Puts an activity with an empty userInfo in the place of the former one. */
void hosted_empty(hosted *here);
/** Saves into an empty userInfo. */
void hosted_save(hosted *here);
/** Restores from the activity. @return whether it has; else `failure` says why not. */
bool hosted_restore(hosted *here);
/** Another object of the same kind, with these methods and this prefix, which may be NULL. */
segue_plugin_object *hosted_another(hosted *here, const char *key_prefix);

/** Notes a failure of the test that runs now; the test goes on. */
#define CHECK(condition) hosted_check((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_INT(expression, expected) hosted_check_int((expression), (expected), #expression, __FILE__, __LINE__)
#define CHECK_NUMBER(expression, expected) \
  hosted_check_number((expression), (expected), #expression, __FILE__, __LINE__)
#define CHECK_TEXT(expression, expected) hosted_check_text((expression), (expected), #expression, __FILE__, __LINE__)
/** A property of the object, as the application reads it; CHECK_STRING(key, NULL): it is absent. */
#define CHECK_INTEGER(key, expected) hosted_check_integer(here, (key), (expected), __FILE__, __LINE__)
#define CHECK_DOUBLE(key, expected) hosted_check_double(here, (key), (expected), __FILE__, __LINE__)
#define CHECK_STRING(key, expected) hosted_check_string(here, (key), (expected), __FILE__, __LINE__)
#define CHECK_ABSENT(key) hosted_check_absent(here, (key), __FILE__, __LINE__)

void hosted_check(int holds, const char *what, const char *file, int line);
void hosted_check_int(long is, long expected, const char *what, const char *file, int line);
void hosted_check_number(double is, double expected, const char *what, const char *file, int line);
void hosted_check_text(const char *is, const char *expected, const char *what, const char *file, int line);
void hosted_check_integer(hosted *here, const char *key, int64_t expected, const char *file, int line);
void hosted_check_double(hosted *here, const char *key, double expected, const char *file, int line);
void hosted_check_string(hosted *here, const char *key, const char *expected, const char *file, int line);
void hosted_check_absent(hosted *here, const char *key, const char *file, int line);

#endif
