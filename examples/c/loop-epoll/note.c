/*
 * A note in a main loop made of epoll: a line that is typed is the note, and another device goes on with it. The end of
 * input ends the program; launched by the session bus, with --service, it reads none.
 */
#include <segue/segue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static segue_application *app;
static segue_responder *responder;
static segue_activity *activity; /* NULL until something is typed or restored */
static char *text;
static size_t room; /* of text */

/* Another device goes on with the note. */
static void save(segue_responder *saving, segue_activity *saved, void *data) {
  (void)saving, (void)data;
  segue_activity_add_string(saved, "text", text);
}

/* The note comes from another device. Its activity is ours now, and on offer in its turn. */
static void restore(segue_responder *restoring, segue_activity *arrived, void *data) {
  char *copy = NULL;
  (void)data;
  if (segue_activity_copy_string(arrived, "text", &copy) < 0) return;
  free(text);
  text = strdup(copy);
  room = strlen(copy) + 1;
  segue_free(copy);
  segue_activity_unref(activity);
  activity = segue_activity_ref(arrived);
  segue_responder_set_user_activity(restoring, activity);
  printf("restored: %s\n", text);
}

static bool resume(segue_application *to, segue_activity *arriving, segue_restoration *restoration, void *data) {
  (void)to, (void)arriving, (void)data;
  return segue_restoration_restore(restoration, &responder, 1) == 0;
}

/* Reads a line; 0 at the end. The note is not saved yet: the library asks for it when another device does. */
static int read_note(void) {
  if (getline(&text, &room, stdin) < 0) return 0;
  text[strcspn(text, "\n")] = '\0';
  if (activity == NULL && segue_activity_new(app, "org.segue.note-epoll.writing", &activity, NULL) == 0)
    segue_responder_set_user_activity(responder, activity);
  segue_activity_set_needs_save(activity, true);
  return 1;
}

/* The code that concerns the loop begins here. */

static int loop;
static int timer;

static int watch(int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  return epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event);
}

/* 0 at the end of input. */
static int read_input(void) {
  static const struct itimerspec soon = {.it_value.tv_nsec = 500000000};
  if (!read_note()) return 0;
  timerfd_settime(timer, 0, &soon, NULL);
  return 1;
}

/* Unlike the text, a title is sent to the other devices at once. So it is set only when the typing has stopped. */
static void set_title(void) {
  uint64_t times;
  if (read(timer, &times, sizeof times) > 0) segue_activity_set_title(activity, text);
}

int main(int count, char **arguments) {
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  methods.update_user_activity_state = save;
  methods.restore_user_activity_state = restore;
  delegate.continue_activity = resume;
  if (segue_application_new("org.segue.NoteEpoll", NULL, &app, NULL) < 0) return 1;
  if (segue_responder_new(app, &methods, NULL, NULL, &responder) < 0) return 1;
  segue_application_set_delegate(app, &delegate, NULL, NULL);
  segue_application_ready(app);

  setvbuf(stdin, NULL, _IONBF, 0); /* a loop does not see lines that stdio has read ahead */
  setvbuf(stdout, NULL, _IOLBF, 0);
  loop = epoll_create1(EPOLL_CLOEXEC);
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (watch(segue_application_get_fd(app)) < 0 || watch(timer) < 0) return 1;
  if ((count == 1 || strcmp(arguments[1], "--service") != 0) && watch(STDIN_FILENO) < 0) return 1;
  for (int running = 1; running;) {
    struct epoll_event event;
    if (epoll_wait(loop, &event, 1, -1) != 1) continue; /* a signal */
    if (event.data.fd == STDIN_FILENO)
      running = read_input();
    else if (event.data.fd == timer)
      set_title();
    else
      segue_application_dispatch(app);
  }

  close(timer);
  close(loop);
  segue_activity_unref(activity);
  segue_responder_unref(responder);
  segue_application_unref(app);
  free(text);
  return 0;
}
