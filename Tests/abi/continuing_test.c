/* A host does its deeds inside a callback of a continuation, in every order, and gets no callback afterwards. STRIDE=7
 * takes every seventh order only. */
#include <stdlib.h>

#include "continuing.h"

/* The host does all deeds in a callback, and then gets no callback any more, and everything is freed. */
static void every_order(const char *callback) {
  const char *stride = getenv("STRIDE");
  const int step = stride == NULL ? 1 : atoi(stride);
  int order[DEEDS] = {0, 1, 2, 3, 4};
  int number = 0;
  do {
    scene here;
    if (number++ % step != 0) continue;
    continuing_set_up(&here, callback, order);
    UNTIL(&here, here.origin.is_over || here.reader.is_over);
    if (!here.origin.is_over && !here.reader.is_over) {
      continuing_say(&here, &here.reader);
      exit(1);
    }
    continuing_tear_down(&here);
    CHECK_INT(here.completed, here.is_chosen);
    CHECK(continuing_is_well(&here.origin));
    CHECK(continuing_is_well(&here.reader));
    if (!continuing_is_well(&here.origin)) continuing_say(&here, &here.origin);
    if (!continuing_is_well(&here.reader)) continuing_say(&here, &here.reader);
  } while (orders_next(order));
}

static void V1_everyOrderInWillContinue(void) {
  every_order("will-continue");
  every_order("completion");
}

static void V1_everyOrderInContinue(void) {
  every_order("continue");
}

static void R10_everyOrderInARestore(void) {
  every_order("restore");
  every_order("second restore");
}

static void V7_everyOrderInOpenDocument(void) {
  every_order("open document");
}

static void V1_everyOrderInDidFail(void) {
  every_order("fail");
}

static void V11_everyOrderInWasContinued(void) {
  every_order("was-continued");
}

static void V9_everyOrderInAWindow(void) {
  every_order("window prefers");
  every_order("window can show");
  every_order("make window");
  every_order("window continue");
}

static void V19_everyOrderWhenOffersChange(void) {
  every_order("offers");
}

static void S10_everyOrderInASaveThatIsWaitedFor(void) {
  every_order("check-version");
  every_order("update");
  every_order("did-update");
  every_order("will-save");
}

/* The side has dropped the last reference to one object of its own: its userdata ends at the next dispatch. */
static void check_ended(side *here, int count) {
  int before = here->destroyed;
  CHECK(segue_application_dispatch(here->application) >= 0);
  CHECK_INT(here->destroyed - before, count);
}

/* A continuation that has ended keeps none of the host's objects. */
static void end_with_their_last_reference(const char *callback) {
  scene here;
  side *reader = &here.reader;
  continuing_set_up(&here, callback, NULL);
  UNTIL(&here, here.continued > 0);
  check_ended(reader, 0);
  reader->window = segue_window_unref(reader->window);
  check_ended(reader, 1);
  reader->document = segue_document_unref(reader->document);
  check_ended(reader, 1);
  reader->responder = segue_responder_unref(reader->responder);
  check_ended(reader, 1);
  reader->activity = segue_activity_unref(reader->activity);
  check_ended(reader, 1);
  continuing_tear_down(&here);
  CHECK(continuing_is_well(&here.origin));
  CHECK(continuing_is_well(reader));
}

static void V9_whatAContinuationWentToEndsWithItsLastReference(void) {
  end_with_their_last_reference("into a window");
  end_with_their_last_reference("window continues itself");
}

static void R10_oneHandlerTakesSoManyObjects(void) {
  scene here;
  continuing_set_up(&here, "restore many", NULL);
  UNTIL(&here, here.continued > 0);
  CHECK_INT(here.reader.restored, RESTORABLES);
  continuing_tear_down(&here);
}

static const abi_test continuing_tests[] = {
    TEST(V1_everyOrderInWillContinue),
    TEST(V1_everyOrderInContinue),
    TEST(R10_everyOrderInARestore),
    TEST(R10_oneHandlerTakesSoManyObjects),
    TEST(V7_everyOrderInOpenDocument),
    TEST(V1_everyOrderInDidFail),
    TEST(V11_everyOrderInWasContinued),
    TEST(V9_everyOrderInAWindow),
    TEST(V9_whatAContinuationWentToEndsWithItsLastReference),
    TEST(V19_everyOrderWhenOffersChange),
    TEST(S10_everyOrderInASaveThatIsWaitedFor),
    {NULL, NULL},
};

const abi_test *const abi_files[] = {continuing_tests, NULL};
