/* Runs the tests of the C ABI: prints the failed checks of each test, then "PASS name" or "FAIL name", and at the end
 * a closing line. */
#include "abi_test.h"

#include <pthread.h>
#include <stdlib.h>

static int failures;

void abi_check(int holds, const char *what, const char *file, int line) {
  if (holds) return;
  failures++;
  printf("  %s:%d: %s\n", file, line, what);
}

void abi_check_int(long is, long expected, const char *what, const char *file, int line) {
  if (is == expected) return;
  failures++;
  printf("  %s:%d: %s is %ld, not %ld\n", file, line, what, is, expected);
}

void abi_check_text(const char *is, const char *expected, const char *what, const char *file, int line) {
  if (is == NULL ? expected == NULL : expected != NULL && strcmp(is, expected) == 0) return;
  failures++;
  printf("  %s:%d: %s is \"%s\"\n", file, line, what, is == NULL ? "(null)" : is);
}

segue_application *abi_application(void) {
  segue_application_options options = SEGUE_APPLICATION_OPTIONS_INIT;
  segue_application *application = NULL;
  options.bus_address = "unix:path=/nonexistent/segue/bus";
  CHECK_INT(segue_application_new("org.segue.AbiTest", &options, &application, NULL), 0);
  if (application == NULL) {
    puts("FAIL no application can be made without a bus");
    exit(1);
  }
  return application;
}

segue_activity *abi_activity(segue_application *application) {
  segue_activity *activity = NULL;
  CHECK_INT(segue_activity_new(application, "org.segue.abitest.reading", &activity, NULL), 0);
  if (activity == NULL) {
    puts("FAIL no activity can be made");
    exit(1);
  }
  return activity;
}

typedef struct call {
  abi_function function;
  void *argument;
  int result;
} call;

SEGUE_BEGIN_DECLS

void abi_count(void *userdata) {
  ++*(int *)userdata;
}

static void *make_call(void *made) {
  call *here = (call *)made;
  here->result = here->function(here->argument);
  return NULL;
}

SEGUE_END_DECLS

int abi_on_another_thread(abi_function function, void *argument) {
  call made;
  pthread_t thread;
  made.function = function;
  made.argument = argument;
  made.result = 0;
  if (pthread_create(&thread, NULL, make_call, &made) != 0 || pthread_join(thread, NULL) != 0) {
    puts("FAIL no thread can be started");
    exit(1);
  }
  return made.result;
}

int main(void) {
  int passed = 0;
  int failed = 0;
  size_t i;
  const abi_test *test;
  /* A crash must not swallow the names of the tests before it. */
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (i = 0; abi_files[i] != NULL; i++) {
    for (test = abi_files[i]; test->name != NULL; test++) {
      failures = 0;
      test->run();
      printf("%s %s\n", failures == 0 ? "PASS" : "FAIL", test->name);
      if (failures == 0) {
        passed++;
      } else {
        failed++;
      }
    }
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
