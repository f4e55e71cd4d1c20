/* Responders without a bus (R1, R4, R5, R10). */
#include "abi_test.h"

/* Counts the callbacks of a responder. */
typedef struct counter {
  int updates;
  int restores;
  int destroyed;
  segue_activity *restored_from;
  int changes;
  segue_activity *changed_to;
  int64_t page;
} counter;

SEGUE_BEGIN_DECLS

static void update(segue_responder *responder, segue_activity *activity, void *userdata) {
  (void)responder;
  (void)activity;
  ((counter *)userdata)->updates++;
}

static void restore(segue_responder *responder, segue_activity *activity, void *userdata) {
  counter *counted = (counter *)userdata;
  (void)responder;
  counted->restores++;
  counted->restored_from = activity;
}

static void changed(segue_responder *responder, segue_activity *activity, void *userdata) {
  counter *counted = (counter *)userdata;
  (void)responder;
  counted->changes++;
  counted->changed_to = activity;
}

static void destroy(void *userdata) {
  ((counter *)userdata)->destroyed++;
}

SEGUE_END_DECLS

static segue_responder *make_responder(segue_application *application, counter *counted) {
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_responder *responder = NULL;
  memset(counted, 0, sizeof *counted);
  methods.update_user_activity_state = update;
  methods.restore_user_activity_state = restore;
  methods.user_activity_changed = changed;
  CHECK_INT(segue_responder_new(application, &methods, counted, destroy, &responder), 0);
  return responder;
}

static void R1_settingAnActivityMakesItCurrent(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_activity *got = NULL;
  counter counted;
  segue_responder *responder = make_responder(application, &counted);
  CHECK_INT(segue_responder_copy_user_activity(responder, &got), 0);
  CHECK(got == NULL);
  CHECK_INT(segue_responder_set_user_activity(responder, activity), 0);
  CHECK_INT(segue_responder_copy_user_activity(responder, &got), 0);
  CHECK(got == activity);
  segue_activity_unref(got);
  CHECK(segue_activity_is_current(activity));
  /* Callbacks run inside dispatch, never inside a call like this one. */
  CHECK_INT(counted.updates, 0);
  segue_activity_unref(activity);
  segue_responder_unref(responder);
  segue_application_unref(application);
  CHECK_INT(counted.destroyed, 1);
}

static void R1_theResponderKeepsTheActivity(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_activity *got = NULL;
  counter counted;
  segue_responder *responder = make_responder(application, &counted);
  segue_responder_set_user_activity(responder, activity);
  segue_activity_unref(activity);
  CHECK_INT(segue_responder_copy_user_activity(responder, &got), 0);
  CHECK(got != NULL);
  CHECK(segue_activity_is_current(got));
  segue_activity_unref(got);
  segue_responder_unref(responder);
  segue_application_unref(application);
}

static void R5_theLastResponderThatLeavesInvalidates(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  segue_activity *got = activity;
  counter counted[2];
  segue_responder *first = make_responder(application, &counted[0]);
  segue_responder *second = make_responder(application, &counted[1]);
  CHECK_INT(segue_responder_set_user_activity(first, activity), 0);
  CHECK_INT(segue_responder_set_user_activity(second, activity), 0);
  CHECK_INT(segue_responder_set_user_activity(first, NULL), 0);
  CHECK_INT(segue_responder_copy_user_activity(first, &got), 0);
  CHECK(got == NULL);
  CHECK(!segue_activity_is_invalid(activity));
  /* Dropping a responder detaches it. */
  segue_responder_unref(second);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK(segue_activity_is_invalid(activity));
  CHECK_INT(segue_responder_set_user_activity(first, activity), -ESTALE);
  segue_responder_unref(first);
  segue_activity_unref(activity);
  segue_application_unref(application);
  CHECK_INT(counted[0].destroyed, 1);
  CHECK_INT(counted[1].destroyed, 1);
}

static void R5_anotherActivityEndsTheFormerOne(void) {
  segue_application *application = abi_application();
  segue_activity *former = abi_activity(application);
  segue_activity *next = abi_activity(application);
  counter counted;
  segue_responder *responder = make_responder(application, &counted);
  segue_responder_set_user_activity(responder, former);
  CHECK_INT(segue_responder_set_user_activity(responder, former), 0);
  CHECK(!segue_activity_is_invalid(former));
  CHECK_INT(segue_responder_set_user_activity(responder, next), 0);
  CHECK(segue_activity_is_invalid(former));
  CHECK(segue_activity_is_current(next));
  segue_activity_unref(former);
  segue_activity_unref(next);
  segue_responder_unref(responder);
  segue_application_unref(application);
}

static void R2_updateMayBeCalledByHand(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  counter counted;
  segue_responder *responder = make_responder(application, &counted);
  CHECK_INT(segue_responder_update(responder, activity), 0);
  CHECK_INT(counted.updates, 1);
  /* This is no round: the entries of userInfo stay, and the delegate is not asked. */
  CHECK_INT(segue_activity_add_integer(activity, "page", 7), 0);
  CHECK_INT(segue_activity_set_needs_save(activity, true), 0);
  CHECK_INT(segue_responder_update(responder, activity), 0);
  CHECK_INT(counted.updates, 2);
  CHECK(segue_activity_needs_save(activity));
  CHECK_INT(segue_activity_get_integer(activity, "page", &counted.page), 0);
  CHECK_INT((long)counted.page, 7);
  segue_responder_unref(responder);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static void R10_restoreMayBeCalledByHand(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  counter counted;
  segue_responder *responder = make_responder(application, &counted);
  CHECK_INT(segue_responder_restore(responder, activity), 0);
  CHECK_INT(counted.restores, 1);
  CHECK(counted.restored_from == activity);
  segue_responder_unref(responder);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

typedef struct pair {
  segue_responder *responder;
  segue_activity *activity;
} pair;

static int set_activity(void *argument) {
  pair *both = (pair *)argument;
  return segue_responder_set_user_activity(both->responder, both->activity);
}

static void R9_theActivityIsSetFromAnyThread(void) {
  segue_application *application = abi_application();
  counter counted;
  pair both;
  both.activity = abi_activity(application);
  both.responder = make_responder(application, &counted);
  CHECK_INT(abi_on_another_thread(set_activity, &both), 0);
  /* An activity that another thread sets takes effect at the next dispatch. */
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK(segue_activity_is_current(both.activity));
  segue_responder_unref(both.responder);
  segue_activity_unref(both.activity);
  segue_application_unref(application);
}

static void R9_theObserverIsTold(void) {
  segue_application *application = abi_application();
  counter counted;
  pair both;
  segue_activity *other = abi_activity(application);
  both.activity = abi_activity(application);
  both.responder = make_responder(application, &counted);
  CHECK_INT(segue_responder_set_user_activity(both.responder, both.activity), 0);
  /* The observer is called in dispatch, like every callback, and once for several calls that amount to one change. */
  CHECK_INT(counted.changes, 0);
  CHECK_INT(segue_responder_set_user_activity(both.responder, other), 0);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(counted.changes, 1);
  CHECK(counted.changed_to == other);
  CHECK_INT(segue_responder_set_user_activity(both.responder, other), 0);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(counted.changes, 1);
  /* Another thread sets the activity, and then the library does. */
  segue_activity_unref(both.activity);
  both.activity = abi_activity(application);
  CHECK_INT(abi_on_another_thread(set_activity, &both), 0);
  CHECK_INT(counted.changes, 1);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(counted.changes, 2);
  CHECK(counted.changed_to == both.activity);
  CHECK_INT(segue_activity_invalidate(both.activity), 0);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(counted.changes, 3);
  CHECK(counted.changed_to == NULL);
  segue_activity_unref(both.activity);
  segue_activity_unref(other);
  /* A responder that its owner has dropped has no observer. */
  other = abi_activity(application);
  segue_responder_set_user_activity(both.responder, other);
  segue_responder_unref(both.responder);
  CHECK(segue_application_dispatch(application) >= 0);
  CHECK_INT(counted.changes, 3);
  segue_activity_unref(other);
  segue_application_unref(application);
}

static void responders_destroyRunsWhenMakingFails(void) {
  segue_application *application = abi_application();
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_responder *responder = NULL;
  int destroyed = 0;
  methods.struct_size = 0;
  CHECK_INT(segue_responder_new(application, &methods, &destroyed, abi_count, &responder), -EINVAL);
  CHECK_INT(destroyed, 1);
  methods.struct_size = (uint32_t)sizeof methods;
  methods.reserved = 1;
  CHECK_INT(segue_responder_new(application, &methods, &destroyed, abi_count, &responder), -EINVAL);
  CHECK_INT(destroyed, 2);
  CHECK(responder == NULL);
  segue_application_unref(application);
  CHECK_INT(destroyed, 2);
}

static void responders_methodsMayBeMissing(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  const segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_responder *responder = NULL;
  CHECK_INT(segue_responder_new(application, &methods, NULL, NULL, &responder), 0);
  CHECK_INT(segue_responder_restore(responder, activity), 0);
  segue_responder_unref(responder);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

const abi_test responder_tests[] = {
    TEST(R1_settingAnActivityMakesItCurrent),
    TEST(R1_theResponderKeepsTheActivity),
    TEST(R5_theLastResponderThatLeavesInvalidates),
    TEST(R5_anotherActivityEndsTheFormerOne),
    TEST(R9_theActivityIsSetFromAnyThread),
    TEST(R9_theObserverIsTold),
    TEST(R2_updateMayBeCalledByHand),
    TEST(R10_restoreMayBeCalledByHand),
    TEST(responders_destroyRunsWhenMakingFails),
    TEST(responders_methodsMayBeMissing),
    {NULL, NULL},
};
