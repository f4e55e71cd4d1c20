/*
 * A note in a main loop of GLib: a line that is typed is the note, and another device goes on with it. The end of
 * input ends the program; launched by the session bus, with --service, it reads none.
 */
#include <glib-unix.h>
#include <segue/segue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
  if (activity == NULL && segue_activity_new(app, "org.segue.note-glib.writing", &activity, NULL) == 0)
    segue_responder_set_user_activity(responder, activity);
  segue_activity_set_needs_save(activity, true);
  return 1;
}

/* The code that concerns GLib begins here. */

static GMainLoop *loop;
static guint timer; /* 0 while the timer does not run */

static gboolean dispatch(gint fd, GIOCondition condition, gpointer data) {
  (void)fd, (void)condition, (void)data;
  segue_application_dispatch(app);
  return G_SOURCE_CONTINUE;
}

/* Unlike the text, a title is sent to the other devices at once. So it is set only when the typing has stopped. */
static gboolean set_title(gpointer data) {
  (void)data;
  timer = 0;
  segue_activity_set_title(activity, text);
  return G_SOURCE_REMOVE;
}

static gboolean read_input(gint fd, GIOCondition condition, gpointer data) {
  (void)fd, (void)condition, (void)data;
  if (!read_note()) {
    g_main_loop_quit(loop);
    return G_SOURCE_REMOVE;
  }
  if (timer != 0) g_source_remove(timer);
  timer = g_timeout_add(500, set_title, NULL);
  return G_SOURCE_CONTINUE;
}

int main(int count, char **arguments) {
  segue_responder_methods methods = SEGUE_RESPONDER_METHODS_INIT;
  segue_application_delegate delegate = SEGUE_APPLICATION_DELEGATE_INIT;
  methods.update_user_activity_state = save;
  methods.restore_user_activity_state = restore;
  delegate.continue_activity = resume;
  if (segue_application_new("org.segue.NoteGLib", NULL, &app, NULL) < 0) return 1;
  if (segue_responder_new(app, &methods, NULL, NULL, &responder) < 0) return 1;
  segue_application_set_delegate(app, &delegate, NULL, NULL);
  segue_application_ready(app);

  setvbuf(stdin, NULL, _IONBF, 0); /* a loop does not see lines that stdio has read ahead */
  setvbuf(stdout, NULL, _IOLBF, 0);
  loop = g_main_loop_new(NULL, FALSE);
  guint ours = g_unix_fd_add(segue_application_get_fd(app), G_IO_IN, dispatch, NULL);
  if (count == 1 || strcmp(arguments[1], "--service") != 0) g_unix_fd_add(STDIN_FILENO, G_IO_IN, read_input, NULL);
  g_main_loop_run(loop);

  g_source_remove(ours);
  g_main_loop_unref(loop);
  segue_activity_unref(activity);
  segue_responder_unref(responder);
  segue_application_unref(app);
  free(text);
  return 0;
}
