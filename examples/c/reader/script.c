#include "script.h"

#include <errno.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct script {
  face base;
  reader *model;
  handoff *joined;
  GString *input; /* bytes that were read and are not a whole line yet */
};

/* Events. Text of another device is kept on one line. */

static void print(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void print(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *line = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_strdelimit(line, "\r\n", ' ');
  puts(line);
  g_free(line);
}

static void print_place(const reader *model) {
  if (model->open == NULL) {
    print("error nothing is open");
    return;
  }
  print("at line %zu of %zu: %s", model->line + 1, document_line_count(model->open), reader_line_text(model));
}

static void will_continue(void *self, const char *title, const char *device) {
  (void)self;
  print("will-continue %s from %s", title, device);
}

static void did_continue(void *self, reader_match match, const char *path) {
  const script *running = self;
  if (match == READER_MISSING) {
    print("missing %s", path);
    return;
  }
  if (match == READER_DIFFERS) print("differs %s", path);
  print("continued %s line %zu", document_path(running->model->open), running->model->line + 1);
}

static void did_fail(void *self, int32_t code, const char *message, const char *advice) {
  (void)self;
  print("failed %d %s (%s)", (int)code, message, advice);
}

static void was_continued(void *self) {
  (void)self;
  print("was-continued");
}

static void state_changed(void *self, const char *state, const char *why) {
  (void)self;
  print(why[0] == '\0' ? "state %s" : "state %s: %s", state, why);
}

/* Commands. */

/* The model has moved: notifies Segue, and prints the new place. */
static void moved(script *running) {
  handoff_moved(running->joined);
  print_place(running->model);
}

static void open_file(script *running, const char *path) {
  if (!reader_open(running->model, path)) {
    print("error %s", running->model->notice);
    return;
  }
  handoff_opened(running->joined);
  print_place(running->model);
}

static void search(script *running, const char *text) {
  if (reader_search(running->model, text, false)) {
    moved(running);
  } else {
    print("error %s", running->model->notice);
  }
}

/* The number after a command; 1 where none is given. */
static long number_of(const char *argument) {
  return argument[0] == '\0' ? 1 : strtol(argument, NULL, 10);
}

/* @return false for "quit". */
static bool execute(script *running, const char *line) {
  reader *model = running->model;
  size_t length = strcspn(line, " ");
  char *verb = g_strndup(line, length);
  const char *argument = line + length + (line[length] == ' ' ? 1 : 0);
  bool goes_on = true;
  if (strcmp(verb, "open") == 0) {
    open_file(running, argument);
  } else if (strcmp(verb, "down") == 0) {
    reader_move(model, number_of(argument));
    moved(running);
  } else if (strcmp(verb, "up") == 0) {
    reader_move(model, -number_of(argument));
    moved(running);
  } else if (strcmp(verb, "page") == 0) {
    reader_move(model, number_of(argument) * (long)model->page);
    moved(running);
  } else if (strcmp(verb, "line") == 0) {
    long line_number = number_of(argument);
    reader_go_to(model, line_number > 0 ? (size_t)line_number - 1 : 0);
    moved(running);
  } else if (strcmp(verb, "search") == 0) {
    search(running, argument);
  } else if (strcmp(verb, "show") == 0) {
    print_place(model);
  } else if (strcmp(verb, "exit-in-save") == 0) {
    handoff_exit_in_save(running->joined);
  } else if (strcmp(verb, "quit") == 0) {
    goes_on = false;
  } else if (verb[0] != '\0') {
    print("error unknown command %s", verb);
  }
  g_free(verb);
  return goes_on;
}

static bool read_input(face *self) {
  script *running = (script *)self;
  char bytes[4096];
  ssize_t length = read(STDIN_FILENO, bytes, sizeof bytes);
  if (length < 0) return errno == EINTR || errno == EAGAIN;
  if (length == 0) return false;
  g_string_append_len(running->input, bytes, length);
  char *end;
  bool goes_on = true;
  while (goes_on && (end = strchr(running->input->str, '\n')) != NULL) {
    *end = '\0';
    goes_on = execute(running, running->input->str);
    g_string_erase(running->input, 0, end - running->input->str + 1);
  }
  return goes_on;
}

/* A script has no screen to update. */
static void refresh(face *self) {
  (void)self;
}

script *script_new(reader *model) {
  script *running = g_new0(script, 1);
  running->base.read_input = read_input;
  running->base.refresh = refresh;
  running->model = model;
  running->input = g_string_new(NULL);
  setvbuf(stdout, NULL, _IOLBF, 0);
  return running;
}

void script_free(script *running) {
  g_string_free(running->input, TRUE);
  g_free(running);
}

handoff_listener script_listener(script *running) {
  return (handoff_listener){
      .will_continue = will_continue,
      .did_continue = did_continue,
      .did_fail = did_fail,
      .was_continued = was_continued,
      .state_changed = state_changed,
      .self = running,
  };
}

void script_run(script *running, handoff *joined) {
  running->joined = joined;
  print("ready");
  if (running->model->open != NULL) print_place(running->model);
  loop_run(&running->base, joined);
}
