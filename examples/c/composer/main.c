/*
 * The user interface of the composer: a command a line on standard input, an event a line on standard output, and on a
 * terminal a progress bar for files on their way. README.md lists commands and events.
 */
#include <glib-unix.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "handoff.h"

#define BAR 30

typedef struct composer {
  draft mail;
  handoff *joined;
  GMainLoop *loop;
  GString *input; /* bytes that were read and are not a whole line yet */
  bool has_bar;   /* a bar is on the screen's last line */
} composer;

/* Events. Text of another device is kept on one line, without control characters. */

static void print(composer *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(composer *self, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *line = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  for (char *at = line; *at != '\0'; at++) {
    if (g_ascii_iscntrl(*at)) *at = ' ';
  }
  if (self->has_bar) fputs("\r\033[K", stderr);
  self->has_bar = false;
  puts(line);
  g_free(line);
}

static char *text_of_size(guint64 size) {
  return g_format_size_full(size, G_FORMAT_SIZE_IEC_UNITS);
}

static void will_continue(void *userdata, const char *title, const char *device) {
  print(userdata, "will-continue %s from %s", title, device);
}

static void did_continue(void *userdata) {
  composer *self = userdata;
  print(self, "continued %s", self->mail.subject);
}

static void did_fail(void *userdata, int32_t code, const char *message, const char *advice) {
  print(userdata, "failed %d %s (%s)", (int)code, message, advice);
}

static void progress(void *userdata, const attachment *file) {
  composer *self = userdata;
  if (!isatty(STDERR_FILENO)) return;
  int full = file->size == 0 ? BAR : (int)(file->so_far * BAR / file->size);
  full = full > BAR ? BAR : full;
  fprintf(
      stderr, "\r\033[K%s [%.*s%*s] %d %%", file->name, full, "##############################", BAR - full, "",
      full * 100 / BAR);
  fflush(stderr);
  self->has_bar = true;
}

static void arrived(void *userdata, const attachment *file) {
  char *size = text_of_size(file->size);
  print(userdata, "arrived %s, %s: %s", file->name, size, file->path);
  g_free(size);
}

static void missing(void *userdata, const attachment *file, const char *reason) {
  char *so_far = text_of_size(file->so_far);
  char *size = text_of_size(file->size);
  print(userdata, "missing %s, %s of %s: %s", file->name, so_far, size, reason);
  g_free(so_far);
  g_free(size);
}

static void complete(void *userdata) {
  composer *self = userdata;
  guint missing_now = draft_missing(&self->mail);
  if (missing_now == 0) {
    print(self, "complete");
  } else {
    print(self, "incomplete: %u of %u attachments are missing", missing_now, self->mail.attachments->len);
  }
}

static void was_taken(void *userdata, bool is_whole) {
  print(userdata, is_whole ? "taken" : "taken without all attachments: the draft stays here");
}

/* Commands. */

static void show(composer *self) {
  print(self, "to %s", self->mail.to);
  print(self, "subject %s", self->mail.subject);
  print(self, "text %s", self->mail.text);
  for (guint i = 0; i < self->mail.attachments->len; i++) {
    const attachment *file = draft_attachment(&self->mail, i);
    char *size = text_of_size(file->size);
    print(self, "attachment %s, %s: %s", file->name, size, file->path == NULL ? "missing" : file->path);
    g_free(size);
  }
}

static void attach(composer *self, const char *path) {
  char *reason = NULL;
  if (draft_attach(&self->mail, path, &reason)) {
    handoff_changed(self->joined);
    print(self, "attached %s", path);
  } else {
    print(self, "error %s", reason);
    g_free(reason);
  }
}

static void write_part(composer *self, char **part, const char *value) {
  draft_set(part, value);
  handoff_changed(self->joined);
}

/* Gives false for "quit". */
static bool execute(composer *self, const char *line) {
  size_t length = strcspn(line, " ");
  char *verb = g_strndup(line, length);
  const char *argument = line + length + (line[length] == ' ' ? 1 : 0);
  bool goes_on = true;
  if (strcmp(verb, "to") == 0) {
    write_part(self, &self->mail.to, argument);
  } else if (strcmp(verb, "subject") == 0) {
    write_part(self, &self->mail.subject, argument);
  } else if (strcmp(verb, "text") == 0) {
    write_part(self, &self->mail.text, argument);
  } else if (strcmp(verb, "attach") == 0) {
    attach(self, argument);
  } else if (strcmp(verb, "fetch") == 0) {
    if (!handoff_fetch(self->joined)) print(self, "error nothing is missing, or it is on its way");
  } else if (strcmp(verb, "show") == 0) {
    show(self);
  } else if (strcmp(verb, "quit") == 0) {
    goes_on = false;
  } else if (verb[0] != '\0') {
    print(self, "error unknown command %s", verb);
  }
  g_free(verb);
  return goes_on;
}

/* The loop. */

static gboolean read_input(gint fd, GIOCondition condition, gpointer userdata) {
  (void)condition;
  composer *self = userdata;
  char bytes[4096];
  ssize_t count = read(fd, bytes, sizeof bytes);
  if (count > 0) g_string_append_len(self->input, bytes, count);
  bool goes_on = count > 0;
  char *end;
  while (goes_on && (end = memchr(self->input->str, '\n', self->input->len)) != NULL) {
    *end = '\0';
    char *line = g_utf8_make_valid(self->input->str, -1);
    goes_on = execute(self, line);
    g_free(line);
    g_string_erase(self->input, 0, end - self->input->str + 1);
  }
  if (!goes_on) g_main_loop_quit(self->loop);
  return goes_on ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static gboolean dispatch(gint fd, GIOCondition condition, gpointer userdata) {
  (void)fd, (void)condition;
  composer *self = userdata;
  handoff_dispatch(self->joined);
  return G_SOURCE_CONTINUE;
}

static int run(composer *self, const char *folder, bool reads) {
  const handoff_listener listener = {
      .will_continue = will_continue,
      .did_continue = did_continue,
      .did_fail = did_fail,
      .progress = progress,
      .arrived = arrived,
      .missing = missing,
      .complete = complete,
      .was_taken = was_taken,
      .self = self,
  };
  char *reason = NULL;
  self->joined = handoff_new(&self->mail, folder, &listener, &reason);
  if (self->joined == NULL) {
    fprintf(stderr, "segue-composer: %s\n", reason);
    g_free(reason);
    return 1;
  }
  self->loop = g_main_loop_new(NULL, FALSE);
  g_unix_fd_add(handoff_fd(self->joined), G_IO_IN, dispatch, self);
  if (reads) g_unix_fd_add(STDIN_FILENO, G_IO_IN, read_input, self);
  print(self, "ready");
  g_main_loop_run(self->loop);
  g_main_loop_unref(self->loop);
  handoff_free(self->joined);
  return 0;
}

int main(int count, char **given) {
  bool is_service = count == 2 && strcmp(given[1], "--service") == 0;
  if (count > 1 && !is_service) {
    fputs(
        "usage: segue-composer              (commands on standard input)\n"
        "       segue-composer --service    (launched to go on with another device's draft)\n",
        stderr);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  composer self = {.input = g_string_new(NULL)};
  draft_init(&self.mail);
  char *folder = g_build_filename(g_get_user_data_dir(), "segue-composer", NULL);
  int status = run(&self, folder, !is_service);
  g_free(folder);
  draft_clear(&self.mail);
  g_string_free(self.input, TRUE);
  return status;
}
