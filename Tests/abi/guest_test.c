/* The functions that a plugin's object may call on its host: marking changes, deferring, closures; and their threads.
 */
#include "hosting.h"

#include <sys/wait.h>
#include <unistd.h>

/* Compilers warn where they see NULL go where it may not; here they do not see it. */
static void *volatile none = NULL;
static void (*volatile no_function)(void *userdata) = NULL;

static void guest_changesAreMarked(void) {
  host here;
  void *object = NULL;
  host_begin(&here, "types", NULL);
  CHECK_INT(segue_responder_set_user_activity(host_responder(&here), here.activity), 0);
  CHECK_INT(segue_activity_set_needs_save(here.activity, false), 0);
  CHECK_INT(segue_plugin_object_set_integer(here.object, "y", 300, NULL), -EINVAL);
  CHECK(!segue_activity_needs_save(here.activity));
  CHECK_INT(segue_plugin_object_set_integer(here.object, "y", 3, NULL), 0);
  CHECK(segue_activity_needs_save(here.activity));
  host_end(&here);
  host_begin(&here, "guest", NULL);
  CHECK_INT(segue_responder_set_user_activity(host_responder(&here), here.activity), 0);
  CHECK_INT(segue_activity_set_needs_save(here.activity, false), 0);
  {
    const segue_plugin_host *from = host_guest(&here, &object)->get_host(object);
    CHECK_INT(from->needs_save(from), 0);
  }
  CHECK(segue_activity_needs_save(here.activity));
  host_end(&here);
}

SEGUE_BEGIN_DECLS

static int call_from_elsewhere(void *argument) {
  const segue_plugin_host *from = (const segue_plugin_host *)argument;
  return from->needs_save(from);
}

/* The host on which a function is deferred, and the counts of its calls and of its userdata's ends. */
typedef struct deferral {
  const segue_plugin_host *host;
  int called;
  int destroyed;
} deferral;

static void count_call(void *userdata) {
  ((deferral *)userdata)->called++;
}

static void count_destroy(void *userdata) {
  ((deferral *)userdata)->destroyed++;
}

static int defer_from_elsewhere(void *argument) {
  deferral *deferred = (deferral *)argument;
  return deferred->host->defer(deferred->host, count_call, deferred, count_destroy);
}

/* A closure's handler: 10 * the first argument, in the width of the result's type. */
static void times_ten(void *userdata, void *result, const void *const *arguments) {
  ++*(int *)userdata;
  *(int16_t *)result = (int16_t)(10 * *(const int8_t *)arguments[0]);
}

static void add_up(void *userdata, void *result, const void *const *arguments) {
  ++*(int *)userdata;
  *(double *)result = *(const double *)arguments[0] + (double)*(const float *)arguments[1] +
                      (double)*(const int64_t *)arguments[2] + (double)strlen(*(const char *const *)arguments[3]) +
                      (double)**(const int *const *)arguments[4];
}

static void only_count(void *userdata, void *result, const void *const *arguments) {
  (void)arguments;
  if (result == NULL) ++*(int *)userdata;
}

/* A closure whose end releases another one. */
typedef struct releaser {
  const segue_plugin_host *host;
  void *other;
  int calls;
} releaser;

static void release_other(void *userdata) {
  releaser *end = (releaser *)userdata;
  const segue_plugin_closures *closures =
      (const segue_plugin_closures *)end->host->get_extension(end->host, SEGUE_PLUGIN_CLOSURES);
  end->calls++;
  /* The object is destroyed, and its closures with it. */
  CHECK_INT(closures->release(end->host, end->other), -EINVAL);
}

typedef int16_t (*times_ten_function)(int8_t number);
typedef double (*add_up_function)(double, float, int64_t, const char *, const int *);
typedef void (*only_count_function)(void);

SEGUE_END_DECLS

static void guest_aForeignThreadIsRefused(void) {
  host here;
  void *object = NULL;
  const segue_plugin_host *from;
  host_begin(&here, "guest", NULL);
  from = host_guest(&here, &object)->get_host(object);
  CHECK_INT(abi_on_another_thread(call_from_elsewhere, (void *)from), -EPERM);
  CHECK(segue_application_dispatch(here.application) >= 0);
  CHECK(strncmp(here.line, "org.segue.abi-test, guest: ", 27) == 0);
  CHECK(strstr(here.line, "needs_save") != NULL);
  /* The library logs this once: a thread that makes the mistake makes it at every change. */
  CHECK_INT(abi_on_another_thread(call_from_elsewhere, (void *)from), -EPERM);
  CHECK(segue_application_dispatch(here.application) >= 0);
  CHECK_INT(here.lines, 1);
  CHECK_INT(from->needs_save((segue_plugin_host *)none), -EINVAL);
  CHECK_INT(from->log(from, (const char *)none), -EINVAL);
  CHECK_INT(from->log(from, "\xFF"), -EINVAL);
  CHECK_INT(from->log(from, "a\nline"), 0);
  /* The line does not come inside this call, which may be one of the application's. */
  CHECK_INT(here.lines, 1);
  CHECK(segue_application_dispatch(here.application) >= 0);
  CHECK_TEXT(here.line, "org.segue.abi-test, guest: a line");
  CHECK(from->get_extension(from, "org.segue.none/1") == NULL);
  CHECK(from->get_extension(from, (const char *)none) == NULL);
  host_end(&here);
}

static void guest_deferredCallsComeAtTheNextDispatch(void) {
  host here;
  void *object = NULL;
  deferral deferred;
  host_begin(&here, "guest", NULL);
  memset(&deferred, 0, sizeof deferred);
  deferred.host = host_guest(&here, &object)->get_host(object);
  CHECK_INT(abi_on_another_thread(defer_from_elsewhere, &deferred), 0);
  CHECK_INT(deferred.called, 0);
  CHECK(segue_application_dispatch(here.application) >= 0);
  CHECK_INT(deferred.called, 1);
  CHECK_INT(deferred.destroyed, 1);
  CHECK_INT(deferred.host->defer(deferred.host, no_function, &deferred, count_destroy), -EINVAL);
  CHECK_INT(deferred.destroyed, 2);
  CHECK_INT(deferred.host->defer((segue_plugin_host *)none, count_call, &deferred, count_destroy), -EINVAL);
  CHECK_INT(deferred.destroyed, 3);
  /* A deferred function does not run after its object has gone; its userdata is freed all the same. */
  segue_plugin_object_unref(here.object);
  here.object = NULL;
  CHECK_INT(defer_from_elsewhere(&deferred), 0);
  host_end(&here);
  CHECK_INT(deferred.called, 1);
  CHECK_INT(deferred.destroyed, 4);
}

static void guest_aForkedChildIsRefused(void) {
  host here;
  void *object = NULL;
  deferral deferred;
  int status = -1;
  pid_t child;
  host_begin(&here, "guest", NULL);
  memset(&deferred, 0, sizeof deferred);
  deferred.host = host_guest(&here, &object)->get_host(object);
  child = fork();
  if (child == 0) {
    const segue_plugin_host *from = deferred.host;
    _exit(
        from->needs_save(from) == -ECHILD && from->log(from, "line") == -ECHILD &&
                defer_from_elsewhere(&deferred) == -ECHILD && deferred.destroyed == 1
            ? 0
            : 1);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK_INT(status, 0);
  host_end(&here);
}

static void guest_closuresAreFunctions(void) {
  host here;
  void *object = NULL;
  const guest_functions *guest;
  segue_plugin_function made = NULL;
  void *closures[3] = {NULL, NULL, NULL};
  int calls = 0;
  int destroyed = 0;
  const int seven = 7;
  host_begin(&here, "guest", NULL);
  guest = host_guest(&here, &object);
  CHECK_INT(guest->make(object, "n(C)", times_ten, &calls, NULL, &made, &closures[0]), 0);
  CHECK_INT(((times_ten_function)made)(-12), -120);
  CHECK_INT(guest->make(object, "d(dFxsp)", add_up, &calls, abi_count, &made, &closures[1]), 0);
  CHECK(((add_up_function)made)(0.5, 0.25F, -2, "four", &seven) == 9.75);
  CHECK_INT(calls, 2);
  CHECK_INT(guest->release(object, closures[1]), 0);
  CHECK_INT(calls, 3);
  CHECK_INT(guest->release(object, closures[1]), -EINVAL);
  CHECK_INT(guest->release(object, NULL), 0);
  CHECK_INT(guest->make(object, "()", only_count, &calls, abi_count, &made, &closures[2]), 0);
  ((only_count_function)made)();
  CHECK_INT(calls, 4);
  CHECK_INT(guest->make(object, "i", only_count, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(guest->make(object, "ii()", only_count, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(guest->make(object, "(ai)", only_count, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(guest->make(object, "(i)i", only_count, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(
      guest->make(object, "(xxxxxxxxxxxxxxxxx)", only_count, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(guest->make(object, NULL, only_count, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(guest->make(object, "()", NULL, &destroyed, abi_count, &made, &closures[2]), -EINVAL);
  CHECK_INT(destroyed, 7);
  /* The closures that are left are released with the object. */
  host_end(&here);
  CHECK_INT(calls, 5);
}

static void guest_aClosuresEndReleasesAnother(void) {
  host here;
  void *object = NULL;
  const guest_functions *guest;
  segue_plugin_function made = NULL;
  releaser ends[2];
  void *closures[2] = {NULL, NULL};
  int i;
  host_begin(&here, "guest", NULL);
  guest = host_guest(&here, &object);
  memset(ends, 0, sizeof ends);
  for (i = 0; i < 2; i++) {
    ends[i].host = guest->get_host(object);
    CHECK_INT(guest->make(object, "()", only_count, &ends[i], release_other, &made, &closures[i]), 0);
  }
  for (i = 0; i < 2; i++) ends[i].other = closures[1 - i];
  host_end(&here);
  CHECK_INT(ends[0].calls + ends[1].calls, 2);
}

const abi_test guest_tests[] = {
    TEST(guest_changesAreMarked),
    TEST(guest_aForeignThreadIsRefused),
    TEST(guest_deferredCallsComeAtTheNextDispatch),
    TEST(guest_aForkedChildIsRefused),
    TEST(guest_closuresAreFunctions),
    TEST(guest_aClosuresEndReleasesAnother),
    {NULL, NULL},
};
