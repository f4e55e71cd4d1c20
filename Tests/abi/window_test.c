/* Windows, the chain of responders, and which activity is current (R6). V9 needs two devices:
 * Tests/system/window_test.py. */
#include "abi_test.h"

/* A responder without methods. */
static segue_responder *make_responder(segue_application *application) {
  const segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_responder *responder = NULL;
  CHECK_INT(segue_responder_new(application, &methods, NULL, NULL, &responder), 0);
  return responder;
}

/* A window without methods; its userdata, if any, counts how often it is destroyed. */
static segue_window *make_window(segue_application *application, int *destroyed) {
  const segue_window_methods methods = SEGUE_WINDOW_METHODS_INIT;
  segue_window *window = NULL;
  segue_destroy_function destroy = NULL;
  if (destroyed != NULL) destroy = abi_count;
  CHECK_INT(segue_window_new(application, &methods, destroyed, destroy, &window), 0);
  return window;
}

/* Checks which activity is current, NULL for none, and why. */
static void check_current(segue_application *application, const segue_activity *expected, segue_current_reason why) {
  segue_activity *activity = NULL;
  segue_activity *current = NULL;
  char *sentence = NULL;
  CHECK_INT(segue_application_explain_current(application, &activity, &sentence), why);
  CHECK(activity == expected);
  CHECK(sentence != NULL && strlen(sentence) > 10);
  CHECK_INT(segue_application_copy_current_activity(application, &current), 0);
  CHECK(current == expected);
  if (expected != NULL) CHECK(segue_activity_is_current(expected));
  segue_free(sentence);
  segue_activity_unref(activity);
  segue_activity_unref(current);
}

static void R6_theFocusSaysWhoIsCurrent(void) {
  segue_application *application = abi_application();
  segue_responder *editor = make_responder(application);
  segue_responder *page = make_responder(application);
  segue_responder *mail = make_responder(application);
  segue_activity *reading = abi_activity(application);
  segue_activity *writing = abi_activity(application);
  segue_window *one = make_window(application, NULL);
  segue_window *two = make_window(application, NULL);
  check_current(application, NULL, SEGUE_CURRENT_NONE);
  CHECK_INT(segue_responder_set_next_responder(editor, page), 0);
  CHECK_INT(segue_responder_set_user_activity(page, reading), 0);
  CHECK_INT(segue_responder_set_user_activity(mail, writing), 0);
  check_current(application, writing, SEGUE_CURRENT_LAST_SET);
  CHECK_INT(segue_window_set_focused_responder(one, editor), 0);
  CHECK_INT(segue_application_set_main_window(application, one), 0);
  check_current(application, reading, SEGUE_CURRENT_FOCUS);
  CHECK_INT(segue_application_set_main_window(application, two), 0);
  check_current(application, NULL, SEGUE_CURRENT_NONE);
  CHECK(!segue_activity_is_invalid(reading));
  CHECK_INT(segue_window_set_focused_responder(two, mail), 0);
  check_current(application, writing, SEGUE_CURRENT_FOCUS);
  /* The user goes to another application of the desktop. */
  CHECK_INT(segue_application_set_main_window(application, NULL), 0);
  check_current(application, writing, SEGUE_CURRENT_FOCUS);
  CHECK_INT(segue_application_set_main_window(application, one), 0);
  CHECK_INT(segue_responder_set_next_responder(editor, NULL), 0);
  check_current(application, NULL, SEGUE_CURRENT_NONE);
  /* The window is gone, and no longer decides. */
  segue_window_unref(one);
  CHECK(segue_application_dispatch(application) >= 0);
  check_current(application, writing, SEGUE_CURRENT_LAST_SET);
  segue_window_unref(two);
  segue_responder_unref(editor);
  segue_responder_unref(page);
  segue_responder_unref(mail);
  segue_activity_unref(reading);
  segue_activity_unref(writing);
  segue_application_unref(application);
}

static void count_window_update(segue_window *window, segue_activity *activity, void *userdata) {
  (void)window;
  (void)activity;
  ++*(int *)userdata;
}

static void R6_aWindowIsAResponderBehindItsChain(void) {
  segue_application *application = abi_application();
  segue_window_methods methods = SEGUE_WINDOW_METHODS_INIT;
  segue_responder *editor = make_responder(application);
  segue_activity *shown = abi_activity(application);
  segue_activity *writing = abi_activity(application);
  segue_activity *activity = NULL;
  segue_window *window = NULL;
  segue_responder *responder;
  int calls = 0;
  methods.update_user_activity_state = count_window_update;
  methods.restore_user_activity_state = count_window_update;
  CHECK_INT(segue_window_new(application, &methods, &calls, NULL, &window), 0);
  responder = segue_window_get_responder(window);
  CHECK(responder == (segue_responder *)(void *)window);
  CHECK(segue_window_get_responder((segue_window *)(void *)editor) == NULL);
  CHECK_INT(segue_application_set_main_window(application, window), 0);
  CHECK_INT(segue_responder_set_user_activity(responder, shown), 0);
  check_current(application, shown, SEGUE_CURRENT_WINDOW);
  CHECK_INT(segue_window_set_focused_responder(window, editor), 0);
  check_current(application, shown, SEGUE_CURRENT_WINDOW);
  CHECK_INT(segue_responder_set_user_activity(editor, writing), 0);
  check_current(application, writing, SEGUE_CURRENT_FOCUS);
  CHECK_INT(segue_responder_update(responder, shown), 0);
  CHECK_INT(segue_responder_restore(responder, shown), 0);
  CHECK_INT(calls, 2);
  CHECK_INT(segue_responder_copy_user_activity(responder, &activity), 0);
  CHECK(activity == shown);
  segue_activity_unref(activity);
  /* The window's activity ends with the window. */
  segue_window_unref(window);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK(segue_activity_is_invalid(shown));
  check_current(application, writing, SEGUE_CURRENT_LAST_SET);
  segue_responder_unref(editor);
  segue_activity_unref(shown);
  segue_activity_unref(writing);
  segue_application_unref(application);
}

static void R6_explicitWinsUntilTheFocusChanges(void) {
  segue_application *application = abi_application();
  segue_responder *editor = make_responder(application);
  segue_responder *list = make_responder(application);
  segue_activity *reading = abi_activity(application);
  segue_activity *call = abi_activity(application);
  segue_window *window = make_window(application, NULL);
  segue_window_set_focused_responder(window, editor);
  segue_application_set_main_window(application, window);
  segue_responder_set_user_activity(editor, reading);
  CHECK_INT(segue_activity_become_current(call), 0);
  check_current(application, call, SEGUE_CURRENT_EXPLICIT);
  CHECK_INT(segue_responder_set_user_activity(editor, reading), 0);
  CHECK_INT(segue_window_set_focused_responder(window, editor), 0);
  check_current(application, call, SEGUE_CURRENT_EXPLICIT);
  CHECK_INT(segue_activity_resign_current(call), 0);
  check_current(application, NULL, SEGUE_CURRENT_NONE);
  CHECK_INT(segue_window_set_focused_responder(window, list), 0);
  CHECK_INT(segue_window_set_focused_responder(window, editor), 0);
  check_current(application, reading, SEGUE_CURRENT_FOCUS);
  CHECK_INT(segue_activity_become_current(call), 0);
  CHECK_INT(segue_activity_invalidate(call), 0);
  check_current(application, reading, SEGUE_CURRENT_FOCUS);
  segue_window_unref(window);
  segue_responder_unref(editor);
  segue_responder_unref(list);
  segue_activity_unref(reading);
  segue_activity_unref(call);
  segue_application_unref(application);
}

static void R6_theChainRefusesLoops(void) {
  segue_application *application = abi_application();
  segue_responder *row[4];
  segue_responder *next = NULL;
  int i;
  for (i = 0; i < 4; i++) row[i] = make_responder(application);
  for (i = 0; i < 3; i++) CHECK_INT(segue_responder_set_next_responder(row[i], row[i + 1]), 0);
  CHECK_INT(segue_responder_set_next_responder(row[3], row[0]), -ELOOP);
  CHECK_INT(segue_responder_set_next_responder(row[2], row[2]), -ELOOP);
  CHECK_INT(segue_responder_copy_next_responder(row[2], &next), 0);
  CHECK(next == row[3]);
  segue_responder_unref(next);
  CHECK_INT(segue_responder_copy_next_responder(row[3], &next), 0);
  CHECK(next == NULL);
  /* The chain the other way round. */
  CHECK_INT(segue_responder_set_next_responder(row[2], NULL), 0);
  CHECK_INT(segue_responder_set_next_responder(row[3], row[0]), 0);
  CHECK_INT(segue_responder_set_next_responder(row[2], row[3]), -ELOOP);
  for (i = 0; i < 4; i++) segue_responder_unref(row[i]);
  segue_application_unref(application);
}

static void R6_aChainHasAtMost256(void) {
  segue_application *application = abi_application();
  segue_responder *row[257];
  int i;
  for (i = 0; i < 257; i++) row[i] = make_responder(application);
  for (i = 255; i > 0; i--) CHECK_INT(segue_responder_set_next_responder(row[i], row[i - 1]), 0);
  CHECK_INT(segue_responder_set_next_responder(row[256], row[255]), -E2BIG);
  for (i = 0; i < 257; i++) segue_responder_unref(row[i]);
  segue_application_unref(application);
}

static void R6_whatIsGoneLeavesTheChain(void) {
  segue_application *application = abi_application();
  segue_responder *editor = make_responder(application);
  segue_responder *page = make_responder(application);
  segue_responder *got = page;
  segue_window *window = make_window(application, NULL);
  segue_responder_set_next_responder(editor, page);
  segue_window_set_focused_responder(window, page);
  CHECK_INT(segue_window_copy_focused_responder(window, &got), 0);
  CHECK(got == page);
  segue_responder_unref(got);
  /* Neither a link of the chain nor the focus keeps a responder alive. */
  segue_responder_unref(page);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(segue_responder_copy_next_responder(editor, &got), 0);
  CHECK(got == NULL);
  got = editor;
  CHECK_INT(segue_window_copy_focused_responder(window, &got), 0);
  CHECK(got == NULL);
  segue_responder_unref(editor);
  segue_window_unref(window);
  segue_application_unref(application);
}

static void windows_thoseOfAnotherApplicationAreRefused(void) {
  segue_application *application = abi_application();
  segue_application *other = abi_application();
  segue_responder *ours = make_responder(application);
  segue_responder *theirs = make_responder(other);
  segue_window *window = make_window(application, NULL);
  CHECK_INT(segue_responder_set_next_responder(ours, theirs), -EINVAL);
  CHECK_INT(segue_window_set_focused_responder(window, theirs), -EINVAL);
  CHECK_INT(segue_application_set_main_window(other, window), -EINVAL);
  CHECK_INT(segue_window_set_focused_responder(window, (segue_responder *)(void *)application), -EINVAL);
  CHECK_INT(segue_application_set_main_window(application, (segue_window *)(void *)ours), -EINVAL);
  segue_window_unref(window);
  segue_responder_unref(ours);
  segue_responder_unref(theirs);
  segue_application_unref(other);
  segue_application_unref(application);
}

static void windows_destroyRunsOnce(void) {
  segue_application *application = abi_application();
  segue_window_methods methods = SEGUE_WINDOW_METHODS_INIT;
  segue_window *window = NULL;
  int destroyed = 0;
  methods.struct_size = 0;
  CHECK_INT(segue_window_new(application, &methods, &destroyed, abi_count, &window), -EINVAL);
  CHECK_INT(destroyed, 1);
  window = make_window(application, &destroyed);
  CHECK(segue_window_ref(window) == window);
  segue_application_set_main_window(application, window);
  segue_window_unref(window);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(destroyed, 1);
  /* The application is dropped first: the window is only memory then. */
  segue_application_unref(application);
  CHECK_INT(segue_window_set_focused_responder(window, NULL), -ESHUTDOWN);
  segue_window_unref(window);
  CHECK_INT(destroyed, 2);
}

static int set_focus(void *argument) {
  return segue_window_set_focused_responder((segue_window *)argument, NULL);
}

static void windows_belongToTheApplicationsThread(void) {
  segue_application *application = abi_application();
  segue_window *window = make_window(application, NULL);
  CHECK_INT(abi_on_another_thread(set_focus, window), -EPERM);
  segue_window_unref(window);
  segue_application_unref(application);
}

const abi_test window_tests[] = {
    TEST(R6_theFocusSaysWhoIsCurrent),
    TEST(R6_aWindowIsAResponderBehindItsChain),
    TEST(R6_explicitWinsUntilTheFocusChanges),
    TEST(R6_theChainRefusesLoops),
    TEST(R6_aChainHasAtMost256),
    TEST(R6_whatIsGoneLeavesTheChain),
    TEST(windows_thoseOfAnotherApplicationAreRefused),
    TEST(windows_destroyRunsOnce),
    TEST(windows_belongToTheApplicationsThread),
    {NULL, NULL},
};
