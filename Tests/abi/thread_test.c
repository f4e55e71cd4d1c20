/* References on several threads: userdata is freed on the application's thread, whichever thread drops the last one. */
#include <pthread.h>
#include <stdlib.h>

#include "abi_test.h"
#include "hosting.h"

#define TIMES 500

/* One object, which another thread drops while the application's thread dispatches. */
typedef struct scene {
  segue_application *application;
  segue_activity *activity;
  segue_responder *responder;
  segue_window *window;
  segue_document *document;
  const segue_plugin_host *host;
  void *object;
  /* The other thread's call in this round, and its result. */
  int (*deed)(struct scene *here);
  int result;
  pthread_t thread;
  int destroyed;
  int destroyed_elsewhere;
} scene;

SEGUE_BEGIN_DECLS

static void count_thread(void *userdata) {
  scene *here = (scene *)userdata;
  here->destroyed++;
  if (!pthread_equal(pthread_self(), here->thread)) here->destroyed_elsewhere++;
}

static void do_nothing(void *userdata) {
  (void)userdata;
}

static void *perform(void *userdata) {
  scene *here = (scene *)userdata;
  here->result = here->deed(here);
  return NULL;
}

SEGUE_END_DECLS

static int drop_activity(scene *here) {
  segue_activity_unref(here->activity);
  return 0;
}

static int drop_responder(scene *here) {
  segue_responder_unref(here->responder);
  return 0;
}

static int drop_window(scene *here) {
  segue_window_unref(here->window);
  return 0;
}

static int drop_document(scene *here) {
  segue_document_unref(here->document);
  return 0;
}

/* Drops the responder's activity, to which there is no other reference. */
static int detach(scene *here) {
  return segue_responder_set_user_activity(here->responder, NULL);
}

static int defer(scene *here) {
  return here->host->defer(here->host, do_nothing, here, count_thread);
}

static void make_activity(scene *here) {
  const segue_activity_delegate delegate = SEGUE_ACTIVITY_DELEGATE_INIT;
  here->activity = abi_activity(here->application);
  CHECK_INT(segue_activity_set_delegate(here->activity, &delegate, here, count_thread), 0);
}

static void make_responder(scene *here) {
  const segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  CHECK_INT(segue_responder_new(here->application, &methods, here, count_thread, &here->responder), 0);
}

static void make_window(scene *here) {
  const segue_window_methods methods = SEGUE_WINDOW_METHODS_INIT;
  CHECK_INT(segue_window_new(here->application, &methods, here, count_thread, &here->window), 0);
}

static void make_document(scene *here) {
  const segue_document_methods methods = SEGUE_DOCUMENT_METHODS_INIT;
  CHECK_INT(
      segue_document_new(here->application, NULL, "text/plain", &methods, here, count_thread, &here->document, NULL),
      0);
}

static void make_attached(scene *here) {
  const segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  if (here->responder == NULL) {
    CHECK_INT(segue_responder_new(here->application, &methods, NULL, NULL, &here->responder), 0);
  }
  make_activity(here);
  CHECK_INT(segue_responder_set_user_activity(here->responder, here->activity), 0);
  here->activity = segue_activity_unref(here->activity);
}

static void race(scene *here, void (*make)(scene *here), int (*deed)(scene *here)) {
  int times;
  here->deed = deed;
  here->thread = pthread_self();
  for (times = 1; times <= TIMES && here->destroyed_elsewhere == 0; times++) {
    pthread_t other;
    if (make != NULL) make(here);
    CHECK(segue_application_dispatch(here->application) >= 0);
    if (pthread_create(&other, NULL, perform, here) != 0) exit(1);
    /* This thread dispatches at the same time, until all userdata are freed. */
    while (here->destroyed < times) segue_application_wait(here->application, 1000);
    if (pthread_join(other, NULL) != 0) exit(1);
    CHECK_INT(here->result, 0);
  }
  CHECK_INT(here->destroyed_elsewhere, 0);
  CHECK_INT(here->destroyed, times - 1);
}

static void threads_whatIsDroppedElsewhereIsFreedHere(void) {
  static const struct {
    void (*make)(scene *here);
    int (*deed)(scene *here);
  } cases[] = {
      {make_activity, drop_activity}, {make_responder, drop_responder}, {make_window, drop_window},
      {make_document, drop_document}, {make_attached, detach},
  };
  size_t i;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    scene here;
    memset(&here, 0, sizeof here);
    here.application = abi_application();
    race(&here, cases[i].make, cases[i].deed);
    if (cases[i].deed == detach) segue_responder_unref(here.responder);
    segue_application_unref(here.application);
  }
}

static void threads_whatAPluginDefersIsFreedHere(void) {
  host plugged;
  scene here;
  memset(&here, 0, sizeof here);
  host_begin(&plugged, "guest", NULL);
  here.application = plugged.application;
  here.host = host_guest(&plugged, &here.object)->get_host(here.object);
  race(&here, NULL, defer);
  host_end(&plugged);
}

static int adopt(scene *here) {
  return segue_application_adopt_thread(here->application);
}

static int adopt_and_use(scene *here) {
  CHECK_INT(segue_application_ready(here->application), -EPERM);
  CHECK_INT(segue_application_adopt_thread(here->application), 0);
  CHECK_INT(segue_application_adopt_thread(here->application), 0);
  CHECK(segue_application_dispatch(here->application) >= 0);
  here->activity = abi_activity(here->application);
  return segue_activity_become_current(here->activity);
}

/* Does the deed on another thread, and gives its result. */
static int elsewhere(scene *here, int (*deed)(scene *here)) {
  pthread_t other;
  here->deed = deed;
  if (pthread_create(&other, NULL, perform, here) != 0 || pthread_join(other, NULL) != 0) exit(1);
  return here->result;
}

static void threads_anotherThreadMayAdoptTheApplication(void) {
  scene here;
  memset(&here, 0, sizeof here);
  here.application = abi_application();
  CHECK_INT(elsewhere(&here, adopt_and_use), 0);
  CHECK_INT(segue_application_ready(here.application), -EPERM);
  CHECK_INT(segue_activity_invalidate(here.activity), -EPERM);
  CHECK_INT(adopt(&here), 0);
  CHECK_INT(segue_activity_invalidate(here.activity), 0);
  CHECK_INT(segue_application_ready(here.application), 0);
  segue_activity_unref(here.activity);
  segue_application_unref(here.application);
}

SEGUE_BEGIN_DECLS

static void adopt_in_callback(segue_responder *responder, segue_activity *activity, void *userdata) {
  scene *here = (scene *)userdata;
  (void)responder;
  (void)activity;
  CHECK_INT(elsewhere(here, adopt), -EDEADLK);
  CHECK_INT(adopt(here), 0);
  here->destroyed++;
}

SEGUE_END_DECLS

static void threads_nobodyAdoptsAnApplicationInsideACallback(void) {
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  scene here;
  memset(&here, 0, sizeof here);
  here.application = abi_application();
  here.activity = abi_activity(here.application);
  methods.user_activity_changed = adopt_in_callback;
  CHECK_INT(segue_responder_new(here.application, &methods, &here, NULL, &here.responder), 0);
  CHECK_INT(segue_responder_set_user_activity(here.responder, here.activity), 0);
  CHECK(segue_application_dispatch(here.application) >= 0);
  CHECK_INT(here.destroyed, 1);
  segue_responder_unref(here.responder);
  segue_activity_unref(here.activity);
  segue_application_unref(here.application);
}

const abi_test thread_tests[] = {
    TEST(threads_anotherThreadMayAdoptTheApplication),
    TEST(threads_nobodyAdoptsAnApplicationInsideACallback),
    TEST(threads_whatIsDroppedElsewhereIsFreedHere),
    TEST(threads_whatAPluginDefersIsFreedHere),
    {NULL, NULL},
};
