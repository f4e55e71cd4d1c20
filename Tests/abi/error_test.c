/* Errors: every function that takes an out_error gives one for everything that it refuses (segue/base.h). */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi_test.h"
#include "hosting.h"

/* Compilers warn where they see NULL go where it may not; here they do not see it. */
static void *volatile none = NULL;

/* Whether the call gave an error with this code, and the result that belongs to it. */
static int gave(int result, int expected, segue_error *error, segue_error_code code) {
  int well = result == expected && segue_error_get_code(error) == code && segue_error_get_message(error)[0] != '\0' &&
             segue_error_get_advice(error)[0] != '\0';
  segue_error_unref(error);
  return well;
}

#define GIVES(expected, code, call)                                            \
  do {                                                                         \
    segue_error *error = NULL;                                                 \
    const int result = (call);                                                 \
    abi_check(gave(result, expected, error, code), #call, __FILE__, __LINE__); \
  } while (0)
#define REFUSES(call) GIVES(-EINVAL, SEGUE_ERROR_INVALID_ARGUMENT, call)

static void E1_aBadHandleOrNullGivesAnError(void) {
  segue_application *application = NULL;
  segue_activity *activity = NULL;
  segue_document *document = NULL;
  segue_plugin *plugin = NULL;
  segue_plugin_object *object = NULL;
  segue_value *value = NULL;
  segue_value *text = NULL;
  segue_application *good = abi_application();
  const segue_document_methods methods = SEGUE_DOCUMENT_METHODS_INIT;
  void *bytes = NULL;
  size_t length = 0;
  int64_t integer = 0;
  double number = 0;
  char *string = NULL;
  CHECK_INT(segue_value_new_string("a", &text), 0);
  REFUSES(segue_application_new((const char *)none, NULL, &application, &error));
  REFUSES(segue_application_new("org.example.a", NULL, (segue_application **)none, &error));
  REFUSES(segue_activity_new((segue_application *)none, "a.b", &activity, &error));
  REFUSES(segue_activity_new((segue_application *)(void *)text, "a.b", &activity, &error));
  REFUSES(segue_activity_new(good, (const char *)none, &activity, &error));
  REFUSES(segue_activity_new(good, "a.b", (segue_activity **)none, &error));
  REFUSES(segue_document_new((segue_application *)none, NULL, "a/b", &methods, NULL, NULL, &document, &error));
  REFUSES(segue_document_new(good, NULL, (const char *)none, &methods, NULL, NULL, &document, &error));
  REFUSES(segue_document_new(good, NULL, "a/b", (const segue_document_methods *)none, NULL, NULL, &document, &error));
  REFUSES(segue_plugin_load((segue_application *)none, "/a", NULL, &plugin, &error));
  REFUSES(segue_plugin_load(good, (const char *)none, NULL, &plugin, &error));
  REFUSES(segue_plugin_object_new((segue_plugin *)none, "a", NULL, NULL, NULL, NULL, &object, &error));
  REFUSES(segue_plugin_object_set_property((segue_plugin_object *)none, "a", text, &error));
  REFUSES(segue_plugin_object_set_properties((segue_plugin_object *)none, text, &error));
  REFUSES(segue_plugin_object_copy_property((segue_plugin_object *)none, "a", &value, &error));
  REFUSES(segue_plugin_object_set_integer((segue_plugin_object *)none, "a", 1, &error));
  REFUSES(segue_plugin_object_get_integer((segue_plugin_object *)none, "a", &integer, &error));
  REFUSES(segue_plugin_object_set_double((segue_plugin_object *)none, "a", 1, &error));
  REFUSES(segue_plugin_object_get_double((segue_plugin_object *)none, "a", &number, &error));
  REFUSES(segue_plugin_object_set_string((segue_plugin_object *)none, "a", "b", &error));
  REFUSES(segue_plugin_object_copy_string((segue_plugin_object *)none, "a", &string, &error));
  REFUSES(segue_value_encode((const segue_value *)none, &bytes, &length, &error));
  REFUSES(segue_value_encode(text, (void **)none, &length, &error));
  REFUSES(segue_value_encode(text, &bytes, (size_t *)none, &error));
  REFUSES(segue_value_decode(none, 1, &value, &error));
  REFUSES(segue_value_decode("\xF6", 1, (segue_value **)none, &error));
  segue_value_unref(text);
  segue_application_unref(good);
}

static int on_another_thread(void *application) {
  segue_activity *activity = NULL;
  segue_error *error = NULL;
  const int result = segue_activity_new((segue_application *)application, "a.b", &activity, &error);
  return gave(result, -EPERM, error, SEGUE_ERROR_WRONG_THREAD);
}

static int in_a_child(segue_application *application) {
  segue_activity *activity = NULL;
  segue_error *error = NULL;
  const int result = segue_activity_new(application, "a.b", &activity, &error);
  return gave(result, -ECHILD, error, SEGUE_ERROR_AFTER_FORK);
}

static void E1_soDoesAnApplicationThatMayNotBeUsed(void) {
  segue_application *application = abi_application();
  pid_t child;
  int status = 0;
  CHECK_INT(abi_on_another_thread(on_another_thread, application), 1);
  child = fork();
  if (child == 0) _exit(in_a_child(application));
  CHECK_INT(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
  segue_application_unref(application);
}

/* A text of this many bytes, which the caller frees. */
static char *text_of(size_t length) {
  char *text = (char *)malloc(length + 1);
  memset(text, 'a', length);
  text[length] = '\0';
  return text;
}

static void E1_textOverItsLimitIsTooBig(void) {
  const size_t limit = 64 * 1024;
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_value *dictionary = NULL;
  segue_value *value = NULL;
  char *longest = text_of(limit);
  char *longer = text_of(limit + 1);
  CHECK_INT(segue_value_new_string(longest, &value), 0);
  value = segue_value_unref(value);
  CHECK_INT(segue_value_new_string(longer, &value), -E2BIG);
  CHECK(value == NULL);
  CHECK_INT(segue_value_new_string("\xFF", &value), -EINVAL);
  longer[1] = ':';
  CHECK_INT(segue_value_new_url(longer, &value), -E2BIG);
  memcpy(longer, "https://example.org/", 20);
  CHECK_INT(segue_activity_set_webpage_url(activity, longer), -E2BIG);
  longer[2048 + 1] = '\0';
  CHECK_INT(segue_activity_set_webpage_url(activity, longer), -E2BIG);
  longer[2048] = '\0';
  CHECK_INT(segue_activity_set_webpage_url(activity, longer), 0);
  free(longer);
  longer = text_of(limit + 1);
  CHECK_INT(segue_activity_set_title(activity, longer), -E2BIG);
  CHECK_INT(segue_activity_add_string(activity, "a", longer), -E2BIG);
  CHECK_INT(segue_activity_add_string(activity, longer, "a"), -E2BIG);
  CHECK_INT(segue_value_new_dictionary(&dictionary), 0);
  CHECK_INT(segue_value_set_for_name(dictionary, longer, NULL), -E2BIG);
  CHECK_INT(segue_value_get_for_name(dictionary, longer, &value), -E2BIG);
  free(longest);
  free(longer);
  segue_value_unref(dictionary);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void E1_whatIsTooLongToDecodeGivesAnError(void) {
  const size_t length = 1024 * 1024 + 1;
  void *bytes = calloc(length, 1);
  segue_value *value = NULL;
  GIVES(-EBADMSG, SEGUE_ERROR_PROTOCOL_VIOLATION, segue_value_decode(bytes, length, &value, &error));
  GIVES(-EBADMSG, SEGUE_ERROR_PROTOCOL_VIOLATION, segue_value_decode("\xFF", 1, &value, &error));
  CHECK(value == NULL);
  free(bytes);
}

/* An array of byte strings whose encoding has that length: fifteen of 64 KiB, and one that takes the rest. */
static unsigned char *encoded(size_t length) {
  const size_t most = 64 * 1024, head = 5;
  unsigned char *bytes = (unsigned char *)calloc(length, 1), *at = bytes;
  *at++ = 0x80 | 16;
  for (int part = 0; part < 15; part++) {
    memcpy(at, "\x5A\0\1\0\0", head);
    at += head + most;
  }
  const size_t rest = length - (size_t)(at - bytes) - 3;
  at[0] = 0x59;
  at[1] = (unsigned char)(rest >> 8);
  at[2] = (unsigned char)rest;
  return bytes;
}

static void E1_aMebibyteIsDecodedAndNoMore(void) {
  const size_t limit = 1024 * 1024;
  segue_value *value = NULL;
  unsigned char *bytes = encoded(limit);
  CHECK_INT(segue_value_decode(bytes, limit, &value, NULL), 0);
  segue_value_unref(value);
  free(bytes);
  value = NULL;
  bytes = encoded(limit + 1);
  GIVES(-EBADMSG, SEGUE_ERROR_PROTOCOL_VIOLATION, segue_value_decode(bytes, limit + 1, &value, &error));
  CHECK(value == NULL);
  free(bytes);
}

const abi_test error_tests[] = {
    TEST(E1_aBadHandleOrNullGivesAnError), TEST(E1_soDoesAnApplicationThatMayNotBeUsed),
    TEST(E1_textOverItsLimitIsTooBig),     TEST(E1_whatIsTooLongToDecodeGivesAnError),
    TEST(E1_aMebibyteIsDecodedAndNoMore),  {NULL, NULL},
};
