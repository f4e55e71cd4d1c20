/*
 * offering: for each line "on" on standard input it puts an activity on offer, and prints when it does, in nanoseconds;
 * for any other line it takes that off again.
 */
#include <poll.h>
#include <segue/segue.h>
#include <stdio.h>
#include <string.h>

#include "../common.h"

int main(void) {
  char line[16];
  segue_application *app;
  segue_activity *activity = NULL;
  if (segue_application_new(BENCH_APP, NULL, &app, NULL) < 0) fail("offering", "no application");
  segue_application_ready(app);
  setvbuf(stdin, NULL, _IONBF, 0);
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (;;) {
    struct pollfd watched[] = {{segue_application_get_fd(app), POLLIN, 0}, {0, POLLIN, 0}};
    if (poll(watched, 2, -1) < 0) fail("offering", "nothing to wait for");
    if (watched[0].revents != 0) segue_application_dispatch(app);
    if (watched[1].revents == 0) continue;
    if (fgets(line, sizeof line, stdin) == NULL) return 0;
    if (activity != NULL) {
      segue_activity_invalidate(activity);
      segue_activity_unref(activity);
      activity = NULL;
    }
    if (strcmp(line, "on\n") != 0) continue;
    if (segue_activity_new(app, BENCH_TYPE, &activity, NULL) < 0) fail("offering", "no activity");
    segue_activity_set_title(activity, "A measured activity");
    printf("%llu\n", (unsigned long long)now());
    segue_activity_become_current(activity);
  }
}
