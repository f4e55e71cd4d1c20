/* Helpers of page_test.c: checks, which go on after one has failed, and pages that it makes and looks at. */
#ifndef WEB_PAGE_TEST_PAGE_H
#define WEB_PAGE_TEST_PAGE_H

#include <segue/segue.h>

#define MESSAGE 512

#define CHECK(condition) check((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_INT(is, expected) check_int((is), (expected), #is, __FILE__, __LINE__)
#define CHECK_TEXT(is, expected) check_text((is), (expected), #is, __FILE__, __LINE__)

extern segue_application *app;
extern segue_plugin *plugin;
/* Checks that failed; what the library has told of restoring and of errors, and the last error. */
extern int failures, restores, errors;
extern char message[MESSAGE];

void check(int holds, const char *what, const char *file, int line);
void check_int(long is, long expected, const char *what, const char *file, int line);
void check_text(const char *is, const char *expected, const char *what, const char *file, int line);
segue_plugin_object *new_page(const char *key_prefix);
segue_activity *new_activity(void);
int set_text(segue_plugin_object *page, const char *key, const char *text);
/* Checks a property of text; NULL: it is absent. */
void has_text(const segue_plugin_object *page, const char *key, const char *expected);
double number(const segue_plugin_object *page, const char *key);
segue_value *string(const char *text);
void put(segue_value *dictionary, const char *name, segue_value *owned);
segue_value *new_dictionary(void);
segue_value *new_fields(const char *name, const char *text);
int set_fields(segue_plugin_object *page, segue_value *owned);
void has_fields(const segue_plugin_object *page, segue_value *owned);
/* Restores from the entries; 1 if the object says that it has. */
int restore(segue_plugin_object *page, segue_value *owned);
segue_value *new_page_info(const char *url);

#endif
