/*
 * A note in a main loop of libuv: a line that is typed is the note, and another device goes on with it. The end of
 * input ends the program; launched by the session bus, with --service, it reads none.
 */
#include <segue/segue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

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
  if (activity == NULL && segue_activity_new(app, "org.segue.note-libuv.writing", &activity, NULL) == 0)
    segue_responder_set_user_activity(responder, activity);
  segue_activity_set_needs_save(activity, true);
  return 1;
}

/* The code that concerns libuv begins here. */

static uv_poll_t ours;
static uv_poll_t input;
static uv_timer_t timer;

static void dispatch(uv_poll_t *handle, int status, int events) {
  (void)handle, (void)status, (void)events;
  segue_application_dispatch(app);
}

/* Unlike the text, a title is sent to the other devices at once. So it is set only when the typing has stopped. */
static void set_title(uv_timer_t *handle) {
  (void)handle;
  segue_activity_set_title(activity, text);
}

static void read_input(uv_poll_t *handle, int status, int events) {
  (void)handle, (void)status, (void)events;
  if (read_note()) {
    uv_timer_start(&timer, set_title, 500, 0);
    return;
  }
  /* A loop that has nothing left to wait for ends. */
  uv_close((uv_handle_t *)&input, NULL);
  uv_close((uv_handle_t *)&timer, NULL);
  uv_close((uv_handle_t *)&ours, NULL);
}

int main(int count, char **arguments) {
  uv_loop_t *loop = uv_default_loop();
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  methods.update_user_activity_state = save;
  methods.restore_user_activity_state = restore;
  delegate.continue_activity = resume;
  if (segue_application_new("org.segue.NoteLibuv", NULL, &app, NULL) < 0) return 1;
  if (segue_responder_new(app, &methods, NULL, NULL, &responder) < 0) return 1;
  segue_application_set_delegate(app, &delegate, NULL, NULL);
  segue_application_ready(app);

  setvbuf(stdin, NULL, _IONBF, 0); /* a loop does not see lines that stdio has read ahead */
  setvbuf(stdout, NULL, _IOLBF, 0);
  uv_timer_init(loop, &timer);
  uv_poll_init(loop, &ours, segue_application_get_fd(app));
  uv_poll_start(&ours, UV_READABLE, dispatch);
  if (count == 1 || strcmp(arguments[1], "--service") != 0) {
    if (uv_poll_init(loop, &input, STDIN_FILENO) < 0) return 1;
    uv_poll_start(&input, UV_READABLE, read_input);
  }
  uv_run(loop, UV_RUN_DEFAULT);

  uv_loop_close(loop);
  segue_activity_unref(activity);
  segue_responder_unref(responder);
  segue_application_unref(app);
  free(text);
  return 0;
}
