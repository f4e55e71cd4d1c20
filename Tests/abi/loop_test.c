/* The main loop: descriptor, dispatch, wait, wake, run, quit; and a bus that is not there. */
#include "abi_test.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Longer than anything here takes, shorter than a person's patience. */
#define PATIENCE 10000

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void loop_descriptorIsPollable(void) {
  segue_application *application = abi_application();
  struct pollfd waited;
  waited.fd = segue_application_get_fd(application);
  waited.events = POLLIN;
  waited.revents = 0;
  CHECK(waited.fd >= 0);
  CHECK(poll(&waited, 1, 0) >= 0);
  CHECK((waited.revents & (POLLNVAL | POLLERR)) == 0);
  CHECK_INT(segue_application_get_fd(application), waited.fd);
  CHECK(segue_application_dispatch(application) >= 0);
  segue_application_unref(application);
}

static void loop_waitTimesOut(void) {
  segue_application *application = abi_application();
  long start = milliseconds();
  int result = 1;
  /* The wait returns earlier, with a positive number, as long as the library finds that the bus is not there. */
  while (result > 0 && milliseconds() - start < PATIENCE) result = segue_application_wait(application, 20);
  CHECK_INT(result, 0);
  CHECK(milliseconds() - start < PATIENCE);
  segue_application_unref(application);
}

static int call_wake(void *application) {
  return segue_application_wake((segue_application *)application);
}

static void loop_wakeEndsAWait(void) {
  segue_application *application = abi_application();
  long start;
  while (segue_application_wait(application, 0) > 0) {
  }
  start = milliseconds();
  /* A wake that comes before the wait is not lost, else no program could rely on it. */
  CHECK_INT(abi_on_another_thread(call_wake, application), 0);
  CHECK(segue_application_wait(application, PATIENCE) >= 0);
  CHECK(milliseconds() - start < PATIENCE);
  segue_application_unref(application);
}

static int call_quit(void *application) {
  return segue_application_quit((segue_application *)application);
}

static void loop_quitBeforeRunEndsIt(void) {
  segue_application *application = abi_application();
  CHECK_INT(abi_on_another_thread(call_quit, application), 0);
  CHECK_INT(segue_application_run(application), 0);
  segue_application_unref(application);
}

/* The callbacks that the delegate got. */
typedef struct seen {
  int states;
  int last_state;
  int had_error;
  int nested_dispatch;
  int nested_wait;
  int nested_run;
  segue_application *dropped;
} seen;

SEGUE_BEGIN_DECLS

static void state_changed(
    segue_application *application, segue_application_state state, const segue_error *error, void *userdata) {
  seen *here = (seen *)userdata;
  here->states++;
  here->last_state = state;
  here->had_error = error != NULL && segue_error_get_message(error)[0] != '\0';
  here->nested_dispatch = segue_application_dispatch(application);
  here->nested_wait = segue_application_wait(application, 0);
  here->nested_run = segue_application_run(application);
  if (here->dropped != NULL) here->dropped = segue_application_unref(here->dropped);
}

/* The whole program's close(2), the library's too: counts calls that close a descriptor which is not open. */
static int closed_twice;

#ifndef __cplusplus /* C++ has it without being asked. */
long syscall(long number, ...);
#endif

int close(int descriptor) {
  int result = (int)syscall(SYS_close, descriptor);
  if (result < 0 && errno == EBADF) closed_twice++;
  return result;
}

SEGUE_END_DECLS

/* The number of the next descriptor. */
static int next_descriptor(void) {
  int next = dup(0);
  close(next);
  return next;
}

static void loop_aProcessWithoutDescriptorsIsRefused(void) {
  int missing;
  for (missing = 1; missing <= 3; missing++) {
    segue_application *application = NULL;
    segue_error *error = NULL;
    struct rlimit former, limit;
    int next = next_descriptor();
    CHECK_INT(getrlimit(RLIMIT_NOFILE, &former), 0);
    limit = former;
    limit.rlim_cur = (rlim_t)(next + 3 - missing);
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
    closed_twice = 0;
    CHECK_INT(segue_application_new("org.segue.AbiTest", NULL, &application, &error), -EIO);
    CHECK_INT(closed_twice, 0);
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &former), 0);
    CHECK(error != NULL);
    segue_error_unref(error);
    CHECK_INT(next_descriptor(), next);
  }
}

static void watch(segue_application *application, seen *here) {
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  memset(here, 0, sizeof *here);
  delegate.state_changed = state_changed;
  CHECK_INT(segue_application_set_delegate(application, &delegate, here, NULL), 0);
}

static void loop_aBusThatIsNotThereIsToldOnce(void) {
  segue_application *application = abi_application();
  long start = milliseconds();
  seen here;
  watch(application, &here);
  CHECK_INT(here.states, 0);
  while (here.states == 0 && milliseconds() - start < PATIENCE) segue_application_wait(application, 100);
  CHECK_INT(here.last_state, SEGUE_APPLICATION_LOST);
  CHECK(here.had_error);
  CHECK_INT(segue_application_get_state(application), SEGUE_APPLICATION_LOST);
  /* Further attempts that fail are no change. */
  while (milliseconds() - start < 300) segue_application_wait(application, 100);
  CHECK_INT(here.states, 1);
  segue_application_unref(application);
}

static void loop_dispatchInsideACallbackIsRefused(void) {
  segue_application *application = abi_application();
  long start = milliseconds();
  seen here;
  watch(application, &here);
  while (here.states == 0 && milliseconds() - start < PATIENCE) segue_application_wait(application, 100);
  CHECK_INT(here.nested_dispatch, -EDEADLK);
  CHECK_INT(here.nested_wait, -EDEADLK);
  CHECK_INT(here.nested_run, -EDEADLK);
  segue_application_unref(application);
}

/* A callback may drop the application: the call that runs the callback ends well. */
static void loop_callbackMayDropTheApplication(void) {
  segue_application *application = abi_application();
  long start = milliseconds();
  seen here;
  watch(application, &here);
  here.dropped = application;
  while (here.dropped != NULL && milliseconds() - start < PATIENCE) {
    CHECK(segue_application_wait(application, 100) >= 0);
  }
  CHECK(here.dropped == NULL);
  CHECK_INT(here.states, 1);
}

const abi_test loop_tests[] = {
    TEST(loop_descriptorIsPollable),
    TEST(loop_waitTimesOut),
    TEST(loop_aProcessWithoutDescriptorsIsRefused),
    TEST(loop_wakeEndsAWait),
    TEST(loop_quitBeforeRunEndsIt),
    TEST(loop_aBusThatIsNotThereIsToldOnce),
    TEST(loop_dispatchInsideACallbackIsRefused),
    TEST(loop_callbackMayDropTheApplication),
    {NULL, NULL},
};
