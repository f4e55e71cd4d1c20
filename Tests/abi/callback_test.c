/* Callbacks of a responder that free the objects that they were called for, or call the library back, without a bus;
 * and the lines for a developer. */
#include "abi_test.h"

/* The objects that a callback may reach, and what it shall do with them. */
typedef struct scene {
  segue_application *application;
  segue_responder *responder;
  segue_activity *activity;
  void (*deed)(struct scene *scene);
  int calls;
  int destroyed;
} scene;

static void drop_responder(scene *here) {
  here->responder = segue_responder_unref(here->responder);
}

static void drop_activity(scene *here) {
  here->activity = segue_activity_unref(here->activity);
}

static void drop_application(scene *here) {
  here->application = segue_application_unref(here->application);
}

static void drop_all(scene *here) {
  drop_responder(here);
  drop_activity(here);
  drop_application(here);
}

static void invalidate(scene *here) {
  CHECK_INT(segue_activity_invalidate(here->activity), 0);
}

static void call_back(scene *here) {
  segue_activity *other = abi_activity(here->application);
  CHECK_INT(segue_application_dispatch(here->application), -EDEADLK);
  CHECK_INT(segue_application_wait(here->application, -1), -EDEADLK);
  CHECK_INT(segue_application_run(here->application), -EDEADLK);
  CHECK_INT(segue_responder_set_user_activity(here->responder, other), 0);
  CHECK(segue_activity_is_current(other));
  CHECK_INT(segue_activity_resign_current(other), 0);
  CHECK_INT(segue_activity_become_current(other), 0);
  CHECK_INT(segue_responder_set_user_activity(here->responder, NULL), 0);
  CHECK(segue_activity_is_invalid(other));
  segue_activity_unref(other);
}

SEGUE_BEGIN_DECLS

static void perform(segue_responder *responder, segue_activity *activity, void *userdata) {
  scene *here = (scene *)userdata;
  (void)responder;
  (void)activity;
  if (here->calls++ == 0) here->deed(here);
}

static void count_destroyed(void *userdata) {
  ((scene *)userdata)->destroyed++;
}

SEGUE_END_DECLS

static void (*const deeds[])(scene *) = {drop_responder, drop_activity, drop_application,
                                         drop_all,       invalidate,    call_back};

/* A scene with the activity on the responder. The observer has not been notified yet. */
static void set_up(scene *here, void (*deed)(scene *)) {
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  memset(here, 0, sizeof *here);
  here->deed = deed;
  here->application = abi_application();
  here->activity = abi_activity(here->application);
  methods.restore_user_activity_state = perform;
  methods.user_activity_changed = perform;
  CHECK_INT(segue_responder_new(here->application, &methods, here, count_destroyed, &here->responder), 0);
  CHECK_INT(segue_responder_set_user_activity(here->responder, here->activity), 0);
}

static void tear_down(scene *here) {
  if (here->application != NULL) CHECK(segue_application_dispatch(here->application) >= 0);
  segue_responder_unref(here->responder);
  segue_activity_unref(here->activity);
  segue_application_unref(here->application);
  CHECK_INT(here->destroyed, 1);
}

static void R9_anObserverMayDoAnything(void) {
  size_t i;
  for (i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
    scene here;
    set_up(&here, deeds[i]);
    CHECK(segue_application_dispatch(here.application) >= 0);
    CHECK(here.calls >= 1);
    tear_down(&here);
  }
}

/* The restore runs outside of dispatch: it is the only callback of the call. */
static void R10_aRestoreMayDropAnything(void) {
  size_t i;
  for (i = 0; deeds[i] != call_back; i++) {
    scene here;
    set_up(&here, deeds[i]);
    CHECK_INT(segue_responder_restore(here.responder, here.activity), 0);
    CHECK_INT(here.calls, 1);
    tear_down(&here);
  }
}

static void windows_dropTheirFocusWithTheApplication(void) {
  const segue_window_methods methods = SEGUE_WINDOW_METHODS_INIT;
  segue_window *window = NULL;
  scene here;
  set_up(&here, drop_all);
  CHECK_INT(segue_window_new(here.application, &methods, NULL, NULL, &window), 0);
  CHECK_INT(segue_window_set_focused_responder(window, here.responder), 0);
  CHECK_INT(segue_application_set_main_window(here.application, window), 0);
  CHECK(segue_application_dispatch(here.application) >= 0);
  CHECK_INT(segue_window_set_focused_responder(window, NULL), -ESHUTDOWN);
  tear_down(&here);
  segue_window_unref(window);
}

typedef struct lines {
  int count;
  char last[128];
} lines;

SEGUE_BEGIN_DECLS

static void take_line(segue_application *application, const char *line, void *userdata) {
  lines *here = (lines *)userdata;
  (void)application;
  here->count++;
  strncpy(here->last, line, sizeof here->last - 1);
}

SEGUE_END_DECLS

/* Drops current activities; the library warns of each. */
static void drop_current_activities(segue_application *application, int count) {
  for (; count > 0; count--) {
    segue_activity *activity = abi_activity(application);
    CHECK_INT(segue_activity_become_current(activity), 0);
    segue_activity_unref(activity);
  }
}

static void application_linesThatHaveNoRoomAreCounted(void) {
  segue_application *application = abi_application();
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  lines told;
  int turns;
  memset(&told, 0, sizeof told);
  delegate.log = take_line;
  CHECK_INT(segue_application_set_delegate(application, &delegate, &told, NULL), 0);
  /* There is no bus; the library says so once. */
  for (turns = 0; told.count == 0 && turns < 100; turns++) CHECK(segue_application_wait(application, 1000) >= 0);
  CHECK(strstr(told.last, "not registered") != NULL);
  told.count = 0;
  drop_current_activities(application, 300);
  CHECK_INT(told.count, 0);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(told.count, 257);
  CHECK_TEXT(told.last, "44 more lines were lost, since too many came at once");
  /* That line was delivered, and there is room again. */
  drop_current_activities(application, 1);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(told.count, 258);
  CHECK(strstr(told.last, "lost") == NULL);
  segue_application_unref(application);
}

const abi_test callback_tests[] = {
    TEST(R9_anObserverMayDoAnything),
    TEST(R10_aRestoreMayDropAnything),
    TEST(application_linesThatHaveNoRoomAreCounted),
    TEST(windows_dropTheirFocusWithTheApplication),
    {NULL, NULL},
};
