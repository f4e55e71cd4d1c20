/* Documents without a bus, and so without an activity that the library makes (R5, R7, R9, R10). */
#include <stdlib.h>

#include "abi_test.h"

/* Counts the callbacks of a document. */
typedef struct counter {
  int updates;
  int restores;
  int changes;
  int destroyed;
  segue_activity *changed_to;
} counter;

SEGUE_BEGIN_DECLS

static void update(segue_document *document, segue_activity *activity, void *userdata) {
  (void)document;
  (void)activity;
  ((counter *)userdata)->updates++;
}

static void restore(segue_document *document, segue_activity *activity, void *userdata) {
  (void)document;
  (void)activity;
  ((counter *)userdata)->restores++;
}

static void changed(segue_document *document, segue_activity *activity, void *userdata) {
  counter *counted = (counter *)userdata;
  (void)document;
  counted->changes++;
  counted->changed_to = activity;
}

static void destroy(void *userdata) {
  ((counter *)userdata)->destroyed++;
}

SEGUE_END_DECLS

static segue_document *make_document(segue_application *application, const char *url, counter *counted) {
  segue_document_methods methods = SEGUE_DOCUMENT_METHODS_INIT;
  segue_document *document = NULL;
  memset(counted, 0, sizeof *counted);
  methods.update_user_activity_state = update;
  methods.restore_user_activity_state = restore;
  methods.user_activity_changed = changed;
  CHECK_INT(segue_document_new(application, url, "text/plain", &methods, counted, destroy, &document, NULL), 0);
  if (document == NULL) {
    puts("FAIL no document can be made");
    exit(1);
  }
  return document;
}

static void check_url(segue_document *document, const char *expected) {
  char *url = NULL;
  CHECK_INT(segue_document_copy_url(document, &url), 0);
  CHECK_TEXT(url, expected);
  segue_free(url);
}

static void R7_aDocumentHasTheURLOfAFile(void) {
  segue_application *application = abi_application();
  counter counted;
  segue_document *document = make_document(application, NULL, &counted);
  check_url(document, NULL);
  CHECK_INT(segue_document_set_url(document, "file:///home/a/a%20list.txt"), 0);
  check_url(document, "file:///home/a/a%20list.txt");
  CHECK_INT(segue_document_set_url(document, "file:///home/a/../b"), -EINVAL);
  CHECK_INT(segue_document_set_url(document, "http://example.com/list.txt"), -EINVAL);
  CHECK_INT(segue_document_set_url(document, "/home/a/list.txt"), -EINVAL);
  CHECK_INT(segue_document_set_url(document, "file:///home/%FF"), -EINVAL);
  check_url(document, "file:///home/a/a%20list.txt");
  CHECK_INT(segue_document_set_url(document, NULL), 0);
  check_url(document, NULL);
  CHECK(segue_document_unref(document) == NULL);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(counted.destroyed, 1);
  segue_application_unref(application);
}

static void R7_whatCannotBeADocument(void) {
  static const char *const types[] = {"", "text", "text/", "/plain", "text/plain; charset=utf-8", "a b/c", "text/\xFF"};
  segue_application *application = abi_application();
  segue_document_methods methods = SEGUE_DOCUMENT_METHODS_INIT;
  segue_document *document = NULL;
  segue_error *error = NULL;
  int destroyed = 0;
  size_t i;
  for (i = 0; i < sizeof types / sizeof types[0]; i++) {
    CHECK_INT(
        segue_document_new(application, NULL, types[i], &methods, &destroyed, abi_count, &document, NULL), -EINVAL);
    CHECK_INT(destroyed, (long)i + 1);
  }
  CHECK_INT(
      segue_document_new(application, "list.txt", "text/plain", &methods, &destroyed, abi_count, &document, &error),
      -EINVAL);
  CHECK_INT(segue_error_get_code(error), SEGUE_ERROR_INVALID_ARGUMENT);
  CHECK(strlen(segue_error_get_advice(error)) > 0);
  segue_error_unref(error);
  methods.reserved = 1;
  CHECK_INT(
      segue_document_new(application, NULL, "text/plain", &methods, &destroyed, abi_count, &document, NULL), -EINVAL);
  CHECK_INT(destroyed, (long)i + 2);
  CHECK(document == NULL);
  segue_application_unref(application);
}

static void R7_methodsMayBeMissing(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_document_methods methods = SEGUE_DOCUMENT_METHODS_INIT;
  segue_document *document = NULL;
  CHECK_INT(segue_document_new(application, NULL, "Text/Plain", &methods, NULL, NULL, &document, NULL), 0);
  CHECK_INT(segue_responder_restore(segue_document_get_responder(document), activity), 0);
  segue_document_unref(document);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void R7_closingLeavesTheApplicationsActivity(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_activity *got = NULL;
  counter counted;
  segue_document *document = make_document(application, "file:///a", &counted);
  CHECK_INT(segue_document_copy_user_activity(document, &got), 0);
  CHECK(got == NULL);
  CHECK_INT(segue_document_set_user_activity(document, activity), 0);
  CHECK(segue_activity_is_current(activity));
  CHECK_INT(segue_document_copy_user_activity(document, &got), 0);
  CHECK(got == activity);
  segue_activity_unref(got);
  CHECK_INT(segue_document_close(document), 0);
  CHECK_INT(segue_document_close(document), 0);
  /* The document was the last one that had the activity (R5). */
  CHECK(segue_activity_is_invalid(activity));
  CHECK_INT(segue_document_set_url(document, "file:///b"), -ESTALE);
  CHECK_INT(segue_document_set_user_activity(document, NULL), -ESTALE);
  check_url(document, "file:///a");
  segue_document_unref(document);
  segue_activity_unref(activity);
  segue_application_unref(application);
  CHECK_INT(counted.destroyed, 1);
}

static void R5_aDocumentKeepsAnActivityAliveAsARespondersDoes(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_responder *responder = NULL;
  counter counted;
  segue_document *document = make_document(application, NULL, &counted);
  CHECK_INT(segue_responder_new(application, &methods, NULL, NULL, &responder), 0);
  CHECK_INT(segue_responder_set_user_activity(responder, activity), 0);
  CHECK_INT(segue_document_set_user_activity(document, activity), 0);
  CHECK_INT(segue_responder_set_user_activity(responder, NULL), 0);
  CHECK(!segue_activity_is_invalid(activity));
  /* Dropping the last reference closes it. */
  segue_document_unref(document);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK(segue_activity_is_invalid(activity));
  CHECK_INT(counted.destroyed, 1);
  segue_responder_unref(responder);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void R9_aDocumentsObserverIsTold(void) {
  segue_application *application = abi_application();
  segue_activity *first = abi_activity(application);
  segue_activity *second = abi_activity(application);
  counter counted;
  segue_document *document = make_document(application, NULL, &counted);
  CHECK_INT(segue_document_set_user_activity(document, first), 0);
  CHECK_INT(counted.changes, 0);
  CHECK_INT(segue_document_set_user_activity(document, second), 0);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(counted.changes, 1);
  CHECK(counted.changed_to == second);
  /* The activity is set through the document's responder, and by the library. */
  first = segue_activity_unref(first);
  first = abi_activity(application);
  CHECK_INT(segue_responder_set_user_activity(segue_document_get_responder(document), first), 0);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(counted.changes, 2);
  CHECK(counted.changed_to == first);
  CHECK_INT(segue_document_close(document), 0);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(counted.changes, 3);
  CHECK(counted.changed_to == NULL);
  segue_document_unref(document);
  segue_activity_unref(first);
  segue_activity_unref(second);
  segue_application_unref(application);
  CHECK_INT(counted.destroyed, 1);
}

static void R10_aDocumentIsAResponder(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_activity *got = NULL;
  segue_responder *responder;
  counter counted;
  segue_document *document = make_document(application, NULL, &counted);
  responder = segue_document_get_responder(document);
  CHECK((void *)responder == (void *)document);
  CHECK_INT(segue_responder_restore(responder, activity), 0);
  CHECK_INT(counted.restores, 1);
  CHECK_INT(segue_responder_set_user_activity(responder, activity), 0);
  CHECK_INT(segue_document_copy_user_activity(document, &got), 0);
  CHECK(got == activity);
  segue_activity_unref(got);
  /* References to the responder keep the document. */
  CHECK(segue_responder_ref(responder) == responder);
  segue_document_unref(document);
  CHECK_INT(segue_responder_restore(responder, activity), 0);
  CHECK_INT(counted.restores, 2);
  segue_responder_unref(responder);
  segue_activity_unref(activity);
  segue_application_unref(application);
  CHECK_INT(counted.destroyed, 1);
}

static void R10_aResponderIsNoDocument(void) {
  segue_application *application = abi_application();
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_responder *responder = NULL;
  CHECK_INT(segue_responder_new(application, &methods, NULL, NULL, &responder), 0);
  CHECK_INT(segue_document_close((segue_document *)(void *)responder), -EINVAL);
  CHECK(segue_document_get_responder((segue_document *)(void *)responder) == NULL);
  segue_responder_unref(responder);
  segue_application_unref(application);
}

typedef struct pair {
  segue_document *document;
  segue_activity *activity;
} pair;

static int set_activity(void *argument) {
  pair *both = (pair *)argument;
  segue_activity *got = NULL;
  int result = segue_document_set_user_activity(both->document, both->activity);
  if (result == 0) result = segue_document_copy_user_activity(both->document, &got);
  if (result == 0 && got != both->activity) result = -ENOENT;
  segue_activity_unref(got);
  return result;
}

static int move(void *argument) {
  return segue_document_set_url(((pair *)argument)->document, "file:///b");
}

static int close_document(void *argument) {
  return segue_document_close(((pair *)argument)->document);
}

static void R9_theActivityIsSetFromAnyThread(void) {
  segue_application *application = abi_application();
  counter counted;
  pair both;
  both.activity = abi_activity(application);
  both.document = make_document(application, "file:///a", &counted);
  CHECK_INT(abi_on_another_thread(set_activity, &both), 0);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK(segue_activity_is_current(both.activity));
  /* Only the application's thread may move or close it. */
  CHECK_INT(abi_on_another_thread(move, &both), -EPERM);
  CHECK_INT(abi_on_another_thread(close_document, &both), -EPERM);
  segue_document_unref(both.document);
  segue_activity_unref(both.activity);
  segue_application_unref(application);
}

static void documents_outliveTheApplication(void) {
  segue_application *application = abi_application();
  counter counted;
  segue_document *document = make_document(application, "file:///a", &counted);
  segue_application_unref(application);
  CHECK_INT(segue_document_set_url(document, NULL), -ESHUTDOWN);
  CHECK_INT(segue_document_close(document), -ESHUTDOWN);
  CHECK_INT(counted.destroyed, 0);
  segue_document_unref(document);
  CHECK_INT(counted.destroyed, 1);
}

const abi_test document_tests[] = {
    TEST(R7_aDocumentHasTheURLOfAFile),
    TEST(R7_whatCannotBeADocument),
    TEST(R7_methodsMayBeMissing),
    TEST(R7_closingLeavesTheApplicationsActivity),
    TEST(R5_aDocumentKeepsAnActivityAliveAsARespondersDoes),
    TEST(R9_theActivityIsSetFromAnyThread),
    TEST(R9_aDocumentsObserverIsTold),
    TEST(R10_aDocumentIsAResponder),
    TEST(R10_aResponderIsNoDocument),
    TEST(documents_outliveTheApplication),
    {NULL, NULL},
};
