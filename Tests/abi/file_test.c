/* Files that userInfo names, as far as they can be tested without a daemon. Tests/system/files_test.py has the rest. */
#include "abi_test.h"

SEGUE_BEGIN_DECLS
static void never(
    segue_activity *activity, const char *path, uint64_t size, const uint8_t *sha256, const segue_error *error,
    void *userdata) {
  (void)activity;
  (void)path;
  (void)size;
  (void)sha256;
  (void)error;
  (void)userdata;
  CHECK(0);
}
SEGUE_END_DECLS

static void files_anActivityAllowsThemOrNot(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  CHECK(!segue_activity_allows_files(activity));
  CHECK_INT(segue_activity_set_allows_files(activity, true), 0);
  CHECK(segue_activity_allows_files(activity));
  CHECK_INT(segue_activity_set_allows_files(activity, false), 0);
  CHECK(!segue_activity_allows_files(activity));
  CHECK_INT(segue_activity_invalidate(activity), 0);
  CHECK_INT(segue_activity_set_allows_files(activity, true), -ESTALE);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

static int bring_elsewhere(void *activity) {
  return segue_activity_bring_file((segue_activity *)activity, "file:///a", NULL, never, NULL, NULL);
}

static int cancel_elsewhere(void *activity) {
  return segue_activity_cancel_file((segue_activity *)activity, "file:///a");
}

static void files_areForWhatContinueReceived(void) {
  segue_application *application = abi_application();
  segue_activity *activity = abi_activity(application);
  int destroyed = 0;
  CHECK_INT(segue_activity_bring_file(activity, "file:///a", NULL, never, &destroyed, abi_count), -EINVAL);
  CHECK_INT(destroyed, 1);
  CHECK_INT(segue_activity_cancel_file(activity, "file:///a"), -ENOENT);
  CHECK_INT(abi_on_another_thread(bring_elsewhere, activity), -EPERM);
  CHECK_INT(abi_on_another_thread(cancel_elsewhere, activity), -EPERM);
  CHECK_INT(segue_application_dispatch(application) >= 0, 1);
  segue_activity_unref(activity);
  segue_application_unref(application);
}

const abi_test file_tests[] = {
    TEST(files_anActivityAllowsThemOrNot),
    TEST(files_areForWhatContinueReceived),
    {NULL, NULL},
};
