/* A host does its deeds inside a callback, in every order, and gets no callback afterwards. Needs a daemon. */
#include <fcntl.h>
#include <stdlib.h>

#include "orders.h"

typedef struct scene scene;

/* The userdata of the callbacks. The host frees it when it has dropped everything. */
typedef struct host {
  scene *here;
} host;

struct scene {
  segue_application *application;
  segue_activity *activity;
  segue_responder *first;
  segue_responder *second;
  host *userdata;
  const char *callback; /* in which the host does its deeds */
  const int *order;     /* of the deeds; NULL for none */
  int is_in_callback;
  int is_over;
  int nested;    /* callbacks inside another call of the host's */
  int late;      /* callbacks after its deeds */
  int destroyed; /* userdata */
};

static void detach(void *host) {
  scene *here = host;
  orders_check(segue_responder_set_user_activity(here->first, NULL));
  orders_check(segue_responder_set_user_activity(here->second, NULL));
}

/* Each callback calls this first. */
static void called(void *userdata, const char *callback) {
  scene *here = ((host *)userdata)->here;
  int i;
  if (here->is_in_callback) here->nested++;
  if (here->is_over) here->late++;
  if (here->order == NULL || here->is_over || here->is_in_callback || strcmp(callback, here->callback) != 0) return;
  here->is_in_callback = 1;
  for (i = 0; i < DEEDS; i++) orders_do(here->order[i], &here->application, here->activity, detach, here);
  here->is_in_callback = 0;
  here->is_over = 1;
  /* The memory is freed, so that a checker finds a callback that still comes. */
  free(here->userdata);
  here->userdata = NULL;
}

SEGUE_BEGIN_DECLS

static void update(segue_responder *responder, segue_activity *activity, void *userdata) {
  (void)activity;
  called(userdata, responder == ((host *)userdata)->here->first ? "update" : "second update");
}

static void restore(segue_responder *responder, segue_activity *activity, void *userdata) {
  (void)responder;
  (void)activity;
  called(userdata, "restore");
}

static void changed(segue_responder *responder, segue_activity *activity, void *userdata) {
  (void)activity;
  called(userdata, responder == ((host *)userdata)->here->first ? "changed" : "second changed");
}

static void did_update(segue_application *application, segue_activity *activity, void *userdata) {
  (void)application;
  (void)activity;
  called(userdata, "did-update");
}

static void state_changed(
    segue_application *application, segue_application_state state, const segue_error *error, void *userdata) {
  (void)application;
  (void)state;
  (void)error;
  called(userdata, "state");
}

static void log_line(segue_application *application, const char *line, void *userdata) {
  (void)application;
  (void)line;
  called(userdata, "log");
}

static void will_save(segue_activity *activity, void *userdata) {
  (void)activity;
  called(userdata, "will-save");
}

static void deleted(segue_application *application, const segue_error *error, void *userdata) {
  (void)application;
  (void)error;
  called(userdata, "deleted");
}

/* The userdata is the scene and not the host's memory, which may be gone. */
static void count_destroyed(void *userdata) {
  ((scene *)userdata)->destroyed++;
}

SEGUE_END_DECLS

/* The scene in which `destroy` counts; it cannot use its userdata, which the host may have freed. */
static scene *scene_of_destroyed;

SEGUE_BEGIN_DECLS

static void destroy(void *userdata) {
  (void)userdata;
  count_destroyed(scene_of_destroyed);
}

SEGUE_END_DECLS

static void set_up(scene *here, const char *callback, const int *order) {
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  segue_activity_delegate activity_delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  memset(here, 0, sizeof *here);
  scene_of_destroyed = here;
  here->userdata = (host *)malloc(sizeof *here->userdata);
  if (here->userdata == NULL) exit(1);
  here->userdata->here = here;
  here->callback = callback;
  here->order = order;
  CHECK_INT(segue_application_new("org.segue.AbiTest", NULL, &here->application, NULL), 0);
  delegate.did_update = did_update;
  delegate.state_changed = state_changed;
  delegate.log = log_line;
  CHECK_INT(segue_application_set_delegate(here->application, &delegate, here->userdata, destroy), 0);
  here->activity = abi_activity(here->application);
  activity_delegate.will_save = will_save;
  CHECK_INT(segue_activity_set_delegate(here->activity, &activity_delegate, here->userdata, destroy), 0);
  methods.update_user_activity_state = update;
  methods.restore_user_activity_state = restore;
  methods.user_activity_changed = changed;
  CHECK_INT(segue_responder_new(here->application, &methods, here->userdata, destroy, &here->first), 0);
  CHECK_INT(segue_responder_new(here->application, &methods, here->userdata, destroy, &here->second), 0);
  CHECK_INT(segue_responder_set_user_activity(here->first, here->activity), 0);
  CHECK_INT(segue_responder_set_user_activity(here->second, here->activity), 0);
}

static void tear_down(scene *here) {
  segue_responder_unref(here->first);
  segue_responder_unref(here->second);
  segue_activity_unref(here->activity);
  segue_application_unref(here->application);
  free(here->userdata);
}

/* Dispatches until the condition holds. */
#define UNTIL(here, condition)                                                               \
  do {                                                                                       \
    long start = orders_now();                                                               \
    while (!(condition) && (here)->application != NULL && orders_now() - start < PATIENCE) { \
      segue_application_wait((here)->application, 1000);                                     \
    }                                                                                        \
    CHECK(condition);                                                                        \
  } while (0)

static void begin(scene *here) {
  segue_activity *spare;
  if (strcmp(here->callback, "log") == 0) {
    /* The host drops the last reference to the current activity: the library warns of that. */
    spare = abi_activity(here->application);
    CHECK_INT(segue_activity_become_current(spare), 0);
    segue_activity_unref(spare);
  } else if (strcmp(here->callback, "restore") == 0) {
    CHECK_INT(segue_responder_restore(here->first, here->activity), 0);
  } else if (strcmp(here->callback, "deleted") == 0) {
    CHECK_INT(segue_application_delete_all_saved(here->application, deleted, here->userdata, destroy), 0);
  }
}

static int is_well(const scene *here, int expected) {
  return here->is_over && here->application == NULL && here->nested == 0 && here->late == 0 &&
         here->destroyed == expected;
}

/* The host does all deeds in a callback, and then gets no callback any more, and everything is freed. */
static void every_order(const char *callback, int userdata) {
  int order[DEEDS] = {0, 1, 2, 3, 4};
  int i;
  do {
    scene here;
    set_up(&here, callback, order);
    begin(&here);
    UNTIL(&here, here.is_over);
    if (!here.is_over) exit(1);
    tear_down(&here);
    CHECK(is_well(&here, userdata));
    if (is_well(&here, userdata)) continue;
    printf("  in %s:", callback);
    for (i = 0; i < DEEDS; i++) printf("%s %s", i == 0 ? "" : ",", orders_names[order[i]]);
    printf("; nested %d, late %d, destroyed %d\n", here.nested, here.late, here.destroyed);
  } while (orders_next(order));
}

static void S10_everyOrderInUpdate(void) {
  every_order("update", 4);
  every_order("second update", 4);
}

static void S10_everyOrderInDidUpdate(void) {
  every_order("did-update", 4);
}

static void S10_everyOrderInWillSave(void) {
  every_order("will-save", 4);
}

static void R9_everyOrderInAnObserver(void) {
  every_order("changed", 4);
  every_order("second changed", 4);
}

static void R10_everyOrderInARestore(void) {
  every_order("restore", 4);
}

static void orders_inTheOtherCallbacks(void) {
  every_order("state", 4);
  every_order("log", 4);
  every_order("deleted", 5);
}

/* The first of two responders drops the second. */
static void drop_second(scene *here) {
  here->second = segue_responder_unref(here->second);
}

SEGUE_BEGIN_DECLS

static void update_and_drop(segue_responder *responder, segue_activity *activity, void *userdata) {
  scene *here = (scene *)userdata;
  (void)activity;
  if (responder != here->first) here->late++;
  if (here->second != NULL) drop_second(here);
  here->is_over = 1;
}

static void count_late(segue_activity *activity, void *userdata) {
  (void)activity;
  ((scene *)userdata)->late++;
}

SEGUE_END_DECLS

static void make_dropping(scene *here) {
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  memset(here, 0, sizeof *here);
  CHECK_INT(segue_application_new("org.segue.AbiTest", NULL, &here->application, NULL), 0);
  here->activity = abi_activity(here->application);
  methods.update_user_activity_state = update_and_drop;
  CHECK_INT(segue_responder_new(here->application, &methods, here, NULL, &here->first), 0);
  CHECK_INT(segue_responder_new(here->application, &methods, here, NULL, &here->second), 0);
  CHECK_INT(segue_responder_set_user_activity(here->first, here->activity), 0);
  CHECK_INT(segue_responder_set_user_activity(here->second, here->activity), 0);
}

static void R10_aResponderThatIsDroppedInARoundIsNotCalled(void) {
  scene here;
  make_dropping(&here);
  UNTIL(&here, here.is_over);
  CHECK_INT(here.late, 0);
  tear_down(&here);
}

static int is_registered(const scene *here) {
  return segue_application_get_state(here->application) == SEGUE_APPLICATION_REGISTERED;
}

/* The round before the first offer is queued when the responder and the activity are dropped. */
static void R10_whatIsDroppedBeforeARoundIsNotCalled(void) {
  segue_activity_delegate delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  segue_activity *lone;
  scene here;
  make_dropping(&here);
  UNTIL(&here, is_registered(&here) && here.is_over);
  CHECK_INT(segue_activity_set_needs_save(here.activity, true), 0);
  here.is_over = 0;
  delegate.will_save = count_late;
  lone = abi_activity(here.application);
  CHECK_INT(segue_activity_set_delegate(lone, &delegate, &here, NULL), 0);
  CHECK_INT(segue_activity_set_needs_save(lone, true), 0);
  CHECK_INT(segue_activity_become_current(lone), 0);
  segue_activity_unref(lone);
  CHECK(segue_application_dispatch(here.application) >= 0);
  CHECK_INT(here.late, 0);
  tear_down(&here);
}

static int open_descriptors(void) {
  int count = 0;
  int descriptor;
  for (descriptor = 0; descriptor < 1024; descriptor++) count += fcntl(descriptor, F_GETFD) >= 0;
  return count;
}

/* The application is closed at any moment of its way to the daemon. */
static void application_leavesNothingWhenItIsClosedOnItsWay(void) {
  int before = open_descriptors();
  int steps;
  int at_end = 0;
  for (steps = 0; steps < 1000 && !at_end; steps++) {
    int step;
    scene here;
    memset(&here, 0, sizeof here);
    CHECK_INT(segue_application_new("org.segue.AbiTest", NULL, &here.application, NULL), 0);
    for (step = 0; step < steps && !is_registered(&here); step++) segue_application_wait(here.application, PATIENCE);
    at_end = is_registered(&here);
    segue_application_unref(here.application);
    CHECK_INT(open_descriptors(), before);
  }
  CHECK(at_end);
}

static const abi_test orders_tests[] = {
    TEST(S10_everyOrderInUpdate),
    TEST(S10_everyOrderInDidUpdate),
    TEST(S10_everyOrderInWillSave),
    TEST(R9_everyOrderInAnObserver),
    TEST(R10_everyOrderInARestore),
    TEST(orders_inTheOtherCallbacks),
    TEST(R10_aResponderThatIsDroppedInARoundIsNotCalled),
    TEST(R10_whatIsDroppedBeforeARoundIsNotCalled),
    TEST(application_leavesNothingWhenItIsClosedOnItsWay),
    {NULL, NULL},
};

const abi_test *const abi_files[] = {orders_tests, NULL};
