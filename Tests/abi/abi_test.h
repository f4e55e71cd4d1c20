/**
 * Declarations that the tests of the C ABI share. These tests need no bus and no daemon. Every file compiles as C99 and
 * as C++98, since the headers promise both; hence the plain style.
 */
#ifndef SEGUE_ABI_TEST_H
#define SEGUE_ABI_TEST_H

#include <errno.h>
#include <segue/segue.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/** A test: named after the row of docs/semantics.md that it is for, or after the header. */
typedef struct abi_test {
  const char *name;
  void (*run)(void);
} abi_test;

#define TEST(name) \
  { #name, name }

/** The tests that this program runs, by file, ended by NULL. */
extern const abi_test *const abi_files[];
/** The tests of each file, ended by an entry without a name. */
extern const abi_test version_tests[];
extern const abi_test error_tests[];
extern const abi_test value_tests[];
extern const abi_test encoding_tests[];
extern const abi_test activity_tests[];
extern const abi_test attributes_tests[];
extern const abi_test user_info_tests[];
extern const abi_test responder_tests[];
extern const abi_test window_tests[];
extern const abi_test offer_tests[];
extern const abi_test stream_tests[];
extern const abi_test file_tests[];
extern const abi_test callback_tests[];
extern const abi_test document_tests[];
extern const abi_test application_tests[];
extern const abi_test loop_tests[];
extern const abi_test thread_tests[];
extern const abi_test property_tests[];
extern const abi_test together_tests[];
extern const abi_test guest_tests[];
extern const abi_test hosting_tests[];

/** Notes a failure of the test that runs now; the test goes on. */
#define CHECK(condition) abi_check((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
/** CHECK of an int; a failure prints its value. */
#define CHECK_INT(expression, expected) abi_check_int((expression), (expected), #expression, __FILE__, __LINE__)
/** CHECK of text; both may be NULL. */
#define CHECK_TEXT(expression, expected) abi_check_text((expression), (expected), #expression, __FILE__, __LINE__)

void abi_check(int holds, const char *what, const char *file, int line);
void abi_check_int(long is, long expected, const char *what, const char *file, int line);
void abi_check_text(const char *is, const char *expected, const char *what, const char *file, int line);

/** An application whose bus does not exist, with the default delegate: none. */
segue_application *abi_application(void);
/** An activity of the application, of a valid type. */
segue_activity *abi_activity(segue_application *application);
/** Runs a function on another thread, and returns what it returned. */
typedef int (*abi_function)(void *argument);
int abi_on_another_thread(abi_function function, void *argument);

SEGUE_BEGIN_DECLS
/** A destroy function: adds one to the int that userdata points to. */
void abi_count(void *userdata);
SEGUE_END_DECLS

#endif
