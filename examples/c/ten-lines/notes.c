#include <segue/segue.h>
#include <stdio.h>
#include <stdlib.h>

static bool resume(segue_application *app, segue_activity *activity, segue_restoration *restoration, void *data) {
  int64_t line = 0;
  (void)app, (void)restoration, (void)data;
  if (segue_activity_get_integer(activity, "line", &line) < 0) return false;
  printf("going on at line %lld\n", (long long)line);
  return segue_activity_become_current(segue_activity_ref(activity)) == 0;
}

int main(int count, char **arguments) {
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  segue_application *app;
  segue_activity *activity;

  delegate.continue_activity = resume;
  if (segue_application_new("org.segue.Notes", NULL, &app, NULL) < 0) return 1;
  segue_application_set_delegate(app, &delegate, NULL, NULL);
  segue_application_ready(app);

  if (count > 1 && segue_activity_new(app, "org.segue.notes.editing", &activity, NULL) == 0) {
    segue_activity_add_integer(activity, "line", atoi(arguments[1]));
    segue_activity_become_current(activity);
  }
  return segue_application_run(app) < 0;
}
